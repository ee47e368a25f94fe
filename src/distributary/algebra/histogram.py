"""A multi-dimensional equi-depth histogram of a stream's numeric columns: a k-d tree, split at medians of a sample.

The tree (`Splits`) only says which leaf a row is in; whoever sees all rows counts them and finds their ranges leaf by
leaf (`Histogram`). These counts and ranges are exact, however the tree came about, and so is what follows from them:
which leaves hold nothing but what a filter wants, and which hold nothing of it. Sizes are `stratified`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
import numpy.typing as npt

from distributary.algebra.anyof import AnyOf
from distributary.algebra.cells import Cell, cells_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Cut, Line
from distributary.algebra.valuesets import ValueSet
from distributary.core.errors import InputError

__all__ = ["LEAF_ROWS", "Counts", "Histogram", "Mask", "Numbers", "Splits", "split"]

#: How many rows of the sample a leaf has at least.
LEAF_ROWS = 8

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Splits:
    """A binary tree of equal depth, as a heap: the children of node n, counted from 1, are 2n and 2n + 1.

    A row goes right where its value in the node's column is at least the threshold; smaller ones, null and NaN go
    left, and so does every row where there is no threshold.
    """

    depth: int = 0
    #: For each node the place of its column.
    columns: tuple[int, ...] = ()
    thresholds: tuple[float | None, ...] = ()

    def leaves_of(self, values: Numbers) -> Counts:
        """Return the number of the leaf of each row of an array (row, column), in which NaN is what is no number."""
        nodes = np.ones(len(values), dtype=np.int64)
        if not self.depth:
            return nodes - 1
        columns = np.array(self.columns)
        limits = np.array([nan if limit is None else limit for limit in self.thresholds])
        rows = np.arange(len(values))
        for _ in range(self.depth):
            nodes = 2 * nodes + (values[rows, columns[nodes - 1]] >= limits[nodes - 1])
        found: Counts = nodes - 2**self.depth
        return found


def split(values: Numbers, leaf_rows: int = LEAF_ROWS) -> Splits:
    """Return the tree whose leaves hold equal shares of a sample, as far as equal values allow; O(n log² n) per column.

    Columns take turns from level to level; one with a single value in a node is passed over. No leaf that a row of
    the stream can get to is without a row of the sample: a node that cannot be split sends all its rows to the left.

    >>> split(np.array([[1.0], [2.0], [3.0], [4.0]]), leaf_rows=1)
    Splits(depth=2, columns=(0, 0, 0), thresholds=(3.0, 2.0, 4.0))
    """
    width = values.shape[1]
    depth = max(0, (len(values) // leaf_rows).bit_length() - 1) if width else 0
    columns: list[int] = []
    thresholds: list[float | None] = []
    level = [values]
    for number in range(depth):
        below = []
        for rows in level:
            column, threshold = _split_of(rows, number, leaf_rows)
            columns.append(column)
            thresholds.append(threshold)
            right = rows[:, column] >= (nan if threshold is None else threshold)
            below += [rows[~right], rows[right]]
        level = below
    return Splits(depth, tuple(columns), tuple(thresholds))


def _split_of(rows: Numbers, level: int, leaf_rows: int) -> tuple[int, float | None]:
    """Return the column and the threshold that split a node's rows most evenly, in the first column that has one."""
    width = rows.shape[1]
    if len(rows) < 2 * leaf_rows:
        return 0, None
    for turn in range(width):
        column = (level + turn) % width
        threshold = _median(rows[:, column])
        if threshold is not None:
            return column, threshold
    return 0, None


def _median(values: Numbers) -> float | None:
    """Return the threshold that parts values most evenly with some on both sides; `None` when all are the same."""
    ordered = np.sort(values[~np.isnan(values)])
    lost = len(values) - len(ordered)
    places = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if lost and len(ordered):
        places = np.concatenate([[0], places])
    if not len(places):
        return None
    place = places[np.argmin(np.abs(places + lost - len(values) / 2))]
    return float(ordered[place]) + 0.0


