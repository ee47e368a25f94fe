"""From received items to rows of a table: as they come, or records as columns that the user names.

A record's value of another type than its column is null, as Spark's own JSON reader has it; so is everything of an
item that is no record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from distributary.algebra.timestamps import timestamp_of
from distributary.client import Event
from distributary.core.errors import InputError
from distributary.core.items import is_json

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["ENVELOPE", "RowMaker"]

#: Items as they come: JSON, XML and text in `item`, anything else in `data`.
ENVELOPE = "stream string, seq bigint, content_type string, item string, data binary"
_ENVELOPE_NAMES = ["stream", "seq", "content_type", "item", "data"]


class RowMaker:
    """Makes rows of one schema."""

    def __init__(self, schema: StructType) -> None:
        #: Column names with what reads their values; None for items as they come.
        self._columns: list[tuple[str, str]] | None = None
        if schema.fieldNames() != _ENVELOPE_NAMES:
            self._columns = [(field.name, field.dataType.simpleString()) for field in schema.fields]
            for name, kind in self._columns:
                if kind not in _READERS:
                    raise InputError(f"{kind} is none of {', '.join(_READERS)}", field=name)

    def row(self, event: Event) -> tuple[Any, ...]:
        """Return the row of an item."""
        if self._columns is not None:
            record = event.item if isinstance(event.item, dict) else {}
            return tuple(_READERS[kind](record.get(name)) for name, kind in self._columns)
        text, data = None, None
        if isinstance(event.item, bytes):
            data = event.item
        elif is_json(event.content_type):
            text = msgspec.json.encode(event.item).decode()
        else:
            text = event.item
        return event.stream, event.seq, event.content_type, text, data


def _string(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()


def _double(value: Any) -> float | None:
    if value in {"NaN", "Infinity", "-Infinity"} if isinstance(value, str) else False:
        return float(value)
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _integer(bits: int) -> Callable[[Any], int | None]:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def read(value: Any) -> int | None:
        return value if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high else None

    return read


_READERS: dict[str, Callable[[Any], Any]] = {
    "string": _string,
    "bigint": _integer(64),
    "int": _integer(32),
    "double": _double,
    "boolean": _boolean,
    "timestamp": lambda value: timestamp_of(value) if isinstance(value, str) else None,
}
