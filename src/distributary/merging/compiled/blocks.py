"""Blocks as they arise when boxes merge: what describes them, what they cost, what merging two of them saves."""

from __future__ import annotations

from typing import NamedTuple

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, block_cost, compiled, measure

__all__ = ["Blocks", "cost_of", "merge_profit"]


class Blocks(NamedTuple):
    """Blocks as they arise: the queries, then one more for each merge."""

    low: Floats
    high: Floats
    size: Floats
    members: Floats
    rate: Floats
    wanted: Floats
    #: The smallest rank of a member; breaks ties.
    rank: Ints
    alive: Ints
    parent: Ints


@compiled
def merge_profit(boxes: Boxes, blocks: Blocks, first: int, second: int, low: Floats, high: Floats) -> float:
    """Return what merging two blocks saves; `low` and `high` are room to work in."""
    for axis in range(low.shape[0]):
        low[axis] = min(blocks.low[first, axis], blocks.low[second, axis])
        high[axis] = max(blocks.high[first, axis], blocks.high[second, axis])
    apart = cost_of(boxes, blocks, first) + cost_of(boxes, blocks, second)
    return apart - block_cost(
        boxes,
        measure(boxes, low, high),
        blocks.members[first] + blocks.members[second],
        max(blocks.rate[first], blocks.rate[second]),
        blocks.wanted[first] + blocks.wanted[second],
    )


@compiled
def cost_of(boxes: Boxes, blocks: Blocks, block: int) -> float:
    """Return what a block costs."""
    return block_cost(boxes, blocks.size[block], blocks.members[block], blocks.rate[block], blocks.wanted[block])
