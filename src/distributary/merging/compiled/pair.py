"""Pair merging of many boxes: a tree finds the best partner of a block, a lazy heap the best pair of all.

Each block has an entry with the partner that was the best when it was looked for. One whose partner has gone is looked
up anew when it comes to the top; a partner that has come since has an entry of its own, which is no worse. So the best
entry is the best of all pairs, and memory is linear. The result is that of the plain algorithm, ties included.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from distributary.merging.compiled.blocks import Blocks, cost_of
from distributary.merging.compiled.boxes import Boxes, Floats, Ints, compiled, measure
from distributary.merging.compiled.descent import merge_few
from distributary.merging.compiled.partners import WAITING_MAX, best_partner
from distributary.merging.compiled.tree import Tree, make_tree, put, take_away

__all__ = ["merge_many", "merge_pairs"]

#: Up to so many queries are quicker merged by a table of all pairs.
_FEW = 300


@compiled
def _entry(rank: int, other: int, block: int, partner: int, profit: float) -> tuple[float, int, int, int, int]:
    return -profit, min(rank, other), max(rank, other), block, partner


@compiled
def _merge_all(boxes: Boxes, tree: Tree, blocks: Blocks, count: int, uniform: bool) -> None:
    """Merge the first so many blocks until no merge saves anything."""
    stack, room = np.empty(WAITING_MAX, dtype=np.int64), np.empty((3, max(WAITING_MAX, boxes.low.shape[1])))
    heap = [(0.0, 0, 0, 0, 0)]
    heap.clear()
    for block in range(count):
        partner, profit, rank = best_partner(boxes, tree, block, uniform, stack, room)
        if partner >= 0:
            heap.append(_entry(blocks.rank[block], rank, block, partner, profit))
    heapify(heap)
    fresh = count
    while len(heap) > 0:
        _, _, _, first, second = heappop(heap)
        if blocks.alive[first] == 0:
            continue
        block = first
        if blocks.alive[second] == 1:
            _join(boxes, blocks, first, second, fresh)
            take_away(tree, tree.place[second])
            put(tree, blocks, tree.place[first], fresh, cost_of(boxes, blocks, fresh))
            block = fresh
            fresh += 1
        partner, profit, rank = best_partner(boxes, tree, block, uniform, stack, room)
        if partner >= 0:
            heappush(heap, _entry(blocks.rank[block], rank, block, partner, profit))


@compiled
def _costs(boxes: Boxes, blocks: Blocks, count: int) -> Floats:
    costs = np.empty(count)
    for block in range(count):
        costs[block] = cost_of(boxes, blocks, block)
    return costs


@compiled
def _join(boxes: Boxes, blocks: Blocks, first: int, second: int, fresh: int) -> None:
    """Make a new block of two."""
    blocks.alive[first] = blocks.alive[second] = 0
    blocks.parent[first] = blocks.parent[second] = fresh
    for axis in range(blocks.low.shape[1]):
        blocks.low[fresh, axis] = min(blocks.low[first, axis], blocks.low[second, axis])
        blocks.high[fresh, axis] = max(blocks.high[first, axis], blocks.high[second, axis])
    blocks.size[fresh] = measure(boxes, blocks.low[fresh], blocks.high[fresh])
    blocks.members[fresh] = blocks.members[first] + blocks.members[second]
    blocks.rate[fresh] = max(blocks.rate[first], blocks.rate[second])
    blocks.wanted[fresh] = blocks.wanted[first] + blocks.wanted[second]
    blocks.rank[fresh] = min(blocks.rank[first], blocks.rank[second])
    blocks.alive[fresh] = 1


def merge_pairs(boxes: Boxes, rank: Ints) -> Ints:
    """Return for each query the number of its block; `rank` is its place among all ids, which breaks ties."""
    if len(rank) <= _FEW:
        return merge_few(boxes, rank).blocks
    return merge_many(boxes, rank)


def merge_many(boxes: Boxes, rank: Ints) -> Ints:
    """Return the same for many queries."""
    group, first = _alike(boxes)
    count, dimensions = len(first), boxes.low.shape[1]
    room = 2 * count
    blocks = Blocks(
        low=np.empty((room, dimensions)),
        high=np.empty((room, dimensions)),
        size=np.empty(room),
        members=np.empty(room),
        rate=np.empty(room),
        wanted=np.empty(room),
        rank=np.full(room, len(rank)),
        alive=np.zeros(room, dtype=np.int64),
        parent=np.full(room, -1),
    )
    blocks.low[:count], blocks.high[:count] = boxes.low[first], boxes.high[first]
    blocks.size[:count], blocks.rate[:count] = boxes.size[first], boxes.rate[first]
    blocks.members[:count] = np.bincount(group, minlength=count)
    blocks.wanted[:count] = np.bincount(group, weights=boxes.rate * boxes.size, minlength=count)
    np.minimum.at(blocks.rank, group, rank)
    blocks.alive[:count] = 1
    uniform = bool((boxes.rate == boxes.rate[0]).all())
    _merge_all(boxes, make_tree(blocks, _costs(boxes, blocks, count), count), blocks, count, uniform)
    blocks_of_groups: Ints = _roots(blocks.parent, count)
    return blocks_of_groups[group]


def _alike(boxes: Boxes) -> tuple[Ints, Ints]:
    """Return for each query the number of a group, and a query of each group: equal ones are together.

    Where what is irrelevant has a price, and so has something else, and volumes are measured, each of some equal
    queries saves most by merging with another of them, and strictly less with any larger one. Elsewhere there may be
    ties, and groups are single queries.
    """
    apart = np.arange(len(boxes.size))
    if boxes.K_U <= 0.0 or boxes.K_M + boxes.K_T <= 0.0 or len(boxes.points) > 0:
        return apart, apart
    keys = np.column_stack([boxes.low, boxes.high, boxes.rate, np.where(boxes.size > 0.0, 0, apart + 1)])
    order = np.lexsort(keys.T)
    fresh = np.concatenate([[True], (keys[order[1:]] != keys[order[:-1]]).any(axis=1)])
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(fresh) - 1
    return group, order[fresh]


@compiled
def _roots(parent: Ints, count: int) -> Ints:
    root = np.arange(parent.shape[0])
    for block in range(parent.shape[0] - 1, -1, -1):
        if parent[block] >= 0:
            root[block] = root[parent[block]]
    return root[:count]
