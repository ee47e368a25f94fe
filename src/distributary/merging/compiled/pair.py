"""Pair merging of many boxes: a spatial index finds the best partner of a block, a lazy heap the best pair of all.

Each block knows its best partner among the blocks that were there before it, so every pair is known to its younger
block, and memory is linear. An entry whose partner has gone is looked up anew when it comes to the top. The result is
that of the plain algorithm, ties included.

From a block outwards, ring by ring of the index, no partner can save more than a bound allows, which falls with the
distance.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, block_cost, compiled, measure
from distributary.merging.compiled.grid import CLASSES, Grid, insert, make_grid, remove, ring_of
from distributary.merging.compiled.reach import reach_size

__all__ = ["Blocks", "cost_of", "merge_pairs", "merge_profit", "profit_beyond"]


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


@compiled
def profit_beyond(
    boxes: Boxes, grid: Grid, blocks: Blocks, block: int, level: int, ring: int, low: Floats, high: Floats
) -> float:
    """Return a bound on the profit with any partner of a class in a ring and beyond it."""
    size = blocks.size[block]
    least = max(size, reach_size(boxes, grid, blocks.low[block], blocks.high[block], level, ring, low, high))
    rate, count = blocks.rate[block], blocks.members[block]
    bound = rate * (boxes.K_M + boxes.K_T * size) + boxes.K_U * count * rate * (size - least)
    return bound + min(0.0, boxes.K_T * rate * (grid.largest[level] - least))


@compiled
def _partner(
    boxes: Boxes, grid: Grid, blocks: Blocks, block: int, low: Floats, high: Floats, near: Ints
) -> tuple[int, float]:
    """Return the older block that merging with saves most, and how much; -1 when no merge saves anything."""
    best, found = 0.0, -1
    for level in range(CLASSES):
        if grid.population[level] == 0:
            continue
        ring = 0
        while True:
            bound = profit_beyond(boxes, grid, blocks, block, level, ring, low, high)
            # Rounding must not hide a partner that is exactly as good.
            if bound < best - 1e-9 * abs(best) or bound < 0.0:
                break
            count = ring_of(grid, level, ring, blocks.low[block], blocks.high[block], near)
            if count < 0:
                break
            for other in near[:count]:
                if other >= block:
                    continue
                profit = merge_profit(boxes, blocks, block, other, low, high)
                if profit > best or (found >= 0 and profit == best and blocks.rank[other] < blocks.rank[found]):
                    best, found = profit, other
            ring += 1
    return found, best


@compiled
def _entry(blocks: Blocks, block: int, partner: int, profit: float) -> tuple[float, int, int, int, int]:
    first, second = blocks.rank[block], blocks.rank[partner]
    return -profit, min(first, second), max(first, second), block, partner


@compiled
def _merge_all(boxes: Boxes, grid: Grid, blocks: Blocks) -> None:
    count = boxes.size.shape[0]
    low, high = np.empty(boxes.low.shape[1]), np.empty(boxes.low.shape[1])
    near = np.empty(count, dtype=np.int64)
    heap = [(0.0, 0, 0, 0, 0)]
    heap.clear()
    for block in range(count):
        partner, profit = _partner(boxes, grid, blocks, block, low, high, near)
        if partner >= 0:
            heap.append(_entry(blocks, block, partner, profit))
        insert(grid, blocks.low[block], blocks.high[block], blocks.size[block], block)
    heapify(heap)
    fresh = count
    while len(heap) > 0:
        _, _, _, first, second = heappop(heap)
        if blocks.alive[first] == 0:
            continue
        if blocks.alive[second] == 0:
            partner, profit = _partner(boxes, grid, blocks, first, low, high, near)
            if partner >= 0:
                heappush(heap, _entry(blocks, first, partner, profit))
            continue
        remove(grid, first)
        remove(grid, second)
        blocks.alive[first] = blocks.alive[second] = 0
        blocks.parent[first] = blocks.parent[second] = fresh
        for axis in range(low.shape[0]):
            blocks.low[fresh, axis] = min(blocks.low[first, axis], blocks.low[second, axis])
            blocks.high[fresh, axis] = max(blocks.high[first, axis], blocks.high[second, axis])
        size = measure(boxes, blocks.low[fresh], blocks.high[fresh])
        blocks.size[fresh] = size
        blocks.members[fresh] = blocks.members[first] + blocks.members[second]
        blocks.rate[fresh] = max(blocks.rate[first], blocks.rate[second])
        blocks.wanted[fresh] = blocks.wanted[first] + blocks.wanted[second]
        blocks.rank[fresh] = min(blocks.rank[first], blocks.rank[second])
        blocks.alive[fresh] = 1
        partner, profit = _partner(boxes, grid, blocks, fresh, low, high, near)
        if partner >= 0:
            heappush(heap, _entry(blocks, fresh, partner, profit))
        insert(grid, blocks.low[fresh], blocks.high[fresh], size, fresh)
        fresh += 1


def merge_pairs(boxes: Boxes, rank: Ints) -> Ints:
    """Return for each query the number of its block; `rank` is its place among all ids, which breaks ties."""
    count, dimensions = boxes.low.shape
    room = 2 * count
    blocks = Blocks(
        low=np.empty((room, dimensions)),
        high=np.empty((room, dimensions)),
        size=np.empty(room),
        members=np.ones(room),
        rate=np.empty(room),
        wanted=np.empty(room),
        rank=np.zeros(room, dtype=np.int64),
        alive=np.zeros(room, dtype=np.int64),
        parent=np.full(room, -1, dtype=np.int64),
    )
    for target, source in ((blocks.low, boxes.low), (blocks.high, boxes.high), (blocks.size, boxes.size)):
        target[:count] = source
    blocks.rate[:count], blocks.wanted[:count] = boxes.rate, boxes.rate * boxes.size
    blocks.rank[:count], blocks.alive[:count] = rank, 1
    _merge_all(boxes, make_grid(boxes.low, boxes.high, room), blocks)
    return _roots(blocks.parent, count)


@compiled
def _roots(parent: Ints, count: int) -> Ints:
    root = np.arange(parent.shape[0])
    for block in range(parent.shape[0] - 1, -1, -1):
        if parent[block] >= 0:
            root[block] = root[parent[block]]
    return root[:count]
