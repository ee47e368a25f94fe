"""Columns of each type give the matches that their values give; see `tests/property/test_record_matcher` for more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import ColumnType, Record
from distributary.matching.records import Column, Columns, RecordMatcher, columns_of

TEXTS = ["", "a", "ab", "abc", "b", "é", "\U0001f600", "\uffff", "2018-02-01", "2018-02-01T00:00:00Z", "zz", "a%"]
WANTED = [
    "v = 'ab'",
    "v >= 'b' and v < 'zz'",
    "v like 'a%'",
    "v like '%b%'",
    "v not like '_'",
    "v in ('a', 'é', '\U0001f600')",
    "v > '\uffff'",
    "v = timestamp '2018-02-01'",
    "v <= timestamp '2018-02-01 00:00:00.000001'",
    "v > '2018-01-01'",
    "v is null",
    "v is not null",
    "v <=> null or v = true",
    "v != false",
    "not (v <=> true)",
    "v = 9007199254740993",
    "v > 9007199254740992 and v <= 9223372036854775807",
    "v >= 9223372036854775807",
    "v < -9223372036854775808 or v = -9223372036854775808",
    "v between 1 and 2.5",
    "v > 1e308",
]


def strings(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def check(column: Column, count: int) -> None:
    matcher: RecordMatcher[str] = RecordMatcher()
    filters = {text: parse_where(text) for text in WANTED}
    for text, wanted in filters.items():
        matcher.add(text, wanted)
    columns = Columns(count, {"v": column})
    start, serials = matcher.match_columns(columns)
    for row in range(count):
        record = columns.record(row)
        expected = tuple(text for text, wanted in filters.items() if wanted.matches(record))
        assert matcher.keys_of(serials[start[row] : start[row + 1]]) == expected, record
        assert matcher.match(record) == expected, record


def test_strings_with_and_without_nulls() -> None:
    text, offsets = strings(TEXTS)
    check(Column(ColumnType.STRING, text, offsets=offsets), len(TEXTS))
    valid = np.arange(len(TEXTS)) % 3 != 0
    check(Column(ColumnType.STRING, text, valid, offsets), len(TEXTS))


def test_strings_of_a_dictionary_where_a_null_points_nowhere() -> None:
    text, offsets = strings(TEXTS)
    places = np.array([3, 3, 0, 8, 1000, 5], dtype=np.int32)
    valid = places < 1000
    check(Column(ColumnType.STRING, text, valid, offsets, places), len(places))
    check(Column(ColumnType.STRING, text, offsets=offsets, places=places[:4]), 4)


def test_a_dictionary_without_strings_is_all_null() -> None:
    nothing = np.zeros(2, dtype=np.bool_)
    empty = np.empty(0, dtype=np.uint8)
    check(Column(ColumnType.STRING, empty, nothing, np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int32)), 2)


def test_booleans_timestamps_doubles_and_integers_with_nulls() -> None:
    valid = np.array([True, True, False, True])
    check(Column(ColumnType.BOOLEAN, np.array([True, False, True, False]), valid), 4)
    instants = [datetime(2018, 2, 1, tzinfo=UTC) + timedelta(microseconds=step) for step in (-1, 0, 1, 2)]
    values = [(each - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) for each in instants]
    check(Column(ColumnType.TIMESTAMP, np.array(values), valid), 4)
    check(Column(ColumnType.DOUBLE, np.array([np.nan, np.inf, 1.0, 2.0**63]), valid), 4)
    check(Column(ColumnType.DOUBLE, np.array([-0.0, 2.5, -np.inf, 2.0**53])), 4)
    check(Column(ColumnType.INTEGER, np.array([2**63 - 1, -(2**63), 5, 2**53 + 1]), valid), 4)
    check(Column(ColumnType.INTEGER, np.array([2**63 - 1, 2**63 - 2, 2**53, 1])), 4)


def test_a_timestamp_beyond_the_year_9999_is_later_than_every_literal() -> None:
    matcher: RecordMatcher[str] = RecordMatcher()
    matcher.add("late", parse_where("t > timestamp '2018-02-01' and s like '%a%'"))
    text, offsets = strings(["a"])
    columns = {
        "t": Column(ColumnType.TIMESTAMP, np.array([2**62])),
        "s": Column(ColumnType.STRING, text, offsets=offsets),
    }
    start, _ = matcher.match_columns(Columns(1, columns))
    assert start.tolist() == [0, 1]


def test_columns_of_records_are_typed_where_all_values_are_of_one_sort() -> None:
    records: list[Record] = [{"x": 1.5, "n": 1, "m": 1, "v": 2**70}, {"x": None, "n": 2, "m": True}]
    found = columns_of(records, ("x", "n", "m", "v", "absent"))
    kinds = {name: column.kind for name, column in found.columns.items() if isinstance(column, Column)}
    assert kinds == {"x": ColumnType.DOUBLE, "n": ColumnType.INTEGER, "absent": ColumnType.INTEGER}
    expected = {"x": None, "n": 2, "m": True, "v": None, "absent": None}
    assert [found.record(0), found.record(1)] == [{**records[0], "absent": None}, expected]


@pytest.mark.parametrize("count", [0, 1, 7])
def test_without_filters_or_records_nothing_matches(count: int) -> None:
    matcher: RecordMatcher[int] = RecordMatcher()
    start, serials = matcher.match_columns(Columns(count, {}))
    assert start.tolist() == [0] * (count + 1)
    assert len(serials) == 0
    matcher.add(0, parse_where("v is null"))
    start, _ = matcher.match_columns(Columns(count, {}))
    assert start.tolist() == list(range(count + 1))
