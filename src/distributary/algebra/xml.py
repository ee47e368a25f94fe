"""The one safe XML parser: expat, namespaces in Clark's notation, and a limit on everything that can grow.

It loads nothing: a document that refers to an external entity is refused; an external DTD subset may be named and is
not read. Internal entities are expanded (`xml_entities` bounds them before expat starts on them), and defaults that
the internal DTD subset declares for attributes are applied, as XML 1.0 asks of every processor. It does not validate,
and it keeps no comments, processing instructions or prefixes: no filter looks at them.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pyexpat import ExpatError, ParserCreate

from distributary.algebra.xml_entities import EntityBudget
from distributary.core.documents import Document
from distributary.core.errors import NotAcceptable, TooLarge

__all__ = ["XmlLimits", "parse_xml"]


@dataclass(frozen=True, slots=True)
class XmlLimits:
    """The greatest document that is read; beyond any of these it is `TooLarge`."""

    bytes: int = 64 * 2**20
    #: Elements inside one another, the root element included.
    depth: int = 256
    elements: int = 1_000_000
    #: Attributes of all elements together, defaults from the DTD included.
    attributes: int = 2_000_000
    #: Declared entities.
    entities: int = 1_000
    #: Characters that entities and attribute defaults may add to a document.
    expansion: int = 2**20


_DEFAULT_LIMITS = XmlLimits()


def parse_xml(data: bytes, *, limits: XmlLimits = _DEFAULT_LIMITS) -> Document:
    """Return the parsed document; `NotAcceptable` when it is not well-formed, `TooLarge` when over a limit.

    Linear in the bytes. The encoding is the document's own word (byte order mark or XML declaration): UTF-8, UTF-16,
    Latin-1, ASCII and the eight-bit encodings that Python knows.

    >>> document = parse_xml(b"<a x='1'>some <b>text</b></a>")
    >>> document.names, document.attributes[0], document.string_value(0)
    (('a', 'b'), (('x', '1'),), 'some text')
    """
    if len(data) > limits.bytes:
        raise TooLarge(f"the document has {len(data)} bytes, more than {limits.bytes}")
    if not data:
        raise NotAcceptable("the document is empty")
    builder = _Builder(data, limits)
    try:
        return builder.parse()
    except ExpatError as error:
        problem = str(error).partition(": line ")[0]
        raise NotAcceptable(f"not well-formed: {problem}: line {error.lineno}, column {error.offset + 1}") from None


def _check_encoding(name: str) -> None:
    """Refuse what pyexpat would stumble over: encodings that Python does not know or that are not eight-bit."""
    if name.lower() in {"utf-8", "utf-16", "utf-16le", "utf-16be"}:
        return
    try:
        characters = len(bytes(range(256)).decode(name, "replace"))
    except LookupError:
        raise NotAcceptable(f"the encoding {name!r} is unknown") from None
    if characters != 256:
        raise NotAcceptable(f"the encoding {name!r} is neither Unicode nor eight-bit")


def _encoding(data: bytes, declared: str | None) -> str:
    """Return Python's name of the encoding that expat reads the document in."""
    # A byte order mark, or a zero byte beside the first character: both settle it before any declaration.
    if data.startswith(codecs.BOM_UTF16_LE) or data[1:2] == b"\0":
        return "utf-16-le"
    if data.startswith((codecs.BOM_UTF16_BE, b"\0")):
        return "utf-16-be"
    return declared or "utf-8"


