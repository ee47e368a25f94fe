"""`AnyOf`: the union of filters of any kinds, flattened, without doubles and covered members, in one fixed order.

It is a plain union: it does not merge boxes into hulls, which is the planners' choice and costs irrelevant items.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from distributary.algebra.cells import Cell, cells_cover, cells_of
from distributary.algebra.filter import Filter, Statistics
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["AnyOf", "any_of"]

# Absorbing compares all pairs; above this many members only equal ones are dropped.
_ABSORBED_MAX = 256


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The items that at least one member matches; without members, none. Make it with `any_of`.

    `covers` is complete among filters of records wherever their normal forms are: members cover jointly. For other
    kinds one member must cover each member of the other.
    """

    #: Ascending by text, none of them a union.
    members: tuple[Filter, ...] = ()

    def matches(self, item: Content) -> bool:
        """Tell whether a member matches the item."""
        return any(member.matches(item) for member in self.members)

    def covers(self, other: Filter) -> bool:
        """Tell whether every item that `other` matches is matched by a member."""
        parts = other.members if isinstance(other, AnyOf) else (other,)
        left = [part for part in parts if not any(member.covers(part) for member in self.members)]
        if not left:
            return True
        narrow = [cells_of(part) for part in left]
        if None in narrow:
            return False
        wide = [cell for member in self.members for cell in cells_of(member) or ()]
        return cells_cover(wide, [cell for cells in narrow for cell in cells or ()])

    def intersects(self, other: Filter) -> bool:
        """Tell whether some item may match a member and `other`."""
        return any(member.intersects(other) for member in self.members)

    def union(self, other: Filter) -> Filter:
        """Return the union with one more filter."""
        return any_of((self, other))

    def size(self, statistics: Statistics) -> float:
        """Return the expected size of the items that some member matches, each counted once."""
        return statistics.size(self)

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the expected size of the items that both match."""
        return statistics.overlap(self, other)

    def cells(self) -> tuple[Cell, ...] | None:
        """Return the members' cells, or `None` when one of them has none."""
        found: list[Cell] = []
        for member in self.members:
            cells = cells_of(member)
            if cells is None:
                return None
            found.extend(cells)
        return tuple(found)

    def text(self) -> FilterText:
        """Return the members' texts as a JSON list of [kind, text, namespaces]."""
        texts = [[text.kind, text.text, text.namespaces] for text in (member.text() for member in self.members)]
        return FilterText("any", json.dumps(texts, separators=(",", ":"), ensure_ascii=False))


def any_of(filters: Iterable[Filter], *, absorb: bool = True) -> Filter:
    """Return the union of filters: a single one as it is, otherwise an `AnyOf`.

    Unions are taken apart, equal texts kept once, and members that another one covers are left out (for up to 256
    members: the pairs are compared), but for a union that is only measured (`absorb=False`). The order of the
    arguments does not matter unless filters cover each other.
    """
    members: dict[FilterText, Filter] = {}
    for one in filters:
        for member in one.members if isinstance(one, AnyOf) else (one,):
            members.setdefault(member.text(), member)
    ordered = [member for _, member in sorted(members.items(), key=lambda entry: entry[0])]
    if absorb and len(ordered) <= _ABSORBED_MAX:
        ordered = _absorbed(ordered)
    return ordered[0] if len(ordered) == 1 else AnyOf(tuple(ordered))


def _absorbed(members: list[Filter]) -> list[Filter]:
    """Return the members without those that another one covers; of two that cover each other the first stays."""
    kept: list[Filter] = []
    for member in members:
        if any(other.covers(member) for other in kept):
            continue
        kept = [other for other in kept if not member.covers(other)]
        kept.append(member)
    return kept
