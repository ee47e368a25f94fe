"""`Box`: closed ranges on named numeric attributes, the shape that merging and subscriptions with `box` speak.

A box is not a predicate: it has no open bounds, no nulls, no types but numbers. An attribute without a range is not
restricted; an end may be open (infinite), which only our own code makes, never a subscriber.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan

from distributary.algebra.cells import Cell, cell_of
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Sort, between
from distributary.algebra.recordfilter import RecordFilter
from distributary.algebra.valuesets import numbers
from distributary.core.errors import InputError
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["Box"]


@dataclass(frozen=True, slots=True)
class Box(RecordFilter):
    """The records whose named attributes all are numbers within their ranges, ends included.

    `covers` and `intersects` are complete between boxes. A missing, null, NaN, boolean or otherwise not numeric value
    is in no range. Make boxes with `from_ranges` (users' ranges) or `of` (ranges known to be right).

    >>> Box.from_ranges({"lat": (30, 42)}).matches({"lat": 42, "mag": 3.1})
    True
    """

    #: (attribute, low, high), ascending by attribute.
    ranges: tuple[tuple[str, float, float], ...] = ()

    def __post_init__(self) -> None:
        assert all(low <= high and low < inf and high > -inf for _, low, high in self.ranges), self.ranges
        assert all(first[0] < second[0] for first, second in zip(self.ranges, self.ranges[1:], strict=False))

    @classmethod
    def from_ranges(cls, ranges: Mapping[str, Sequence[float]]) -> Box:
        """Return the box of a subscriber's ranges; raises `InputError` with the attribute as the field.

        Refused are: no attribute at all, anything but two numbers, NaN, infinite and inverted ends. (A range that is
        open at one end is a `where`, such as `mag >= 4`.)
        """
        if not ranges:
            raise InputError("names no column", field="box")
        for attribute, ends in ranges.items():
            if len(ends) != 2 or any(isinstance(end, bool) or not isinstance(end, int | float) for end in ends):
                raise InputError("is not a pair of numbers [low, high]", field=attribute)
            low, high = (_double(end) for end in ends)
            if isnan(low) or isnan(high):
                raise InputError("has an end that is not a number (NaN)", field=attribute)
            if not (isfinite(low) and isfinite(high)):
                raise InputError("has an infinite end; use where for a range that is open", field=attribute)
            if low > high:
                reason = f"is inverted: {low:g} > {high:g} (a box over the antimeridian is two subscriptions)"
                raise InputError(reason, field=attribute)
        return cls.of({attribute: (_double(low), _double(high)) for attribute, (low, high) in ranges.items()})

    @classmethod
    def of(cls, ranges: Mapping[str, tuple[float, float]]) -> Box:
        """Return the box of ranges that are right already; infinite ends are open ones."""
        # Adding 0.0 turns -0.0 into 0.0, so that equal boxes have equal texts.
        return cls(tuple((name, float(low) + 0.0, float(high) + 0.0) for name, (low, high) in sorted(ranges.items())))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that are restricted, ascending."""
        return tuple(name for name, _, _ in self.ranges)

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Return the ranges by attribute."""
        return {name: (low, high) for name, low, high in self.ranges}

    def region(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the ranges as results print them: an open end is `None`."""
        return {
            name: (low if isfinite(low) else None, high if isfinite(high) else None) for name, low, high in self.ranges
        }

    def volume(self) -> float:
        """Return the product of the ranges' widths; infinite where one is open, 0 where one is a point.

        A box without attributes is the whole space, so its volume is infinite.
        """
        product = 1.0
        for _, low, high in self.ranges:
            if low == high:
                return 0.0
            product *= high - low
        return product if self.ranges else inf

    def intersection(self, other: Box) -> Box | None:
        """Return the box of the records that both match, or `None` when there are none.

        Boxes that only touch meet in a box of volume 0: their ends are closed.
        """
        ranges = self.bounds()
        for name, low, high in other.ranges:
            mine = ranges.get(name, (-inf, inf))
            ranges[name] = max(mine[0], low), min(mine[1], high)
            if ranges[name][0] > ranges[name][1]:
                return None
        return Box.of(ranges)

    def matches(self, item: Content) -> bool:
        """Tell whether the item is a record with a number in every range."""
        if not isinstance(item, Mapping):
            return False
        for name, low, high in self.ranges:
            value = item.get(name)
            # Integers and doubles compare exactly in Python; NaN compares false.
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                return False
        return True

    def covers(self, other: Filter) -> bool:
        """Tell whether every record that `other` matches lies in the box."""
        if not isinstance(other, Box):
            return RecordFilter.covers(self, other)
        theirs = other.bounds()
        return all(
            name in theirs and low <= theirs[name][0] and theirs[name][1] <= high for name, low, high in self.ranges
        )

    def intersects(self, other: Filter) -> bool:
        """Tell whether some record may match both."""
        if not isinstance(other, Box):
            return RecordFilter.intersects(self, other)
        return self.intersection(other) is not None

    def cells(self) -> tuple[Cell, ...]:
        """Return the box as the one cell that it is."""
        cell = cell_of(
            (name, numbers(between(Sort.NUMBER, (low, False), (high, True)))) for name, low, high in self.ranges
        )
        return (cell,) if cell is not None else ()

    def text(self) -> FilterText:
        """Return the ranges as a JSON object; an open end is null."""
        return FilterText("box", json.dumps(self.region(), separators=(",", ":"), ensure_ascii=False))


def _double(end: float) -> float:
    try:
        return float(end)
    except OverflowError:  # an integer of JSON may have any length
        return inf if end > 0 else -inf
