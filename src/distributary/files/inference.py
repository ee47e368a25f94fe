"""The one inference of types, for every format: what a cell may be, what a column becomes, and a cell's value.

A type is inferred only if every value of the column survives it. So `007` stays a string (it may be a code), as do
numbers with spaces around them. Integers beyond 64 bits make their column double. Timestamps are those that predicates
read (`algebra.timestamps`). A column of mixed types is a string column, and so is one that holds nulls only.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from distributary.algebra.timestamps import timestamp_of
from distributary.core.values import ColumnType, Schema, Value

__all__ = ["Columns", "json_type", "json_value", "text_type", "text_value", "wider"]

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_DOUBLE = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
#: Numbers without digits, as Spark and Python write them.
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "Inf": math.inf, "-Infinity": -math.inf, "-Inf": -math.inf}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LEAST, _GREATEST = -(2**63), 2**63 - 1


def wider(first: ColumnType | None, second: ColumnType | None) -> ColumnType | None:
    """Return the narrowest type that holds values of both; `None` stands for nulls only.

    >>> wider(ColumnType.INTEGER, ColumnType.DOUBLE), wider(ColumnType.BOOLEAN, ColumnType.INTEGER)
    (<ColumnType.DOUBLE: 'double'>, <ColumnType.STRING: 'string'>)
    """
    if first is None or first is second:
        return second
    if second is None:
        return first
    return ColumnType.DOUBLE if {first, second} == {ColumnType.INTEGER, ColumnType.DOUBLE} else ColumnType.STRING


def text_type(cell: str) -> ColumnType | None:
    """Return what a CSV cell may be; an empty one is null.

    >>> [str(text_type(cell)) for cell in ("42", "4.2e1", "007", "2026-01-31T08:00:00Z", "true")]
    ['integer', 'double', 'string', 'timestamp', 'boolean']
    """
    if not cell:
        return None
    if _INTEGER.fullmatch(cell):
        # Longer texts are not made integers at all: Python refuses those of thousands of digits.
        return ColumnType.INTEGER if len(cell) <= 20 and _fits(int(cell)) else _double_type(cell)
    if cell in _WORDS or _DOUBLE.fullmatch(cell):
        return ColumnType.DOUBLE if cell in _WORDS else _double_type(cell)
    if cell in _BOOLEANS:
        return ColumnType.BOOLEAN
    return ColumnType.STRING if timestamp_of(cell) is None else ColumnType.TIMESTAMP


def text_value(cell: str, column: ColumnType) -> Value:
    """Return the value of a CSV cell; `ValueError` where the column's type cannot hold it."""
    if not cell:
        return None
    if column is ColumnType.INTEGER:
        return int(cell)
    if column is ColumnType.DOUBLE:
        return _WORDS[cell] if cell in _WORDS else float(cell)
    if column is ColumnType.STRING:
        return cell
    value = _BOOLEANS.get(cell) if column is ColumnType.BOOLEAN else timestamp_of(cell)
    if value is None:
        raise ValueError(cell)
    return value


def json_type(cell: Any) -> ColumnType | None:
    """Return what a decoded JSON value may be; a nested value is a string, its JSON text, as Spark reads it."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return ColumnType.BOOLEAN
    if isinstance(cell, int):
        return ColumnType.INTEGER if _fits(cell) else _finite(cell)
    if isinstance(cell, float):
        return ColumnType.DOUBLE
    if isinstance(cell, datetime | date):
        return ColumnType.TIMESTAMP
    return ColumnType.TIMESTAMP if isinstance(cell, str) and timestamp_of(cell) else ColumnType.STRING


def json_value(cell: Any, column: ColumnType) -> Value:
    """Return the value of a decoded JSON value; `ValueError` where the column's type cannot hold it."""
    if cell is None:
        return None
    if column is ColumnType.DOUBLE:
        return _number(cell)
    if column is ColumnType.TIMESTAMP:
        moment = timestamp_of(cell) if isinstance(cell, str) else cell
        if not isinstance(moment, datetime | date):
            raise ValueError(cell)
        return _instant(moment)
    if column is ColumnType.STRING and isinstance(cell, datetime | date):
        return _instant(cell).isoformat()
    if column is ColumnType.STRING and not isinstance(cell, str):
        return json.dumps(cell, separators=(",", ":"), ensure_ascii=False, default=str)
    if column is ColumnType.STRING and isinstance(cell, str):
        return cell
    if isinstance(cell, bool) == (column is ColumnType.BOOLEAN) and isinstance(cell, int):
        return cell
    raise ValueError(cell)


class Columns:
    """The columns seen so far, in order of appearance, each with the narrowest type that holds all its values.

    >>> columns = Columns()
    >>> columns.widen({"mag": ColumnType.INTEGER}); columns.widen({"mag": ColumnType.DOUBLE, "net": None})
    >>> {name: str(column) for name, column in columns.schema().items()}
    {'mag': 'double', 'net': 'string'}
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        #: The type of each column; `None` while only nulls were seen.
        self._types: dict[str, ColumnType | None] = dict.fromkeys(names)

    def widen(self, types: Mapping[str, ColumnType | None]) -> None:
        """Take in one row, or the schema of one file."""
        for name, column in types.items():
            self._types[name] = wider(self._types.get(name), column)

    def types(self) -> dict[str, ColumnType | None]:
        """Return the columns with `None` for those that hold nulls only."""
        return dict(self._types)

    def schema(self) -> Schema:
        """Return the columns; one of nulls only is a string column."""
        return {name: column or ColumnType.STRING for name, column in self._types.items()}


def _number(cell: Any) -> float:
    if not isinstance(cell, int | float) or isinstance(cell, bool):
        raise ValueError(cell)
    return float(cell)


def _fits(number: int) -> bool:
    return _LEAST <= number <= _GREATEST


def _finite(number: int) -> ColumnType:
    try:
        float(number)
    except OverflowError:
        return ColumnType.STRING
    return ColumnType.DOUBLE


def _double_type(cell: str) -> ColumnType:
    return ColumnType.DOUBLE if math.isfinite(float(cell)) else ColumnType.STRING


def _instant(cell: datetime | date) -> datetime:
    moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day, tzinfo=UTC)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
