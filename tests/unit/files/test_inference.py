from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any

import pytest

from distributary.core.values import ColumnType
from distributary.files.inference import Columns, json_type, json_value, text_type, text_value, wider

INTEGER, DOUBLE, BOOLEAN = ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.BOOLEAN
TIMESTAMP, STRING = ColumnType.TIMESTAMP, ColumnType.STRING


@pytest.mark.parametrize(
    ("cell", "column"),
    [
        ("", None),
        ("0", INTEGER),
        ("-12", INTEGER),
        ("+5", INTEGER),
        ("9223372036854775807", INTEGER),
        ("-9223372036854775808", INTEGER),
        ("9223372036854775808", DOUBLE),
        ("9" * 400, STRING),
        ("9" * 5000, STRING),
        ("1.5", DOUBLE),
        (".5", DOUBLE),
        ("1e5", DOUBLE),
        ("1e999", STRING),
        ("NaN", DOUBLE),
        ("-Infinity", DOUBLE),
        ("007", STRING),
        ("00.5", STRING),
        (" 5", STRING),
        ("1_000", STRING),
        ("\u0663", STRING),
        ("true", BOOLEAN),
        ("FALSE", BOOLEAN),
        ("yes", STRING),
        ("2026-01-31", TIMESTAMP),
        ("2026-01-31T08:00:00.25Z", TIMESTAMP),
        ("2026-02-30", STRING),
        ("20260131", INTEGER),
    ],
)
def test_text_type_of_a_cell(cell: str, column: ColumnType | None) -> None:
    assert text_type(cell) is column


@pytest.mark.parametrize(
    ("cell", "column"),
    [
        (None, None),
        (True, BOOLEAN),
        (7, INTEGER),
        (2**63, DOUBLE),
        (10**400, STRING),
        (1.0, DOUBLE),
        (math.nan, DOUBLE),
        ("7", STRING),
        ("2026-01-31T08:00", TIMESTAMP),
        ([1, 2], STRING),
        ({"a": 1}, STRING),
        (date(2026, 1, 31), TIMESTAMP),
    ],
)
def test_json_type_of_a_value(cell: Any, column: ColumnType | None) -> None:
    assert json_type(cell) is column


def test_wider_is_a_join_so_the_order_of_rows_does_not_matter() -> None:
    types: list[ColumnType | None] = [None, *ColumnType]
    for first in types:
        assert wider(first, first) is first
        for second in types:
            assert wider(first, second) is wider(second, first)
            for third in types:
                assert wider(wider(first, second), third) is wider(first, wider(second, third))


def test_text_value_keeps_the_text_in_a_string_column() -> None:
    assert [text_value(cell, STRING) for cell in ("007", "1.50", "true")] == ["007", "1.50", "true"]


def test_text_value_without_a_zone_is_utc() -> None:
    assert text_value("2026-01-31 08:00:00", TIMESTAMP) == datetime(2026, 1, 31, 8, tzinfo=UTC)


@pytest.mark.parametrize("column", [INTEGER, DOUBLE, BOOLEAN, TIMESTAMP])
def test_text_value_that_does_not_fit_raises(column: ColumnType) -> None:
    with pytest.raises(ValueError, match="red"):
        text_value("red", column)


@pytest.mark.parametrize(
    ("cell", "column"), [(1.5, INTEGER), (True, INTEGER), (1, BOOLEAN), (True, DOUBLE), ("1", DOUBLE), (5, TIMESTAMP)]
)
def test_json_value_that_does_not_fit_raises(cell: object, column: ColumnType) -> None:
    with pytest.raises(ValueError, match=str(cell)):
        json_value(cell, column)


@pytest.mark.parametrize(
    ("cell", "text"),
    [({"a": [1, "é"]}, '{"a":[1,"é"]}'), (5, "5"), (True, "true"), (date(2026, 1, 31), "2026-01-31T00:00:00+00:00")],
)
def test_json_value_in_a_string_column_is_its_json_text(cell: object, text: str) -> None:
    assert json_value(cell, STRING) == text


def test_columns_of_nulls_only_are_strings() -> None:
    columns = Columns(["a"])
    columns.widen({"b": None})
    assert columns.schema() == {"a": STRING, "b": STRING}
