"""A few blocks of boxes planned anew: taken apart into pieces, merged as in pair merging, and put back.

A piece is one query, or some that are alike where a block has too many, or a whole block.
"""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.blocks import Blocks, cost_of, merge_profit
from distributary.merging.compiled.boxes import Ints, compiled, measure
from distributary.merging.compiled.live_blocks import (
    Live,
    describe,
    free_number,
    include,
    link,
    put_in,
    take_number,
    take_out,
)

__all__ = ["PIECES_MAX", "merge_pieces", "replaced", "take_apart", "worth_it"]

#: The pieces that blocks are taken apart into at most; the work is cubic in it.
PIECES_MAX = 48
#: The pieces of like queries that a larger block is taken apart into, one that is changed and one that is near; and the
#: distances that this may need: a block that needs more stays whole.
_GROUPS_MAX = 24
_GROUPS_NEAR = 4
_STEPS_MAX = 100_000


@compiled
def take_apart(live: Live, chosen: Ints, pieces: Blocks, whole: Ints, origin: Ints) -> int:
    """Make pieces of blocks, the first of which has been changed; return how many there are."""
    count = 0
    for place, block in enumerate(chosen):
        origin[count:] = place
        room = PIECES_MAX - count - (len(chosen) - place - 1)
        most = min(room, _GROUPS_MAX if place == 0 else _GROUPS_NEAR)
        if live.blocks.members[block] <= room:
            query = live.first[block]
            while query >= 0:
                live.piece[query] = count
                count += 1
                query = live.after[query]
        elif most > 1 and live.blocks.members[block] * most <= _STEPS_MAX:
            count = _group(live, block, count, most)
        else:
            whole[count] = block
            _copy(live.blocks, block, pieces, count)
            count += 1
            continue
        query = live.first[block]
        while query >= 0:
            piece = live.piece[query]
            fresh = pieces.members[piece] == 0
            if fresh:
                pieces.rank[piece] = live.serial[query]
            include(live, pieces, piece, query, fresh)
            pieces.members[piece] += 1
            pieces.size[piece] = live.boxes.size[query]
            query = live.after[query]
    for piece in range(count):
        pieces.alive[piece] = 1
        if whole[piece] < 0 and pieces.members[piece] > 1:
            pieces.size[piece] = measure(live.boxes, pieces.low[piece], pieces.high[piece])
    return count


@compiled
def _group(live: Live, block: int, count: int, most: int) -> int:
    """Make pieces of like queries, at most so many; return the number of the next piece.

    Each piece is around a query that is furthest from those before, and takes what is nearest to it (Gonzalez 1985):
    what is alike stays together, and what reaches out of the block comes out first.
    """
    members, query, centre = 0, live.first[block], live.first[block]
    while query >= 0:
        live.moved[members] = query
        members += 1
        query = live.after[query]
    distance = np.full(members, np.inf)
    for piece in range(count, count + most):
        furthest, next_centre = 0.0, -1
        for place in range(members):
            query = live.moved[place]
            found = _distance(live, block, centre, query)
            if found < distance[place]:
                distance[place] = found
                live.piece[query] = piece
            if distance[place] > furthest:
                furthest, next_centre = distance[place], query
        if next_centre < 0:
            return piece + 1
        centre = next_centre
    return count + most


@compiled
def _distance(live: Live, block: int, first: int, second: int) -> float:
    """Return by what part of the block's box the ends of two queries are apart at most."""
    furthest = 0.0
    for axis in range(live.boxes.low.shape[1]):
        extent = live.blocks.high[block, axis] - live.blocks.low[block, axis]
        low = abs(live.boxes.low[first, axis] - live.boxes.low[second, axis])
        high = abs(live.boxes.high[first, axis] - live.boxes.high[second, axis])
        # An open end is equal to one alone, and else as far away as can be.
        for apart in (low, high):
            if apart > 0:
                furthest = max(furthest, apart / extent if np.isfinite(extent) else 1.0)
    return furthest


