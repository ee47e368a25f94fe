"""From Arrow batches to the buffers that the matcher of records works on; what lies there already is not copied.

Types are taken as Parquet files' are (`files.parquet`): unsigned integers of 64 bits and decimals are doubles, dates
are timestamps at midnight UTC. Bytes and what is nested are refused: no filter can ask for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from distributary.core.errors import InputError
from distributary.core.values import ColumnType
from distributary.matching.records import Column, Columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["columns_of_batch"]


def columns_of_batch(batch: pa.RecordBatch, names: Iterable[str] | None = None) -> Columns:
    """Return the columns of a batch, or of those that are named the ones that it has.

    The batch must live as long as the columns. A column of a type that filters do not know is an `InputError`.
    """
    wanted = None if names is None else set(names)
    found: dict[str, Column] = {}
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        if name in found:
            raise InputError("is the name of two columns", field=name)
        if wanted is None or name in wanted:
            found[name] = _column(name, array)
    return Columns(batch.num_rows, found)


def _column(name: str, array: pa.Array) -> Column:
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_dictionary(array.type):
        if kinds.is_string(array.type.value_type) and not array.dictionary.null_count:
            return _dictionary(array)
        array = array.dictionary_decode()
    kind = array.type
    try:
        if kinds.is_null(kind):
            return Column(
                ColumnType.BOOLEAN, np.zeros(len(array), dtype=np.bool_), np.zeros(len(array), dtype=np.bool_)
            )
        if kinds.is_boolean(kind):
            values = array.fill_null(False).to_numpy(zero_copy_only=False)
            return Column(ColumnType.BOOLEAN, values, _valid(array))
        if kinds.is_integer(kind) and not kinds.is_uint64(kind):
            return Column(ColumnType.INTEGER, _values(array.cast(pa.int64()), np.int64), _valid(array))
        if kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind):
            # As Python's float() has it: the double that is nearest.
            doubles = array.cast(pa.float64(), safe=False)
            return Column(ColumnType.DOUBLE, _values(doubles, np.float64), _valid(array))
        if kinds.is_timestamp(kind) or kinds.is_date(kind):
            return Column(ColumnType.TIMESTAMP, _microseconds(array), _valid(array))
        if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
            return _strings(array)
    except pa.ArrowException as error:
        raise InputError(f"cannot be read as {kind}: {error}", field=name) from None
    raise InputError(f"is of type {kind}, which no filter of records can test", field=name)


def _valid(array: pa.Array) -> Any:
    if not array.null_count:
        return np.empty(0, dtype=np.bool_)
    return array.is_valid().to_numpy(zero_copy_only=False)


def _values(array: pa.Array, kind: type) -> Any:
    """Return the values as they lie in memory; those of nulls may be anything."""
    buffer = array.buffers()[1]
    if buffer is None:
        return np.empty(0, dtype=kind)
    return np.frombuffer(buffer, dtype=kind)[array.offset : array.offset + len(array)]


def _microseconds(array: pa.Array) -> Any:
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_timestamp(array.type) and array.type.unit == "ns":
        # Digits beyond the microsecond are dropped, before 1970 too.
        return _values(array, np.int64) // 1000
    zone = array.type.tz if kinds.is_timestamp(array.type) else None
    return _values(array.cast(pa.timestamp("us", tz=zone)), np.int64)


def _strings(array: pa.Array, **more: Any) -> Column:
    import pyarrow as pa

    whole = array.cast(pa.large_string())
    offsets, text = whole.buffers()[1:]
    if offsets is None or not len(whole):
        places = np.zeros(len(whole) + 1, dtype=np.int64)
    else:
        places = np.frombuffer(offsets, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
    held = np.empty(0, dtype=np.uint8) if text is None else np.frombuffer(text, dtype=np.uint8)
    return Column(ColumnType.STRING, held, **{"valid": _valid(array), "offsets": places, **more})


def _dictionary(array: pa.Array) -> Column:
    import pyarrow as pa

    places = _values(array.indices.cast(pa.int64()), np.int64)
    return _strings(array.dictionary, valid=_valid(array), places=places)
