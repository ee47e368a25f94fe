"""The closed boxes that a filter of records occupies, for planners that measure and draw; not for deciding matches."""

from __future__ import annotations

from itertools import product
from math import inf

from distributary.algebra.anyof import AnyOf
from distributary.algebra.box import Box
from distributary.algebra.cells import Cell, cells_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Cut
from distributary.algebra.valuesets import ValueSet

__all__ = ["REGIONS_MAX", "regions_of"]

#: A filter of more boxes than this has no regions.
REGIONS_MAX = 1024


def regions_of(filter: Filter) -> tuple[Box, ...] | None:  # noqa: A002 - the paper's noun
    """Return closed boxes around exactly what the filter matches, or `None` when it is not made of numeric ranges.

    The boxes may overlap. A strict bound is kept as a closed one (`x < 5` ends at 5): sizes are the same, but an item
    on that edge is in the region and not in the filter. `Everything` is one box without attributes; a filter that
    nothing satisfies is no box at all. `x <> 5` is two boxes that touch. Strings, booleans, timestamps and null tests
    are not numeric ranges.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> [box.region() for box in regions_of(parse_where("x in (1, 2) and y > 3")) or ()]
    [{'x': (1.0, 1.0), 'y': (3.0, None)}, {'x': (2.0, 2.0), 'y': (3.0, None)}]
    """
    if isinstance(filter, Box):
        return (filter,)
    if isinstance(filter, Everything):
        return (Box(),)
    if isinstance(filter, AnyOf):
        parts = [regions_of(member) for member in filter.members]
        if None in parts:
            return None
        boxes = tuple(dict.fromkeys(box for part in parts for box in part or ()))
        return boxes if len(boxes) <= REGIONS_MAX else None
    cells = cells_of(filter)
    if cells is None:
        return None
    found: dict[Box, None] = {}
    for cell in cells:
        if not all(values.only_numbers for _, values in cell):
            return None
        if _count(cell) + len(found) > REGIONS_MAX:
            return None
        found.update(dict.fromkeys(_boxes(cell)))
    return tuple(found)


def _count(cell: Cell) -> int:
    count = 1
    for _, values in cell:
        count *= len(values.number.intervals())
    return count


def _boxes(cell: Cell) -> list[Box]:
    ranges = [[(column, *_ends(low, high)) for low, high in _intervals(values)] for column, values in cell]
    return [Box.of({column: (low, high) for column, low, high in combination}) for combination in product(*ranges)]


def _intervals(values: ValueSet) -> list[tuple[Cut | None, Cut | None]]:
    """Return the intervals but for the one that holds NaN alone, which no box holds."""
    return [(low, high) for low, high in values.number.intervals() if low is None or low[0] != inf or not low[1]]


def _ends(low: Cut | None, high: Cut | None) -> tuple[float, float]:
    return (-inf if low is None else float(low[0])), (inf if high is None else float(high[0]))
