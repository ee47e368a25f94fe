"""Hulls: around filters of records, the smallest conjunction of one range, or one list of strings, per column.

It is the bounding box of numeric ranges, and as much of one as other filters allow: timestamps have ranges too, finite
sets of strings grow to the list of all, and a column with anything else is left free. A range that is open above holds
NaN, as Spark orders it, where one of the filters does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import inf, nextafter
from typing import TypeAlias

from distributary.algebra.atoms import accepted
from distributary.algebra.box import Box
from distributary.algebra.cells import cells_of
from distributary.algebra.connectives import conjunction
from distributary.algebra.expression import Atom, Literal, Operator, membership, number
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Cut, Line, Place, Sort
from distributary.algebra.predicate import Predicate
from distributary.algebra.valuesets import ValueSet

__all__ = ["Hull", "Range", "hull_of"]

#: A longer list of strings is left free.
_STRINGS_MAX = 1024


@dataclass(frozen=True, slots=True)
class Range:
    """The values of one sort between two cuts; `None` is no end, and without an upper one NaN is a number too."""

    sort: Sort
    low: Cut | None
    high: Cut | None

    def join(self, other: Range) -> Range:
        """Return the smallest range around both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Range(self.sort, low, high)


#: What a hull asks of a column: a range, or one of some strings.
Extent: TypeAlias = Range | frozenset[str]


@dataclass(frozen=True, slots=True)
class Hull:
    """A conjunction of extents, ascending by column; no column stands there that is free."""

    extents: tuple[tuple[str, Extent], ...]

    def join(self, other: Hull) -> Hull:
        """Return the smallest hull around both: on the columns that both restrict, in the same way."""
        theirs = dict(other.extents)
        joined = ((column, _joined(mine, theirs[column])) for column, mine in self.extents if column in theirs)
        return Hull(tuple((column, extent) for column, extent in joined if extent is not None))

    def filter(self) -> Box | Predicate:
        """Return the hull as a filter: a box where it is one, with strict ends taken as closed ones."""
        if all(isinstance(extent, Range) and _is_closed(extent) for _, extent in self.extents):
            ranges = ((column, extent) for column, extent in self.extents if isinstance(extent, Range))
            return Box.of({column: (_end(extent.low, -inf), _end(extent.high, inf)) for column, extent in ranges})
        return Predicate(conjunction([atom for column, extent in self.extents for atom in _atoms(column, extent)]))


def hull_of(filter: Filter) -> Hull | None:  # noqa: A002 - the paper's noun
    """Return the hull of a filter; `None` where it has none: nothing matches, or no column has an extent.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> print(hull_of(parse_where("mag >= 4 and (depth < 2 or depth > 8 and place = 'x')")).filter().text().text)
    mag >= 4
    """
    cells = cells_of(filter)
    if not cells:
        return None
    hull = reduce(Hull.join, map(_hull_of_cell, cells))
    return hull if hull.extents else None


def _hull_of_cell(cell: Iterable[tuple[str, ValueSet]]) -> Hull:
    extents = ((column, _extent(column, values)) for column, values in cell)
    return Hull(tuple((column, extent) for column, extent in extents if extent is not None))


def _extent(column: str, values: ValueSet) -> Extent | None:
    """Return the extent around a set of values; `None` where an extent would have to let every value in."""
    if values.only_numbers:
        return _around(Sort.NUMBER, values.number)
    if values.null or values.other or not values.number.is_empty or not values.boolean.is_empty:
        return None
    if values.instant.is_empty:
        strings = values.string.order.strings() if values.string.only_order else None
        return frozenset(strings) if strings is not None else None
    extent = _around(Sort.INSTANT, values.instant)
    # A comparison with a timestamp also lets strings in that can be read as one; other strings it would lose.
    return extent if extent is not None and _accepts(_atoms(column, extent), values) else None


def _around(sort: Sort, line: Line) -> Range | None:
    intervals = line.intervals()
    low, high = _finite(intervals[0][0]), _finite(intervals[-1][1])
    return None if low is None and high is None else Range(sort, low, high)


def _finite(cut: Cut | None) -> Cut | None:
    """Return the cut, or `None` at an infinite place, which no literal has."""
    return None if cut is None or cut[0] in {inf, -inf} else cut


def _accepts(atoms: Iterable[Atom], values: ValueSet) -> bool:
    return all(accepted(atom).covers(values) for atom in atoms)


def _joined(first: Extent, second: Extent) -> Extent | None:
    if isinstance(first, Range):
        if not isinstance(second, Range) or first.sort is not second.sort:
            return None
        joined = first.join(second)
        return None if joined.low is None and joined.high is None else joined
    if isinstance(second, Range):
        return None
    both = first | second
    return both if len(both) <= _STRINGS_MAX else None


def _is_closed(extent: Range) -> bool:
    """Tell whether a box can hold the range: a box has numbers alone, and no NaN."""
    return extent.sort is Sort.NUMBER and extent.high is not None


def _end(cut: Cut | None, outside: float) -> float:
    """Return the end of a box at a cut, `outside` without one; a whole number that is no double is passed by a step."""
    if cut is None:
        return outside
    place = cut[0]
    assert not isinstance(place, str)
    end = float(place)
    return end if end == place or (end > place) == (outside > 0) else nextafter(end, outside)


def _atoms(column: str, extent: Extent) -> list[Atom]:
    if not isinstance(extent, Range):
        return [membership(column, (Literal(Sort.STRING, text) for text in extent))]
    atoms = []
    if extent.low is not None:
        operator = Operator.GREATER if extent.low[1] else Operator.AT_LEAST
        atoms.append(Atom(column, operator, (_literal(extent.sort, extent.low[0]),)))
    if extent.high is not None:
        operator = Operator.AT_MOST if extent.high[1] else Operator.LESS
        atoms.append(Atom(column, operator, (_literal(extent.sort, extent.high[0]),)))
    return atoms


def _literal(sort: Sort, place: Place) -> Literal:
    return number(place) if sort is Sort.NUMBER and not isinstance(place, str) else Literal(sort, place)
