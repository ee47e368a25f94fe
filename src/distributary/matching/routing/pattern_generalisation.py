"""The common generalisation of two tree patterns: what both ask for, node by node.

After Chan, Fan, Felber, Garofalakis and Rastogi, "Tree pattern aggregation for scalable XML data dissemination" (VLDB
2002), section 3: a node of the result stands for one node of each pattern, with the names, steps and values that the
two share: a name becomes `*`, a child a descendant, a comparison the weaker one, and what has no partner is left out.
Unlike there, each branch is given its best partner only, so the result is an upper bound, and small, but not always
the least one. Paths of both patterns map onto it by construction, so it covers both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_cover import homomorphism
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind, PatternNode, branches_of, flatten, name_covers
from distributary.algebra.treepattern_values import Comparison, Operator, comparison, implied
from distributary.matching.routing.outline import number_range

__all__ = ["generalised_pattern"]

_Nodes = tuple[PatternNode, ...]

#: Of larger patterns only the first nodes are looked at: leaving nodes out generalises too.
_NODES_MAX = 48


@dataclass(slots=True)
class _Joint:
    """A node of each pattern as one: how much it still asks for, and its best branches."""

    kind: Kind
    name: str
    comparisons: frozenset[Comparison]
    weight: float
    branches: list[tuple[Axis, _Joint]] = field(default_factory=list)


def generalised_pattern(first: TreePattern, second: TreePattern, *, minimal: bool = True) -> TreePattern:
    """Return a pattern that covers both, as tight as is found in time O(n² m²) for n and m nodes.

    It is quicker without taking away the branches that others imply (`minimal`).

    >>> from distributary.algebra.treepattern import parse_xpath
    >>> generalised_pattern(parse_xpath("/a/b[@x>5]/c"), parse_xpath("/a/d[@x=9]/c[e]")).text().text
    '/a/*[@x > 5]/c'
    """
    ours, theirs = first.nodes[:_NODES_MAX], second.nodes[:_NODES_MAX]
    top = _Pairs(ours, theirs).joint(0, 0)
    root = Branch(Axis.CHILD, ours[0].kind)
    root.comparisons |= top.comparisons
    _grow(root, top, len(ours) + len(theirs))
    pattern = TreePattern(flatten(root))
    return _minimal(pattern) if minimal else pattern


class _Pairs:
    """The pairs of nodes of two patterns, each looked at once."""

    def __init__(self, first: _Nodes, second: _Nodes) -> None:
        self._first, self._second = first, second
        self._below = _below(first), _below(second)
        self._known: dict[tuple[int, int], _Joint] = {}

    def joint(self, one: int, other: int) -> _Joint:
        """Return two nodes of one kind as one, with their branches."""
        known = self._known.get((one, other))
        if known is not None:
            return known
        ours, theirs = self._first[one], self._second[other]
        name = _common(ours.name, theirs.name)
        comparisons = _weaker(ours.comparisons, theirs.comparisons)
        weight = (1.0 if name == "*" else 2.0 if name.endswith("*") else 4.0) + 3.0 * len(comparisons)
        made = self._known[one, other] = _Joint(ours.kind, name, frozenset(comparisons), weight)
        made.branches = self._branches(one, other)
        made.weight += sum(joint.weight for _, joint in made.branches)
        return made

    def _branches(self, one: int, other: int) -> list[tuple[Axis, _Joint]]:
        """Return the best partner of each child, heaviest first; a partner that is no child stands anywhere below."""
        best: dict[tuple[int, int], tuple[float, Axis, _Joint]] = {}
        for child in self._below[0][one]:
            if self._first[child].parent == one:
                self._choose(best, one, other, [(child, partner) for partner in self._below[1][other]])
        for child in self._below[1][other]:
            if self._second[child].parent == other:
                self._choose(best, one, other, [(partner, child) for partner in self._below[0][one]])
        ordered = sorted(best.items(), key=lambda entry: (-entry[1][0], entry[0]))
        #: The children that a chosen branch asks for already, itself or below.
        met: tuple[set[int], set[int]] = set(), set()
        chosen = []
        for (ours, theirs), (_, axis, joint) in ordered:
            ends = _child_above(self._first, ours, one), _child_above(self._second, theirs, other)
            if ends[0] not in met[0] or ends[1] not in met[1]:
                chosen.append((axis, joint))
                met[0].add(ends[0])
                met[1].add(ends[1])
        return chosen

    def _choose(
        self,
        best: dict[tuple[int, int], tuple[float, Axis, _Joint]],
        one: int,
        other: int,
        pairs: Iterable[tuple[int, int]],
    ) -> None:
        found: tuple[float, tuple[int, int], Axis, _Joint] | None = None
        for ours, theirs in pairs:
            first, second = self._first[ours], self._second[theirs]
            if first.kind is not second.kind:
                continue
            near = first.parent == one and second.parent == other
            step = near and first.axis is Axis.CHILD and second.axis is Axis.CHILD
            joint = self.joint(ours, theirs)
            value = joint.weight + (0.5 if step else 0.0)
            if found is None or value > found[0]:
                found = value, (ours, theirs), Axis.CHILD if step else Axis.DESCENDANT, joint
        if found is not None:
            value, pair, axis, joint = found
            best[pair] = value, axis, joint


def _child_above(nodes: _Nodes, index: int, top: int) -> int:
    """Return the child of `top` that is the node itself or above it."""
    while nodes[index].parent != top:
        index = nodes[index].parent
    return index


def _below(nodes: _Nodes) -> list[list[int]]:
    """Return the descendants of each node, ascending."""
    below: list[list[int]] = [[] for _ in nodes]
    for index in range(1, len(nodes)):
        parent = nodes[index].parent
        while parent >= 0:
            below[parent].append(index)
            parent = nodes[parent].parent
    return below


def _common(first: str, second: str) -> str:
    """Return the narrowest name test that matches what either matches."""
    if name_covers(first, second):
        return first
    if name_covers(second, first):
        return second
    uri = first.rpartition("}")[0]
    return f"{uri}}}*" if uri and second.startswith(f"{uri}}}") else "*"


def _weaker(first: tuple[Comparison, ...], second: tuple[Comparison, ...]) -> set[Comparison]:
    """Return comparisons that follow from both lists: the weaker ones of them, and the range around both."""
    found = {each for each in first if implied(each, second)} | {each for each in second if implied(each, first)}
    (low, high), (low_too, high_too) = number_range(first), number_range(second)
    for operator, end in (
        (Operator.GREATER_OR_EQUAL, min(low, low_too)),
        (Operator.LESS_OR_EQUAL, max(high, high_too)),
    ):
        if end not in {inf, -inf}:
            around = comparison(operator, end)
            if not implied(around, tuple(found)) and implied(around, first) and implied(around, second):
                found.add(around)
    return found


def _grow(root: Branch, top: _Joint, nodes_max: int) -> None:
    """Add the branches below the root, the heaviest first, until there are enough nodes."""
    queue = [(root, top)]
    left = nodes_max
    for branch, joint in queue:  # grows while it is walked
        for axis, inner in joint.branches:
            if left == 0:
                return
            left -= 1
            child = branch.add(Branch(axis, inner.kind, inner.name, set(inner.comparisons)))
            queue.append((child, inner))


def _minimal(pattern: TreePattern) -> TreePattern:
    """Return the pattern without the branches that its other ones imply."""
    index = len(pattern.nodes) - 1
    while index > 0:
        smaller = _without(pattern.nodes, index)
        if homomorphism(pattern.nodes, smaller):
            pattern = TreePattern(smaller)
            index = min(index, len(smaller))
        index -= 1
    return pattern


def _without(nodes: _Nodes, gone: int) -> _Nodes:
    """Return the pattern in normal form without the branch at a node."""
    kept: dict[int, int] = {}
    left: list[PatternNode] = []
    for index, node in enumerate(nodes):
        if index != gone and (index == 0 or node.parent in kept):
            parent = kept[node.parent] if index else -1
            kept[index] = len(left)
            left.append(PatternNode(parent, node.axis, node.kind, node.name, node.comparisons))
    return flatten(branches_of(left))
