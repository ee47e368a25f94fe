"""Merge procedures of paper 000, section 5.1: what a set of queries becomes when it is merged, and how large that is.

A procedure measures (`measure`, cheap, called for every candidate) and builds (`queries`, for the blocks of the final
plan). It knows no prices; `cost` has those. A set of one query is always that query itself.

Queries that are boxes, or unions of boxes, merge in any number of dimensions. Queries that are not (strings, tree
patterns, everything) have no bounding box: `rectangle` and `polygon` both take the union of such a set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Protocol

from distributary.algebra.box import Box
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.regions import regions_of
from distributary.core.errors import InputError
from distributary.merging.cells import Piece, pieces_of
from distributary.merging.problem import Member

__all__ = ["PROCEDURES", "Measure", "MergedQuery", "Procedure", "SizedQuery", "sized_query", "union_of"]


@dataclass(frozen=True, slots=True)
class SizedQuery:
    """A member's query with what procedures ask of it again and again."""

    filter: Filter
    size: float
    #: Boxes whose union matches what the filter matches; `None` when there are no such boxes.
    regions: tuple[Box, ...] | None
    #: The bounding box; `None` without regions, and for a filter that matches nothing.
    hull: Box | None


@dataclass(frozen=True, slots=True)
class Measure:
    """What the cost model asks of a merged set."""

    #: Merged queries: |mrg(M)|, 1 except in `cover`.
    queries: int
    #: Size that is sent: size(mrg(M)).
    size: float
    #: Irrelevant size that the members receive, all together: U.
    irrelevant: float


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
            "its size is not finite: a range is open at one end, and only a profile tells how much that is",
            record=member.id,
        )
    regions = regions_of(member.filter)
    if regions and not union_of(regions).covers(member.filter):
        # A predicate may match what no box does, such as NaN; a hull would lose it.
        regions = None
    return SizedQuery(member.filter, size, regions, Box.hull(regions) if regions else None)


def union_of(filters: Sequence[Filter]) -> Filter:
    """Return the union of one or more filters."""
    return reduce(lambda first, second: first.union(second), filters)


class Rectangle:
    """Figure 4(a): one merged query, the bounding box; on different attributes, the box on those that all share."""

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the bounding box."""
        return _one_query(queries, statistics.size(self._merged(queries)))

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return the bounding box."""
        merged = self._merged(queries)
        return (MergedQuery(merged, (merged,) if isinstance(merged, Box) else ()),)

    @staticmethod
    def _merged(queries: Sequence[SizedQuery]) -> Filter:
        hulls = [query.hull for query in queries if query.hull is not None]
        if not hulls or any(query.regions is None for query in queries):
            return union_of([query.filter for query in queries])
        return Box.hull(hulls)


class Polygon:
    """Figure 4(b): one merged query, the union of the members."""

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the union."""
        return _one_query(queries, statistics.size(union_of([query.filter for query in queries])))

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return the union."""
        boxes = [box for query in queries for box in query.regions or ()]
        whole = all(query.regions is not None for query in queries)
        regions = tuple(dict.fromkeys(boxes)) if whole else ()
        return (MergedQuery(union_of([query.filter for query in queries]), regions),)


class Cover:
    """Figure 4(c): one merged query per distinct set of members that share a positive volume; nothing is irrelevant.

    A member without regions or without a positive volume keeps its own query. The merged queries are closed, so that
    an item on an edge may match two of them; a client takes the union of their answers.
    """

    def measure(self, queries: Sequence[SizedQuery], statistics: Statistics) -> Measure:
        """Return the measure of the distinct sets; sizes of disjoint pieces add up."""
        sets, alone = self._sets(queries)
        pieces = [statistics.size(piece) for found in sets.values() for piece in found]
        own = [queries[place].size for place in alone]
        return Measure(len(sets) + len(alone), math.fsum(pieces + own), 0.0)

    def queries(self, queries: Sequence[SizedQuery]) -> tuple[MergedQuery, ...]:
        """Return one query for each distinct set, and those of the members that keep their own."""
        sets, alone = self._sets(queries)
        merged = [MergedQuery(union_of(pieces), tuple(pieces)) for pieces in sets.values()]
        own = [MergedQuery(queries[place].filter, queries[place].regions or ()) for place in alone]
        return (*merged, *own)

    @staticmethod
    def _sets(queries: Sequence[SizedQuery]) -> tuple[dict[tuple[int, ...], list[Box]], list[int]]:
        """Return the pieces of each distinct set, in the order of the sets, and the members that are in none."""
        pieces: list[Piece] = pieces_of(
            [(place, box) for place, query in enumerate(queries) for box in query.regions or ()]
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


def _one_query(queries: Sequence[SizedQuery], size: float) -> Measure:
    # Estimated sizes need not be monotone; a member never receives less than nothing that is irrelevant.
    return Measure(1, size, math.fsum(max(0.0, size - query.size) for query in queries))
