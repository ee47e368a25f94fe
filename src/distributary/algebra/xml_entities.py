"""What entities would add to a document, reckoned before expat expands any of them. It expands nothing itself.

Expat has a protection of its own, which starts late (8 MiB) and can be absent; this one does not depend on it. It
counts references in the whole text, in comments and CDATA sections too, so that nothing can hide from the count.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from distributary.core.errors import NotAcceptable, TooLarge

__all__ = ["EntityBudget"]

_REFERENCE = re.compile(r"&([^\s#&;<>'\"]+);")
_NO_REFERENCES = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_PREDEFINED = frozenset({"amp", "lt", "gt", "apos", "quot"})
#: Entities inside one another: expat recurses on the C stack for each.
_NESTING_MAX = 32
#: The reckoning after each declaration costs as much as there are references between entities.
_REFERENCES_PER_ENTITY = 4


class _Cost(NamedTuple):
    """What a reference expands to: characters of entities' own texts, and entities inside one another."""

    characters: int
    nesting: int


class EntityBudget:
    """The declared entities of a document, and what all references to them expand to."""

    def __init__(self, text: str, entities_max: int, characters_max: int) -> None:
        self._uses = Counter(_REFERENCE.findall(text))
        self._entities_max = entities_max
        self._characters_max = characters_max
        #: Length of each entity's own text, and the entities that it refers to.
        self._declared: dict[str, tuple[int, Counter[str]]] = {}
        self._references = 0

    def declare(self, name: str, value: str | None) -> None:
        """Take a declaration (`None`: an external one) and check the budget; the first of a name binds."""
        if name in self._declared:
            return
        if len(self._declared) == self._entities_max:
            raise TooLarge(f"the document declares more than {self._entities_max} entities")
        references = Counter(_REFERENCE.findall(value or ""))
        self._references += len(references)
        if self._references > _REFERENCES_PER_ENTITY * self._entities_max:
            raise TooLarge(f"entities refer to more than {_REFERENCES_PER_ENTITY * self._entities_max} others")
        self._declared[name] = (len(value or ""), references)
        known: dict[str, _Cost] = {}
        total = sum(count * self._cost(entity, (), known).characters for entity, count in self._uses.items())
        if total > self._characters_max:
            raise TooLarge(f"entities expand to more than {self._characters_max} characters")

    def check_declared(self, body: str) -> None:
        """Refuse a reference, in the text after the DTD, to an entity that the document itself does not declare."""
        for name in _REFERENCE.findall(_NO_REFERENCES.sub("", body)):
            if name not in self._declared and name not in _PREDEFINED:
                raise NotAcceptable(f"refers to the entity {name!r}, whose declaration is not in the document")

    def _cost(self, name: str, inside: tuple[str, ...], known: dict[str, _Cost]) -> _Cost:
        """Return what one reference stands for; `known` remembers."""
        if name not in self._declared:
            return _Cost(0, 0)
        if name in inside:
            raise NotAcceptable(f"the entity {name!r} contains itself")
        if name not in known:
            within = (*inside, name)
            if len(within) > _NESTING_MAX:
                raise TooLarge(f"entities nest deeper than {_NESTING_MAX}")
            length, references = self._declared[name]
            costs = [(count, self._cost(other, within, known)) for other, count in references.items()]
            nesting = max((cost.nesting for _, cost in costs), default=0) + 1
            if nesting > _NESTING_MAX:
                raise TooLarge(f"entities nest deeper than {_NESTING_MAX}")
            known[name] = _Cost(length + sum(count * cost.characters for count, cost in costs), nesting)
        return known[name]
