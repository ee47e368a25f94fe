"""Arrow columns of every type match as the records that they hold do."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from distributary.algebra.predicate_parser import parse_where
from distributary.core.errors import InputError
from distributary.core.values import ColumnType, Value
from distributary.matching.records import Column, RecordMatcher
from distributary.pipeline.columns import columns_of_batch

WANTED = [
    "v is null",
    "v >= 2",
    "v = 9007199254740993",
    "v < 'b'",
    "v like '%c'",
    "v = true",
    "v > timestamp '2018-02-01'",
    "v <= timestamp '1969-12-31 23:59:59.999999'",
]
NOON = datetime(2018, 2, 1, 12, tzinfo=UTC)
BEFORE = datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


ARRAYS: list[tuple[Any, list[Value]]] = [
    (pa.array([1, None, 2**53 + 1, 5]), [1, None, 2**53 + 1, 5]),
    (pa.array([1, None, 3], pa.int8()), [1, None, 3]),
    (pa.array([1, 2**32 - 1], pa.uint32()), [1, 2**32 - 1]),
    (pa.array([1, 2**64 - 1, None], pa.uint64()), [1.0, 2.0**64, None]),
    (pa.array([1.5, None, float("nan"), 2.0]), [1.5, None, float("nan"), 2.0]),
    (pa.array([1.5, None, 3.25], pa.float32()), [1.5, None, 3.25]),
    (pa.array([Decimal("2.50"), None, Decimal("1.10")]), [2.5, None, 1.1]),
    (pa.array([True, None, False]), [True, None, False]),
    (pa.array(["abc", None, "", "é"]), ["abc", None, "", "é"]),
    (pa.array(["abc", None, "", "é"], pa.large_string()), ["abc", None, "", "é"]),
    (pa.array(["abc", None, "", "é"], pa.string_view()), ["abc", None, "", "é"]),
    (pa.array(["abc", None, "b", "abc"]).dictionary_encode(), ["abc", None, "b", "abc"]),
    (pa.array([1, None, 2]).dictionary_encode(), [1, None, 2]),
    (pa.DictionaryArray.from_arrays([0, 1, None], pa.array(["c", None])), ["c", None, None]),
    (pa.array([NOON, None, BEFORE], pa.timestamp("us", "UTC")), [NOON, None, BEFORE]),
    (pa.array([NOON, BEFORE], pa.timestamp("us", "Europe/Paris")), [NOON, BEFORE]),
    (pa.array([NOON.replace(tzinfo=None)], pa.timestamp("s")), [NOON]),
    (pa.array([-1, None, 0], pa.timestamp("ns", "UTC")), [BEFORE, None, datetime(1970, 1, 1, tzinfo=UTC)]),
    (pa.array([date(2018, 2, 2), None]), [midnight(date(2018, 2, 2)), None]),
    (pa.array([None, None]), [None, None]),
    (pa.array([], pa.string()), []),
]


@pytest.mark.parametrize(("array", "values"), ARRAYS, ids=lambda each: str(getattr(each, "type", "")))
@pytest.mark.parametrize("skipped", [0, 1])
def test_matches_of_a_batch_are_those_of_its_records(array: Any, values: list[Value], skipped: int) -> None:
    batch = pa.record_batch({"v": array[skipped:]})
    filters = {text: parse_where(text) for text in WANTED}
    matcher: RecordMatcher[str] = RecordMatcher()
    for text, wanted in filters.items():
        matcher.add(text, wanted)
    start, serials = matcher.match_columns(columns_of_batch(batch))
    found = [matcher.keys_of(serials[start[row] : start[row + 1]]) for row in range(batch.num_rows)]
    assert found == [
        tuple(text for text, wanted in filters.items() if wanted.matches({"v": value})) for value in values[skipped:]
    ]


def test_doubles_integers_and_text_are_not_copied() -> None:
    arrays = {"d": pa.array([1.0, 2.0]), "i": pa.array([1, 2]), "s": pa.array(["a", "b"])}
    columns = columns_of_batch(pa.record_batch(arrays)).columns
    for name, array in arrays.items():
        column = columns[name]
        assert isinstance(column, Column)
        address = column.values.__array_interface__["data"][0]
        assert address == array.buffers()[-1].address


def test_only_columns_that_are_named_are_turned() -> None:
    batch = pa.record_batch({"x": pa.array([1]), "nested": pa.array([[1]])})
    assert list(columns_of_batch(batch, ("x", "absent")).columns) == ["x"]
    with pytest.raises(InputError, match=r"nested: is of type list<.*>, which no filter"):
        columns_of_batch(batch)


def test_two_columns_of_one_name_are_refused() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])
    with pytest.raises(InputError, match="x: is the name of two columns"):
        columns_of_batch(batch)


def test_a_time_that_no_microseconds_can_say_is_refused() -> None:
    batch = pa.record_batch({"t": pa.array([2**62], pa.timestamp("s"))})
    with pytest.raises(InputError, match="t: cannot be read"):
        columns_of_batch(batch)


def test_a_null_column_holds_no_value() -> None:
    column = columns_of_batch(pa.record_batch({"x": pa.nulls(3)})).columns["x"]
    assert isinstance(column, Column)
    assert column.kind is ColumnType.BOOLEAN
    assert not np.any(column.valid)
