"""What a tree pattern needs of a document, in terms of a table's data patterns: masks, a bit for each pattern.

`needs` has the patterns that the tree pattern implies ("contains", in the paper's words): where one of them does not
occur, the tree pattern does not match. `bounds` has, for each of its branches, the names on the way down of which one
must have ended for the last time: a document may be cut behind such ends without changing the answer.

The paper says of positive data that behind the last occurrence of p all subscriptions that contain p can be dropped.
As printed that loses matches: `/a[b]/c` contains `//b`, and in `<a><b/><c/></a>` its c follows the last b. So each
branch has names of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from distributary.algebra.filter import Filter
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind, PatternNode, flatten

__all__ = ["Requirements", "name_of", "name_patterns_of", "pattern_of_name"]


def name_of(pattern: TreePattern) -> tuple[Kind, str] | None:
    """Return the kind and the name of what a pattern `//name` or `//@name` looks for; None for any other pattern."""
    if len(pattern.nodes) != 2 or pattern.nodes[0].comparisons:
        return None
    node = pattern.nodes[1]
    plain = node.axis is Axis.DESCENDANT and not node.comparisons and not node.name.endswith("*")
    return (node.kind, node.name) if plain and node.kind in {Kind.ELEMENT, Kind.ATTRIBUTE} else None


def pattern_of_name(kind: Kind, name: str) -> TreePattern:
    """Return the pattern `//name` or `//@name`: what `name_of` undoes."""
    root = Branch(Axis.CHILD, Kind.DOCUMENT)
    root.add(Branch(Axis.DESCENDANT, kind, name))
    return TreePattern(flatten(root))


def name_patterns_of(wanted: Filter) -> list[tuple[Kind, str]]:
    """Return what `name_of` returns for each of the patterns `//name` and `//@name` that a filter implies."""
    if not isinstance(wanted, TreePattern):
        return []
    found = {
        (node.kind, node.name): None
        for node in wanted.nodes
        if node.kind in {Kind.ELEMENT, Kind.ATTRIBUTE} and not node.name.endswith("*")
    }
    return list(found)


class Requirements:
    """The data patterns of a table, to hold filters against."""

    def __init__(self, patterns: Sequence[TreePattern]) -> None:
        self._by_name = {name: place for place, each in enumerate(patterns) if (name := name_of(each)) is not None}
        self._others = [(place, each) for place, each in enumerate(patterns) if name_of(each) is None]

    def needs(self, wanted: Filter) -> int:
        """Return the patterns without which a filter does not match."""
        mask = 0
        for name in name_patterns_of(wanted):
            if name in self._by_name:
                mask |= 1 << self._by_name[name]
        for place, pattern in self._others:
            if pattern.covers(wanted):
                mask |= 1 << place
        return mask

    def bounds(self, wanted: Filter) -> tuple[int, ...]:
        """Return masks of names, of each of which one must have ended for the last time; none where that will not do.

        One mask for each leaf of the tree pattern: the names on its way down, but none below the first comparison of
        an element's value. What lies above such an element in a match are its ancestors, which begin before it; what
        lies below is inside it; and values that are compared are whole.
        """
        if not isinstance(wanted, TreePattern) or wanted.nodes[0].comparisons:
            return ()
        nodes = wanted.nodes
        inner = {node.parent for node in nodes}
        masks = [self._ends(_way_down(nodes, leaf)) for leaf in range(1, len(nodes)) if leaf not in inner]
        return tuple(dict.fromkeys(masks)) if all(masks) else ()

    def _ends(self, way: list[PatternNode]) -> int:
        mask = 0
        for node in way:
            if node.kind is Kind.ELEMENT:
                place = self._by_name.get((node.kind, node.name))
                if place is not None:
                    mask |= 1 << place
                if node.comparisons:
                    break
        return mask


def _way_down(nodes: tuple[PatternNode, ...], leaf: int) -> list[PatternNode]:
    way = []
    while leaf > 0:
        way.append(nodes[leaf])
        leaf = nodes[leaf].parent
    return way[::-1]
