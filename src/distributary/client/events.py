"""What a client is given: events, gaps, and the places of what it published."""

from __future__ import annotations

import binascii
from base64 import b64decode
from dataclasses import dataclass
from typing import Any

import msgspec

from distributary.core.errors import ProtocolError
from distributary.core.ids import Sequence, StreamName

__all__ = ["Event", "Gap", "Published", "event_of", "gap_of"]


@dataclass(frozen=True, slots=True)
class Event:
    """An item: a JSON value as it is, XML and text as a string, anything else as bytes."""

    stream: StreamName
    seq: Sequence
    content_type: str
    item: Any


@dataclass(frozen=True, slots=True)
class Gap:
    """Items from `first` to `last` are no longer kept; matching ones among them are lost."""

    first: Sequence
    last: Sequence


@dataclass(frozen=True, slots=True)
class Published:
    """The items are durable at the source, with these sequence numbers."""

    stream: StreamName
    first: Sequence
    last: Sequence

    @property
    def seq(self) -> Sequence:
        """Return the number of a single item."""
        return self.last


class _Frame(msgspec.Struct):
    stream: str
    seq: int
    content_type: str
    item: Any = None
    data: str | None = None


class _Range(msgspec.Struct, rename={"first": "from", "last": "to"}):
    first: int
    last: int


def event_of(frame: bytes, node: str) -> Event:
    """Return the event of a frame; anything else is a `ProtocolError` of that node."""
    try:
        found = msgspec.json.decode(frame, type=_Frame)
        item = found.item if found.data is None else b64decode(found.data, validate=True)
    except (msgspec.DecodeError, binascii.Error) as error:
        raise ProtocolError(node, f"sent a frame that is none: {error}") from None
    return Event(found.stream, found.seq, found.content_type, item)


def gap_of(frame: bytes, node: str) -> Gap:
    """Return the gap of a frame."""
    try:
        found = msgspec.json.decode(frame, type=_Range)
    except msgspec.DecodeError as error:
        raise ProtocolError(node, f"sent a gap that is none: {error}") from None
    return Gap(found.first, found.last)
