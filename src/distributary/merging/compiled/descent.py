"""Directed search on boxes: from a start, the best merge or split of one query, until none saves anything.

Tables hold what each merge of two blocks and each split of one query saves; a move changes only the rows of the blocks
that it touches. Memory is quadratic in the number of queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, block_cost, compiled, measure

__all__ = ["descend"]


class State(NamedTuple):
    """A partition; blocks are numbered by slots, of which there are as many as queries."""

    #: The slot of each query.
    slot: Ints
    low: Floats
    high: Floats
    #: What a slot's block costs, how many members it has, their highest rate and their rates x sizes.
    cost: Floats
    members: Ints
    rate: Floats
    wanted: Floats
    rank: Ints
    #: What merging two slots saves; symmetric.
    merge: Floats
    #: The best partner of each slot; -1: none saves anything.
    partner: Ints
    #: What taking each query out of its block saves.
    split: Floats


@compiled
def _summed(boxes: Boxes, rank: Ints, state: State, slot: int) -> None:
    """Compute a slot's block anew from its members."""
    dimensions = boxes.low.shape[1]
    state.members[slot], state.rate[slot], state.wanted[slot] = 0, 0.0, 0.0
    size = 0.0
    for query in range(boxes.size.shape[0]):
        if state.slot[query] != slot:
            continue
        first = state.members[slot] == 0
        for axis in range(dimensions):
            low, high = boxes.low[query, axis], boxes.high[query, axis]
            state.low[slot, axis] = low if first else min(state.low[slot, axis], low)
            state.high[slot, axis] = high if first else max(state.high[slot, axis], high)
        state.rank[slot] = rank[query] if first else min(state.rank[slot], rank[query])
        state.members[slot] += 1
        state.rate[slot] = max(state.rate[slot], boxes.rate[query])
        state.wanted[slot] += boxes.rate[query] * boxes.size[query]
        size = boxes.size[query]
    if state.members[slot] == 0:
        return
    if state.members[slot] > 1:
        size = measure(boxes, state.low[slot], state.high[slot])
    state.cost[slot] = block_cost(boxes, size, state.members[slot], state.rate[slot], state.wanted[slot])


@compiled
def _merging(boxes: Boxes, state: State, first: int, second: int, low: Floats, high: Floats) -> float:
    for axis in range(low.shape[0]):
        low[axis] = min(state.low[first, axis], state.low[second, axis])
        high[axis] = max(state.high[first, axis], state.high[second, axis])
    merged = block_cost(
        boxes,
        measure(boxes, low, high),
        state.members[first] + state.members[second],
        max(state.rate[first], state.rate[second]),
        state.wanted[first] + state.wanted[second],
    )
    return state.cost[first] + state.cost[second] - merged


@compiled
def _splitting(boxes: Boxes, state: State, query: int, low: Floats, high: Floats) -> float:
    """Return what taking a query out of its block of several saves."""
    slot = state.slot[query]
    count, rate, wanted, size = 0, 0.0, 0.0, 0.0
    for other in range(boxes.size.shape[0]):
        if other == query or state.slot[other] != slot:
            continue
        for axis in range(low.shape[0]):
            low[axis] = boxes.low[other, axis] if count == 0 else min(low[axis], boxes.low[other, axis])
            high[axis] = boxes.high[other, axis] if count == 0 else max(high[axis], boxes.high[other, axis])
        count += 1
        rate = max(rate, boxes.rate[other])
        wanted += boxes.rate[other] * boxes.size[other]
        size = boxes.size[other]
    if count > 1:
        size = measure(boxes, low, high)
    alone = block_cost(boxes, boxes.size[query], 1, boxes.rate[query], boxes.rate[query] * boxes.size[query])
    return state.cost[slot] - alone - block_cost(boxes, size, count, rate, wanted)


@compiled
def _choose(state: State, slot: int) -> None:
    """Find a slot's best partner: the greatest saving, then the smallest rank."""
    best = -1
    for other in range(state.members.shape[0]):
        if other == slot or state.members[other] == 0 or state.merge[slot, other] <= 0.0:
            continue
        if best >= 0:
            saving = state.merge[slot, other] - state.merge[slot, best]
            if saving < 0.0 or (saving == 0.0 and state.rank[other] > state.rank[best]):
                continue
        best = other
    state.partner[slot] = best


