"""Sets of values on one ordered line: unions of intervals with closed, open or no ends, and their complements.

A set is kept as its *cuts*, the places where membership changes, so that union, intersection and complement are one
sweep and equal sets are equal objects. It knows nothing of columns, nulls or types that do not mix: a `Line` holds
values of one sort, and `valuesets` puts the sorts of a column together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from math import inf
from typing import TypeAlias

__all__ = ["Cut", "Line", "Place", "Sort", "between", "points", "strings_from"]

#: A value as it stands on its line: numbers as they are, booleans as 0 and 1, instants in microseconds since 1970.
Place: TypeAlias = int | float | str
#: A cut before (`False`) or after (`True`) a place.
Cut: TypeAlias = tuple[Place, bool]

# Spark orders NaN above infinity, and all NaNs are one value.
_NOT_A_NUMBER: Cut = (inf, True)


class Sort(IntEnum):
    """The sorts of values that are ordered among themselves and never compare with those of another sort."""

    NUMBER = 0
    BOOLEAN = 1
    STRING = 2
    INSTANT = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A set of places: `inside` tells whether it holds the lowest ones, and each cut changes that.

    >>> at_least_four = between(Sort.NUMBER, low=(4, False))
    >>> at_least_four.contains(4.0), at_least_four.contains(3), at_least_four.contains(float("nan"))
    (True, False, True)
    """

    inside: bool
    cuts: tuple[Cut, ...] = ()

    def contains(self, place: Place) -> bool:
        """Tell whether the place is in the set, in O(log cuts)."""
        key = _NOT_A_NUMBER if place != place else (place, False)
        return self.inside != bool(bisect_right(self.cuts, key) % 2)

    @property
    def is_empty(self) -> bool:
        """Whether no place is in the set."""
        return not self.inside and not self.cuts

    @property
    def is_all(self) -> bool:
        """Whether every place is in the set."""
        return self.inside and not self.cuts

    def complement(self) -> Line:
        """Return the places that are not in the set."""
        return Line(not self.inside, self.cuts)

    def union(self, other: Line) -> Line:
        """Return the places that are in either set."""
        if self.is_empty or other.is_all:
            return other
        return self._swept(other, lambda first, second: first or second)

    def intersection(self, other: Line) -> Line:
        """Return the places that are in both sets."""
        if self.is_empty or other.is_all:
            return self
        if other.is_empty or self.is_all:
            return other
        return self._swept(other, lambda first, second: first and second)

    def covers(self, other: Line) -> bool:
        """Tell whether every place of `other` is in the set."""
        if self.is_all or other.is_empty or self.is_empty or other.is_all:
            return self.is_all or other.is_empty
        return self._swept(other, lambda first, second: second and not first).is_empty

    def _swept(self, other: Line, keep: Callable[[bool, bool], bool]) -> Line:
        first, second = self.inside, other.inside
        mine, theirs = frozenset(self.cuts), frozenset(other.cuts)
        kept = inside = keep(first, second)
        cuts = []
        for cut in sorted(mine | theirs):
            first ^= cut in mine
            second ^= cut in theirs
            if keep(first, second) != kept:
                kept = not kept
                cuts.append(cut)
        return Line(inside, tuple(cuts))

    def intervals(self) -> tuple[tuple[Cut | None, Cut | None], ...]:
        """Return the intervals that the set is made of, ascending; `None` stands for no end."""
        ends: list[Cut | None] = [None, *self.cuts] if self.inside else list(self.cuts)
        if len(ends) % 2:
            ends.append(None)
        return tuple(zip(ends[::2], ends[1::2], strict=True))

    def strings(self) -> tuple[str, ...] | None:
        """Return the members of a finite set of strings, else `None`."""
        found = []
        for low, high in self.intervals():
            if low is None:
                low = ("", False)
            if high is None or high[0] != f"{low[0]}\0":
                return None
            found.append(str(low[0]))
        return tuple(found)


def between(sort: Sort, low: Cut | None = None, high: Cut | None = None) -> Line:
    """Return the places between two cuts of a sort; `None` is no cut. Inverted cuts give the empty set."""
    start = None if low is None else _canonical(sort, low)
    stop = None if high is None else _canonical(sort, high)
    if stop is not None and (stop <= _lowest(sort) or (start is not None and start >= stop)):
        return Line(False)
    if start is not None and start <= _lowest(sort):
        start = None
    if sort is Sort.BOOLEAN:
        if start is not None and start[0] > 1:  # type: ignore[operator]
            return Line(False)
        if stop is not None and stop[0] > 1:  # type: ignore[operator]
            stop = None
    return Line(start is None, tuple(cut for cut in (start, stop) if cut is not None))


def points(sort: Sort, places: Iterable[Place]) -> Line:
    """Return the set of the given places, in O(n log n).

    >>> points(Sort.NUMBER, [3, 1]).intervals()
    (((1, False), (1, True)), ((3, False), (3, True)))
    """
    ends: list[Cut] = []
    inside = False
    for place in sorted(set(places)):
        single = between(sort, (place, False), (place, True))
        inside = inside or single.inside
        if ends and single.cuts and ends[-1] == single.cuts[0]:
            ends[-1:] = single.cuts[1:]  # neighbours, as 0 and 1 of the booleans are
        else:
            ends.extend(single.cuts)
    return Line(inside, tuple(ends))


def strings_from(prefix: str) -> Line:
    """Return the strings that start with `prefix`."""
    stem = prefix.rstrip("\U0010ffff")
    high = None if not stem else (stem[:-1] + chr(ord(stem[-1]) + 1), False)
    return between(Sort.STRING, (prefix, False), high)


def _canonical(sort: Sort, cut: Cut) -> Cut:
    """Return the one form of a cut: on a discrete line, "after x" is "before the next one"."""
    place, after = cut
    if sort is Sort.NUMBER or not after:
        return cut
    if isinstance(place, str):
        return f"{place}\0", False
    return int(place) + 1, False


def _lowest(sort: Sort) -> Cut:
    if sort is Sort.STRING:
        return "", False
    return (0 if sort is Sort.BOOLEAN else -inf), False
