"""Directed search on boxes: from a start, the best merge or split of one query, until none saves anything.

Without splits, and from all queries apart, it is pair merging; for few queries it is the quickest way to that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, compiled, plan_cost
from distributary.merging.compiled.chance import below
from distributary.merging.compiled.profit_table import (
    APPLIED,
    BLOCKS,
    COST,
    EVALUATED,
    FIRST,
    RANK,
    SLOT,
    SPLIT,
    SURE,
    WANTED,
    Table,
    begin,
    join,
    make_sure,
    make_table,
    merges_of,
    splits_of,
    take_out,
)

__all__ = ["Descent", "descend", "merge_few", "merge_within", "random_starts"]


#: Of all costs: how far a saving that is nearly right may be from the right one, and more.
_NEAR = 1e-11
#: The partner of a block that must look for one again.
_STALE = -2


class Descent(NamedTuple):
    """The best end of some descents, and how much was done on the way to all of them."""

    #: A number for the block of each query.
    blocks: Ints
    cost: float
    #: How many candidate merges and splits were evaluated, and how many were carried out.
    evaluated: int
    applied: int


@compiled
def _beats(saving: float, rank: int, least: float, other_rank: int) -> bool:
    """Tell whether a merge is better than the best so far: it saves more, or as much and has the smaller rank."""
    return saving > least or (saving == least and saving > 0.0 and rank < other_rank)


@compiled
def _choose(row: Floats, rank: Ints, blocks: int) -> int:
    """Return the best partner of a block, whose savings are `row`; -1: no merge saves anything."""
    best, most, least = -1, 0.0, 0
    for other in range(blocks):
        if _beats(row[other], rank[other], most, least):
            best, most, least = other, row[other], rank[other]
    return best


@compiled
def _compare(row: Floats, block: int, rank: Ints, blocks: int, partner: Ints, worth: Floats) -> None:
    """Make a changed block, whose savings are `row`, the partner of those for which none is better."""
    for other in range(blocks):
        saving = row[other]
        if saving >= worth[other] and saving > 0.0 and partner[other] != _STALE:
            known = partner[other]
            if saving > worth[other] or known < 0 or rank[block] < rank[known]:
                partner[other], worth[other] = block, saving


@compiled
def _best_split(boxes: Boxes, table: Table, rank: Ints, floor: float, near: float) -> int:
    """Return the query whose split saves most, if that is more than `floor`, else -1.

    Savings are nearly right at first; the exact ones are computed of those that may be the greatest.
    """
    split, sure, top = table.values[SPLIT], table.places[SURE], 0.0
    for query in range(len(rank)):
        if split[query] > top:
            top = split[query]
    if top + near <= floor:
        return -1
    best, most, least = -1, floor, 0
    for query in range(len(rank)):
        if split[query] < top - near:
            continue
        if sure[query] == 0:
            make_sure(boxes, table, query)
        if split[query] > most or (best >= 0 and split[query] == most and rank[query] < least):
            best, most, least = query, split[query], rank[query]
    return best


@compiled
def _forget(partner: Ints, blocks: int, block: int, gone: int) -> None:
    """Mark the blocks whose partner changes or goes; the last block gets the number of the one that goes."""
    for other in range(blocks):
        if partner[other] == block or partner[other] == gone:
            partner[other] = _STALE
        elif partner[other] == blocks - 1 and gone >= 0:
            partner[other] = gone


@compiled
def _descend(
    boxes: Boxes, rank: Ints, table: Table, partner: Ints, worth: Floats, merging: bool, splits: bool, least: float
) -> float:
    """Descend from the partition in the table; return what the last one costs.

    `partner` and `worth` are room for the best partner of each block and what merging with it saves.
    """
    blocks, merge, ranks = table.counts[BLOCKS], table.merge, table.places[RANK]
    near = _NEAR * (table.values[COST, :blocks].sum() + boxes.K_U * table.values[WANTED, :blocks].sum())
    partner[:] = _STALE
    first = second = -1
    fresh = not merging
    while True:
        for block in range(blocks):
            if partner[block] == _STALE:
                partner[block] = _choose(merge[block], ranks, blocks)
                worth[block] = merge[block, partner[block]] if partner[block] >= 0 else 0.0
            if fresh or (not merging and (block in (first, second))):
                splits_of(boxes, table, block)
        fresh = False
        block = _choose(worth, ranks, blocks)
        saved = worth[block] if block >= 0 else 0.0
        query = -1 if merging else _best_split(boxes, table, rank, max(saved, least), near)
        if query >= 0:
            first = table.places[SLOT, query]
            second = take_out(table, query)
            _forget(partner, blocks, first, -1)
            merges_of(boxes, rank, table, first, blocks)
            merges_of(boxes, rank, table, second, blocks)
            blocks += 1
        elif block >= 0 and (merging or saved > least):
            first, gone, second = min(block, partner[block]), max(block, partner[block]), -1
            join(table, first, gone)
            _forget(partner, blocks, first, gone)
            blocks -= 1
            partner[gone], worth[gone] = partner[blocks], worth[blocks]
            merges_of(boxes, rank, table, first, blocks)
        elif merging and splits:
            merging, fresh = False, True
            continue
        else:
            break
        table.counts[APPLIED] += 1
        partner[first] = _STALE
        _compare(merge[first], first, ranks, blocks, partner, worth)
        if second >= 0:
            partner[second] = _STALE
            _compare(merge[second], second, ranks, blocks, partner, worth)
    return _total(table)


@compiled
def _total(table: Table) -> float:
    """Return what a partition costs, summed in the order of its blocks' first queries."""
    slot, first, cost, total = table.places[SLOT], table.places[FIRST], table.values[COST], 0.0
    for query in range(len(slot)):
        if first[slot[query]] == query:
            total += cost[slot[query]]
    return total


