"""What a benchmark returns, and the one way in which two ways of doing the same are timed against each other."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Measurement", "compare"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """Ours against a peer that did the same work in the same run."""

    name: str
    #: What was done, and the peer that did it too.
    work: str
    peer: str
    #: Pieces of work in each timed call, and what a piece is.
    pieces: int
    piece: str
    #: Seconds of each timed call, in the order of the rounds.
    ours_seconds: tuple[float, ...]
    peer_seconds: tuple[float, ...]
    #: Everything that the work was made of, for somebody who measures it again.
    configuration: dict[str, int | float | str] = field(default_factory=dict)

    @property
    def ours_rate(self) -> float:
        """Return the pieces per second that we do."""
        return self.pieces / statistics.median(self.ours_seconds)

    @property
    def peer_rate(self) -> float:
        """Return the pieces per second that the peer does."""
        return self.pieces / statistics.median(self.peer_seconds)

    @property
    def ratio(self) -> float:
        """Return how many times faster than the peer we are."""
        return self.ours_rate / self.peer_rate


def compare(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the seconds of both, timed in turn so that a slow moment of the machine meets both.

    Each is called once before, and both must return the same.
    """
    assert ours() == peer(), "ours and the peer's answers differ: their times mean nothing"
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, into in zip((ours, peer), seconds, strict=True):
            started = time.perf_counter()
            call()
            into.append(time.perf_counter() - started)
    return tuple(seconds[0]), tuple(seconds[1])
