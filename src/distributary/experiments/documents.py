"""Drawing documents from a grammar: well-formed, valid against it, and of a size that is asked for.

A document starts as the smallest there is. Then, again and again, one of the places where its grammar allows more is
drawn, and one more is put there, until the size is reached: so any size can be had, and documents are broad or deep as
the grammar is. They name no document type and depend on nothing outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.grammar import Attribute, Element, Grammar, Group, Occurs, Part, Use
from distributary.experiments.values import Values, draw_sentence, draw_value

__all__ = ["DocumentShape", "draw_document"]

#: The greatest depth that may be asked for; documents are read up to 256.
_DEPTH_MAX = 128
#: Bytes of the shortest element, `<a/>`: how many more elements can fit.
_ELEMENT_BYTES = 4
#: The greatest document.
_BYTES_MAX = 1 << 26
_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True, slots=True)
class DocumentShape:
    """How large documents are; of the two sizes the one that is given, or whichever is reached first."""

    #: Bytes, met up to what one addition takes.
    size: int | None = None
    #: Elements; never more, unless the smallest document has more.
    elements: int | None = None
    #: Elements inside one another, the root included, where the grammar can do with so few.
    depth: int = 12
    #: How likely an attribute is that may lack.
    attributes: float = 0.2

    def __post_init__(self) -> None:
        if self.size is None and self.elements is None:
            raise InputError("a size in bytes or a number of elements is needed", field="size")
        for name, value, most in (
            ("size", self.size, _BYTES_MAX),
            ("elements", self.elements, _BYTES_MAX // _ELEMENT_BYTES),
            ("depth", self.depth, _DEPTH_MAX),
        ):
            if value is not None and not 1 <= value <= most:
                raise InputError(f"must be from 1 to {most}, not {value}", field=name)
        if not 0 <= self.attributes <= 1:
            raise InputError(f"must be from 0 to 1, not {self.attributes}", field="attributes")


def draw_document(grammar: Grammar, generator: Generator, shape: DocumentShape) -> bytes:
    """Return a document, as UTF-8. Linear in its size; `InputError` when the grammar nests deeper than `shape` allows.

    >>> from distributary.experiments.dtd import read_dtd
    >>> grammar = read_dtd("<!ELEMENT a (b*)> <!ELEMENT b EMPTY>")
    >>> draw_document(grammar, Generator(1), DocumentShape(elements=3)).count(b"<b/>")
    2
    """
    drawing = _Drawing(grammar, generator, shape)
    drawing.grow()
    return drawing.written()


@dataclass(slots=True, eq=False)
class _Node:
    """An element of the document."""

    element: Element
    #: Its start tag's inside, and its text before the first child and after its own end.
    tag: str
    text: str
    tail: str
    content: _Place | None = None


@dataclass(slots=True, eq=False)
class _Place:
    """A part of the grammar, at a place of the document, with what stands there."""

    part: Part
    #: Depth of the elements here, and whether text may stand between them.
    depth: int
    mixed: bool
    filled: list[_Node | _Place] = field(default_factory=list)


class _Drawing:
    """A document that grows."""

    def __init__(self, grammar: Grammar, generator: Generator, shape: DocumentShape) -> None:
        content = grammar.elements[grammar.root].content
        below = (0.0, 0.0) if content is None else _needs(content)
        top = Part(Group.NAME, name=grammar.root, size=1 + below[0], height=1 + below[1])
        if top.height > shape.depth:
            raise InputError(f"no document of this grammar has a depth below {top.height:g}", field="depth")
        self._grammar = grammar
        self._generator = generator
        self._shape = shape
        #: What has been put in, and how many elements must still follow what has been begun.
        self._bytes = len(_HEADER) + 1
        self._elements = 0
        self._owed = 0.0
        #: Names (of type ID) so far.
        self._names = 0
        #: Where more can be put.
        self._open: list[_Place] = []
        self._growing = False
        self._top = _Place(top, 1, mixed=False)
        self._add(self._top)
        self._growing = True

    def grow(self) -> None:
        """Add to the document until it is as large as it should be, or nothing can be added."""
        while self._open and self._room() >= 1:
            index = self._generator.below(len(self._open))
            place = self._open[index]
            grown = self._fits(place) and self._add_some(place)
            if not grown or place.part.occurs is Occurs.OPTIONAL:
                self._close(index)

    def written(self) -> bytes:
        """Return the document."""
        parts = [_HEADER]
        waiting: list[str | _Node | _Place] = [self._top]
        while waiting:
            piece = waiting.pop()
            if isinstance(piece, str):
                parts.append(piece)
            elif isinstance(piece, _Place):
                waiting += reversed(piece.filled)
            elif piece.element.content is None and piece.element.text is None:
                parts.append(f"<{piece.tag}/>{piece.tail}")
            else:
                parts.append(f"<{piece.tag}>{piece.text}")
                waiting.append(f"</{piece.element.name}>{piece.tail}")
                if piece.content is not None:
                    waiting.append(piece.content)
        return "".join([*parts, "\n"]).encode()

    def _room(self) -> float:
        """Return how many elements can still be put in, beside those that are owed."""
        room = math.inf
        if self._shape.elements is not None:
            room = self._shape.elements - self._elements
        if self._shape.size is not None:
            room = min(room, (self._shape.size - self._bytes) // _ELEMENT_BYTES)
        return room - self._owed

    def _fits(self, place: _Place) -> bool:
        return place.part.size <= self._room() and place.depth + place.part.height <= self._shape.depth + 1

    def _add_some(self, place: _Place) -> bool:
        """Add a repetition that has an element; where all in it may lack, one of that is put in. Tell if it could."""
        before = self._elements
        while True:
            known = len(self._open)
            self._add(place)
            fitting = [index for index in range(known, len(self._open)) if self._fits(self._open[index])]
            if self._elements > before or not fitting:
                return self._elements > before
            index = self._generator.choice(fitting)
            place = self._open[index]
            if place.part.occurs is Occurs.OPTIONAL:
                self._close(index)

    def _close(self, index: int) -> None:
        """Let nothing more be put at an open place."""
        last = self._open.pop()
        if index < len(self._open):
            self._open[index] = last

    def _add(self, place: _Place) -> None:
        """Add a repetition to what is at a place, and all that must be in it."""
        waiting = [place]
        self._owed += place.part.size
        while waiting:
            place = waiting.pop()
            part, depth = place.part, place.depth
            self._owed -= part.size
            inner: list[_Place] = []
            if part.group is Group.NAME:
                node = self._node(self._grammar.elements[part.name], mixed=place.mixed)
                if node.element.content is not None and depth < self._shape.depth:
                    node.content = _Place(node.element.content, depth + 1, node.element.text is not None)
                    inner = [node.content]
                place.filled.append(node)
            else:
                parts = part.parts if part.group is Group.SEQUENCE else (self._chosen(part.parts, depth),)
                inner = [_Place(each, depth, place.mixed) for each in parts]
                place.filled += inner
            for new in inner:
                if new.part.occurs is not Occurs.ONCE:
                    self._open.append(new)
                if not new.part.occurs.may_lack:
                    waiting.append(new)
                    self._owed += new.part.size

    def _chosen(self, parts: tuple[Part, ...], depth: int) -> Part:
        """Choose one of the parts that fit; before the smallest document stands, the smallest of them."""
        shallow = [part for part in parts if _needs(part)[1] + depth <= self._shape.depth + 1]
        room = self._room()
        fitting = [part for part in shallow if _needs(part)[0] <= room] if self._growing else []
        return self._generator.choice(fitting) if fitting else min(shallow, key=lambda part: _needs(part)[0])

    def _node(self, element: Element, *, mixed: bool) -> _Node:
        """Draw an element without its children, and count it."""
        generator = self._generator
        tag = element.name + "".join(self._attribute(attribute) for attribute in element.attributes)
        text = "" if element.text is None else escape(draw_value(element.text, generator))
        tail = "\n"
        if mixed:
            tail = f" {escape(draw_sentence(generator, 1 + generator.below(4)))} " if generator.below(2) else ""
        empty = element.content is None and element.text is None
        characters = f"{tag}{text}{tail}" if empty else f"{tag}{text}{tail}{element.name}"
        self._bytes += len(characters.encode()) + (3 if empty else 5)
        self._elements += 1
        if self._elements > _BYTES_MAX // _ELEMENT_BYTES:
            raise InputError("no document of this grammar is small and shallow enough", field="depth")
        return _Node(element, tag, text, tail)

    def _attribute(self, attribute: Attribute) -> str:
        """Draw an attribute as it stands in a tag; nothing when it lacks."""
        generator, values = self._generator, attribute.values
        required = attribute.use is Use.REQUIRED
        # The first name is always given, so that there is one to refer to.
        first = values is Values.OWN_NAME and not self._names
        if not (required or first or generator.random() < self._shape.attributes):
            return ""
        if values is Values.OWN_NAME:
            self._names += 1
            return f' {attribute.name}="i{self._names}"'
        if values is Values.OTHER_NAME:
            return f' {attribute.name}="i{1 + generator.below(self._names)}"' if self._names or required else ""
        return f" {attribute.name}={quoteattr(draw_value(values, generator, attribute.among))}"


def _needs(part: Part) -> tuple[float, float]:
    """Return the elements that must be there for a part, and how deep they nest."""
    return (0.0, 0.0) if part.occurs.may_lack else (part.size, part.height)
