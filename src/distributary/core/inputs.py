"""What happens to a node, as frozen values in the past tense; its driver or the simulator makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from distributary.core.ids import LinkId, NodeId, RequestId, Sequence, StreamName, SubscriberId, TreeId
from distributary.core.items import Item, NewItem
from distributary.core.messages import Message
from distributary.core.subscriptions import Subscription

__all__ = [
    "Appended",
    "ConversionFailed",
    "Converted",
    "DeliveryTaken",
    "Input",
    "LinkLost",
    "LinkOpened",
    "LogRead",
    "MessageArrived",
    "PublishRequested",
    "RecoveredKey",
    "RecoveredSegment",
    "RecoveredStream",
    "Started",
    "StopRequested",
    "SubscribeRequested",
    "TimerFired",
    "Unsubscribed",
]


@dataclass(frozen=True, slots=True)
class RecoveredKey:
    """An idempotency key that the log still holds, with what it was answered."""

    key: str
    digest: str
    first: Sequence
    last: Sequence


@dataclass(frozen=True, slots=True)
class RecoveredSegment:
    """A run of the log up to and with `last`: how many bytes its items have, and when its newest was appended."""

    last: Sequence
    bytes: int
    at: float


@dataclass(frozen=True, slots=True)
class RecoveredStream:
    """What the log holds of a stream: `trimmed < seq <= head`."""

    tree: TreeId
    stream: StreamName
    trimmed: Sequence
    head: Sequence
    segments: tuple[RecoveredSegment, ...] = ()
    keys: tuple[RecoveredKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """The process runs, and this is what its log remembers."""

    node: NodeId
    streams: tuple[RecoveredStream, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkOpened:
    """A link is open: one that `Connect` asked for, or one that a peer opened to us (`incoming`)."""

    link: LinkId
    incoming: bool


@dataclass(frozen=True, slots=True)
class LinkLost:
    """A link was closed by the peer or the network, or could not be opened; no more comes from it."""

    link: LinkId
    reason: str


@dataclass(frozen=True, slots=True)
class MessageArrived:
    """A message came in over a link."""

    link: LinkId
    message: Message


@dataclass(frozen=True, slots=True)
class TimerFired:
    """The time of a timer has come."""

    name: str


@dataclass(frozen=True, slots=True)
class PublishRequested:
    """A publisher wants items appended, all or none; `digest` is the hash of the whole request's body."""

    request: RequestId
    stream: StreamName
    items: tuple[NewItem, ...]
    key: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SubscribeRequested:
    """A subscriber wants the matches after `after`, or without it those accepted from now on."""

    request: RequestId
    subscriber: SubscriberId
    stream: StreamName
    subscription: Subscription
    after: Sequence | None = None


@dataclass(frozen=True, slots=True)
class Unsubscribed:
    """A subscriber is gone."""

    subscriber: SubscriberId


@dataclass(frozen=True, slots=True)
class DeliveryTaken:
    """The subscriber's side has taken the delivery that ends at `seq`, and has room for more."""

    subscriber: SubscriberId
    seq: Sequence


@dataclass(frozen=True, slots=True)
class Appended:
    """A durable append has been done, or has failed: then nothing of it stands in the log."""

    token: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class LogRead:
    """A part of the log, complete from what was asked up to `upto`."""

    token: int
    items: tuple[Item, ...]
    upto: Sequence


@dataclass(frozen=True, slots=True)
class Converted:
    """An item in the format that was asked for."""

    token: int
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ConversionFailed:
    """An item could not be converted."""

    token: int
    reason: str


@dataclass(frozen=True, slots=True)
class StopRequested:
    """The operator ends this node: it says goodbye to its parent and children."""


Input: TypeAlias = (
    Started
    | LinkOpened
    | LinkLost
    | MessageArrived
    | TimerFired
    | PublishRequested
    | SubscribeRequested
    | Unsubscribed
    | DeliveryTaken
    | Appended
    | LogRead
    | Converted
    | ConversionFailed
    | StopRequested
)
