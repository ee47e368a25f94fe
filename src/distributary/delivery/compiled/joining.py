"""How filters join, one after another: BRUSH, CHAIN, UNFA and QASD of paper 001, section 5, on a forest."""

from __future__ import annotations

from distributary.delivery.compiled.choice import NOBODY, Qualities, fairest, most_quality
from distributary.delivery.compiled.forest import (
    SOURCE,
    Booleans,
    Floats,
    Forest,
    attach,
    compiled,
    delay_between,
    detach,
    inlined,
    inner,
    is_below,
    share_of,
)
from distributary.delivery.compiled.settling import begin, equilibrate, kept_above, shed_at, take_back

__all__ = ["ALL_TREES", "elsewhere", "grow_brush", "grow_chain", "grow_fair", "join"]

#: The view of a control point that knows all trees.
ALL_TREES = 0
#: Less shedding than this is none.
_SHED_MIN = 1e-9


@inlined
def _refuses(forest: Forest, joining: int, above: int) -> bool:
    """Tell whether there is no link from a server to a filter's node."""
    node = forest.source[forest.stream[joining]] if above == SOURCE else forest.node[above]
    return not delay_between(forest, node, forest.node[joining]) < float("inf")


@compiled
def grow_brush(forest: Forest) -> int:
    """Let all be served by the sources; returns the first filter that has no link from its source, or -1."""
    for joining in range(forest.parent.shape[0]):
        if _refuses(forest, joining, SOURCE):
            return joining
        attach(forest, joining, SOURCE)
    return -1


@compiled
def grow_chain(forest: Forest) -> int:
    """Let each be served by the last before it; returns the first filter that has no link from that, or -1."""
    for joining in range(forest.parent.shape[0]):
        stream = forest.stream[joining]
        count = forest.joined[stream]
        above = forest.members[forest.start[stream] + count - 1] if count > 0 else SOURCE
        if _refuses(forest, joining, above):
            return joining
        attach(forest, joining, above)
    return -1


@compiled
def grow_fair(forest: Forest, everywhere: bool) -> int:
    """Let all join by UNFA; returns the first filter that no node of its tree has a link to, or -1."""
    for joining in range(forest.parent.shape[0]):
        view = ALL_TREES if everywhere else forest.view_of[forest.stream[joining]]
        above = fairest(forest, joining, view, True)
        if above == NOBODY:
            return joining
        attach(forest, joining, above)
    return -1


@compiled
def elsewhere(forest: Forest, orphan: int, leaving: int) -> int:
    """Return who serves a filter when the one above it leaves: that one's server, else the nearest not below that."""
    stream = forest.stream[orphan]
    if not _refuses(forest, orphan, forest.parent[leaving]):
        return forest.parent[leaving]
    best, least = NOBODY, float("inf")
    for place in range(forest.joined[stream] + 1):
        above = SOURCE if place == 0 else forest.members[forest.start[stream] + place - 1]
        node = forest.source[stream] if above == SOURCE else forest.node[above]
        delay = delay_between(forest, node, forest.node[orphan])
        if delay < least and not is_below(forest, above, leaving):
            best, least = above, delay
    return best


@inner
def _pushed(forest: Forest, node: int, view: int) -> float:
    """Return X: what a node pushes in the trees of a view, before its own shedding."""
    total = 0.0
    for stream in range(forest.source.shape[0]):
        if forest.source[stream] == node and (view == ALL_TREES or forest.view_of[stream] == view):
            child = forest.first_child[forest.stream.shape[0] + stream]
            while child >= 0:
                total += forest.load[child]
                child = forest.next_sibling[child]
    for place in range(forest.node_start[node], forest.node_start[node + 1]):
        own = forest.of_node[place]
        if view == ALL_TREES or forest.view_of[forest.stream[own]] == view:
            child = forest.first_child[own]
            while child >= 0:
                total += forest.load[child] * forest.kept[own]
                child = forest.next_sibling[child]
    return total


@inner
def _expect_nothing(forest: Forest, slack: Floats, view: int) -> None:
    """Take what nodes that shed can still forward as nothing, where the control point hears of them (lines 23-24)."""
    if view == ALL_TREES:
        for node in range(slack.shape[0]):
            if shed_at(forest, node) > _SHED_MIN:
                slack[node] = 0.0
        return
    for stream in range(forest.source.shape[0]):
        if forest.view_of[stream] == view:
            if shed_at(forest, forest.source[stream]) > _SHED_MIN:
                slack[forest.source[stream]] = 0.0
            for place in range(forest.start[stream], forest.start[stream] + forest.joined[stream]):
                node = forest.node[forest.members[place]]
                if shed_at(forest, node) > _SHED_MIN:
                    slack[node] = 0.0


@compiled
def join(
    forest: Forest,
    qualities: Qualities,
    joining: int,
    view: int,
    slack: Floats,
    refused: Booleans,
    mean_delay: float,
) -> int:
    """Find a server for a filter by Algorithm 2; returns how many rounds it took, 0 when no node has a link to it.

    What a control point reads here is what nodes report: what arrives, after what delay, and shedding; and B in
    `slack`, by node, which it keeps. `refused` is room to work in.
    """
    for node in range(refused.shape[0]):
        refused[node] = False
    wanted = forest.rate[forest.stream[joining]] * share_of(forest, forest.blocks, forest.fields, joining)
    rounds = 0
    while True:
        rounds += 1
        above = most_quality(forest, qualities, joining, view, slack, refused, mean_delay)
        if above == NOBODY:
            break
        node = forest.source[forest.stream[joining]] if above == SOURCE else forest.node[above]
        begin(forest)
        attach(forest, joining, above)
        equilibrate(forest)
        shed = shed_at(forest, node)
        if shed <= _SHED_MIN:
            slack[node] -= kept_above(forest, joining) * wanted
            return rounds
        detach(forest, joining)
        take_back(forest)
        pushed = _pushed(forest, node, view)
        share = wanted * (1.0 if above == SOURCE else forest.kept[above])
        slack[node] = (1.0 - shed) * (pushed + share) - pushed
        refused[node] = True
    above = fairest(forest, joining, view, False)
    if above == NOBODY:
        return 0
    attach(forest, joining, above)
    equilibrate(forest)
    _expect_nothing(forest, slack, view)
    return rounds
