"""Merge procedures of paper 000, section 5.1: what a set of queries becomes when it is merged, and how large that is.

A procedure measures (`measure`, cheap, called for every candidate) and builds (`queries`, for the blocks of the final
plan). It knows no prices; `cost` has those. A set of one query is always that query itself.

Queries of numeric ranges merge in any number of dimensions, and so do those of other columns that have a hull
(`algebra.hull`). Queries without one (patterns, everything) have no bounding box: `rectangle` and `polygon` both take
the union of such a set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Protocol

from distributary.algebra.anyof import any_of
from distributary.algebra.box import Box
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.hull import Hull, hull_of
from distributary.algebra.regions import regions_of
from distributary.core.errors import InputError
from distributary.merging.cells import Piece, pieces_of
from distributary.merging.problem import Member

__all__ = ["PROCEDURES", "Measure", "MergedQuery", "Procedure", "SizedQuery", "sized_query"]


@dataclass(frozen=True, slots=True)
class SizedQuery:
    """A member's query with what procedures ask of it again and again."""

    filter: Filter
    size: float
    #: How often a second it is answered.
    rate: float
    #: Closed boxes around what the filter matches, for pictures; `None` when it is not made of numeric ranges.
    regions: tuple[Box, ...] | None
    #: The same boxes where they hold all that the filter matches; NaN is in none.
    whole: tuple[Box, ...] | None
    #: `None` for a filter that has none.
    hull: Hull | None


@dataclass(frozen=True, slots=True)
class Measure:
    """What the cost model asks of a merged set, per second: a merged query is sent as often as its busiest member asks.

    Without `every` all rates are 1, and these are the paper's figures.
    """

    #: Merged queries: |mrg(M)|, 1 except in `cover`.
    queries: float
    #: Size that is sent: size(mrg(M)).
    size: float
    #: Irrelevant size that the members receive, all together: U. What comes more often than asked is irrelevant too.
    irrelevant: float
    #: Size of the merged queries' answers, each sent once.
    once: float


@dataclass(frozen=True, slots=True)
class MergedQuery:
    """One merged query: its filter and, where it is made of boxes, these boxes."""

    filter: Filter
    regions: tuple[Box, ...]


class Procedure(Protocol):
    """How a set of two or more queries merges."""

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return what the merged set costs apart from prices."""
        ...

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return the merged queries; together they match all that the members match."""
        ...


def sized_query(member: Member, statistics: Statistics) -> SizedQuery:
    """Return a member's query with its size; one whose size is not known or not finite is refused by its id."""
    try:
        size = statistics.size(member.filter)
    except InputError as error:
        raise error.at(record=member.id) from None
    if not math.isfinite(size) or size < 0:
        raise InputError(
            "its size is not finite: a range is open at one end, and only a profile tells how much that is; "
            "or its volume is beyond what a double holds",
            record=member.id,
        )
    regions = regions_of(member.filter)
    whole = regions if regions is not None and any_of(regions).covers(member.filter) else None
    return SizedQuery(member.filter, size, member.rate, regions, whole, hull_of(member.filter))


class Rectangle:
    """Figure 4(a): one merged query, the bounding box; on different columns, that on those that all share."""

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the bounding box."""
        box = _bounding_box(queries)
        return _one_query(queries, statistics.size(_union(queries, measured=True) if box is None else box))

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return the bounding box."""
        box = _bounding_box(queries)
        merged = _union(queries) if box is None else box
        return (MergedQuery(merged, regions_of(merged) or ()),)


class Polygon:
    """Figure 4(b): one merged query, the union of the members."""

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the union."""
        return _one_query(queries, statistics.size(_union(queries, measured=True)))

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return the union."""
        boxes = [box for query in queries for box in query.regions or ()]
        drawn = all(query.regions is not None for query in queries)
        return (MergedQuery(_union(queries), tuple(dict.fromkeys(boxes)) if drawn else ()),)


class Cover:
    """Figure 4(c): one merged query per distinct set of members that share a positive volume; nothing is irrelevant.

    A member that is not made of boxes, or has no positive volume, keeps its own query. The merged queries are closed,
    so that an item on an edge may match two of them; a client takes the union of their answers.
    """

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the distinct sets; sizes of disjoint pieces add up."""
        sets, alone = self._sets(queries)
        parts = [
            _one_part([queries[place].rate for place in members], math.fsum(map(statistics.size, pieces)))
            for members, pieces in sets.items()
        ]
        parts += [_one_part([queries[place].rate], queries[place].size) for place in alone]
        return Measure(
            math.fsum(part.queries for part in parts),
            math.fsum(part.size for part in parts),
            math.fsum(part.irrelevant for part in parts),
            math.fsum(part.once for part in parts),
        )

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return one query for each distinct set, and those of the members that keep their own."""
        sets, alone = self._sets(queries)
        merged = [MergedQuery(any_of(pieces), tuple(pieces)) for pieces in sets.values()]
        own = [MergedQuery(queries[place].filter, queries[place].regions or ()) for place in alone]
        return (*merged, *own)

    @staticmethod
    def _sets(queries: Sequence[SizedQuery]) -> tuple[dict[tuple[int, ...], list[Box]], list[int]]:
        """Return the pieces of each distinct set, in the order of the sets, and the members that are in none."""
        pieces: list[Piece] = pieces_of(
            [(place, box) for place, query in enumerate(queries) for box in query.whole or ()]
        )
        sets: dict[tuple[int, ...], list[Box]] = {}
        for members, box in sorted(pieces, key=lambda piece: piece[0]):
            sets.setdefault(members, []).append(box)
        covered = {place for members in sets for place in members}
        return sets, [place for place in range(len(queries)) if place not in covered]


#: The procedures by the names that users give them.
PROCEDURES: Mapping[str, Procedure] = MappingProxyType(
    {
        "rectangle": Rectangle(),
        "polygon": Polygon(),
        "cover": Cover(),
    }
)


def _bounding_box(queries: Sequence[SizedQuery]) -> Filter | None:
    """Return the hull of the queries; `None` when one that matches something has none, or none matches anything.

    Only numeric ranges on different columns have a hull that bounds nothing; others are united rather than that.
    """
    bounded = [query for query in queries if query.regions != ()]
    hulls = [query.hull for query in bounded if query.hull is not None]
    if not hulls or len(hulls) < len(bounded):
        return None
    joined = reduce(Hull.join, hulls)
    return joined.filter() if joined.extents or all(query.regions is not None for query in bounded) else None


def _union(queries: Sequence[SizedQuery], *, measured: bool = False) -> Filter:
    return any_of((query.filter for query in queries), absorb=not measured)


def _one_query(queries: Sequence[SizedQuery], size: float) -> Measure:
    rate = max(query.rate for query in queries)
    # Estimated sizes need not be monotone; a member never receives less than nothing that is irrelevant.
    irrelevant = math.fsum(max(0.0, rate * size - query.rate * query.size) for query in queries)
    return Measure(rate, rate * size, irrelevant, size)


def _one_part(rates: Sequence[float], size: float) -> Measure:
    """Return the measure of a part that all its members want whole."""
    rate = max(rates)
    return Measure(rate, rate * size, math.fsum((rate - each) * size for each in rates), size)
