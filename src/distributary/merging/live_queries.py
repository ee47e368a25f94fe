"""Which queries a live plan takes: ranges on the columns of the first; and where such a query lies."""

from __future__ import annotations

from distributary.algebra.hull import Range
from distributary.algebra.intervals import Sort
from distributary.core.errors import InputError
from distributary.merging.geometry import greatest_double, least_double
from distributary.merging.problem import Member
from distributary.merging.procedures import SizedQuery

__all__ = ["TAKES", "columns_of", "ends_of"]

TAKES = "a live plan takes ranges on the same columns"


def columns_of(query: SizedQuery, member: Member) -> tuple[tuple[str, Sort], ...]:
    """Return the columns that a query has ranges on."""
    extents = () if query.hull is None else query.hull.extents
    ranges = tuple((column, extent.sort) for column, extent in extents if isinstance(extent, Range))
    if not ranges or len(ranges) < len(extents):
        raise InputError(f"is not made of ranges; {TAKES}", record=member.id)
    return ranges


def ends_of(
    member: Member, query: SizedQuery, columns: tuple[tuple[str, Sort], ...], stream: str | None
) -> tuple[list[float], list[float]]:
    """Return the lows and the highs of a query's ranges, in the order of the columns."""
    if member.stream != stream:
        raise InputError(f"is of stream {member.stream!r}; a live plan has one, {stream!r}", record=member.id)
    found = columns_of(query, member)
    if found != columns:
        theirs, ours = (", ".join(column for column, _ in each) for each in (found, columns))
        raise InputError(f"has ranges on {theirs}, not on {ours}; {TAKES}", record=member.id)
    assert query.hull is not None
    extents = [extent for _, extent in query.hull.extents if isinstance(extent, Range)]
    return [least_double(extent.low) for extent in extents], [greatest_double(extent.high) for extent in extents]
