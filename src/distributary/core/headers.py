"""What travels beside an item so that nodes below decide cheaply: the merged queries that it matched, and hints.

Header and annotation are one mechanism: paper 000 sends the list of merged queries with an answer, paper 002 what a
router found out about a document. A header is a hint from upstream; without one, or with a plan's version that a
node does not know, the node matches afresh and gets the same answer. What the hints say is `matching.hints`'s; here
they are bytes.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from itertools import pairwise

import msgspec

from distributary.core.errors import InputError
from distributary.core.ids import ChannelId

__all__ = ["Header", "decode_header", "encode_header"]


class Header(msgspec.Struct, frozen=True, array_like=True):
    """The version of the plan that was matched, the channels (merged queries) that matched, ascending, and hints."""

    version: str
    channels: tuple[ChannelId, ...] = ()
    #: The annotations of paper 002, for the table of filters whose version they name.
    hints: bytes = b""


def encode_header(header: Header) -> str:
    """Return the header as base64, as `Distributary-Header` carries it."""
    return b64encode(msgspec.msgpack.encode(header)).decode()


def decode_header(text: str) -> Header:
    """Return the header that `encode_header` wrote; anything else is an `InputError`.

    >>> decode_header(encode_header(Header("p1", (0, 7))))
    Header(version='p1', channels=(0, 7), hints=b'')
    """
    try:
        header = msgspec.msgpack.decode(b64decode(text, validate=True), type=Header)
    except (binascii.Error, ValueError, msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"is not a header: {error}", field="Distributary-Header") from None
    if any(first >= second for first, second in pairwise((-1, *header.channels))):
        raise InputError("is not a header: its channels are not ascending numbers", field="Distributary-Header")
    return header
