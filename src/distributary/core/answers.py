"""What a node answers to a publisher or a subscriber; the same records travel between nodes and to the driver."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from distributary.core.errors import (
    Conflict,
    DistributaryError,
    InputError,
    NoSpace,
    NotAcceptable,
    TimedOut,
    TooLarge,
    Unavailable,
)
from distributary.core.ids import Sequence, StreamName

__all__ = [
    "Answered",
    "PublishAccepted",
    "PublishAnswer",
    "Refused",
    "SubscribeAccepted",
    "SubscribeAnswer",
    "refusal_of",
]


class PublishAccepted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The items are durable at the source, in one unbroken run of sequence numbers."""

    stream: StreamName
    first: Sequence
    last: Sequence


class SubscribeAccepted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The source has confirmed the filter; every match after `start` is delivered."""

    stream: StreamName
    start: Sequence


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Why not: the name of an error of `distributary.core.errors`, its reason and the field it is about.

    >>> str(Refused("TooLarge", "has 20 bytes, at most 10", "body").error())
    'body: has 20 bytes, at most 10'
    """

    kind: str
    reason: str
    field: str | None = None

    def error(self) -> DistributaryError:
        """Return the error that was turned into this record."""
        if self.kind in _INPUT:
            return _INPUT[self.kind](self.reason, field=self.field)
        if self.kind == "NoSpace":
            return NoSpace(self.field or "disk", self.reason)
        return Unavailable(self.field or "source", self.reason)


_INPUT = {kind.__name__: kind for kind in (InputError, TooLarge, NotAcceptable, Conflict)}

PublishAnswer: TypeAlias = PublishAccepted | Refused
SubscribeAnswer: TypeAlias = SubscribeAccepted | Refused
Answered: TypeAlias = PublishAccepted | SubscribeAccepted | Refused


def refusal_of(error: InputError | Unavailable) -> Refused:
    """Return the record of an error."""
    if isinstance(error, InputError):
        return Refused(type(error).__name__, error.reason, error.field)
    kind = "Unavailable" if isinstance(error, TimedOut) else type(error).__name__
    return Refused(kind, error.reason, error.what)
