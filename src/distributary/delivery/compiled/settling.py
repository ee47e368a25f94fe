"""The drops of trees: the fixed point of equations (1) and (2) of paper 001, section 4.2.

`settle` sweeps over all links with a factor of 1/2 from nothing dropped, as `drops.arrivals` does, its plain reference.
`relax` starts from where a change has left the trees and follows it only as far as it reaches: a limit that is loaded
more or less changes what passes it, that what arrives, that what is pushed further down. It ends in a fixed point too.
"""

from __future__ import annotations

import numpy as np

from distributary.delivery.compiled.forest import (
    NOWHERE,
    SOURCE,
    Forest,
    Ints,
    attach,
    compiled,
    inlined,
    inner,
    note,
    touch,
)

__all__ = ["begin", "equilibrate", "kept_above", "plant", "settle", "shed_at", "take_back"]

_SWEEPS_MAX = 2_000
_TOLERANCE = 1e-10
_DAMPING = 0.5
#: After so many tasks for each that there is, sweeps are quicker than following changes.
_ROUNDS_MAX = 2


@inlined
def kept_above(forest: Forest, each: int) -> float:
    """Return what has arrived of a stream where a link begins."""
    above = forest.parent[each]
    return 1.0 if above == SOURCE else forest.kept[above]


@inner
def _by_depth(forest: Forest) -> Ints:
    """Return the filters that are in trees, those near the sources first."""
    count = forest.parent.shape[0]
    places = np.zeros(count + 2, dtype=np.int64)
    for each in range(count):
        if forest.parent[each] != NOWHERE:
            places[forest.depth[each] + 1] += 1
    for depth in range(1, places.shape[0]):
        places[depth] += places[depth - 1]
    order = np.empty(places[count + 1], dtype=np.int64)
    for each in range(count):
        if forest.parent[each] != NOWHERE:
            order[places[forest.depth[each]]] = each
            places[forest.depth[each]] += 1
    return order


@inlined
def _forget_tasks(forest: Forest) -> None:
    work = forest.work
    for place in range(work.ends[0], work.ends[0] + work.ends[1]):
        work.queued[work.queue[place % work.queue.shape[0]]] = False
    work.ends[0], work.ends[1] = 0, 0


@compiled
def settle(forest: Forest) -> bool:
    """Solve the equations for the trees as they are, from nothing dropped; returns whether the sweeps converged."""
    return _sweep(forest, True, _TOLERANCE)


@inner
def _sweep(forest: Forest, fresh: bool, tolerance: float) -> bool:
    """Solve the equations from nothing dropped (`fresh`), or from where they stand."""
    order = _by_depth(forest)
    _forget_tasks(forest)
    for each in order:
        touch(forest, each)
    kept, load, parent, limit, node = forest.kept, forest.load, forest.parent, forest.limit, forest.node
    offered, received, up, down = forest.offered, forest.received, forest.passed_up, forest.passed_down
    if fresh:
        for each in order:
            kept[each] = 1.0
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < _SWEEPS_MAX:
        sweeps += 1
        for place in range(up.shape[0]):
            offered[place] = 0.0
        for place in range(down.shape[0]):
            received[place] = 0.0
        for each in order:
            push = load[each] * (1.0 if parent[each] == SOURCE else kept[parent[each]])
            offered[limit[each]] += push
            received[node[each]] += push
        for place in range(up.shape[0]):
            up[place] = forest.upload[place] / offered[place] if offered[place] > forest.upload[place] else 1.0
        for place in range(down.shape[0]):
            over = received[place] > forest.download[place]
            down[place] = forest.download[place] / received[place] if over else 1.0
        moved = 0.0
        for each in order:
            above = 1.0 if parent[each] == SOURCE else kept[parent[each]]
            now = above * min(up[limit[each]], down[node[each]])
            moved = max(moved, abs(now - kept[each]))
            kept[each] += _DAMPING * (now - kept[each])
    return moved < tolerance


@inlined
def _differ(forest: Forest, now: float, before: float) -> bool:
    """Tell whether a change is to be followed: it is not too small, or it is the end of a loss."""
    return abs(now - before) > forest.work.still[0] or (now == 1.0 and before != 1.0)


@inlined
def _look_at_limit(forest: Forest, limit: int) -> None:
    """Reckon anew what passes an upload or a link."""
    offered = 0.0
    each = forest.limit_first[limit]
    while each >= 0:
        offered += forest.load[each] * kept_above(forest, each)
        each = forest.limit_next[each]
    forest.offered[limit] = offered
    passed = forest.upload[limit] / offered if offered > forest.upload[limit] else 1.0
    if _differ(forest, passed, forest.passed_up[limit]):
        forest.passed_up[limit] = passed
        each = forest.limit_first[limit]
        while each >= 0:
            note(forest, forest.upload.shape[0] + forest.download.shape[0] + each)
            each = forest.limit_next[each]


