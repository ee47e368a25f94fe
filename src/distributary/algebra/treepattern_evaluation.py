"""Whether a document matches a tree pattern: the reference evaluator. Not the fast path, which is in `matching`.

From the leaves of the pattern up, each of its nodes is given the set of elements that its parent may be; a pattern
with n nodes and a document with m elements cost O(n m) steps, and looking at values what the values are long.
"""

from __future__ import annotations

from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode, name_covers
from distributary.algebra.treepattern_values import Comparison, Operator
from distributary.core.documents import Document

__all__ = ["evaluate"]

#: Where the document node stands among the elements: the parent of the root element.
_DOCUMENT = -1


def evaluate(nodes: tuple[PatternNode, ...], document: Document) -> bool:
    """Tell whether the document matches the pattern (its nodes in preorder)."""
    #: For each node, the elements that satisfy all of its children seen so far; `None` before the first child.
    wanted: list[set[int] | None] = [None] * len(nodes)
    for index in range(len(nodes) - 1, 0, -1):
        node = nodes[index]
        below = wanted[index]
        if node.kind is Kind.ELEMENT:
            found = _elements(node, document, below)
            above = {document.parents[element] for element in found}
        elif below is not None:
            return False  # attributes and text nodes have no children
        else:
            above = _owners(node, document)
        if node.axis is Axis.DESCENDANT:
            _add_ancestors(above, document)
        others = wanted[node.parent]
        wanted[node.parent] = above if others is None else above & others
        if not wanted[node.parent]:
            return False
    at_top = wanted[0]
    return (at_top is None or _DOCUMENT in at_top) and all(
        comparison.holds(document.text) for comparison in nodes[0].comparisons
    )


def _elements(node: PatternNode, document: Document, below: set[int] | None) -> set[int]:
    """Return the elements that satisfy a node of the pattern, given those below which its children are found."""
    candidates = range(len(document)) if below is None else below - {_DOCUMENT}
    names = document.names
    if node.name.endswith("*"):
        found = {element for element in candidates if name_covers(node.name, names[element])}
    else:
        found = {element for element in candidates if names[element] == node.name}
    for comparison in node.comparisons:
        found = {element for element in found if _element_holds(comparison, element, document)}
    return found


def _element_holds(comparison: Comparison, element: int, document: Document) -> bool:
    """Compare an element's string value, which is copied only where it must be."""
    start, end = document.text_starts[element], document.text_ends[element]
    value = comparison.value
    if isinstance(value, str) and comparison.operator in {Operator.EQUAL, Operator.UNEQUAL}:
        equal = end - start == len(value) and document.text.startswith(value, start)
        return equal is (comparison.operator is Operator.EQUAL)
    return comparison.holds(document.text[start:end])


def _owners(node: PatternNode, document: Document) -> set[int]:
    """Return the elements that have an attribute, or a text node as a child, that satisfies the pattern's node."""
    holds = node.comparisons
    if node.kind is Kind.TEXT:
        return {
            element
            for element, slices in enumerate(document.text_nodes)
            if any(all(each.holds(document.text[start:end]) for each in holds) for start, end in slices)
        }
    return {
        element
        for element, attributes in enumerate(document.attributes)
        if any(name_covers(node.name, name) and all(each.holds(value) for each in holds) for name, value in attributes)
    }


def _add_ancestors(elements: set[int], document: Document) -> None:
    """Add all ancestors, the document node among them; each is walked over once."""
    for element in list(elements):
        while element != _DOCUMENT:
            element = document.parents[element]
            if element in elements:
                break
            elements.add(element)
