"""The virtual clock: a queue of what happens when. Ties are broken by the order of scheduling."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["EventQueue"]


@dataclass(slots=True)
class EventQueue:
    """Runs actions in the order of their times; an action may schedule further ones."""

    now: float = 0.0
    _heap: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    def at(self, time: float, action: Callable[[], None]) -> None:
        """Schedule an action; one in the past runs now."""
        heapq.heappush(self._heap, (max(time, self.now), next(self._order), action))

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Schedule an action some time from now."""
        self.at(self.now + seconds, action)

    def run(self, until: float) -> None:
        """Run everything up to `until`, which is the time afterwards."""
        while self._heap and self._heap[0][0] <= until:
            self.now, _, action = heapq.heappop(self._heap)
            action()
        self.now = until
