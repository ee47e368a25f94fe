"""The exhaustive algorithms of paper 000, section 6.1: the best partition, and the best cover of very few queries."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from distributary.core.errors import InputError
from distributary.merging.compiled.boxes import Floats
from distributary.merging.compiled.subsets import best_partition, subset_costs
from distributary.merging.cost import Block, Pricing
from distributary.merging.geometry import boxes_of

__all__ = ["PARTITION_MAX", "best_blocks", "exhaustive", "partition"]

#: Queries of one stream. A partition of 16 takes a second; all covers are tried of 4, as in the paper.
PARTITION_MAX = 16
_EXHAUSTIVE_MAX = 4


def partition(pricing: Pricing) -> list[Block]:
    """Return the best blocks, each query in one of them; an optimum where merging more never makes a query dearer.

    Refuses streams of more than `PARTITION_MAX` queries.
    """
    return [block for stream in _checked(pricing, PARTITION_MAX, "partition") for block in best_blocks(pricing, stream)]


def best_blocks(pricing: Pricing, places: Block) -> list[Block]:
    """Return the best partition of some members of one stream."""
    return [_members(places, subset) for subset in best_partition(_costs(pricing, places))]


def exhaustive(pricing: Pricing) -> list[Block]:
    """Return the best blocks of all collections, also of those in which a query is in several blocks.

    It is the reference that shows that nothing is lost by allocating each query once; a query that stands in several
    of the best blocks is then left in the first only, which costs no more.
    """
    streams = _checked(pricing, _EXHAUSTIVE_MAX, "exhaustive")
    return [block for stream in streams for block in _best_cover(pricing, stream)]


def _best_cover(pricing: Pricing, stream: Block) -> list[Block]:
    costs = _costs(pricing, stream)
    whole = len(costs) - 1
    best: tuple[float, tuple[int, ...]] = (float("inf"), ())
    for size in range(1, len(stream) + 1):
        for blocks in combinations(range(1, whole + 1), size):
            if int(np.bitwise_or.reduce(blocks)) == whole:
                best = min(best, (float(sum(costs[block] for block in blocks)), blocks))
    taken, found = 0, []
    for block in best[1]:
        fresh = block & ~taken
        if fresh:
            found.append(_members(stream, fresh))
        taken |= block
    return found


def _checked(pricing: Pricing, most: int, algorithm: str) -> list[Block]:
    streams = pricing.problem.streams()
    longest = max(map(len, streams))
    if longest > most:
        reason = f"takes up to {most} queries of one stream, here are {longest}"
        raise InputError(reason, field=f"algorithm {algorithm}")
    return streams


def _costs(pricing: Pricing, places: Block) -> Floats:
    boxes = boxes_of(pricing, places)
    if boxes is not None:
        costs: Floats = subset_costs(boxes)
        return costs
    return np.array([0.0, *(pricing.cost(_members(places, subset)) for subset in range(1, 1 << len(places)))])


def _members(places: Block, subset: int) -> Block:
    return tuple(place for bit, place in enumerate(places) if subset >> bit & 1)
