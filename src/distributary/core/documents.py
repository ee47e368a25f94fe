"""The record of a parsed XML document: flat, frozen, numbered in preorder. It holds no parser and no matcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Document", "UnparsedDocument"]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document; element 0 is the root element, and the descendants of `i` are `i + 1 .. ends[i] - 1`.

    Names are in Clark's notation (`{uri}local`, or `local` in no namespace). All character data stands once, in
    document order, in `text`; elements and text nodes are slices of it, so that a string value costs one slice.
    Text nodes are those of XPath's data model: split by elements, comments and processing instructions, joined over
    CDATA sections and entities, never empty.
    """

    #: Name of each element.
    names: tuple[str, ...]
    #: Parent of each element; -1 for the root element.
    parents: tuple[int, ...]
    #: One past the last descendant of each element.
    ends: tuple[int, ...]
    #: Attributes of each element, as (name, value) in document order, without namespace declarations.
    attributes: tuple[tuple[tuple[str, str], ...], ...]
    #: All character data in document order.
    text: str
    #: Where each element's string value starts in `text`.
    text_starts: tuple[int, ...]
    #: Where each element's string value ends in `text`.
    text_ends: tuple[int, ...]
    #: The text nodes that are children of each element, as slices of `text`.
    text_nodes: tuple[tuple[tuple[int, int], ...], ...]

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.names)

    def string_value(self, element: int) -> str:
        """Return the concatenated text of an element and its descendants (XPath 1.0, 5.2)."""
        return self.text[self.text_starts[element] : self.text_ends[element]]


class UnparsedDocument:
    """A well-formed document that is parsed when somebody looks inside; compiled matchers read its bytes instead."""

    __slots__ = ("_document", "_parse", "body")

    def __init__(self, body: bytes, parse: Callable[[bytes], Document]) -> None:
        self.body = body
        self._parse = parse
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        """Return the parsed document; it is parsed once."""
        if self._document is None:
            self._document = self._parse(self.body)
        return self._document
