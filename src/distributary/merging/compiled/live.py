"""Changes of a partition of boxes, query by query, each mended near where it happened.

A query that comes is a block of its own, one that goes leaves the rest of its block behind. Such a block merges with
its best partner as long as that saves, and then the blocks near it are planned anew by pair merging: taken apart into
their queries as far as there is room, large ones into groups of like queries. What is cheaper is kept, so that mending
never makes the plan dearer. The work depends on what is near and on the sizes of the blocks touched, not on how many
queries there are.
"""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.blocks import Blocks, cost_of, merge_profit
from distributary.merging.compiled.boxes import Floats, Ints, compiled
from distributary.merging.compiled.grid import CLASSES, ring_of
from distributary.merging.compiled.live_blocks import (
    Live,
    alone,
    describe,
    free_number,
    link,
    put_in,
    sum_up,
    take_number,
    take_out,
)
from distributary.merging.compiled.live_pieces import PIECES_MAX, merge_pieces, replaced, take_apart, worth_it
from distributary.merging.compiled.reach import profit_beyond

__all__ = ["ADD", "MEND", "REMOVE", "change"]

ADD, REMOVE, MEND = 0, 1, 2

#: Blocks that are planned anew together.
_BLOCKS_MAX = 16
#: How often the neighbourhood of a change is planned anew while that saves.
_ROUNDS_MAX = 4
#: Rings of each size class that neighbours are looked for in.
_RINGS = 2
#: Of what is planned anew; a smaller saving is rounding, and would not end.
_LEAST = 1e-9


@compiled
def change(live: Live, queries: Ints, step: int) -> None:
    """Add queries whose boxes stand in their places, or remove some, or only mend the plan around them, one by one."""
    # One function for all three: each entry into compiled code is compiled with all that it calls, 20 seconds.
    for query in queries:
        centre = query
        if step == ADD:
            _come(live, query)
        elif step == REMOVE:
            centre = _go(live, query)
        if centre >= 0:
            _cascade(live, live.home[centre])
            for _ in range(_ROUNDS_MAX):
                if not _replanned(live, live.home[centre]):
                    break


@compiled
def _come(live: Live, query: int) -> None:
    block = take_number(live)
    link(live, query, block)
    describe(live, block)
    put_in(live, block)
    sum_up(live.alone, alone(live, query))


@compiled
def _go(live: Live, query: int) -> int:
    """Take a query out of its block; return one that is left there, -1 for none."""
    block, before, after = live.home[query], live.before[query], live.after[query]
    take_out(live, block)
    sum_up(live.alone, -alone(live, query))
    live.home[query] = -1
    if before >= 0:
        live.after[before] = after
    else:
        live.first[block] = after
    if after >= 0:
        live.before[after] = before
    if live.first[block] < 0:
        free_number(live, block)
        return -1
    describe(live, block)
    put_in(live, block)
    return live.first[block]


@compiled
def _cascade(live: Live, block: int) -> None:
    """Merge a block with its best partner as long as that saves."""
    low, high = np.empty(live.boxes.low.shape[1]), np.empty(live.boxes.low.shape[1])
    while True:
        partner = _partner(live, block, low, high)
        if partner < 0:
            return
        kept, gone = block, partner
        if live.blocks.members[partner] > live.blocks.members[block]:
            kept, gone = partner, block
        take_out(live, kept)
        take_out(live, gone)
        query = live.first[gone]
        while query >= 0:
            following = live.after[query]
            link(live, query, kept)
            query = following
        free_number(live, gone)
        describe(live, kept)
        put_in(live, kept)
        block = kept


@compiled
def _partner(live: Live, block: int, low: Floats, high: Floats) -> int:
    """Return the block that merging with saves most; -1 when no merge saves anything."""
    best, found = 0.0, -1
    blocks, grid = live.blocks, live.grid
    for level in range(CLASSES):
        ring = 0
        while grid.population[level] > 0:
            bound = profit_beyond(live.boxes, grid, blocks, block, level, ring, low, high)
            if bound < best or bound <= 0.0:
                break
            count = ring_of(grid, level, ring, blocks.low[block], blocks.high[block], live.near)
            if count < 0:
                break
            for other in live.near[:count]:
                if other == block:
                    continue
                profit = merge_profit(live.boxes, blocks, block, other, low, high)
                if profit > best or (found >= 0 and profit == best and blocks.rank[other] < blocks.rank[found]):
                    best, found = profit, other
            ring += 1
    least = _LEAST * cost_of(live.boxes, blocks, block)
    return found if best > least else -1


@compiled
def _replanned(live: Live, centre: int) -> bool:
    """Plan a block and those near it anew, and tell whether that saved something."""
    room, dimensions = PIECES_MAX, live.boxes.low.shape[1]
    chosen = _neighbours(live, centre)
    pieces = Blocks(
        low=np.empty((room, dimensions)),
        high=np.empty((room, dimensions)),
        size=np.empty(room),
        members=np.zeros(room),
        rate=np.zeros(room),
        wanted=np.zeros(room),
        rank=np.zeros(room, dtype=np.int64),
        alive=np.zeros(room, dtype=np.int64),
        parent=np.arange(room),
    )
    # Of each piece: the block that it is, -1 for a part of one; and the place of the block that it is of.
    whole, origin = np.full(room, -1, dtype=np.int64), np.zeros(room, dtype=np.int64)
    count = take_apart(live, chosen, pieces, whole, origin)
    merge_pieces(live, pieces, count)
    worth = worth_it(live, chosen, pieces, origin, count, _LEAST)
    if worth.sum() == 0:
        return False
    for block in replaced(live, chosen, worth, pieces, whole, origin, count):
        if live.blocks.alive[block] == 1:
            _cascade(live, block)
    return True


@compiled
def _neighbours(live: Live, centre: int) -> Ints:
    """Return a block and those near it that it would lose least by merging with, best first."""
    chosen = np.full(_BLOCKS_MAX, centre, dtype=np.int64)
    gains = np.full(_BLOCKS_MAX, np.inf)
    low, high = np.empty(live.boxes.low.shape[1]), np.empty(live.boxes.low.shape[1])
    count = 1
    for level in range(CLASSES):
        for ring in range(_RINGS if live.grid.population[level] > 0 else 0):
            found = ring_of(live.grid, level, ring, live.blocks.low[centre], live.blocks.high[centre], live.near)
            for other in live.near[: max(0, found)]:
                gain = merge_profit(live.boxes, live.blocks, centre, other, low, high)
                if other == centre or (count == _BLOCKS_MAX and gain <= gains[-1]):
                    continue
                count = min(count + 1, _BLOCKS_MAX)
                place = count - 1
                while gains[place - 1] < gain:
                    gains[place], chosen[place] = gains[place - 1], chosen[place - 1]
                    place -= 1
                gains[place], chosen[place] = gain, other
    return chosen[:count]
