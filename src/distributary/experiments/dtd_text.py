"""The text of a document type definition, taken apart into declarations, parameter entities replaced.

Nothing outside the text is loaded: a reference to an external entity is refused, and so are conditional sections.
What the declarations mean is not decided here (`dtd`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from distributary.algebra.treepattern_grammar import NAME
from distributary.core.errors import InputError

__all__ = ["Declaration", "declarations_of"]

#: Characters of a definition, and of all that its entities add.
_LENGTH_MAX = 1 << 20

_QNAME = rf"{NAME}(?::{NAME})?"
_QUOTED = r"\"[^\"]*\"|'[^']*'"
# One thing at the top: space, a comment, an instruction, a reference, the frame of a document type, a declaration.
_ITEM = re.compile(
    rf"\s+|<!--(?P<comment>.*?)-->|<\?(?P<instruction>.*?)\?>|%(?P<reference>{_QNAME});"
    rf"|<!DOCTYPE\s+(?P<root>{_QNAME})[^\[\]<>]*\[|(?P<end>\]\s*>)"
    rf"|<!(?P<keyword>ELEMENT|ATTLIST|ENTITY|NOTATION)(?P<body>(?:[^>\"'<]|{_QUOTED})*+)>",
    re.DOTALL,
)
_REFERENCE = re.compile(rf"%({_QNAME});")
_QUOTED_OR_REFERENCE = re.compile(rf"(?:{_QUOTED})|%({_QNAME});")
_IS_PARAMETER = re.compile(r"\s+%\s")
_PARAMETER = re.compile(rf"\s+%\s+(?P<name>{_QNAME})\s+(?:(?P<value>{_QUOTED})|(?:SYSTEM|PUBLIC)\s.*)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration without references, and where it began: in the definition's own text."""

    #: ELEMENT, ATTLIST, or DOCTYPE (its body is the root's name).
    keyword: str
    body: str
    line: int


class _Entities:
    """The parameter entities declared so far."""

    def __init__(self) -> None:
        #: Their texts, in which nothing is left to replace; `None` for one outside.
        self._values: dict[str, str | None] = {}
        #: Characters that references may still add.
        self._left = _LENGTH_MAX

    def value(self, name: str, line: int) -> str:
        """Return what a reference stands for."""
        if name not in self._values:
            raise InputError(f"refers to the entity %{name};, which is not declared before", record=line)
        value = self._values[name]
        if value is None:
            raise InputError(f"refers to the entity %{name};, which is outside: nothing is loaded", record=line)
        self._left -= len(value)
        if self._left < 0:
            raise InputError(f"its entities expand to more than {_LENGTH_MAX} characters", record=line)
        return value

    def replaced(self, body: str, line: int) -> str:
        """Return a declaration's body without references; what is quoted in it has none."""
        return _QUOTED_OR_REFERENCE.sub(
            lambda found: found[0] if found[1] is None else f" {self.value(found[1], line)} ", body
        )

    def declare(self, body: str, line: int) -> None:
        """Take a declaration; the first of a name binds, and general entities are of no concern here."""
        if not _IS_PARAMETER.match(body):
            return
        found = _PARAMETER.fullmatch(body)
        if found is None:
            raise InputError("declares an entity in a way that cannot be read", record=line)
        name, value = found["name"], found["value"]
        if name not in self._values:
            # An entity's own references are replaced where it is declared (XML 1.0, 4.5), so that none can nest in
            # itself.
            own = value and _REFERENCE.sub(lambda inner: self.value(inner[1], line), value[1:-1])
            self._values[name] = own


def declarations_of(text: str) -> Iterator[Declaration]:
    """Yield the declarations of elements and attributes, and of the document type where one is around them.

    `InputError` (with the line) for what is no declaration or refers outside.
    """
    if len(text) > _LENGTH_MAX:
        raise InputError(f"has more than {_LENGTH_MAX} characters")
    yield from _declarations(text, _Entities(), None)


def _declarations(text: str, entities: _Entities, line: int | None) -> Iterator[Declaration]:
    """Yield the declarations in the definition's own text, or in an entity's, referred to in a `line`."""
    place, here = 0, line or 1
    while place < len(text):
        found = _ITEM.match(text, place)
        if found is None:
            what = "a conditional section" if text.startswith("<![", place) else repr(text[place : place + 20])
            raise InputError(f"{what} is not a declaration that is read here", record=here)
        keyword, body = found["keyword"], found["body"]
        if found["reference"] is not None:
            yield from _declarations(entities.value(found["reference"], here), entities, here)
        elif found["root"] is not None:
            yield Declaration("DOCTYPE", found["root"], here)
        elif keyword == "ENTITY":
            entities.declare(body, here)
        elif keyword in {"ELEMENT", "ATTLIST"}:
            yield Declaration(keyword, entities.replaced(body, here), here)
        place = found.end()
        here = line or here + found[0].count("\n")
