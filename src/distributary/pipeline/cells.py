"""Values as JSON can hold them, and back: nothing is lost but the types, which stand beside them.

Spark writes the numbers that JSON lacks as the strings `NaN`, `Infinity` and `-Infinity`; so does this.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TypeAlias

from distributary.core.values import ColumnType, Value
from distributary.files.inference import json_value

__all__ = ["Cell", "cell_of", "value_of"]

#: A value as JSON holds it; timestamps are ISO texts in UTC.
Cell: TypeAlias = bool | int | float | str | None


def cell_of(value: Value) -> Cell:
    """Return a value as JSON can hold it.

    >>> cell_of(float("nan")), cell_of(-0.0), cell_of(datetime(2026, 1, 2, tzinfo=UTC))
    ('NaN', -0.0, '2026-01-02T00:00:00Z')
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def value_of(cell: Cell, column: ColumnType) -> Value:
    """Return the value that `cell_of` wrote, or raise `ValueError` when it is none of that type."""
    if column is ColumnType.DOUBLE and isinstance(cell, str):
        return float(cell)
    return json_value(cell, column)
