"""What a node asks of its driver, as frozen values: imperative names, no callbacks, nothing that decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from distributary.core.answers import Answered
from distributary.core.ids import LinkId, RequestId, Sequence, StreamName, SubscriberId, TreeId
from distributary.core.items import Item
from distributary.core.messages import Message

__all__ = [
    "Answer",
    "AppendLog",
    "CancelTimer",
    "Connect",
    "Convert",
    "Deliver",
    "Disconnect",
    "Effect",
    "Gap",
    "KeyRecord",
    "ReadLog",
    "Report",
    "SendMessage",
    "SetTimer",
    "TrimLog",
]


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Send a message over a link that is open; messages of one link keep their order."""

    link: LinkId
    message: Message


@dataclass(frozen=True, slots=True)
class Connect:
    """Open a link to the node at `url`; answered by `LinkOpened` or `LinkLost` with the same link."""

    link: LinkId
    url: str


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Close a link after what was sent on it; no `LinkLost` follows."""

    link: LinkId


@dataclass(frozen=True, slots=True)
class SetTimer:
    """Give `TimerFired(name)` at `at` (the clock of `now`); a timer of the same name is replaced."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class CancelTimer:
    """Forget a timer, set or not."""

    name: str


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """An idempotency key with the digest of the body that it was used for."""

    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class AppendLog:
    """Append items to the log of a stream; `items` are in order of `seq` and above all that stand there.

    With `durable`, `Appended(token)` follows once they, and `key`, would survive a power cut; without it no answer
    is given and a restart may forget them. Every later `ReadLog` sees them in both cases.
    """

    token: int
    tree: TreeId
    stream: StreamName
    items: tuple[Item, ...]
    durable: bool
    key: KeyRecord | None = None


@dataclass(frozen=True, slots=True)
class ReadLog:
    """Read the items with `after < seq <= upto`, at most `bytes_max` bytes of bodies but at least one item.

    Answered by `LogRead(token, items, upto)`, whose `upto` says how far the range has been read.
    """

    token: int
    tree: TreeId
    stream: StreamName
    after: Sequence
    upto: Sequence
    bytes_max: int


@dataclass(frozen=True, slots=True)
class TrimLog:
    """Remove the items with `seq <= upto`, and the idempotency keys whose last item is among them."""

    tree: TreeId
    stream: StreamName
    upto: Sequence


@dataclass(frozen=True, slots=True)
class Gap:
    """The items from `first` to `last` are no longer kept; matching ones among them are lost to the subscriber."""

    first: Sequence
    last: Sequence


@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand an item or a gap to a subscriber; the driver says `DeliveryTaken` when it is written out."""

    subscriber: SubscriberId
    delivery: Item | Gap


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer a request, once. A refusal after an acceptance ends that subscription: the driver tells it and closes."""

    request: RequestId
    answer: Answered


@dataclass(frozen=True, slots=True)
class Convert:
    """Convert an item's body to another format; answered by `Converted` or `ConversionFailed`."""

    token: int
    item: Item
    format: str


@dataclass(frozen=True, slots=True)
class Report:
    """Write one structured line to the operator's log."""

    event: str
    fields: tuple[tuple[str, str | int | float], ...] = ()


Effect: TypeAlias = (
    SendMessage
    | Connect
    | Disconnect
    | SetTimer
    | CancelTimer
    | AppendLog
    | ReadLog
    | TrimLog
    | Deliver
    | Answer
    | Convert
    | Report
)