@compiled
def _refresh(boxes: Boxes, rank: Ints, state: State, changed: Ints, low: Floats, high: Floats) -> None:
    """Compute the rows of the changed slots anew, and the best partners that this may have changed."""
    slots = state.members.shape[0]
    for slot in changed:
        _summed(boxes, rank, state, slot)
    for slot in changed:
        for other in range(slots):
            if other != slot and state.members[other] > 0 and state.members[slot] > 0:
                saving = _merging(boxes, state, slot, other, low, high)
                state.merge[slot, other] = state.merge[other, slot] = saving
    for slot in range(slots):
        if state.members[slot] == 0:
            continue
        partner = state.partner[slot]
        anew = False
        for other in changed:
            if slot == other or partner == other:
                anew = True
            elif state.members[other] > 0 and state.merge[slot, other] > 0.0:
                anew = anew or partner < 0 or state.merge[slot, other] >= state.merge[slot, partner]
        if anew:
            _choose(state, slot)
    for query in range(boxes.size.shape[0]):
        for slot in changed:
            if state.slot[query] == slot:
                several = state.members[slot] > 1
                state.split[query] = _splitting(boxes, state, query, low, high) if several else 0.0


@compiled
def _best_merge(state: State) -> int:
    """Return the slot, of smaller rank than its partner, of the best merge; -1: none saves anything."""
    best = -1
    for slot in range(state.members.shape[0]):
        if state.members[slot] == 0 or state.partner[slot] < 0 or state.rank[slot] > state.rank[state.partner[slot]]:
            continue
        if best >= 0:
            saving = state.merge[slot, state.partner[slot]] - state.merge[best, state.partner[best]]
            if saving < 0.0 or (saving == 0.0 and state.rank[slot] > state.rank[best]):
                continue
        best = slot
    return best


@compiled
def _best_split(state: State, rank: Ints) -> int:
    best = -1
    for query in range(state.slot.shape[0]):
        if state.split[query] <= 0.0:
            continue
        if best >= 0:
            saving = state.split[query] - state.split[best]
            if saving < 0.0 or (saving == 0.0 and rank[query] > rank[best]):
                continue
        best = query
    return best


@compiled
def _descended(boxes: Boxes, rank: Ints, state: State, merges_first: bool, least: float) -> float:
    low, high = np.empty(boxes.low.shape[1]), np.empty(boxes.low.shape[1])
    slots = state.members.shape[0]
    _refresh(boxes, rank, state, np.arange(slots), low, high)
    merging = merges_first
    while True:
        slot = _best_merge(state)
        saved = state.merge[slot, state.partner[slot]] if slot >= 0 else 0.0
        query = -1 if merging else _best_split(state, rank)
        if query >= 0 and state.split[query] > max(saved, least):
            empty = 0
            while state.members[empty] > 0:
                empty += 1
            left = state.slot[query]
            state.slot[query] = empty
            _refresh(boxes, rank, state, np.array([left, empty]), low, high)
        elif slot >= 0 and (merging or saved > least):
            partner = state.partner[slot]
            for query in range(slots):
                if state.slot[query] == partner:
                    state.slot[query] = slot
            _refresh(boxes, rank, state, np.array([slot, partner]), low, high)
        elif merging:
            merging = False
        else:
            break
    return state.cost[state.members > 0].sum()


def descend(boxes: Boxes, rank: Ints, start: Ints, *, merges_first: bool, least: float) -> tuple[Ints, float]:
    """Return the partition that a start ends in, as a number for each query, and what it costs.

    Args:
        boxes: The queries.
        rank: Their places among the ids, which break ties.
        start: The number of each query's block, below the number of queries.
        merges_first: Whether no query is split off before no merge saves anything.
        least: A move that saves no more is rounding, and might be undone for ever.
    """
    count, dimensions = boxes.low.shape
    state = State(
        slot=start.copy(),
        low=np.empty((count, dimensions)),
        high=np.empty((count, dimensions)),
        cost=np.zeros(count),
        members=np.zeros(count, dtype=np.int64),
        rate=np.zeros(count),
        wanted=np.zeros(count),
        rank=np.zeros(count, dtype=np.int64),
        merge=np.zeros((count, count)),
        partner=np.full(count, -1, dtype=np.int64),
        split=np.zeros(count),
    )
    cost = _descended(boxes, rank, state, merges_first, least)
    return state.slot, float(cost)
