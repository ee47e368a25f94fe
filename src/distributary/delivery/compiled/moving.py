"""Moving filters that have joined to other servers: what a move is worth, and searches that go by it.

A move is tried as a control point would: assigned for the time being, heard what arrives everywhere, and taken back
when that is not what was wanted. The worth of trees is the sum of the logarithms of all filters' qualities.
"""

from __future__ import annotations

import math

import numpy as np

from distributary.delivery.compiled.chance import random
from distributary.delivery.compiled.choice import Qualities, quality_of
from distributary.delivery.compiled.forest import (
    EXACT,
    NOWHERE,
    SOURCE,
    Floats,
    Forest,
    Ints,
    compiled,
    delay_between,
    inlined,
    inner,
    is_below,
    link_between,
    move,
)
from distributary.delivery.compiled.settling import begin, equilibrate, kept_above, take_back

__all__ = ["anneal", "improve", "worth_of", "worths_of"]

#: A quality of 0 counts as this much, so that fewer of them are better.
_LEAST = 1e-9
#: How small changes of what arrives annealing follows: it tries often, and what it ends with is settled exactly.
_ROUGHLY = 1e-6
#: How many of the servers that promise most are tried for one filter.
_TRIES = 2
#: Rounding of sums of bandwidths.
_SAME = 1e-9


@inlined
def worth_of(forest: Forest, qualities: Qualities, each: int) -> float:
    """Return the logarithm of the quality of what a filter gets."""
    drop = max(0.0, 1.0 - forest.kept[each])
    return math.log(max(_LEAST, quality_of(qualities, each, drop, forest.delay[each])))


@compiled
def worths_of(forest: Forest, qualities: Qualities) -> Floats:
    """Return the worth of all filters, 0 of those that are in no tree."""
    worth = np.zeros(forest.parent.shape[0])
    for each in range(forest.parent.shape[0]):
        if forest.parent[each] != NOWHERE:
            worth[each] = worth_of(forest, qualities, each)
    return worth


@inner
def _change(forest: Forest, qualities: Qualities, worth: Floats) -> float:
    """Return by how much the worth has changed since `begin`; `worth` is what filters' was then."""
    change = 0.0
    for place in range(forest.work.touched_count[0]):
        each = forest.work.touched[place]
        if forest.parent[each] != NOWHERE:
            change += worth_of(forest, qualities, each) - worth[each]
    return change


@inner
def _accept(forest: Forest, qualities: Qualities, worth: Floats) -> None:
    """Bring the filters' worth up to date after a change that stays."""
    for place in range(forest.work.touched_count[0]):
        each = forest.work.touched[place]
        worth[each] = worth_of(forest, qualities, each)


@inlined
def _may_serve(forest: Forest, each: int, above: int) -> bool:
    """Tell whether another node can serve a filter: there is a link, and it is not below it."""
    node = forest.source[forest.stream[each]] if above == SOURCE else forest.node[above]
    if above == forest.parent[each] or is_below(forest, above, each):
        return False
    return delay_between(forest, node, forest.node[each]) < np.inf


@inlined
def _expands(forest: Forest, each: int, above: int) -> bool:
    """Tell whether the links above a candidate would have to carry more; `each` moves with all that is below it."""
    outside = np.uint64(0)
    if above != SOURCE:
        for word in range(forest.blocks.shape[1]):
            outside |= forest.carried_blocks[each, word] & ~forest.carried_blocks[above, word]
        for word in range(forest.fields.shape[1]):
            outside |= forest.carried_fields[each, word] & ~forest.carried_fields[above, word]
    return outside != np.uint64(0)


@inlined
def _try(forest: Forest, qualities: Qualities, worth: Floats, each: int, above: int) -> float:
    """Let another node serve a filter and return what that is worth; `begin` was just before."""
    move(forest, each, above)
    equilibrate(forest)
    return _change(forest, qualities, worth)


@inlined
def _undo(forest: Forest, each: int, above: int) -> None:
    move(forest, each, above)
    take_back(forest)


@inlined
def _candidate(forest: Forest, each: int, place: int) -> int:
    stream = forest.stream[each]
    return SOURCE if place == 0 else forest.members[forest.start[stream] + place - 1]


@inlined
def _bandwidth(forest: Forest) -> float:
    """Return what all nodes forward."""
    total = 0.0
    for node in range(forest.forwarded.shape[1]):
        total += forest.forwarded[0, node]
    return total


@inlined
def _promise_at(forest: Forest, qualities: Qualities, worth: Floats, limit: int, more: float, each: int) -> float:
    """Return what it is worth to all others that load a limit when so much more is pushed into it."""
    offered = forest.offered[limit] + more
    passed = forest.upload[limit] / offered if offered > forest.upload[limit] else 1.0
    if passed == forest.passed_up[limit]:
        return 0.0
    scale, total, other = passed / forest.passed_up[limit], 0.0, forest.limit_first[limit]
    while other >= 0:
        if other != each:
            drop = max(0.0, 1.0 - forest.kept[other] * scale)
            total += math.log(max(_LEAST, quality_of(qualities, other, drop, forest.delay[other]))) - worth[other]
        other = forest.limit_next[other]
    return total


