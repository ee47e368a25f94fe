"""Choosing a server for a joining filter: Algorithm 1 (UNFA) and the scan of Algorithm 2 (QASD), paper 001, section 5.

Candidates are the source and the filters in the tree, in the order of joining; of equal ones the earlier is taken. What
the control point may look at is a view of the forest: of all trees, or of those of one source.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.delivery.compiled.forest import (
    SOURCE,
    Booleans,
    Floats,
    Forest,
    Ints,
    delay_between,
    growth_of,
    inlined,
    inner,
    share_of,
)

__all__ = ["NOBODY", "Qualities", "fairest", "most_quality", "quality_of"]

#: No candidate will do.
NOBODY = -3
_DROP_TOLERANCE = 1e-9
#: Variances that differ by a smaller share are equal: their sums are rounded.
_LESS = 1.0 - 1e-9
#: And so are qualities, as what arrives is known to some digits only.
_LESS_QUALITY = 1.0 - 1e-7


class Qualities(NamedTuple):
    """The quality functions of all filters, as their pieces one after another."""

    start: Ints
    drop: Floats
    delay: Floats
    quality: Floats
    over_drop: Floats


class _Spread(NamedTuple):
    """Sums that give the variances of loads and depths over the nodes of a tree, before a filter joins."""

    nodes: float
    centre: float
    loads: float
    squares: float
    depths: float
    depth_squares: float
    #: What the filter is by itself, in bytes per second.
    wanted: float


@inlined
def quality_of(qualities: Qualities, each: int, drop: float, delay: float) -> float:
    """Return C(r, d) of a filter."""
    for piece in range(qualities.start[each], qualities.start[each + 1]):
        if drop <= qualities.drop[piece] + _DROP_TOLERANCE and delay <= qualities.delay[piece]:
            over = qualities.over_drop[piece]
            return min(1.0, qualities.quality[piece] + (over / max(drop, over) if over > 0.0 else 0.0))
    return 0.0


@inner
def _spread(forest: Forest, joining: int, view: int) -> _Spread:
    """Return the sums before the filter joins; the source and the joining node are among the nodes."""
    stream = forest.stream[joining]
    first, count = forest.start[stream], forest.joined[stream]
    loads = forest.forwarded[view]
    centre = loads[forest.source[stream]] + loads[forest.node[joining]]
    for place in range(first, first + count):
        centre += loads[forest.node[forest.members[place]]]
    centre /= count + 2
    total, squares, depths, depth_squares = 0.0, 0.0, 0.0, 0.0
    for place in range(first, first + count + 2):
        node = forest.source[stream] if place == first + count else forest.node[joining]
        if place < first + count:
            node = forest.node[forest.members[place]]
            depth = float(forest.depth[forest.members[place]])
            depths += depth
            depth_squares += depth * depth
        far = loads[node] - centre
        total += far
        squares += far * far
    wanted = forest.rate[stream] * share_of(forest, forest.blocks, forest.fields, joining)
    return _Spread(count + 2.0, centre, total, squares, depths, depth_squares, wanted)


@inner
def _expansions(forest: Forest, spread: _Spread, joining: int, view: int) -> None:
    """Put into `work` what the links from each filter of the tree up to the source add to the sums; O(tree).

    The nodes above the links of one path are different ones, so that what each link adds can be summed on the way down.
    """
    stream, work, loads = forest.stream[joining], forest.work, forest.forwarded[view]
    first, count = forest.start[stream], forest.joined[stream]
    for place in range(first, first + count):
        work.is_summed[forest.members[place]] = False
    for place in range(first, first + count):
        top = forest.members[place]
        # Those that have moved may stand before the filters that serve them.
        depth = 0
        while top != SOURCE and not work.is_summed[top]:
            work.path[depth] = top
            depth += 1
            top = forest.parent[top]
        while depth > 0:
            depth -= 1
            each = work.path[depth]
            above, growth = forest.parent[each], growth_of(forest, each, joining)
            node = forest.source[stream] if above == SOURCE else forest.node[above]
            work.growth[each] = growth
            work.squares[each] = growth * (2.0 * (loads[node] - spread.centre) + growth)
            if above != SOURCE:
                work.growth[each] += work.growth[above]
                work.squares[each] += work.squares[above]
            work.is_summed[each] = True


@inlined
def _unevenness(forest: Forest, spread: _Spread, joining: int, above: int, view: int, with_depth: bool) -> float:
    """Return Var(A), times Var(D) where depths count, when a candidate serves the filter."""
    node = _node_of(forest, joining, above)
    total = spread.loads + spread.wanted
    squares = spread.squares + spread.wanted * (2.0 * (forest.forwarded[view, node] - spread.centre) + spread.wanted)
    if above != SOURCE:
        total += forest.work.growth[above]
        squares += forest.work.squares[above]
    variance = max(0.0, squares / spread.nodes - (total / spread.nodes) ** 2)
    if not with_depth:
        return variance
    depth = 1.0 if above == SOURCE else forest.depth[above] + 1.0
    mean = (spread.depths + depth) / spread.nodes
    return variance * max(0.0, (spread.depth_squares + depth * depth) / spread.nodes - mean * mean)


@inlined
def _node_of(forest: Forest, joining: int, above: int) -> int:
    return forest.source[forest.stream[joining]] if above == SOURCE else forest.node[above]


@inlined
def _candidate(forest: Forest, joining: int, place: int) -> int:
    """Return the source first, then the filters of the tree."""
    return SOURCE if place == 0 else forest.members[forest.start[forest.stream[joining]] + place - 1]


@inlined
def _connected(forest: Forest, joining: int, above: int) -> bool:
    return delay_between(forest, _node_of(forest, joining, above), forest.node[joining]) < np.inf


@inner
def fairest(forest: Forest, joining: int, view: int, with_depth: bool) -> int:
    """Return the candidate that leaves loads, and depths where they count, most even: UNFA, and UNFAA without depths.

    O(candidates); `NOBODY` when none is connected to the node.
    """
    spread = _spread(forest, joining, view)
    _expansions(forest, spread, joining, view)
    best, least = NOBODY, np.inf
    for place in range(forest.joined[forest.stream[joining]] + 1):
        above = _candidate(forest, joining, place)
        if not _connected(forest, joining, above):
            continue
        found = _unevenness(forest, spread, joining, above, view, with_depth)
        if best == NOBODY or found < least * _LESS:
            best, least = above, found
    return best


@inlined
def _applicable(forest: Forest, joining: int, above: int) -> bool:
    """Tell whether a filter is applicable over that of a candidate; over the source every filter is."""
    outside = np.uint64(0)
    if above != SOURCE:
        for word in range(forest.blocks.shape[1]):
            outside |= forest.blocks[joining, word] & ~forest.blocks[above, word]
        for word in range(forest.fields.shape[1]):
            outside |= forest.fields[joining, word] & ~forest.fields[above, word]
    return outside == np.uint64(0)


@inner
def most_quality(
    forest: Forest, qualities: Qualities, joining: int, view: int, slack: Floats, refused: Booleans, mean_delay: float
) -> int:
    """Return the candidate that promises the joining filter most, without expansion and within its slack (lines 1-7).

    `slack` is by node; `refused` marks nodes that were tried in this join. Of equally good ones the fairest is taken.
    """
    stream = forest.stream[joining]
    spread = _spread(forest, joining, view)
    _expansions(forest, spread, joining, view)
    best, most, least = NOBODY, -1.0, np.inf
    for place in range(forest.joined[stream] + 1):
        above = _candidate(forest, joining, place)
        node = _node_of(forest, joining, above)
        kept, delay = 1.0, 0.0
        if above != SOURCE:
            kept, delay = forest.kept[above], forest.delay[above]
        if refused[node] or slack[node] < kept * spread.wanted or not _applicable(forest, joining, above):
            continue
        if not _connected(forest, joining, above):
            continue
        hop = mean_delay
        if forest.served[view, node] > 0:
            hop = forest.served_delay[view, node] / forest.served[view, node]
        quality = quality_of(qualities, joining, max(0.0, 1.0 - kept), delay + hop + forest.processing_delay)
        if quality < most * _LESS_QUALITY:
            continue
        found = _unevenness(forest, spread, joining, above, view, False)
        if quality * _LESS_QUALITY > most or found < least * _LESS:
            best, most, least = above, max(most, quality), found
    return best
