"""Label paths: the names on the way down to an element; what bindings and last ends are written in.

A document has few different ones, and documents of a kind share them, so what follows from a path is worked out once
and kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from distributary.algebra.filter import Filter
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind, flatten
from distributary.matching.documents.layout import DocumentArrays

__all__ = ["Labels", "has_wildcards", "is_simple", "pattern_of"]


def pattern_of(path: Sequence[str]) -> TreePattern:
    """Return the pattern that a document with this label path matches.

    >>> pattern_of(["a", "b"]).text().text
    '/a/b'
    """
    root = Branch(Axis.CHILD, Kind.DOCUMENT)
    branch = root
    for name in path:
        branch = branch.add(Branch(Axis.CHILD, Kind.ELEMENT, name))
    return TreePattern(flatten(root))


def is_simple(wanted: Filter) -> bool:
    """Tell whether a label path may say all that a filter asks: a path of elements, without branches and values."""
    return isinstance(wanted, TreePattern) and all(
        not node.comparisons and node.parent == place - 1 and node.kind in {Kind.DOCUMENT, Kind.ELEMENT}
        for place, node in enumerate(wanted.nodes)
    )


def has_wildcards(wanted: Filter) -> bool:
    """Tell whether a filter leaves open what a binding could fill in: it has a `*` or a `//`."""
    return isinstance(wanted, TreePattern) and any(
        node.axis is Axis.DESCENDANT or node.name.endswith("*") for node in wanted.nodes[1:]
    )


class Labels:
    """The elements of one document, as label paths in the numbers of a vocabulary."""

    def __init__(self, arrays: DocumentArrays) -> None:
        count = arrays.elements + 1
        self._names = arrays.name[:count]
        self._parents = arrays.parent[:count]

    def named(self, name: int) -> list[int]:
        """Return the elements of a name, in document order."""
        return np.flatnonzero(self._names == name).tolist()

    def path(self, element: int) -> tuple[int, ...]:
        """Return the names from the root element down to this one; none for the document node."""
        found = []
        while element > 0:
            found.append(int(self._names[element]))
            element = int(self._parents[element])
        return tuple(reversed(found))

    def path_above_last(self, name: int) -> tuple[int, ...] | None:
        """Return the label path of what is open where the last element of a name has ended; None where there is none.

        The element that ends last is the outermost of that name around the one that begins last.
        """
        elements = self.named(name)
        if not elements:
            return None
        path = self.path(elements[-1])
        return path[: path.index(name)]
