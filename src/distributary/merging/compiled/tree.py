"""A tree of blocks that come and go: halves of halves, by the ends of their boxes on all axes.

Its places are laid out once, from the boxes that are there at first; a block that arises by merging takes the place of
one of those it is made of. Of each node it knows what bounds the merges with all blocks below it. It knows no prices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.blocks import Blocks
from distributary.merging.compiled.boxes import Floats, Ints, compiled

__all__ = [
    "COST",
    "COUNT",
    "LARGEST",
    "MEMBERS",
    "NODE_VALUES",
    "RANK",
    "RATE",
    "SIZE",
    "WANTED",
    "Tree",
    "make_tree",
    "put",
    "take_away",
]

#: Rows of items and of nodes begin with the lower and the upper ends by axis. Then an item has its size, its members,
#: its rate, its rank, what its members want, and its cost; a node the least of the first four, how many items there are
#: below it, and the greatest size.
SIZE, MEMBERS, RATE, RANK, WANTED, COST = range(6)
COUNT, LARGEST = WANTED, COST
NODE_VALUES = 6
_LEAF = 6


class Tree(NamedTuple):
    """Nodes are numbered from 1, the two below node n are 2n and 2n + 1; those of the last level are leaves."""

    #: Of a node, the highest lower and the lowest upper ends of the items below it, then what is named above.
    nodes: Floats
    #: What is at each place.
    items: Floats
    #: The block at each place, -1 for none; the place of each block.
    block: Ints
    place: Ints
    #: Where the places of each leaf begin, and of the one after the last; the leaf of each place.
    start: Ints
    leaf: Ints


def make_tree(blocks: Blocks, cost: Floats, count: int) -> Tree:
    """Return the tree of the first so many blocks, and what they cost."""
    dimensions = blocks.low.shape[1]
    leaves = 1
    while leaves * _LEAF < count:
        leaves *= 2
    start = np.arange(leaves + 1) * count // leaves
    order = _ordered(_coordinates(blocks.low[:count], blocks.high[:count]), leaves)
    place = np.full(len(blocks.rank), -1)
    place[order] = np.arange(count)
    tree = Tree(
        nodes=np.empty((2 * leaves, 2 * dimensions + NODE_VALUES)),
        items=np.empty((count, 2 * dimensions + NODE_VALUES)),
        block=order,
        place=place,
        start=start,
        leaf=np.repeat(np.arange(leaves), np.diff(start)),
    )
    _fill(tree, blocks, cost)
    return tree


def _coordinates(low: Floats, high: Floats) -> Floats:
    """Return the ends of boxes as shares of what each axis spans; open ends are a little outside."""
    ends = np.concatenate([low, high], axis=1)
    finite = np.where(np.isfinite(ends), ends, np.nan)
    some = np.isfinite(ends).any(axis=0)
    least, most = np.zeros(ends.shape[1]), np.ones(ends.shape[1])
    least[some], most[some] = np.nanmin(finite[:, some], axis=0), np.nanmax(finite[:, some], axis=0)
    spans = np.maximum(most - least, 1e-300)
    spans = np.tile(np.maximum(spans[: low.shape[1]], spans[low.shape[1] :]), 2)
    shares: Floats = np.clip((ends - least) / spans, -0.1, 1.1)
    return shares


@compiled
def _ordered(ends: Floats, leaves: int) -> Ints:
    """Return the numbers of boxes in the order of their places: each part is halved along the end that spreads most."""
    count = ends.shape[0]
    order = np.arange(count)
    parts = 1
    while parts < leaves:
        for part in range(parts):
            first, last = part * count // parts, (part + 1) * count // parts
            if last - first < 2:
                continue
            widest, most = 0, -1.0
            for axis in range(ends.shape[1]):
                low, high = np.inf, -np.inf
                for box in order[first:last]:
                    low, high = min(low, ends[box, axis]), max(high, ends[box, axis])
                if high - low > most:
                    widest, most = axis, high - low
            keys = np.empty(last - first)
            for number in range(last - first):
                keys[number] = ends[order[first + number], widest]
            order[first:last] = order[first:last][np.argsort(keys)]
        parts *= 2
    return order


@compiled
def _fill(tree: Tree, blocks: Blocks, cost: Floats) -> None:
    for place in range(len(tree.block)):
        _set_item(tree.items[place], blocks, tree.block[place], cost[tree.block[place]])
    leaves = len(tree.start) - 1
    for leaf in range(leaves):
        _sum_leaf(tree, leaf)
    for node in range(leaves - 1, 0, -1):
        _sum_node(tree.nodes, node)


@compiled
def _set_item(item: Floats, blocks: Blocks, block: int, cost: float) -> None:
    axes = blocks.low.shape[1]
    item[:axes], item[axes : 2 * axes] = blocks.low[block], blocks.high[block]
    rest = item[2 * axes :]
    rest[SIZE], rest[MEMBERS], rest[RATE] = blocks.size[block], blocks.members[block], blocks.rate[block]
    rest[RANK], rest[WANTED], rest[COST] = blocks.rank[block], blocks.wanted[block], cost


@compiled
def _sum_leaf(tree: Tree, leaf: int) -> None:
    items, block, row = tree.items, tree.block, tree.nodes[len(tree.start) - 1 + leaf]
    rest = len(row) - NODE_VALUES
    row[: rest // 2], row[rest // 2 :] = -np.inf, np.inf
    row[rest + COUNT], row[rest + LARGEST] = 0.0, 0.0
    for place in range(tree.start[leaf], tree.start[leaf + 1]):
        if block[place] < 0:
            continue
        for column in range(rest + WANTED):
            value = items[place, column]
            row[column] = max(row[column], value) if column < rest // 2 else min(row[column], value)
        row[rest + COUNT] += 1.0
        row[rest + LARGEST] = max(row[rest + LARGEST], items[place, rest + SIZE])


@compiled
def _sum_node(nodes: Floats, node: int) -> None:
    row, one, other = nodes[node], nodes[2 * node], nodes[2 * node + 1]
    rest = len(row) - NODE_VALUES
    for column in range(rest + WANTED):
        lower = column < rest // 2
        row[column] = max(one[column], other[column]) if lower else min(one[column], other[column])
    row[rest + COUNT] = one[rest + COUNT] + other[rest + COUNT]
    row[rest + LARGEST] = max(one[rest + LARGEST], other[rest + LARGEST])


@compiled
def _sum_up(tree: Tree, place: int) -> None:
    _sum_leaf(tree, tree.leaf[place])
    node = (len(tree.start) - 1 + tree.leaf[place]) // 2
    while node > 0:
        _sum_node(tree.nodes, node)
        node //= 2


@compiled
def put(tree: Tree, blocks: Blocks, place: int, block: int, cost: float) -> None:
    """Put a block at a place, with what it costs."""
    tree.block[place], tree.place[block] = block, place
    _set_item(tree.items[place], blocks, block, cost)
    _sum_up(tree, place)


@compiled
def take_away(tree: Tree, place: int) -> None:
    """Leave a place empty."""
    tree.block[place] = -1
    _sum_up(tree, place)