@inlined
def _look_at_download(forest: Forest, node: int) -> None:
    """Reckon anew what passes a download."""
    received = 0.0
    for place in range(forest.node_start[node], forest.node_start[node + 1]):
        each = forest.of_node[place]
        if forest.parent[each] != NOWHERE:
            received += forest.load[each] * kept_above(forest, each)
    forest.received[node] = received
    passed = forest.download[node] / received if received > forest.download[node] else 1.0
    if _differ(forest, passed, forest.passed_down[node]):
        forest.passed_down[node] = passed
        for place in range(forest.node_start[node], forest.node_start[node + 1]):
            note(forest, forest.upload.shape[0] + forest.download.shape[0] + forest.of_node[place])


@inlined
def _look_at_filter(forest: Forest, each: int) -> None:
    """Reckon anew what arrives at a filter, and note what it pushes further."""
    if forest.parent[each] == NOWHERE:
        return
    passed = min(forest.passed_up[forest.limit[each]], forest.passed_down[forest.node[each]])
    now = kept_above(forest, each) * passed
    if not _differ(forest, now, forest.kept[each]):
        return
    touch(forest, each)
    forest.kept[each] = now
    child = forest.first_child[each]
    while child >= 0:
        note(forest, forest.limit[child])
        note(forest, forest.upload.shape[0] + forest.node[child])
        note(forest, forest.upload.shape[0] + forest.download.shape[0] + child)
        child = forest.next_sibling[child]


@inner
def relax(forest: Forest) -> bool:
    """Follow what has been noted until nothing changes; `False` when that reaches too far, or goes round in circles."""
    work, limits = forest.work, forest.upload.shape[0]
    left = _ROUNDS_MAX * work.queue.shape[0]
    while work.ends[1] > 0:
        task = work.queue[work.ends[0]]
        work.ends[0] = (work.ends[0] + 1) % work.queue.shape[0]
        work.ends[1] -= 1
        work.queued[task] = False
        if task < limits:
            _look_at_limit(forest, task)
        elif task < limits + forest.download.shape[0]:
            _look_at_download(forest, task - limits)
        else:
            _look_at_filter(forest, task - limits - forest.download.shape[0])
        left -= 1
        if left == 0:
            return False
    return True


@compiled
def equilibrate(forest: Forest) -> bool:
    """Bring drops up to date after changes of the trees; returns whether they are a fixed point.

    As exactly as `settle`, but for what `work.still` lets pass while moves are only tried.
    """
    return relax(forest) or _sweep(forest, False, max(_TOLERANCE, forest.work.still[0]))


@inner
def begin(forest: Forest) -> None:
    """Remember the drops, which are up to date, so that what follows can be taken back."""
    work, limits = forest.work, forest.upload.shape[0]
    for place in range(work.touched_count[0]):
        work.is_touched[work.touched[place]] = False
    work.touched_count[0] = 0
    for place in range(limits):
        work.offered[place], work.passed_up[place] = forest.offered[place], forest.passed_up[place]
    for place in range(forest.download.shape[0]):
        work.received[place], work.passed_down[place] = forest.received[place], forest.passed_down[place]


@inner
def take_back(forest: Forest) -> None:
    """Bring back the drops that `begin` has remembered, when the trees are as they were then."""
    work, limits = forest.work, forest.upload.shape[0]
    _forget_tasks(forest)
    for place in range(work.touched_count[0]):
        forest.kept[work.touched[place]] = work.kept[place]
    for place in range(limits):
        forest.offered[place], forest.passed_up[place] = work.offered[place], work.passed_up[place]
    for place in range(forest.download.shape[0]):
        forest.received[place], forest.passed_down[place] = work.received[place], work.passed_down[place]


@compiled
def plant(forest: Forest, parents: Ints, order: Ints) -> None:
    """Attach filters to their parents, in an order in which parents come before what they serve."""
    for each in order:
        attach(forest, each, parents[each])


@compiled
def shed_at(forest: Forest, node: int) -> float:
    """Return z: the fraction that a node sheds of all that it forwards."""
    if forest.link_limit.shape[0] == 0:
        return max(0.0, 1.0 - forest.passed_up[node])
    offered, passed = 0.0, 0.0
    for link in range(forest.link_start[node], forest.link_start[node + 1]):
        limit = forest.link_limit[link]
        offered += forest.offered[limit]
        passed += min(forest.offered[limit], forest.upload[limit])
    return 1.0 - passed / offered if offered > 0.0 else 0.0