@compiled
def _search(
    boxes: Boxes, rank: Ints, table: Table, starts: Ints, merges_first: bool, splits: bool, least: float
) -> tuple[Ints, float]:
    best, blocks = np.inf, starts[0].copy()
    partner, worth = np.empty(rank.shape[0], dtype=np.int64), np.empty(rank.shape[0])
    for number in range(starts.shape[0]):
        begin(boxes, rank, table, starts[number])
        cost = _descend(boxes, rank, table, partner, worth, merges_first and number == 0, splits, least)
        if number == 0 or cost < best - least:
            best = cost
            blocks[:] = table.places[SLOT]
    return blocks, best


def descend(
    boxes: Boxes, rank: Ints, starts: Ints, *, merges_first: bool, least: float, splits: bool = True
) -> Descent:
    """Return the best of the partitions that some starts end in.

    Args:
        boxes: The queries.
        rank: Their places among the ids, which break ties.
        starts: For each start, the number of each query's block, below the number of queries.
        merges_first: Whether, from the first start, no query is split off before no merge saves anything.
        least: A move that saves no more is rounding, and might be undone for ever.
        splits: Whether queries are split off at all.
    """
    table = make_table(*boxes.low.shape)
    blocks, cost = _search(boxes, rank, table, starts, merges_first, splits, least)
    return Descent(blocks, float(cost), int(table.counts[EVALUATED]), int(table.counts[APPLIED]))


def merge_few(boxes: Boxes, rank: Ints) -> Descent:
    """Return what pair merging ends in."""
    return descend(boxes, rank, np.arange(len(rank))[None, :], merges_first=True, least=0.0, splits=False)


def merge_within(boxes: Boxes, rank: Ints, clusters: Ints) -> Descent:
    """Return what pair merging ends in within each cluster, of which there is a number for each query."""
    blocks = np.empty(len(rank), dtype=np.int64)
    evaluated = applied = 0
    order = np.argsort(clusters, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1):
        if len(places) == 1:
            blocks[places] = places
            continue
        some = boxes._replace(
            low=boxes.low[places], high=boxes.high[places], size=boxes.size[places], rate=boxes.rate[places]
        )
        found = merge_few(some, rank[places])
        blocks[places] = places[found.blocks]
        evaluated += found.evaluated
        applied += found.applied
    return Descent(blocks, float(plan_cost(boxes, blocks)), evaluated, applied)


@compiled
def random_starts(rank: Ints, states: Ints) -> Ints:
    """Return partitions from states of the generator; by ranks, so that the order of the queries does not matter."""
    count = rank.shape[0]
    starts = np.empty((states.shape[0], count), dtype=np.int64)
    drawn = np.empty(count, dtype=np.int64)
    for number in range(states.shape[0]):
        state = states[number : number + 1].copy()
        blocks = 1 + below(state, count)
        for place in range(count):
            drawn[place] = below(state, blocks)
        starts[number] = drawn[rank]
    return starts
