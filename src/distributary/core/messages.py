"""What nodes say to each other. A link belongs to one tree, so no message names it; any may be lost or come twice.

Nothing here is answered for its own sake: what must hold is repeated until the other side's state shows that it does.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from distributary.core.answers import PublishAccepted, Refused
from distributary.core.errors import ProtocolError
from distributary.core.ids import NodeId, Sequence, StreamName, TreeId
from distributary.core.items import Item, NewItem
from distributary.core.subscriptions import FilterText

__all__ = [
    "Confirmed",
    "Fetch",
    "Fetched",
    "Filters",
    "FiltersWanted",
    "Goodbye",
    "Items",
    "Join",
    "KeepAlive",
    "Message",
    "NumberedFilter",
    "Peer",
    "Publish",
    "Published",
    "Redirect",
    "Start",
    "StartWanted",
    "Taken",
    "Welcome",
    "decode_message",
    "encode_message",
]


class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    pass


class Peer(msgspec.Struct, frozen=True, array_like=True):
    """A node and where it listens."""

    node: NodeId
    url: str
    name: str = ""


class Join(_Message, frozen=True):
    """The opener of a link wants to be a child; `tree` is the one it was in, if any."""

    joiner: Peer
    tree: TreeId | None = None


class Welcome(_Message, frozen=True):
    """The joiner is a child now. `path` runs from the source to the sender."""

    tree: TreeId
    path: tuple[Peer, ...]


class Redirect(_Message, frozen=True):
    """There is no room or no way to the source here; the joiner may try these, in this order."""

    peers: tuple[Peer, ...]


class Goodbye(_Message, frozen=True):
    """The sender leaves the tree; its children may try these."""

    peers: tuple[Peer, ...] = ()


class KeepAlive(_Message, frozen=True):
    """The sender lives. Down the tree it tells its path and how far it has sent; up, the nodes of its subtree.

    The path runs from the source, or where `rooted` is false from the topmost node that has lost its parent.
    """

    path: tuple[Peer, ...] = ()
    rooted: bool = False
    nodes: int = 0
    sent: dict[StreamName, Sequence] = {}


class NumberedFilter(msgspec.Struct, frozen=True, array_like=True):
    """A filter on a stream with the number that the child gave it; numbers are never used again on a link."""

    number: int
    stream: StreamName
    text: FilterText


class Filters(_Message, frozen=True):
    """What the sender's subtree wants, as a change from version `base`, or whole when `base` is 0.

    `marks` says how far the sender is complete in the streams of `added`: a child from elsewhere is owed what follows,
    and so is one whose filter had its matches through another one so far. `fresh` has the numbers of those filters for
    which the sender has nothing yet.
    """

    version: int
    base: int
    added: tuple[NumberedFilter, ...] = ()
    removed: tuple[int, ...] = ()
    marks: dict[StreamName, Sequence] = {}
    fresh: tuple[int, ...] = ()


class FiltersWanted(_Message, frozen=True):
    """The sender does not know the base of a change: the child sends its filters whole."""


class Confirmed(_Message, frozen=True):
    """Up to the source the filters of `version` are known: the receiver gets all their matches after `starts`."""

    version: int
    starts: dict[StreamName, Sequence]


class Items(_Message, frozen=True):
    """All items with `after < seq <= upto` that match the receiver's filters: a completeness mark with its items.

    Each item's header names the numbers of the receiver's filters of `Header.version` that it matches. With `lost`
    the source no longer keeps the range.
    """

    stream: StreamName
    after: Sequence
    upto: Sequence
    items: tuple[Item, ...] = ()
    lost: bool = False


class Taken(_Message, frozen=True):
    """The sender is complete up to `mark`; with `missing` it lacks what follows and asks for it once more."""

    stream: StreamName
    mark: Sequence
    missing: bool = False


class Fetch(_Message, frozen=True):
    """The sender wants the items with `after < seq <= upto` that match any of `filters`."""

    request: int
    stream: StreamName
    filters: tuple[FilterText, ...]
    after: Sequence
    upto: Sequence


class Fetched(_Message, frozen=True):
    """The answer to `Fetch`, complete up to `upto`, which may be less than what was asked."""

    request: int
    upto: Sequence
    items: tuple[Item, ...] = ()
    lost: bool = False


class StartWanted(_Message, frozen=True):
    """The sender asks the source where a stream stands."""

    request: int
    stream: StreamName


class Start(_Message, frozen=True):
    """The source's last sequence number of the stream at the time of the answer."""

    request: int
    head: Sequence


class Publish(_Message, frozen=True):
    """Items on their way to the source."""

    request: int
    stream: StreamName
    items: tuple[NewItem, ...]
    key: str | None = None
    digest: str = ""


class Published(_Message, frozen=True):
    """What the source answered to `Publish`."""

    request: int
    answer: PublishAccepted | Refused


Message: TypeAlias = (
    Join
    | Welcome
    | Redirect
    | Goodbye
    | KeepAlive
    | Filters
    | FiltersWanted
    | Confirmed
    | Items
    | Taken
    | Fetch
    | Fetched
    | StartWanted
    | Start
    | Publish
    | Published
)

_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)


def encode_message(message: Message) -> bytes:
    """Return the message as one binary frame."""
    return _ENCODER.encode(message)


def decode_message(frame: bytes, peer: str) -> Message:
    """Return the message of a frame; anything else is a `ProtocolError` of that peer.

    >>> decode_message(encode_message(Taken("quakes", 7)), "p")
    Taken(stream='quakes', mark=7, missing=False)
    """
    try:
        return _DECODER.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(peer, f"sent a frame that is no message: {error}") from None
