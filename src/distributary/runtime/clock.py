"""The clock of `now`: seconds like the wall's that never go back, while the process runs and over a restart."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Clock"]


class Clock:
    """Wall-clock seconds taken once at the start and carried on by the loop's monotonic clock.

    The log's timestamps outlive the process, so they are the wall's; a wall that is set while the process runs moves
    no timer. `not_before` is the newest timestamp in the log: a wall that was set back meanwhile cannot undercut it.
    """

    def __init__(self, loop_time: Callable[[], float], not_before: float = 0.0) -> None:
        self._loop_time = loop_time
        self._offset = max(time.time(), not_before) - loop_time()

    def now(self) -> float:
        """Return the present."""
        return self._loop_time() + self._offset

    def loop_time_of(self, at: float) -> float:
        """Return what the loop's clock shows at `at`."""
        return at - self._offset
