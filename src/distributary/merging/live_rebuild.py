"""Rebuilding a live plan elsewhere: what a rebuild needs, what it makes, and the pure function between the two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints
from distributary.merging.compiled.pair import merge_pairs

__all__ = ["Fresh", "Snapshot", "rebuilt"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a rebuild works on: the queries of one moment."""

    ids: tuple[str, ...]
    boxes: Boxes
    serials: Ints
    #: How many members had ever come, and how many changes there had been.
    until: int
    mark: int


@dataclass(frozen=True, slots=True)
class Fresh:
    """Blocks planned anew: the number of each query's block, queries in the order in which they came."""

    serials: Ints
    numbers: Ints
    #: What each query costs alone.
    alone: Floats
    until: int
    mark: int


def rebuilt(snapshot: Snapshot) -> Fresh:
    """Return the blocks that pair merging makes of the queries of a snapshot.

    A function of its argument alone, which it does not change: it may run in any thread or process. Nearly all of its
    time is spent without the interpreter's lock. About O(n) for n queries, as pair merging.
    """
    ranks = np.empty(len(snapshot.ids), dtype=np.int64)
    ranks[sorted(range(len(snapshot.ids)), key=snapshot.ids.__getitem__)] = np.arange(len(snapshot.ids))
    boxes = snapshot.boxes
    alone = boxes.rate * (boxes.K_M + boxes.K_T * boxes.size)
    numbers, order = merge_pairs(boxes, ranks), np.argsort(snapshot.serials)
    return Fresh(snapshot.serials[order], numbers[order], alone[order], snapshot.until, snapshot.mark)
