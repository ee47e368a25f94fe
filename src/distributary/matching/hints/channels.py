"""The channels of a header as hints: which filters of a version matched, and that no others did (PS and NS).

A node's header names what its child's filters of one version came to. As a tuple that is three bytes a number and more;
as a set of the numbers up to the last one it is about one. Which of the two a header has makes no difference to its
meaning: whoever reads it asks `channels_of`.
"""

from __future__ import annotations

import msgspec

from distributary.core.errors import InputError
from distributary.core.headers import Header
from distributary.core.ids import ChannelId
from distributary.matching.hints.annotation import Hints, decode, encode
from distributary.matching.preparation import prepared

__all__ = ["channels_of", "compact"]

#: Fewer channels are no longer than hints.
_FEW = 16
#: A set of numbers up to more than this is not written: the bits of the smallest ones would be no shorter.
_LAST_MAX = 1 << 24


def compact(header: Header) -> Header:
    """Return the same header with its channels as hints, where that is shorter and compiled code is loaded.

    The channels are ascending.

    >>> channels_of(compact(Header("p1", tuple(range(100, 400, 3))))) == tuple(range(100, 400, 3))
    True
    """
    channels = header.channels
    if len(channels) < _FEW or header.hints or channels[-1] >= _LAST_MAX or not prepared():
        return header
    import numpy as np

    from distributary.matching.hints.numbers import pack

    domain = channels[-1] + 1
    matched = pack(np.array(channels, np.int64), domain)
    shorter = Header(header.version, (), encode(Hints(0, positive=True, negative=True, domain=domain, matched=matched)))
    return min(header, shorter, key=_size)


def channels_of(header: Header) -> tuple[ChannelId, ...]:
    """Return the channels of a header, however it has them; `InputError` for hints that cannot be read as such a set.

    That they cannot may only mean that compiled code is not loaded here: whoever asks matches afresh.
    """
    if not header.hints:
        return header.channels
    if not prepared():
        raise InputError("are not read without compiled code", field="hints")
    from distributary.matching.hints.numbers import unpack

    hints = decode(header.hints)
    if header.channels or hints.version or not (hints.positive and hints.negative):
        raise InputError("do not say which channels matched", field="hints")
    return tuple(unpack(hints.matched, hints.domain).tolist())


def _size(header: Header) -> int:
    return len(msgspec.msgpack.encode(header))