@compiled
def _copy(source: Blocks, block: int, target: Blocks, place: int) -> None:
    target.low[place] = source.low[block]
    target.high[place] = source.high[block]
    target.size[place] = source.size[block]
    target.members[place] = source.members[block]
    target.rate[place] = source.rate[block]
    target.wanted[place] = source.wanted[block]
    target.rank[place] = source.rank[block]


@compiled
def merge_pieces(live: Live, pieces: Blocks, count: int) -> None:
    """Merge the two pieces that save most until none saves anything; a piece's parent is the one that it went into."""
    low, high = np.empty(live.boxes.low.shape[1]), np.empty(live.boxes.low.shape[1])
    profit = np.zeros((count, count))
    for first in range(count):
        for second in range(first):
            profit[first, second] = merge_profit(live.boxes, pieces, first, second, low, high)
    while True:
        best, gone, kept = 0.0, -1, -1
        for first in range(count):
            for second in range(first if pieces.alive[first] == 1 else 0):
                if profit[first, second] > best and pieces.alive[second] == 1:
                    best, gone, kept = profit[first, second], first, second
        if gone < 0:
            return
        for axis in range(low.shape[0]):
            pieces.low[kept, axis] = min(pieces.low[kept, axis], pieces.low[gone, axis])
            pieces.high[kept, axis] = max(pieces.high[kept, axis], pieces.high[gone, axis])
        pieces.size[kept] = measure(live.boxes, pieces.low[kept], pieces.high[kept])
        pieces.members[kept] += pieces.members[gone]
        pieces.rate[kept] = max(pieces.rate[kept], pieces.rate[gone])
        pieces.wanted[kept] += pieces.wanted[gone]
        pieces.alive[gone], pieces.parent[gone] = 0, kept
        for other in range(count):
            if other != kept and pieces.alive[other] == 1:
                value = merge_profit(live.boxes, pieces, kept, other, low, high)
                profit[max(kept, other), min(kept, other)] = value


@compiled
def worth_it(live: Live, chosen: Ints, pieces: Blocks, origin: Ints, count: int, least: float) -> Ints:
    """Return for each block whether planning it anew saves something, together with the blocks that mix with it."""
    part = np.arange(chosen.shape[0])
    for piece in range(count):
        # The parent of a piece is older, and so at its root already.
        pieces.parent[piece] = pieces.parent[pieces.parent[piece]]
        mine, theirs = part[origin[piece]], part[origin[pieces.parent[piece]]]
        part[part == theirs] = mine
    present, planned = np.zeros(chosen.shape[0]), np.zeros(chosen.shape[0])
    for place in range(chosen.shape[0]):
        present[part[place]] += cost_of(live.boxes, live.blocks, chosen[place])
    for piece in range(count):
        if pieces.alive[piece] == 1:
            planned[part[origin[piece]]] += cost_of(live.boxes, pieces, piece)
    worth = np.zeros(chosen.shape[0], dtype=np.int64)
    for place in range(chosen.shape[0]):
        if planned[part[place]] < present[part[place]] * (1.0 - least):
            worth[place] = 1
    return worth


@compiled
def replaced(live: Live, chosen: Ints, worth: Ints, pieces: Blocks, whole: Ints, origin: Ints, count: int) -> Ints:
    """Put the merged pieces in the place of the blocks for which that is worth it; return the blocks that are new."""
    number = np.full(count, -1, dtype=np.int64)
    moved = 0
    for place, block in enumerate(chosen):
        if worth[place] == 0:
            continue
        take_out(live, block)
        query = live.first[block]
        while query >= 0:
            live.moved[moved] = query
            moved += 1
            query = live.after[query]
        for piece in range(count):
            if whole[piece] == block:
                query = live.first[block]
                while query >= 0:
                    live.piece[query] = piece
                    query = live.after[query]
        free_number(live, block)
    for piece in range(count):
        if pieces.alive[piece] == 1 and worth[origin[piece]] == 1:
            number[piece] = take_number(live)
    for query in live.moved[:moved]:
        link(live, query, number[pieces.parent[live.piece[query]]])
    fresh = number[number >= 0]
    for block in fresh:
        describe(live, block)
        put_in(live, block)
    return fresh
