"""A sample of a stream's records as statistics: the size of a filter is the share of the sample that it matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan

import numpy as np
import numpy.typing as npt

from distributary.algebra.anyof import AnyOf
from distributary.algebra.cells import Cell
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Cut, Line
from distributary.algebra.recordfilter import RecordFilter
from distributary.algebra.valuesets import ValueSet
from distributary.core.errors import InputError
from distributary.core.values import Record

__all__ = ["Sample"]

_Mask = npt.NDArray[np.bool_]
_Numbers = npt.NDArray[np.float64]


@dataclass
class Sample:
    """Records, and the size of the stream that they were drawn from.

    `total` is that size in whatever unit sizes have, by default the number of records given. Filters with a normal
    form are tested on whole columns at once (integers beyond 2**53 as doubles there, which is near enough for an
    estimate). Filters of anything but records are refused: a sample of records says nothing about them.
    """

    records: Sequence[Record]
    total: float | None = None
    #: Which records each filter matched, for the filters asked last; the same for sets of a column's values.
    _masks: dict[Filter, _Mask] = field(default_factory=dict, init=False, repr=False, compare=False)
    _in_sets: dict[tuple[str, ValueSet], _Mask] = field(default_factory=dict, init=False, repr=False, compare=False)
    #: The numbers of each column, NaN for what is not one; and where NaN itself stands.
    _columns: dict[str, tuple[_Numbers, _Mask]] = field(default_factory=dict, init=False, repr=False, compare=False)

    _MASKS_MAX = 4096

    def __post_init__(self) -> None:
        if not self.records:
            raise InputError("the sample holds no record", field="records")

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the share of the sample that the filter matches, times the total."""
        return self._scaled(self.mask(filter))

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the share of the sample that both filters match, times the total."""
        return self._scaled(self.mask(first) & self.mask(second))

    def mask(self, filter: Filter) -> _Mask:  # noqa: A002 - the paper's noun
        """Return which records of the sample the filter matches."""
        known = self._masks.get(filter)
        if known is None:
            known = self._matched(filter)
            if len(self._masks) >= self._MASKS_MAX:
                self._masks.clear()
            self._masks[filter] = known
        return known

    def _matched(self, filter: Filter) -> _Mask:  # noqa: A002 - the paper's noun
        count = len(self.records)
        if isinstance(filter, Everything):
            return np.ones(count, dtype=np.bool_)
        if isinstance(filter, AnyOf):
            return self._any([self.mask(member) for member in filter.members])
        if not isinstance(filter, RecordFilter):
            kind = filter.text().kind
            raise InputError("a sample of records cannot measure filters of this kind", field=kind)
        cells = filter.cells()
        if cells is None:
            return np.fromiter(map(filter.matches, self.records), dtype=np.bool_, count=count)
        return self._any([self._in_cell(cell) for cell in cells])

    def _any(self, masks: Sequence[_Mask]) -> _Mask:
        found = np.zeros(len(self.records), dtype=np.bool_)
        for mask in masks:
            found |= mask
        return found

    def _in_cell(self, cell: Cell) -> _Mask:
        inside = np.ones(len(self.records), dtype=np.bool_)
        for column, values in cell:
            inside &= self._in_set(column, values)
        return inside

    def _in_set(self, column: str, values: ValueSet) -> _Mask:
        known = self._in_sets.get((column, values))
        if known is None:
            known = self._tested(column, values)
            if len(self._in_sets) >= self._MASKS_MAX:
                self._in_sets.clear()
            self._in_sets[column, values] = known
        return known

    def _tested(self, column: str, values: ValueSet) -> _Mask:
        if not values.only_numbers:
            test = values.tester()
            cells = (test(record.get(column)) for record in self.records)
            return np.fromiter(cells, dtype=np.bool_, count=len(self.records))
        numbers, not_a_number = self._column(column)
        found = _within(numbers, values.number)
        if values.number.contains(float("nan")):
            found |= not_a_number
        return found

    def _column(self, name: str) -> tuple[_Numbers, _Mask]:
        known = self._columns.get(name)
        if known is None:
            values = [record.get(name) for record in self.records]
            numbers = np.array([_as_double(value) for value in values], dtype=np.float64)
            lost = np.array([isinstance(value, float) and isnan(value) for value in values], dtype=np.bool_)
            known = self._columns[name] = (numbers, lost)
        return known

    def weight(self) -> float:
        """Return the size that one record of the sample stands for."""
        return 1.0 if self.total is None else self.total / len(self.records)

    def _scaled(self, mask: _Mask) -> float:
        total = float(len(self.records)) if self.total is None else self.total
        return total * float(np.count_nonzero(mask)) / len(self.records)


def _within(numbers: _Numbers, line: Line) -> _Mask:
    """Return which numbers lie in a set; NaN, which stands for everything else, lies in none."""
    found = np.zeros(len(numbers), dtype=np.bool_)
    for low, high in line.intervals():
        start, after = (-inf, False) if low is None else (_place(low), low[1])
        stop, closed = (inf, True) if high is None else (_place(high), high[1])
        found |= (numbers > start if after else numbers >= start) & (numbers <= stop if closed else numbers < stop)
    return found


def _place(cut: Cut) -> float:
    assert not isinstance(cut[0], str)
    return float(cut[0])


def _as_double(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