class _Builder:
    """The handlers of one parse and the arrays that they fill."""

    def __init__(self, data: bytes, limits: XmlLimits) -> None:
        self._data = data
        self._limits = limits
        self._parser = ParserCreate(None, "}")
        #: Expat's names (`uri}local`) in Clark's notation.
        self._clark: dict[str, str] = {}
        self._names: list[str] = []
        self._parents: list[int] = []
        self._ends: list[int] = []
        self._attributes: list[tuple[tuple[str, str], ...]] = []
        self._attribute_count = 0
        self._pieces: list[str] = []
        self._text_starts: list[int] = []
        self._text_ends: list[int] = []
        self._text_nodes: list[list[tuple[int, int]]] = []
        #: The elements that are open, outermost first.
        self._open: list[int] = []
        #: Characters of text so far, and how many of them stood at the last boundary of text nodes.
        self._length = 0
        self._boundary = 0
        #: Characters of text and attribute values that may still come.
        self._allowance = len(data) + limits.expansion
        self._declared_encoding: str | None = None
        self._entities: EntityBudget | None = None
        #: Whether declarations that we do not read may have declared entities.
        self._declares_elsewhere = False

    def parse(self) -> Document:
        parser = self._parser
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._started
        parser.EndElementHandler = self._ended
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EndDoctypeDeclHandler = self._doctype_ended
        parser.EntityDeclHandler = self._entity
        parser.ExternalEntityRefHandler = self._external_reference
        parser.SkippedEntityHandler = self._skipped
        parser.Parse(self._data, True)
        return Document(
            names=tuple(self._names),
            parents=tuple(self._parents),
            ends=tuple(self._ends),
            attributes=tuple(self._attributes),
            text="".join(self._pieces),
            text_starts=tuple(self._text_starts),
            text_ends=tuple(self._text_ends),
            text_nodes=tuple(map(tuple, self._text_nodes)),
        )

    def _name(self, name: str) -> str:
        clark = self._clark.get(name)
        if clark is None:
            clark = self._clark[name] = "{" + name if "}" in name else name
        return clark

    def _started(self, name: str, attributes: list[str]) -> None:
        self._end_text_node()
        element = len(self._names)
        if len(self._open) == self._limits.depth:
            raise TooLarge(f"elements nest deeper than {self._limits.depth}{self._place()}")
        if element == self._limits.elements:
            raise TooLarge(f"the document has more than {element} elements")
        self._names.append(self._name(name))
        self._parents.append(self._open[-1] if self._open else -1)
        self._ends.append(0)
        self._text_starts.append(self._length)
        self._text_ends.append(0)
        self._text_nodes.append([])
        self._open.append(element)
        if not attributes:
            self._attributes.append(())
            return
        values = attributes[1::2]
        self._attributes.append(tuple(zip(map(self._name, attributes[::2]), values, strict=True)))
        self._attribute_count += len(values)
        if self._attribute_count > self._limits.attributes:
            raise TooLarge(f"the document has more than {self._limits.attributes} attributes")
        self._spend(sum(map(len, values)))

    def _ended(self, _name: str) -> None:
        self._end_text_node()
        element = self._open.pop()
        self._ends[element] = len(self._names)
        self._text_ends[element] = self._length

    def _characters(self, data: str) -> None:
        self._pieces.append(data)
        self._length += len(data)
        self._spend(len(data))

    def _comment(self, _data: str) -> None:
        self._end_text_node()

    def _instruction(self, _target: str, _data: str) -> None:
        self._end_text_node()

    def _end_text_node(self) -> None:
        if self._length > self._boundary:
            self._text_nodes[self._open[-1]].append((self._boundary, self._length))
            self._boundary = self._length

    def _spend(self, characters: int) -> None:
        self._allowance -= characters
        if self._allowance < 0:
            raise TooLarge(f"entities and attribute defaults add more than {self._limits.expansion} characters")

    def _place(self) -> str:
        return f": line {self._parser.CurrentLineNumber}, column {self._parser.CurrentColumnNumber + 1}"

    def _declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None:
            _check_encoding(encoding)
        self._declared_encoding = encoding

    def _decoded(self, start: int = 0) -> str:
        # Expat reports malformed bytes itself; here they only must not stop the count.
        return self._data[start:].decode(_encoding(self._data, self._declared_encoding), "replace")

    def _doctype(self, _name: str, system: str | None, public: str | None, _internal: bool) -> None:
        self._declares_elsewhere = system is not None or public is not None

    def _entity(
        self,
        name: str,
        is_parameter: bool,
        value: str | None,
        _base: str | None,
        _system: str | None,
        _public: str | None,
        _notation: str | None,
    ) -> None:
        if is_parameter:
            # Expat reads no parameter entity, internal or not, and reports no declaration after a reference to one.
            self._declares_elsewhere = True
            return
        if self._entities is None:
            self._entities = EntityBudget(self._decoded(), self._limits.entities, self._limits.expansion)
        self._entities.declare(name, value)

    def _doctype_ended(self) -> None:
        if self._declares_elsewhere:
            # Expat drops these silently where they stand in an attribute's value.
            body = self._decoded(self._parser.CurrentByteIndex)
            budget = self._entities or EntityBudget("", self._limits.entities, self._limits.expansion)
            budget.check_declared(body)

    def _external_reference(self, names: str | None, _base: str | None, system: str | None, _public: str | None) -> int:
        raise NotAcceptable(f"refers to an external entity, which is never loaded: {system or names}{self._place()}")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise NotAcceptable(f"refers to the entity {name!r}, whose declaration is not in the document")
