"""What a log keeps: runs of items with their size and age, so that the oldest can go first at little cost.

A run ends after 64 KiB or a thousandth of the retention's age, so their number is bounded whatever the items' sizes;
the log is trimmed at the ends of runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from distributary.core.ids import Sequence
from distributary.core.inputs import RecoveredSegment

__all__ = ["Segments", "oldest_over"]

_SEGMENT_BYTES = 1 << 16


@dataclass(slots=True)
class _Segment:
    last: Sequence
    bytes: int
    opened: float
    #: When its newest item came.
    at: float


@dataclass(slots=True)
class Segments:
    """The runs of one stream's log, oldest first."""

    #: Nothing up to here is kept.
    trimmed: Sequence = 0
    bytes: int = 0
    _runs: deque[_Segment] = field(default_factory=deque)

    @classmethod
    def recovered(cls, trimmed: Sequence, runs: Iterable[RecoveredSegment]) -> Segments:
        """Return the runs that the log reported at its start."""
        segments = cls(trimmed)
        for run in runs:
            segments._runs.append(_Segment(run.last, run.bytes, run.at, run.at))
            segments.bytes += run.bytes
        return segments

    def add(self, last: Sequence, size: int, now: float, retention_seconds: float) -> None:
        """Note items up to `last`."""
        self.bytes += size
        run = self._runs[-1] if self._runs else None
        if run is None or run.bytes >= _SEGMENT_BYTES or now - run.opened > retention_seconds / 1000:
            self._runs.append(_Segment(last, size, now, now))
        else:
            run.last, run.at = last, now
            run.bytes += size

    def oldest(self) -> float | None:
        """Return when the newest item of the oldest run came."""
        return self._runs[0].at if self._runs else None

    def drop_oldest(self) -> Sequence:
        """Forget the oldest run and return its last seq."""
        run = self._runs.popleft()
        self.bytes -= run.bytes
        self.trimmed = run.last
        return run.last

    def drop_all(self, upto: Sequence) -> None:
        """Forget every run: nothing up to `upto` is kept."""
        self._runs.clear()
        self.bytes = 0
        self.trimmed = max(self.trimmed, upto)


def oldest_over(logs: Iterable[Segments], now: float, seconds_max: float, bytes_max: int) -> Segments | None:
    """Return the log whose oldest run must go, the oldest of all first; None when all may stay."""
    dated = [(at, log) for log in logs if (at := log.oldest()) is not None]
    if not dated:
        return None
    at, log = min(dated, key=lambda pair: pair[0])
    over = sum(log.bytes for _, log in dated) > bytes_max
    return log if over or now - at > seconds_max else None
