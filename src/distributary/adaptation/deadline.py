"""When to stop. The clock is an argument: nothing here knows the time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["NEVER", "Deadline"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on a clock in seconds; `None`: never."""

    clock: Callable[[], float]
    at: float | None = None

    @property
    def passed(self) -> bool:
        """Tell whether it is time to stop."""
        return self.at is not None and self.clock() >= self.at

    def left(self) -> float:
        """Return the seconds that are left."""
        return math.inf if self.at is None else self.at - self.clock()


NEVER = Deadline(lambda: 0.0)
