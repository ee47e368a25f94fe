"""A grammar of documents: which elements, attributes and texts may stand where, and how small each can be.

Made from declarations (`dtd` reads them), used by the generators of documents and subscriptions. It draws nothing, and
it does not validate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from distributary.core.errors import InputError
from distributary.experiments.values import Values

__all__ = ["Attribute", "Element", "Grammar", "Group", "Occurs", "Part", "Use", "grammar_of"]

#: The smallest document may not have more elements: declarations that double at each step reach any number.
_SMALLEST_MAX = 10_000


class Occurs(StrEnum):
    """How often a part may be repeated."""

    ONCE = ""
    OPTIONAL = "?"
    ANY = "*"
    SOME = "+"

    @property
    def may_lack(self) -> bool:
        """Whether there may be none."""
        return self in {Occurs.OPTIONAL, Occurs.ANY}


class Group(StrEnum):
    """What a part of a content model is."""

    NAME = "name"
    SEQUENCE = "sequence"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a content model: a child, or a group of parts."""

    group: Group
    occurs: Occurs = Occurs.ONCE
    #: Of a child.
    name: str = ""
    #: Of a group; a choice has at least one.
    parts: tuple[Part, ...] = ()
    #: Elements in the smallest repetition, and how deep they nest; infinite when there is none.
    size: float = math.inf
    height: float = math.inf

    def names(self) -> Iterable[str]:
        """Yield the names of the children that may be here, in the order of the declaration."""
        if self.group is Group.NAME:
            yield self.name
        for part in self.parts:
            yield from part.names()


class Use(StrEnum):
    """Whether an attribute must be there."""

    OPTIONAL = "optional"
    REQUIRED = "required"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an element."""

    name: str
    use: Use
    values: Values
    #: Of an enumeration all it may be, of a fixed one what it is.
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Element:
    """An element; without `content` it has no children, without `text` no character data."""

    name: str
    content: Part | None
    #: What its text is like; `None`: it has none.
    text: Values | None
    attributes: tuple[Attribute, ...]
    #: Different names of the children that it can have in a finite document, in the order of the declaration.
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """A root and all elements by name; made by `grammar_of`."""

    root: str
    elements: Mapping[str, Element]

    def reached(self) -> tuple[str, ...]:
        """Return the names of the elements that documents can have, the root first."""
        order = [self.root]
        seen = {self.root}
        for name in order:
            for child in self.elements[name].children:
                if child not in seen:
                    seen.add(child)
                    order.append(child)
        return tuple(order)


def grammar_of(root: str, elements: Mapping[str, Element]) -> Grammar:
    """Return the grammar with the size and the height of every part filled in.

    `InputError` when the root is not declared, or no document is finite and of a sensible size.
    """
    if root not in elements:
        raise InputError(f"the root element {root!r} is not declared")
    sizes = dict.fromkeys(elements, math.inf)
    heights = dict.fromkeys(elements, math.inf)
    changed = True
    while changed:  # at most as often as there are elements: each round settles those that nest one deeper
        changed = False
        for name, element in elements.items():
            size, height = _needed(element.content, sizes, heights)
            changed = changed or size + 1 < sizes[name] or height + 1 < heights[name]
            sizes[name], heights[name] = min(size + 1, sizes[name]), min(height + 1, heights[name])
    measured = {}
    for name, element in elements.items():
        content = None if element.content is None else _measured(element.content, sizes, heights)
        children = () if content is None else tuple(dict.fromkeys(_possible(content)))
        measured[name] = replace(element, content=content, children=children)
    if not sizes[root] <= _SMALLEST_MAX:
        number = "no finite number of" if math.isinf(sizes[root]) else f"more than {_SMALLEST_MAX}"
        raise InputError(f"the smallest document with the root {root!r} has {number} elements")
    return Grammar(root, measured)


def _needed(part: Part | None, sizes: Mapping[str, float], heights: Mapping[str, float]) -> tuple[float, float]:
    """Return how many elements must be there for a part, and how deep they nest."""
    if part is None or part.occurs.may_lack:
        return (0.0, 0.0)
    return _repeated(part, sizes, heights)


def _repeated(part: Part, sizes: Mapping[str, float], heights: Mapping[str, float]) -> tuple[float, float]:
    """Return what the smallest repetition of a part takes."""
    if part.group is Group.NAME:
        return (sizes.get(part.name, math.inf), heights.get(part.name, math.inf))
    needed = [_needed(inner, sizes, heights) for inner in part.parts]
    if part.group is Group.CHOICE:
        return (min(each[0] for each in needed), min(each[1] for each in needed))
    return (sum(each[0] for each in needed), max((each[1] for each in needed), default=0.0))


def _measured(part: Part, sizes: Mapping[str, float], heights: Mapping[str, float]) -> Part:
    size, height = _repeated(part, sizes, heights)
    parts = tuple(_measured(inner, sizes, heights) for inner in part.parts)
    return replace(part, parts=parts, size=size, height=height)


def _possible(part: Part) -> Iterable[str]:
    """Yield the children that can be here; a group that cannot be finished has none."""
    if math.isinf(part.size):
        return
    if part.group is Group.NAME:
        yield part.name
    for inner in part.parts:
        yield from _possible(inner)
