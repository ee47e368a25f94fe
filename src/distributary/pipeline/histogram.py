"""The histogram over all numeric columns together, as Spark counts it and as a profile's file holds it.

The tree that says which leaf a row is in comes from the sample and is not kept: the file holds each leaf's counts and
ranges, and the leaf of each row of the sample. What the leaves tell of filters is `algebra.histogram`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isinf
from typing import Any

import msgspec
import numpy as np

from distributary.algebra.histogram import Counts, Histogram, Numbers, Splits, split
from distributary.core.values import ColumnType, Schema, Value
from distributary.pipeline.cells import Cell, cell_of, value_of
from distributary.pipeline.items import RESERVED, quoted

__all__ = ["LEAF", "LeafProfile", "leaf_of", "leaves_of", "numeric_columns", "splits_of"]

#: The added column.
LEAF = f"{RESERVED}leaf"
#: Names in Spark's expressions that no column can have.
_NODE, _LEVEL = f"{RESERVED}node", f"{RESERVED}level"
_NUMERIC = (ColumnType.INTEGER, ColumnType.DOUBLE)


class LeafProfile(msgspec.Struct, frozen=True):
    """The leaves, column by column; the ends of a column without numbers in a leaf are null."""

    columns: tuple[str, ...]
    #: Rows of the stream in each leaf.
    rows: tuple[int, ...]
    minimum: tuple[tuple[Cell, ...], ...]
    maximum: tuple[tuple[Cell, ...], ...]
    #: Rows, not fractions.
    nulls: tuple[tuple[int, ...], ...]
    not_a_number: tuple[tuple[int, ...], ...]
    #: The leaf of each row of the sample.
    sample: tuple[int, ...]

    def histogram(self) -> Histogram:
        """Return the histogram; `InputError` or `ValueError` where its parts do not agree."""
        if not self.rows:
            return _of_nothing(self.columns)
        shape = (len(self.columns), len(self.rows))
        low = [[_end(cell, inf) for cell in cells] for cells in self.minimum]
        high = [[_end(cell, -inf) for cell in cells] for cells in self.maximum]
        return Histogram(
            self.columns,
            np.array(self.rows, dtype=np.int64),
            np.array(low, dtype=np.float64).reshape(shape).T,
            np.array(high, dtype=np.float64).reshape(shape).T,
            np.array(self.nulls, dtype=np.int64).reshape(shape).T,
            np.array(self.not_a_number, dtype=np.int64).reshape(shape).T,
        )

    def of_sample(self) -> Counts:
        """Return the leaf of each row of the sample, which without rows is one empty record."""
        return np.array(self.sample or (0,), dtype=np.int64)


def numeric_columns(schema: Schema) -> tuple[str, ...]:
    """Return the columns that the histogram is over."""
    return tuple(name for name, column in schema.items() if column in _NUMERIC)


def splits_of(schema: Schema, sample: Mapping[str, Sequence[Value]]) -> Splits:
    """Return the tree that splits the sample's numeric columns."""
    return split(_numbers(schema, sample))


def leaf_of(splits: Splits, columns: Sequence[str]) -> str:
    """Return the Spark SQL expression of the number of a row's leaf.

    A walk over arrays, since the tree written out as nested conditions would outgrow what Java compiles.
    """
    if not splits.depth:
        return "0"
    values = ", ".join(f"double({quoted(name)})" for name in columns)
    # Null is less than any threshold, and NaN is to be as well: both go left.
    found = f"nanvl(element_at(array({values}), element_at({_array(splits.columns)}, {_NODE})), double(null))"
    right = f"coalesce({found} >= element_at({_thresholds(splits)}, {_NODE}), false)"
    walk = f"({_NODE}, {_LEVEL}) -> 2 * {_NODE} + int({right})"
    return f"aggregate(sequence(1, {splits.depth}), 1, {walk}) - {2**splits.depth}"


def leaves_of(
    schema: Schema, sample: Mapping[str, Sequence[Value]], splits: Splits, counted: Sequence[Mapping[str, Any]]
) -> LeafProfile:
    """Return the leaves that hold rows, ascending, numbered anew.

    `counted` has, for each leaf by its number in `LEAF`: `rows` and, with the column's place in the schema at the
    end, `present_` (not null), `numbers_` (not NaN either), `minimum_` and `maximum_`.
    """
    numbers = {leaf[LEAF]: place for place, leaf in enumerate(counted)}
    columns = numeric_columns(schema)
    places = [list(schema).index(name) for name in columns]
    return LeafProfile(
        columns,
        tuple(leaf["rows"] for leaf in counted),
        tuple(tuple(_cell(leaf[f"minimum_{place}"]) for leaf in counted) for place in places),
        tuple(tuple(_cell(leaf[f"maximum_{place}"]) for leaf in counted) for place in places),
        tuple(tuple(leaf["rows"] - leaf[f"present_{place}"] for leaf in counted) for place in places),
        tuple(tuple(leaf[f"present_{place}"] - leaf[f"numbers_{place}"] for leaf in counted) for place in places),
        tuple(numbers[int(leaf)] for leaf in splits.leaves_of(_numbers(schema, sample))),
    )


def _of_nothing(columns: tuple[str, ...]) -> Histogram:
    """Return the histogram of a stream without rows: one leaf with nothing in it."""
    none = np.zeros((1, len(columns)), dtype=np.int64)
    ends = np.full(none.shape, inf)
    return Histogram(columns, np.zeros(1, dtype=np.int64), ends, -ends, none, none)


def _numbers(schema: Schema, sample: Mapping[str, Sequence[Value]]) -> Numbers:
    """Return the numeric columns of a sample as an array (row, column); NaN is what is no number."""
    columns = [sample[name] for name in numeric_columns(schema)]
    rows = len(next(iter(sample.values()), ()))
    found = np.empty((rows, len(columns)), dtype=np.float64)
    for place, values in enumerate(columns):
        found[:, place] = [float(value) if isinstance(value, int | float) else float("nan") for value in values]
    return found


def _array(numbers: Sequence[int]) -> str:
    # Arrays of Spark SQL count from 1.
    return f"array({', '.join(str(number + 1) for number in numbers)})"


def _thresholds(splits: Splits) -> str:
    return f"array({', '.join(map(_double, splits.thresholds))})"


def _double(number: float | None) -> str:
    if number is None:
        return "double(null)"
    return f"double('{'-' if number < 0 else ''}Infinity')" if isinf(number) else f"{number!r}D"


def _cell(end: float | None) -> Cell:
    """Return an end of a range as JSON holds it; both zeros are one, for Spark finds either."""
    return None if end is None else cell_of(float(end) + 0.0)


def _end(cell: Cell, nothing: float) -> float:
    value = value_of(cell, ColumnType.DOUBLE)
    return float(value) if isinstance(value, int | float) else nothing
