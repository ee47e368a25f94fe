"""How likely a document is to match a tree pattern, from a tree of label paths. It looks at no document.

Assumed: the children of an element depend on its label path only, branches of one element are independent of one
another, and elements with the same label path are alike. What the assumptions cost is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from distributary.algebra.summary_values import ValueSummary
from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode, name_covers

__all__ = ["PathNode", "match_probability"]


class PathNode(msgspec.Struct):
    """One label path: the way of names from the root element down to an element, an attribute or a text node."""

    #: Index of the path without its last label; -1 for the document node, which is node 0.
    parent: int
    kind: Kind
    name: str
    #: Nodes with this path, and nodes with the parent's path that have at least one of them.
    instances: int = 0
    parents: int = 0
    values: ValueSummary = msgspec.field(default_factory=ValueSummary)


def match_probability(nodes: tuple[PatternNode, ...], paths: Sequence[PathNode]) -> float:
    """Return the probability that a document drawn like those counted in `paths` matches the pattern.

    `paths` holds parents before children. Costs the product of the sizes of pattern and paths.
    """
    #: For each node of the pattern and each path: the probability that its children seen so far are found there.
    below: list[list[float]] = [[] for _ in nodes]
    for index in range(len(nodes) - 1, 0, -1):
        node = nodes[index]
        here = [_holds(node, path) for path in paths]
        if below[index]:
            here = [own * inner for own, inner in zip(here, below[index], strict=True)]
        reached = _reached(here, node.axis, paths)
        others = below[node.parent]
        below[node.parent] = [a * b for a, b in zip(others, reached, strict=True)] if others else reached
    top = below[0][0] if below[0] else 1.0
    return top * paths[0].values.fraction(nodes[0].comparisons)


def _holds(node: PatternNode, path: PathNode) -> float:
    """Return the probability that an instance of a path satisfies a node of the pattern, its children aside."""
    if path.kind is not node.kind or not name_covers(node.name, path.name):
        return 0.0
    return path.values.fraction(node.comparisons)


def _reached(here: list[float], axis: Axis, paths: Sequence[PathNode]) -> list[float]:
    """Return, for each path, the probability that an instance has one of what `here` rates below it."""
    missing = [1.0] * len(paths)
    for index in range(len(paths) - 1, 0, -1):
        path = paths[index]
        found = here[index]
        if axis is Axis.DESCENDANT:
            found = 1.0 - (1.0 - found) * missing[index]
        if found and path.parents:
            having = path.parents / paths[path.parent].instances
            missing[path.parent] *= 1.0 - having * (1.0 - (1.0 - found) ** (path.instances / path.parents))
    return [1.0 - each for each in missing]
