"""`TreePattern`, the filter on XML documents: the tree patterns of XPath 1.0 (paper 002, section 2).

A pattern wants a document or does not; which of its nodes made it so is not kept. Reading and printing, containment
and evaluation stand in the modules `treepattern_*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.treepattern_cover import homomorphism
from distributary.algebra.treepattern_evaluation import evaluate
from distributary.algebra.treepattern_grammar import LENGTH_MAX
from distributary.algebra.treepattern_nodes import PatternNode, branches_of, flatten, impossible
from distributary.algebra.treepattern_parser import read_pattern
from distributary.algebra.treepattern_text import print_pattern
from distributary.core.documents import Document, UnparsedDocument
from distributary.core.errors import InputError
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["TreePattern", "conjunction", "parse_xpath"]

_NO_NAMESPACES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class TreePattern:
    """A tree pattern in normal form; made by `parse_xpath`. Equal patterns have equal nodes, texts and hashes.

    Normal form sees through order, repetition, prefixes and the place of `.`; it does not remove branches that others
    imply, so two patterns may cover each other and differ.
    """

    #: The nodes in preorder; node 0 is the document node.
    nodes: tuple[PatternNode, ...]

    def matches(self, item: Content) -> bool:
        """Tell whether the item is a document in which the pattern is found."""
        if isinstance(item, UnparsedDocument):
            item = item.document
        return isinstance(item, Document) and evaluate(self.nodes, item)

    def covers(self, other: Filter) -> bool:
        """Tell whether every document that `other` matches is matched here; see `treepattern_cover` for how far."""
        if isinstance(other, AnyOf):
            return all(self.covers(member) for member in other.members)
        return isinstance(other, TreePattern) and homomorphism(self.nodes, other.nodes)

    def intersects(self, other: Filter) -> bool:
        """Tell whether some document may match both; `False` for filters of records and blocks."""
        if isinstance(other, AnyOf):
            return any(self.intersects(member) for member in other.members)
        if isinstance(other, TreePattern):
            return not impossible(conjunction(self, other).nodes)
        return isinstance(other, Everything) and not impossible(self.nodes)

    def union(self, other: Filter) -> Filter:
        """Return a filter that matches exactly what either matches."""
        return any_of((self, other))

    def size(self, statistics: Statistics) -> float:
        """Return the expected size of the matching documents."""
        return statistics.size(self)

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the expected size of the documents that both match."""
        return statistics.overlap(self, other)

    def text(self) -> FilterText:
        """Return the canonical text.

        >>> parse_xpath("//b:a[c][@d>'5']", {"b": "urn:x"}).text()
        FilterText(kind='xpath', text='//n0:a[@d > 5]/c', namespaces=(('n0', 'urn:x'),))
        """
        text, namespaces = print_pattern(self.nodes)
        return FilterText("xpath", text, namespaces)


def parse_xpath(text: str, namespaces: Mapping[str, str] = _NO_NAMESPACES) -> TreePattern:
    """Return the pattern that an expression means; `InputError` (field `xpath`) for what is outside the language.

    >>> parse_xpath("/a[c and b='x']") == parse_xpath("/child::a[./b[. = 'x']]/c")
    True
    """
    pattern = TreePattern(read_pattern(text, namespaces))
    # Spaces and prefixes can make the canonical text a little longer than its original, and it must be readable too.
    if len(text) > LENGTH_MAX // 4 and len(pattern.text().text) > LENGTH_MAX:
        raise InputError(f"has more than {LENGTH_MAX} characters in its canonical form", field="xpath")
    return pattern


def conjunction(first: TreePattern, second: TreePattern) -> TreePattern:
    """Return the pattern that matches exactly what both match.

    >>> conjunction(parse_xpath("/a/b"), parse_xpath("//c")).text().text
    '//c and /a/b'
    """
    root, other = branches_of(first.nodes), branches_of(second.nodes)
    root.children += other.children
    root.comparisons |= other.comparisons
    return TreePattern(flatten(root))
