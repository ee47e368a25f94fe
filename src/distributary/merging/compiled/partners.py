"""The best partner of a block among all others: a search of the tree that skips what cannot save more.

Of the blocks below a node, the merge with any one is at least as large as the box that reaches to the nearest end of
all of them, and that bounds what is saved: with a partner o, and a merged size S, merging b saves at most
r_b (K_M + K_T s_b) - K_U n_b r_b (S - s_b) - (K_T r_b + K_U n_o r_o) (S - s_o), where n are numbers of members, r
rates, s sizes. Where nothing has a size, all bounds are equal, and the smallest rank below a node decides.
"""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, compiled, cost_of_size, inlined, measure
from distributary.merging.compiled.tree import (
    COST,
    COUNT,
    LARGEST,
    MEMBERS,
    NODE_VALUES,
    RANK,
    RATE,
    SIZE,
    WANTED,
    Tree,
)

__all__ = ["WAITING_MAX", "best_partner"]

#: Nodes that may wait to be looked at: two for each level.
WAITING_MAX = 128
#: A bound this share below the best saving is lower beyond rounding.
_NEAR = 1e-9


@compiled
def best_partner(
    boxes: Boxes, tree: Tree, block: int, uniform: bool, stack: Ints, room: Floats
) -> tuple[int, float, int]:
    """Return the block that merging with saves most, how much, and its rank; -1 when no merge saves anything.

    Args:
        boxes: The prices, and what measures boxes.
        tree: The blocks, this one among them.
        block: The block that is to merge.
        uniform: Whether all rates are equal.
        stack: Room for the numbers of `WAITING_MAX` nodes.
        room: Room for their bounds, and for a box.
    """
    nodes, items, at, start, mine = tree.nodes, tree.items, tree.block, tree.start, tree.items[tree.place[block]]
    rest, leaves, even = len(mine) - NODE_VALUES, len(start) - 1, len(boxes.points) == 0
    bounds, low, high = room[0], room[1, : rest // 2], room[2, : rest // 2]
    prices = (boxes.density, boxes.K_M, boxes.K_T, boxes.K_U)
    priceless = uniform and boxes.K_T == 0.0 and boxes.K_U == 0.0
    best, found, least = 0.0, -1, 0.0
    # First the leaf that the block is in: what is found there leaves little to look for.
    own, seen, waiting = leaves + tree.leaf[tree.place[block]], False, 2
    stack[0], stack[1] = 1, own
    bounds[0] = bounds[1] = np.inf
    while waiting > 0:
        waiting -= 1
        node, bound = stack[waiting], bounds[waiting]
        if bound < best - _NEAR * best or (node == own and seen):
            continue
        # Where nothing has a size, or sizes have no price, no saving is computed to be more than the bound.
        exact = priceless or (uniform and mine[rest + SIZE] == 0.0 and nodes[node, rest + LARGEST] == 0.0)
        if exact and bound <= best and nodes[node, rest + RANK] > least:
            continue
        if node < leaves:
            for child in (2 * node, 2 * node + 1):
                size = _around(prices, mine, nodes, child, low, high)
                if not even:
                    size = measure(boxes, low, high)
                stack[waiting], bounds[waiting] = child, _most(prices, mine, nodes, child, size)
                waiting += 1
            waiting = _settle(stack, bounds, waiting, nodes[:, rest + RANK], best)
            continue
        seen = seen or node == own
        for place in range(start[node - leaves], start[node - leaves + 1]):
            if at[place] < 0 or at[place] == block:
                continue
            size = _around(prices, mine, items, place, low, high)
            if not even:
                size = measure(boxes, low, high)
            profit, rank = _saving(prices, mine, items, place, size), items[place, rest + RANK]
            if profit > best or (found >= 0 and profit == best and rank < least):
                best, found, least = profit, at[place], rank
    return found, best, int(least)


@inlined
def _around(
    prices: tuple[float, float, float, float], mine: Floats, rows: Floats, row: int, low: Floats, high: Floats
) -> float:
    """Make the box around an item and another one, or what is nearest below a node; return its volume."""
    axes, size = len(low), prices[0]
    for axis in range(axes):
        low[axis] = mine[axis] if mine[axis] < rows[row, axis] else rows[row, axis]
        high[axis] = mine[axes + axis] if mine[axes + axis] > rows[row, axes + axis] else rows[row, axes + axis]
        size *= high[axis] - low[axis]
    return size


@inlined
def _saving(prices: tuple[float, float, float, float], mine: Floats, items: Floats, other: int, size: float) -> float:
    """Return what merging two items saves, when the merged size is known."""
    rest = len(mine) - NODE_VALUES
    count, rate = mine[rest + MEMBERS] + items[other, rest + MEMBERS], max(mine[rest + RATE], items[other, rest + RATE])
    wanted = mine[rest + WANTED] + items[other, rest + WANTED]
    merged = cost_of_size(prices[1], prices[2], prices[3], size, count, rate, wanted)
    return mine[rest + COST] + items[other, rest + COST] - merged


@inlined
def _most(prices: tuple[float, float, float, float], mine: Floats, nodes: Floats, node: int, size: float) -> float:
    """Return a bound on what merging an item with any below a node saves; -1 where there is none."""
    rest = len(mine) - NODE_VALUES
    own, rate, K_T, K_U = mine[rest + SIZE], mine[rest + RATE], prices[2], prices[3]
    size = max(size, max(own, nodes[node, rest + SIZE]))
    bound = rate * (prices[1] + K_T * own) + K_U * mine[rest + MEMBERS] * rate * (own - size)
    theirs = K_T * rate + K_U * nodes[node, rest + MEMBERS] * nodes[node, rest + RATE]
    bound += min(0.0, theirs * (nodes[node, rest + LARGEST] - size))
    return bound if nodes[node, rest + COUNT] > 0.0 else -1.0


@inlined
def _settle(stack: Ints, bounds: Floats, waiting: int, rank: Floats, best: float) -> int:
    """Order the last two nodes that wait, and leave those that cannot be better; return how many wait.

    The better comes last, for it is looked at first; of equal ones, that of the smaller rank.
    """
    one, other = waiting - 2, waiting - 1
    if bounds[one] > bounds[other] or (bounds[one] == bounds[other] and rank[stack[one]] < rank[stack[other]]):
        stack[one], stack[other] = stack[other], stack[one]
        bounds[one], bounds[other] = bounds[other], bounds[one]
    least = best - _NEAR * best
    if bounds[other] <= 0.0 or bounds[other] < least:
        return one
    if bounds[one] <= 0.0 or bounds[one] < least:
        stack[one], bounds[one] = stack[other], bounds[other]
        return other
    return waiting
