"""What a construction algorithm says of the trees that it has grown in a network."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Construction"]


@dataclass(frozen=True, slots=True)
class Construction:
    """How it went; the trees stand in the network."""

    #: Mean number of rounds of a join: servers that were tried.
    rounds: float = 1.0
    #: Whether no trees have a better quality; said only when it is proven.
    optimal: bool = False
