"""Rebuilding a matcher's levels elsewhere: what it needs, what it makes, and the pure function between the two."""

from __future__ import annotations

from dataclasses import dataclass

from distributary.matching.records.conjunctions import Conjunctions
from distributary.matching.records.index import Index
from distributary.matching.records.level import Level, merged

__all__ = ["Fresh", "Snapshot", "rebuilt"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a rebuild works on: the indexed filters of one moment."""

    parts: tuple[Conjunctions, ...]
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Fresh:
    """One index in place of the levels of a snapshot."""

    index: Index
    levels: tuple[Level, ...]


def rebuilt(snapshot: Snapshot) -> Fresh:
    """Return one index of what a snapshot holds; it may run in another thread while the matcher changes."""
    return Fresh(merged(snapshot.parts), snapshot.levels)
