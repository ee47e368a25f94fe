"""Columns of records as NumPy buffers: what Arrow batches are turned into, and records one by one where there are many.

A column holds values of one sort, or, as `AnyColumn`, Python's values of any sort. Buffers are read, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.algebra.timestamps import microseconds_of
from distributary.core.values import ColumnType, Record, Value
from distributary.matching.records.compiled.encoding import Bytes, Flags, Floats, Ints, encode_numbers, encode_strings
from distributary.matching.records.scale import INTEGER_MAX, Scale

__all__ = ["AnyColumn", "Column", "Columns", "columns_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (microseconds_of(end.replace(tzinfo=UTC)) for end in (datetime.min, datetime.max))
_NO_FLAGS = np.empty(0, dtype=np.bool_)
_NO_OFFSETS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one type.

    Doubles are float64, integers int64, booleans bool, timestamps int64 in microseconds since 1970. A string column's
    `values` are bytes of UTF-8, where string i is `offsets[i] .. offsets[i + 1] - 1`; with `places`, row j is string
    `places[j]` (a dictionary).
    """

    kind: ColumnType
    values: npt.NDArray[Any]
    #: Where a row is not null; without elements, no row is null.
    valid: Flags = field(default_factory=_NO_FLAGS.copy)
    offsets: Ints = field(default_factory=_NO_OFFSETS.copy)
    places: npt.NDArray[Any] | None = None

    def value(self, row: int) -> Value:
        """Return the value of a row as filters test it."""
        if len(self.valid) and not self.valid[row]:
            return None
        if self.kind is ColumnType.STRING:
            place = row if self.places is None else int(self.places[row])
            text: Bytes = self.values[self.offsets[place] : self.offsets[place + 1]]
            return text.tobytes().decode("utf-8", "surrogatepass")
        if self.kind is ColumnType.TIMESTAMP:
            # Beyond what a datetime can be there are no literals, so its ends stand for what lies there.
            return _EPOCH + timedelta(microseconds=min(max(int(self.values[row]), _FIRST), _LAST))
        found: bool | int | float = self.values[row].item()
        return found

    def encode(self, scale: Scale, start: int, out: npt.NDArray[np.int32]) -> None:
        """Write the codes of the rows from `start` on."""
        stop = start + len(out)
        valid = self.valid[start:stop]
        if self.kind is ColumnType.STRING:
            self._encode_strings(scale, start, out)
            return
        values = self.values[start:stop]
        if self.kind is ColumnType.BOOLEAN:
            np.add(values, scale.false, out=out, casting="unsafe")
            if len(valid):
                out[~valid] = 0
        elif self.kind is ColumnType.TIMESTAMP:
            encode_numbers(values, valid, scale.instant_guide, scale.first_instant, 0, out)
        elif self.kind is ColumnType.DOUBLE:
            encode_numbers(values, valid, scale.double_guide, 3, scale.highest_number, out)
        else:
            encode_numbers(values, valid, scale.integer_guide, 3, 0, out)
            too_high = values == INTEGER_MAX
            if too_high.any():
                out[too_high & valid if len(valid) else too_high] = scale.vast_high

    def _encode_strings(self, scale: Scale, start: int, out: npt.NDArray[np.int32]) -> None:
        stop = start + len(out)
        valid = self.valid[start:stop]
        cuts = scale.string_cuts
        if self.places is None:
            encode_strings(self.values, self.offsets[start : stop + 1], valid, *cuts, scale.first_string, out)
            return
        of_strings = np.empty(max(len(self.offsets) - 1, 1), dtype=np.int32)
        encode_strings(
            self.values, self.offsets, _NO_FLAGS, *cuts, scale.first_string, of_strings[: len(self.offsets) - 1]
        )
        # A null row's place may be anything.
        places = self.places[start:stop]
        out[:] = np.where(valid, of_strings[np.where(valid, places, 0)], 0) if len(valid) else of_strings[places]


@dataclass(frozen=True, slots=True)
class AnyColumn:
    """Values as records hold them, of any sort and mixed."""

    values: Sequence[Value]

    def value(self, row: int) -> Value:
        """Return the value of a row."""
        return self.values[row]

    def encode(self, scale: Scale, start: int, out: npt.NDArray[np.int32]) -> None:
        """Write the codes of the rows from `start` on."""
        out[:] = [scale.code(value) for value in self.values[start : start + len(out)]]


_Columns: TypeAlias = Mapping[str, Column | AnyColumn]


@dataclass(frozen=True, slots=True)
class Columns:
    """Records as columns of one length; a column that is not there is null."""

    count: int
    columns: _Columns

    def __len__(self) -> int:
        """Return how many records there are."""
        return self.count

    def doubles(self, name: str) -> Floats | None:
        """Return a column of doubles with NaN for null, or `None` when the column holds anything else."""
        column = self.columns.get(name)
        if not isinstance(column, Column) or column.kind is not ColumnType.DOUBLE:
            return None
        return np.where(column.valid, column.values, np.nan) if len(column.valid) else column.values

    def record(self, row: int) -> Record:
        """Return one record."""
        return {name: column.value(row) for name, column in self.columns.items()}


def columns_of(records: Sequence[Record], names: Sequence[str]) -> Columns:
    """Return the named fields of records as columns, typed ones where all values are of one sort."""
    return Columns(len(records), {name: _column([record.get(name) for record in records]) for name in names})


def _column(values: list[Value]) -> Column | AnyColumn:
    kinds = set(map(type, values))
    nulls = type(None) in kinds
    kinds.discard(type(None))
    if len(kinds) > 1 or not kinds <= {float, int}:
        return AnyColumn(values)
    valid = np.array([value is not None for value in values]) if nulls else _NO_FLAGS
    filled = [value or 0 for value in values] if nulls else values
    if kinds == {float}:
        return Column(ColumnType.DOUBLE, np.array(filled, dtype=np.float64), valid)
    try:
        return Column(ColumnType.INTEGER, np.array(filled, dtype=np.int64), valid)
    except OverflowError:
        return AnyColumn(values)