@dataclass(frozen=True, eq=False)
class Histogram:
    """The leaves: exact counts of all rows, and the exact range of each numeric column in each leaf.

    The arrays of columns are (leaf, column). Nulls and NaN are counted apart and lie in no range; the range of no
    number is (inf, -inf). Integers beyond 2**53 are doubles here, as in `sample`.
    """

    columns: tuple[str, ...]
    rows: Counts
    low: Numbers
    high: Numbers
    nulls: Counts
    not_a_number: Counts

    def __post_init__(self) -> None:
        shape = (len(self.rows), len(self.columns))
        if any(each.shape != shape for each in (self.low, self.high, self.nulls, self.not_a_number)):
            raise InputError("its leaves and columns do not agree", field="histogram")
        if len({*self.columns}) < len(self.columns):
            raise InputError("names a column twice", field="histogram")
        if np.any(self.nulls < 0) or np.any(self.not_a_number < 0) or np.any(self._numbers() < 0):
            raise InputError("has counts that cannot be", field="histogram")

    def reach(self, filter: Filter) -> tuple[Mask, Mask]:  # noqa: A002 - the paper's noun
        """Return the leaves whose rows all match the filter, and the leaves in which some row may.

        What the histogram knows nothing of (columns without numbers, filters without normal form) may always match.
        """
        if isinstance(filter, AnyOf):
            return _any([self.reach(member) for member in filter.members], len(self.rows))
        if isinstance(filter, Everything):
            return _any([self._in_cell(())], len(self.rows))
        cells = cells_of(filter)
        if cells is None:
            return np.zeros(len(self.rows), dtype=np.bool_), np.ones(len(self.rows), dtype=np.bool_)
        return _any([self._in_cell(cell) for cell in cells], len(self.rows))

    def _in_cell(self, cell: Cell) -> tuple[Mask, Mask]:
        all_in = np.ones(len(self.rows), dtype=np.bool_)
        some_in = np.ones(len(self.rows), dtype=np.bool_)
        for column, values in cell:
            if column in self.columns:
                whole, part = self._in_set(self.columns.index(column), values)
                all_in &= whole
                some_in &= part
            else:
                all_in[:] = False
        return all_in, some_in

    def _in_set(self, place: int, values: ValueSet) -> tuple[Mask, Mask]:
        whole, part = _against(values.number, self.low[:, place], self.high[:, place])
        none = self._numbers()[:, place] == 0
        whole, part = whole | none, part & ~none
        lost = values.number.contains(nan)
        for counts, wanted in ((self.nulls[:, place], values.null), (self.not_a_number[:, place], lost)):
            whole &= (counts == 0) | wanted
            part |= (counts > 0) & wanted
        return whole, part

    def _numbers(self) -> Counts:
        found: Counts = self.rows[:, None] - self.nulls - self.not_a_number
        return found


def _any(found: Sequence[tuple[Mask, Mask]], count: int) -> tuple[Mask, Mask]:
    all_in, some_in = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for whole, part in found:
        all_in |= whole
        some_in |= part
    return all_in, some_in


def _against(line: Line, low: Numbers, high: Numbers) -> tuple[Mask, Mask]:
    """Return which ranges lie wholly in a set of numbers, and which meet it."""
    whole, part = np.zeros(len(low), dtype=np.bool_), np.zeros(len(low), dtype=np.bool_)
    for first, last in line.intervals():
        start, after = _end(first, -inf, False)
        stop, closed = _end(last, inf, True)
        whole |= (low > start if after else low >= start) & (high <= stop if closed else high < stop)
        part |= (high > start if after else high >= start) & (low <= stop if closed else low < stop)
    return whole, part


def _end(cut: Cut | None, outside: float, after: bool) -> tuple[float, bool]:
    if cut is None:
        return outside, after
    assert not isinstance(cut[0], str)
    return float(cut[0]), cut[1]
