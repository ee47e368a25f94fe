"""All trees of a small problem, and the best of all sets of them, by search with bounds.

The bound of one stream's tree holds whatever other trees do. Of what a server pushes in it, the same fraction gets
through to all whom it serves there; so no more arrives than upload over that sum, than download over the link's own
load, or than arrives above. A quality function has no more to give from there on than the best of its pieces has.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from distributary.delivery.compiled.choice import Qualities
from distributary.delivery.compiled.forest import (
    SOURCE,
    Floats,
    Forest,
    Ints,
    attach,
    compiled,
    delay_between,
    detach,
    inlined,
    inner,
)
from distributary.delivery.compiled.moving import worth_of
from distributary.delivery.compiled.settling import settle

__all__ = ["Trees", "best_of", "trees_of_stream"]

_DROP_TOLERANCE = 1e-9
#: Bounds are sums of logarithms; no tree is left out for their rounding.
_SLACK = 1e-9


class Trees(NamedTuple):
    """All trees of all streams, those of a stream the most promising first."""

    #: The filters of the streams, one stream after another, and where each stream's begin.
    filters: Ints
    first: Ints
    #: For each tree: the parents of its stream's filters; and where each stream's begin.
    parents: Ints
    parents_first: Ints
    #: For each tree: what the filters' worth cannot exceed; and where each stream's begin.
    bound: Floats
    bound_first: Ints


@inlined
def _most(qualities: Qualities, each: int, drop: float, delay: float) -> float:
    """Return what the quality of a filter cannot exceed when no less than `drop` is dropped."""
    most = 0.0
    for piece in range(qualities.start[each], qualities.start[each + 1]):
        if drop <= qualities.drop[piece] + _DROP_TOLERANCE and delay <= qualities.delay[piece]:
            over = qualities.over_drop[piece]
            most = max(most, min(1.0, qualities.quality[piece] + (over / max(drop, over) if over > 0.0 else 0.0)))
    return most


@inner
def _bound(forest: Forest, qualities: Qualities, filters: Ints) -> float:
    """Return what the worth of one stream's filters cannot exceed, whatever else is sent; its tree stands."""
    kept = np.ones(forest.parent.shape[0])
    total, depth, seen = 0.0, 1, 0
    while seen < filters.shape[0]:
        for each in filters:
            if forest.depth[each] != depth:
                continue
            seen += 1
            above, pushed = forest.parent[each], 0.0
            for other in filters:
                if forest.parent[other] == above and forest.limit[other] == forest.limit[each]:
                    pushed += forest.load[other]
            most = 1.0 if above == SOURCE else kept[above]
            if pushed > 0.0:
                most = min(most, forest.upload[forest.limit[each]] / pushed)
            if forest.load[each] > 0.0:
                most = min(most, forest.download[forest.node[each]] / forest.load[each])
            kept[each] = most
            total += math.log(max(1e-9, _most(qualities, each, max(0.0, 1.0 - most), forest.delay[each])))
        depth += 1
    return total


@inner
def _is_tree(forest: Forest, filters: Ints, choice: Ints) -> bool:
    """Tell whether parents are connected to their children, and all reach the source; 0 stands for it."""
    for place in range(filters.shape[0]):
        server = forest.source[forest.stream[filters[place]]]
        if choice[place] > 0:
            server = forest.node[filters[choice[place] - 1]]
        if not delay_between(forest, server, forest.node[filters[place]]) < np.inf:
            return False
        steps, at = 0, place + 1
        while at > 0 and steps <= filters.shape[0]:
            at = choice[at - 1]
            steps += 1
        if at > 0:
            return False
    return True


@inner
def _attach_all(forest: Forest, filters: Ints, parents: Ints) -> None:
    """Attach a stream's filters, parents first."""
    left = filters.shape[0]
    while left > 0:
        for place in range(filters.shape[0]):
            above = parents[place]
            if forest.parent[filters[place]] == -2 and (above == SOURCE or forest.parent[above] != -2):
                attach(forest, filters[place], above)
                left -= 1


@inner
def _detach_all(forest: Forest, filters: Ints) -> None:
    """Detach a stream's filters, children first."""
    left = filters.shape[0]
    while left > 0:
        for each in filters:
            if forest.parent[each] != -2 and forest.first_child[each] < 0:
                detach(forest, each)
                left -= 1


@compiled
def trees_of_stream(forest: Forest, qualities: Qualities, filters: Ints, count: int) -> tuple[Ints, Floats]:
    """Return all trees of a stream, at most `count`, as parents and bounds; the forest is empty."""
    parents = np.empty((count, filters.shape[0]), dtype=np.int64)
    bound = np.empty(count)
    choice = np.zeros(filters.shape[0], dtype=np.int64)
    found, place = 0, 0
    while place < filters.shape[0]:
        if _is_tree(forest, filters, choice):
            for each in range(filters.shape[0]):
                parents[found, each] = SOURCE if choice[each] == 0 else filters[choice[each] - 1]
            _attach_all(forest, filters, parents[found])
            bound[found] = _bound(forest, qualities, filters)
            _detach_all(forest, filters)
            found += 1
        place = 0
        while place < filters.shape[0] and choice[place] == filters.shape[0]:
            choice[place] = 0
            place += 1
        if place < filters.shape[0]:
            choice[place] += 1
    order = np.argsort(-bound[:found], kind="mergesort")
    return parents[:found][order], bound[:found][order]


@compiled
def best_of(forest: Forest, qualities: Qualities, trees: Trees, parents: Ints, least: float) -> float:
    """Find the trees of most worth, if they have more than `least`, and put their parents into `parents`.

    The forest is empty, and so it is left. Streams are gone through from the first, each from its most promising tree
    on; where the trees so far and the best bounds of the others promise no more than what was found, the rest is left.
    """
    count = trees.first.shape[0] - 1
    rest = np.zeros(count + 1)
    for stream in range(count - 1, -1, -1):
        rest[stream] = rest[stream + 1] + trees.bound[trees.bound_first[stream]]
    at = np.zeros(count, dtype=np.int64)
    sofar = np.zeros(count + 1)
    best, stream = least, 0
    while stream >= 0:
        filters = trees.filters[trees.first[stream] : trees.first[stream + 1]]
        bounds = trees.bound[trees.bound_first[stream] : trees.bound_first[stream + 1]]
        if at[stream] > 0:
            _detach_all(forest, filters)
        tree = at[stream]
        if tree == bounds.shape[0] or sofar[stream] + bounds[tree] + rest[stream + 1] <= best - _SLACK:
            at[stream] = 0
            stream -= 1
            continue
        at[stream] += 1
        begin = trees.parents_first[stream] + tree * filters.shape[0]
        _attach_all(forest, filters, trees.parents[begin : begin + filters.shape[0]])
        sofar[stream + 1] = sofar[stream] + bounds[tree]
        if stream + 1 < count:
            stream += 1
            continue
        settle(forest)
        found = 0.0
        for each in range(parents.shape[0]):
            found += worth_of(forest, qualities, each)
        if found > best:
            best = found
            parents[:] = forest.parent
    return best
