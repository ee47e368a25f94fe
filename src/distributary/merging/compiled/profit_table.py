"""The profit table of paper 000, section 6.2, for boxes: a partition, what merging two blocks and splitting one saves.

It is brought up to date for the blocks that a move touches, and chooses nothing. Sums are made in the order of the
queries' numbers, so that what a block costs does not depend on how it came about.

Every array of a tuple is counted when a function is called and when a field is read, which takes longer than what is
done here with it: there are few arrays, of many rows each, and loops read local names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import (
    Boxes,
    Floats,
    Ints,
    block_cost,
    compiled,
    cost_of_size,
    inlined,
    measure,
)

__all__ = [
    "AFTER",
    "APPLIED",
    "BLOCKS",
    "COST",
    "EVALUATED",
    "FIRST",
    "MEMBERS",
    "RANK",
    "SLOT",
    "SPLIT",
    "SURE",
    "WANTED",
    "Table",
    "begin",
    "join",
    "make_sure",
    "make_table",
    "merges_of",
    "splits_of",
    "take_out",
]

#: Rows of `Table.places`: the block of each query, the first query of each block, the next query of the same block;
#: the smallest rank in a block; whether a query's split is more than nearly right.
SLOT, FIRST, AFTER, RANK, SURE = range(5)
#: Rows of `Table.values`: what a block costs, how many members it has, their highest rate and their rates x sizes;
#: room for sizes; what taking each query out of its block saves, and how large the block around the others is.
COST, MEMBERS, RATE, WANTED, SIZES, SPLIT, REST = range(7)
#: Of `Table.counts`: how many blocks there are, and how many moves were evaluated and carried out.
BLOCKS, EVALUATED, APPLIED = range(3)


class Table(NamedTuple):
    """A partition; blocks have the numbers from 0 on, and the last takes the place of one that goes."""

    places: Ints
    values: Floats
    #: The lower and the upper ends of the blocks, by axis.
    ends: Floats
    #: What merging two blocks saves; symmetric, 0 for a block with itself.
    merge: Floats
    counts: Ints
    #: By axis, the two lowest and the two highest ends of a block's members.
    outer: Floats


def make_table(count: int, dimensions: int) -> Table:
    """Return room for a table of so many queries."""
    return Table(
        places=np.empty((5, count), dtype=np.int64),
        values=np.empty((7, count)),
        ends=np.empty((2, dimensions, count)),
        merge=np.empty((count, count)),
        counts=np.zeros(3, dtype=np.int64),
        outer=np.empty((dimensions, 4)),
    )


@compiled
def begin(boxes: Boxes, rank: Ints, table: Table, start: Ints) -> None:
    """Set a partition up that is given as a number for each query, below their number; evaluate all its merges."""
    slot, first, after = table.places[SLOT], table.places[FIRST], table.places[AFTER]
    number = np.full(len(start), -1)
    blocks = 0
    for query in range(len(start)):
        if number[start[query]] < 0:
            number[start[query]] = blocks
            first[blocks] = -1
            blocks += 1
        slot[query] = number[start[query]]
    for query in range(len(start) - 1, -1, -1):
        after[query] = first[slot[query]]
        first[slot[query]] = query
    table.values[SPLIT] = 0.0
    table.places[SURE] = 1
    for block in range(blocks):
        merges_of(boxes, rank, table, block, block)
    table.counts[BLOCKS] = blocks


@compiled
def merges_of(boxes: Boxes, rank: Ints, table: Table, block: int, blocks: int) -> None:
    """Compute a block anew from its members, and what its merges with the first so many blocks save."""
    _sum(boxes, rank, table, block)
    dimensions = table.ends.shape[1]
    cost, members, rates, wanted = table.values[COST], table.values[MEMBERS], table.values[RATE], table.values[WANTED]
    sizes, row = table.values[SIZES], table.merge[block]
    K_M, K_T, K_U = boxes.K_M, boxes.K_T, boxes.K_U
    if len(boxes.points) == 0:
        sizes[:blocks] = boxes.density
        for axis in range(dimensions):
            lows, highs = table.ends[0, axis], table.ends[1, axis]
            low, high = lows[block], highs[block]
            for other in range(blocks):
                sizes[other] *= (high if high > highs[other] else highs[other]) - (
                    low if low < lows[other] else lows[other]
                )
    else:
        for other in range(blocks):
            around_low = np.minimum(table.ends[0, :, block], table.ends[0, :, other])
            sizes[other] = measure(boxes, around_low, np.maximum(table.ends[1, :, block], table.ends[1, :, other]))
    my_cost, my_count, my_rate, my_wanted = cost[block], members[block], rates[block], wanted[block]
    for other in range(blocks):
        rate, count = my_rate if my_rate > rates[other] else rates[other], my_count + members[other]
        irrelevant = count * rate * sizes[other] - (my_wanted + wanted[other])
        merged = rate * (K_M + K_T * sizes[other]) + K_U * (irrelevant if irrelevant > 0.0 else 0.0)
        row[other] = my_cost + cost[other] - merged
    row[block] = 0.0
    for other in range(blocks):
        table.merge[other, block] = row[other]
    table.counts[EVALUATED] += blocks - 1 if block < blocks else blocks


@inlined
def _sum(boxes: Boxes, rank: Ints, table: Table, block: int) -> None:
    """Compute a block anew from its members."""
    lows, highs, sizes, rates, after, ends = (
        boxes.low,
        boxes.high,
        boxes.size,
        boxes.rate,
        table.places[AFTER],
        table.ends,
    )
    first = table.places[FIRST, block]
    size = boxes.density
    for axis in range(ends.shape[1]):
        query, low, high = first, np.inf, -np.inf
        while query >= 0:
            low, high = min(low, lows[query, axis]), max(high, highs[query, axis])
            query = after[query]
        ends[0, axis, block], ends[1, axis, block] = low, high
        size *= high - low
    query, count, wanted, fastest, least = first, 0, 0.0, 0.0, rank[first]
    while query >= 0:
        least, fastest = min(least, rank[query]), max(fastest, rates[query])
        count += 1
        wanted += rates[query] * sizes[query]
        query = after[query]
    if count == 1:
        size = sizes[first]
    elif len(boxes.points) > 0:
        size = measure(boxes, ends[0, :, block], ends[1, :, block])
    values = table.values
    values[COST, block] = block_cost(boxes, size, count, fastest, wanted)
    values[MEMBERS, block], values[RATE, block], values[WANTED, block] = count, fastest, wanted
    table.places[RANK, block] = least


@compiled
def join(table: Table, block: int, gone: int) -> None:
    """Put the members of a later block into this one, and the last block in that one's place.

    The members of a block are in order. What merges save of the block that is larger now is not computed.
    """
    slot, first, after = table.places[SLOT], table.places[FIRST], table.places[AFTER]
    one, two, before = first[block], first[gone], -1
    while one >= 0 or two >= 0:
        if two < 0 or 0 <= one < two:
            query = one
            one = after[one]
        else:
            query = two
            two = after[two]
            slot[query] = block
        if before < 0:
            first[block] = query
        else:
            after[before] = query
        before = query
    after[before] = -1
    last = table.counts[BLOCKS] - 1
    table.counts[BLOCKS] = last
    if gone == last:
        return
    query = first[gone] = first[last]
    while query >= 0:
        slot[query] = gone
        query = after[query]
    table.places[RANK, gone] = table.places[RANK, last]
    for row in (COST, MEMBERS, RATE, WANTED):
        table.values[row, gone] = table.values[row, last]
    table.ends[:, :, gone] = table.ends[:, :, last]
    merge = table.merge
    for other in range(last):
        merge[gone, other] = merge[last, other]
        merge[other, gone] = merge[other, last]
    merge[gone, gone] = 0.0


@compiled
def take_out(table: Table, query: int) -> int:
    """Give a query a block of its own, the last one, and return that; neither block is computed anew."""
    slot, first, after = table.places[SLOT], table.places[FIRST], table.places[AFTER]
    if first[slot[query]] == query:
        first[slot[query]] = after[query]
    else:
        before = first[slot[query]]
        while after[before] != query:
            before = after[before]
        after[before] = after[query]
    block = table.counts[BLOCKS]
    table.counts[BLOCKS] = block + 1
    slot[query], first[block], after[query] = block, query, -1
    return block


@compiled
def splits_of(boxes: Boxes, table: Table, block: int) -> None:
    """Compute what taking each query out of a block saves, all but the rounding of what the others want.

    The box around the others has the second lowest or highest end where the query has the first.
    """
    after, sure, split, rests = table.places[AFTER], table.places[SURE], table.values[SPLIT], table.values[REST]
    first, count = table.places[FIRST, block], table.values[MEMBERS, block]
    if count == 1:
        split[first], sure[first] = 0.0, 1
        return
    table.counts[EVALUATED] += int(count)
    cost, wanted, outer, points = table.values[COST, block], table.values[WANTED, block], table.outer, boxes.points
    lows, highs, sizes, rates = boxes.low, boxes.high, boxes.size, boxes.rate
    density, K_M, K_T, K_U = boxes.density, boxes.K_M, boxes.K_T, boxes.K_U
    fastest, second = _find_outer(lows, highs, rates, after, first, outer)
    query = first
    while query >= 0:
        size = density
        for axis in range(outer.shape[0]):
            low = outer[axis, 1] if lows[query, axis] == outer[axis, 0] else outer[axis, 0]
            high = outer[axis, 3] if highs[query, axis] == outer[axis, 2] else outer[axis, 2]
            size *= high - low
        if count == 2:
            size = sizes[after[query] if query == first else first]
        elif len(points) > 0:
            around_low = np.where(lows[query] == outer[:, 0], outer[:, 1], outer[:, 0])
            size = measure(boxes, around_low, np.where(highs[query] == outer[:, 2], outer[:, 3], outer[:, 2]))
        mine, rate = rates[query] * sizes[query], second if rates[query] == fastest else fastest
        alone = cost_of_size(K_M, K_T, K_U, sizes[query], 1.0, rates[query], mine)
        split[query] = cost - alone - cost_of_size(K_M, K_T, K_U, size, count - 1, rate, wanted - mine)
        sure[query], rests[query] = 0, size
        query = after[query]


@inlined
def _find_outer(
    lows: Floats, highs: Floats, rates: Floats, after: Ints, first: int, outer: Floats
) -> tuple[float, float]:
    """Put the two lowest and the two highest ends of a block's members into `outer`; return the two highest rates."""
    for axis in range(outer.shape[0]):
        least, less, most, more = np.inf, np.inf, -np.inf, -np.inf
        query = first
        while query >= 0:
            low, high = lows[query, axis], highs[query, axis]
            less, least = min(less, max(least, low)), min(least, low)
            more, most = max(more, min(most, high)), max(most, high)
            query = after[query]
        outer[axis, 0], outer[axis, 1], outer[axis, 2], outer[axis, 3] = least, less, most, more
    fastest, second, query = 0.0, 0.0, first
    while query >= 0:
        second = max(second, min(fastest, rates[query]))
        fastest = max(fastest, rates[query])
        query = after[query]
    return fastest, second


@compiled
def make_sure(boxes: Boxes, table: Table, query: int) -> None:
    """Compute what a split saves, from the sum of what the others want."""
    after, sizes, rates, block = table.places[AFTER], boxes.size, boxes.rate, table.places[SLOT, query]
    wanted, rate, count, other = 0.0, 0.0, 0.0, table.places[FIRST, block]
    while other >= 0:
        if other != query:
            wanted += rates[other] * sizes[other]
            rate = max(rate, rates[other])
            count += 1.0
        other = after[other]
    alone = block_cost(boxes, sizes[query], 1.0, rates[query], rates[query] * sizes[query])
    rest = block_cost(boxes, table.values[REST, query], count, rate, wanted)
    table.values[SPLIT, query] = table.values[COST, block] - alone - rest
    table.places[SURE, query] = 1
