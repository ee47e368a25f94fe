"""Parquet files through pyarrow, which is imported only when one is read. Types come from the file, not from values.

Integers of up to 64 bits are integers; unsigned ones of 64 bits and decimals are doubles; dates are timestamps at
midnight UTC; what is nested is a string, its JSON text; bytes are a string, their base64.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from distributary.core.errors import InputError, MissingExtra
from distributary.core.values import ColumnType
from distributary.files.text import STANDARD_INPUT, check_readable, name_of

__all__ = ["parquet_rows", "parquet_types"]


def parquet_types(path: str) -> dict[str, ColumnType | None]:
    """Return the columns of a file; one of nulls only has no type yet."""
    with _opened(path) as file:
        schema = file.schema_arrow
        names: list[str] = schema.names
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError("is the name of two columns", file=name_of(path), field=twice[0])
        return {field.name: _type_of(field.type) for field in schema}


def parquet_rows(path: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file as Python values, one batch in memory at a time."""
    with _opened(path) as file:
        for rows in _batches(file, path):
            for row in rows:
                yield {name: _plain(cell) for name, cell in row.items()}


def _batches(file: Any, path: str) -> Iterator[list[dict[str, Any]]]:
    import pyarrow as pa

    try:
        for batch in file.iter_batches():
            yield batch.to_pylist()
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:
        raise InputError(f"is damaged: {error}", file=name_of(path)) from None


def _opened(path: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("pyarrow", "spark") from None
    assert path != STANDARD_INPUT, "standard input is JSON lines"
    check_readable(path)
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"is not a Parquet file: {error}", file=name_of(path)) from None


def _type_of(arrow: Any) -> ColumnType | None:
    import pyarrow.types as kinds

    if kinds.is_null(arrow):
        return None
    if kinds.is_dictionary(arrow):
        return _type_of(arrow.value_type)
    if kinds.is_boolean(arrow):
        return ColumnType.BOOLEAN
    if kinds.is_integer(arrow) and not kinds.is_uint64(arrow):
        return ColumnType.INTEGER
    if kinds.is_integer(arrow) or kinds.is_floating(arrow) or kinds.is_decimal(arrow):
        return ColumnType.DOUBLE
    if kinds.is_timestamp(arrow) or kinds.is_date(arrow):
        return ColumnType.TIMESTAMP
    return ColumnType.STRING


def _plain(cell: Any) -> Any:
    from decimal import Decimal

    if isinstance(cell, Decimal):
        return float(cell)
    return b64encode(cell).decode() if isinstance(cell, bytes) else cell