@inner
def _promise(forest: Forest, qualities: Qualities, worth: Floats, each: int, above: int, relief: float) -> float:
    """Return what a move promises at the first glance: to the filter itself, and to those that its servers serve.

    `relief` is what it is worth where it goes from. Those further down, and what the filter pushes there, are not
    looked at; the move that is tried shows them.
    """
    node = forest.source[forest.stream[each]] if above == SOURCE else forest.node[above]
    kept, delay = 1.0, 0.0
    if above != SOURCE:
        kept, delay = forest.kept[above], forest.delay[above]
    link = link_between(forest, node, forest.node[each])
    limit = forest.link_limit[link] if forest.link_limit.shape[0] > 0 else node
    delay += (forest.link_delay[link] if link >= 0 else forest.default_delay) + forest.processing_delay
    if limit == forest.limit[each]:
        return 0.0
    push = forest.load[each] * kept
    offered = forest.offered[limit] + push
    passed = forest.upload[limit] / offered if offered > forest.upload[limit] else 1.0
    drop = max(0.0, 1.0 - kept * min(passed, forest.passed_down[forest.node[each]]))
    total = math.log(max(_LEAST, quality_of(qualities, each, drop, delay))) - worth[each]
    return total + relief + _promise_at(forest, qualities, worth, limit, push, each)


@inner
def _promising(forest: Forest, qualities: Qualities, worth: Floats, each: int, found: Ints, least: float) -> None:
    """Put the servers that promise a filter's move most into `found`, the best first; `NOWHERE` in the other places.

    A filter that gets all it wants from a server that sheds nothing stays where it is.
    """
    promises = np.full(found.shape[0], least)
    for place in range(found.shape[0]):
        found[place] = NOWHERE
    if worth[each] == 0.0 and forest.passed_up[forest.limit[each]] == 1.0:
        return
    push = forest.load[each] * kept_above(forest, each)
    relief = _promise_at(forest, qualities, worth, forest.limit[each], -push, each)
    for number in range(forest.joined[forest.stream[each]] + 1):
        above = _candidate(forest, each, number)
        if not _may_serve(forest, each, above) or _expands(forest, each, above):
            continue
        promise = _promise(forest, qualities, worth, each, above, relief)
        for place in range(found.shape[0]):
            if promise > promises[place]:
                promise, promises[place] = promises[place], promise
                above, found[place] = found[place], above


@compiled
def improve(
    forest: Forest,
    qualities: Qualities,
    order: Ints,
    least: float,
    moves_max: int,
    sweeps_max: int,
    bandwidth_max: float,
) -> tuple[int, int, float]:
    """Move filters, in turn, to servers that promise most, where that is worth `least` indeed, until none is.

    Drops must be up to date. Returns the moves made, the servers tried and the gain. Each move gains at least `least`,
    and worth has an upper end, so that this ends, and never comes back to trees that it has left.
    """
    worth = worths_of(forest, qualities)
    found = np.empty(_TRIES, dtype=np.int64)
    moves, tried, gained, still = 0, 0, 0.0, 0
    for turn in range(sweeps_max * order.shape[0]):
        each = order[turn % order.shape[0]]
        still += 1
        _promising(forest, qualities, worth, each, found, least)
        for above in found:
            if above == NOWHERE:
                break
            before = forest.parent[each]
            begin(forest)
            gain = _try(forest, qualities, worth, each, int(above))
            tried += 1
            if gain >= least and _bandwidth(forest) <= bandwidth_max * (1.0 + _SAME):
                _accept(forest, qualities, worth)
                moves, still, gained = moves + 1, 0, gained + gain
                break
            _undo(forest, each, before)
        if moves == moves_max or still == order.shape[0]:
            break
    return moves, tried, gained


@compiled
def anneal(forest: Forest, qualities: Qualities, state: Ints, tries: int, hot: float, cold: float) -> Ints:
    """Search by simulated annealing from trees whose drops are up to date; returns the parents of the best trees.

    The temperature falls geometrically from `hot` to `cold`, in units of the logarithm of one filter's quality.
    """
    count = forest.parent.shape[0]
    worth = worths_of(forest, qualities)
    best = forest.parent.copy()
    now, most = 0.0, 0.0
    forest.work.still[0] = _ROUGHLY
    for number in range(tries):
        each = int(random(state) * count)
        above = _candidate(forest, each, int(random(state) * (forest.joined[forest.stream[each]] + 1)))
        luck = random(state)
        if not _may_serve(forest, each, above):
            continue
        before = forest.parent[each]
        begin(forest)
        gain = _try(forest, qualities, worth, each, above)
        if gain < 0.0 and luck >= math.exp(gain / (hot * (cold / hot) ** (number / tries))):
            _undo(forest, each, before)
            continue
        _accept(forest, qualities, worth)
        now += gain
        if now > most + _SAME:
            most = now
            for place in range(count):
                best[place] = forest.parent[place]
    forest.work.still[0] = EXACT
    return best
