"""A cursor over one stream for one child or one subscriber: what was handed over, what is under way, what is owed.

An outlet is *live* when it stands at the stream's mark; it is then served from memory as items arrive. Otherwise it
is served from the log, or by a fetch from further up, a page at a time and only as far as its window allows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from distributary.core.ids import LinkId, Sequence, StreamName, SubscriberId
from distributary.core.subscriptions import FilterText

__all__ = ["PATIENCE_SECONDS_MAX", "PATIENCE_SECONDS_MIN", "Outlet", "OutletKey", "Window"]

PATIENCE_SECONDS_MIN = 3.0
PATIENCE_SECONDS_MAX = 60.0

#: Links and subscribers have names of different forms, so one type serves for both.
OutletKey = LinkId | SubscriberId


@dataclass(slots=True)
class Window:
    """What has been handed over and not yet been taken."""

    bytes_max: int
    items_max: int
    #: (seq, bytes) of what is under way, in order.
    _under_way: deque[tuple[Sequence, int]] = field(default_factory=deque)
    _bytes: int = 0

    def room(self) -> bool:
        """Tell whether more may be handed over; one item always may when nothing is under way."""
        return self._bytes < self.bytes_max and len(self._under_way) < self.items_max

    def fits(self, count: int, size: int) -> bool:
        """Tell whether `count` items of `size` bytes together may be handed over at once."""
        if count == 1 and not self._under_way:
            return True
        return self._bytes + size <= self.bytes_max and len(self._under_way) + count <= self.items_max

    def add(self, seq: Sequence, size: int) -> None:
        """Note an item as under way."""
        self._under_way.append((seq, size))
        self._bytes += size

    def taken(self, seq: Sequence) -> None:
        """Forget what was under way up to `seq`."""
        while self._under_way and self._under_way[0][0] <= seq:
            self._bytes -= self._under_way.popleft()[1]

    def clear(self) -> None:
        """Forget all that was under way."""
        self._under_way.clear()
        self._bytes = 0


@dataclass(slots=True)
class Outlet:
    """One child's or subscriber's place in one stream."""

    key: OutletKey
    stream: StreamName
    window: Window
    #: The other side is a node: it is told ranges, not items alone.
    child: bool
    #: Each wanted filter, and after which seq all its matches are owed; None while that is not confirmed.
    starts: dict[FilterText, Sequence | None] = field(default_factory=dict)
    #: Everything up to here has been looked at for this outlet. Not kept up while the outlet is live.
    sent: Sequence = 0
    #: How far the child has been told of that, and how far it is known to have come.
    told: Sequence = 0
    acknowledged: Sequence = 0
    #: How far the child was told before it went back: such ranges may still be on their way.
    reached: Sequence = 0
    live: bool = False
    #: The log read or fetch that is under way, the end of its range, and when it was asked for.
    waiting: int | None = None
    waiting_upto: Sequence = 0
    waiting_since: float = 0.0
    #: How long to wait for a fetch before it counts as lost; doubled each time, as the way up may be slow.
    patience_seconds: float = PATIENCE_SECONDS_MIN
    #: Nothing goes out before the subscription is answered.
    open: bool = True
    #: With `every`: how far the last release lets it go.
    released: Sequence | None = None

    def go_back(self, mark: Sequence) -> None:
        """Hand over again what follows a mark; what is under way does not count any more."""
        self.reached = max(self.reached, self.told)
        self.live, self.waiting = False, None
        self.sent = self.told = mark
        # What comes again is to be acknowledged again, for it fills the window.
        self.acknowledged = min(self.acknowledged, mark)
        self.window.clear()

    def taken(self, mark: Sequence) -> None:
        """Note how far the other side has come; it may be further than what it was told since going back."""
        self.window.taken(mark)
        if mark > self.told:
            self.told, self.sent = mark, max(self.sent, mark)
        self.acknowledged = mark

    def position(self, mark: Sequence) -> Sequence:
        """Return how far the outlet has ever come, ranges that are being fetched included."""
        if self.live:
            return mark
        return max(self.sent, self.reached, self.waiting_upto if self.waiting is not None else 0)

    def limit(self, mark: Sequence) -> Sequence:
        """Return how far it may be served now."""
        return mark if self.released is None else min(mark, self.released)
