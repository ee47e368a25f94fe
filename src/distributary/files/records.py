"""The one reader of records, for every format: columns by the one inference of types, rows as plain values.

A file is read twice: once for its schema and once for its rows, so that no file has to fit into memory; standard
input and `.json` are kept. Names are case-sensitive. Bad rows are refused with their line, or returned as errors in
the place of the row where one bad item must not stop the others (`RecordFile.attempts`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeAlias

from distributary.core.errors import InputError
from distributary.core.values import ColumnType, Record, Schema, Value
from distributary.files.inference import Columns, json_type, json_value, text_type, text_value
from distributary.files.json_text import decode_json
from distributary.files.parquet import parquet_rows, parquet_types
from distributary.files.text import STANDARD_INPUT, check_readable, decoded, lines_of, name_of, read_bytes

__all__ = ["ENDINGS", "RawRow", "RecordFile", "ending_of", "infer_schema", "is_record_file", "raw_rows", "read_records"]

#: The formats, by the ending of the file's name.
ENDINGS = (".json", ".jsonl", ".csv", ".parquet")
#: A row before inference, with its line or place in the file; a row that cannot be read is an error without a place.
RawRow: TypeAlias = tuple[int | str, dict[str, Any] | InputError]

#: The longest CSV cell, in characters; the standard library's own limit is too short for polygons.
_CELL_CHARACTERS_MAX = 16 * 2**20


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The records of one file; every iteration reads the file anew."""

    path: str
    schema: Schema
    _rows: Callable[[], Iterable[RawRow]]
    _value: Callable[[Any, ColumnType], Value]

    def __iter__(self) -> Iterator[Record]:
        """Yield the records; the first row that cannot be read raises `InputError` with its place."""
        for attempt in self.attempts():
            if isinstance(attempt, InputError):
                raise attempt
            yield attempt

    def attempts(self) -> Iterator[Record | InputError]:
        """Yield one record, or the error in its place, for each row of the file."""
        for place, row in self._rows():
            if isinstance(row, InputError):
                yield row.at(file=name_of(self.path), record=place)
                continue
            try:
                yield self._record(row)
            except InputError as error:
                yield error.at(file=name_of(self.path), record=place)

    def _record(self, row: dict[str, Any]) -> Record:
        record: dict[str, Value] = {}
        for name, cell in row.items():
            column = self.schema.get(name)
            if column is None:
                continue
            try:
                record[name] = self._value(cell, column)
            except (ValueError, OverflowError):
                raise InputError(f"is not of the column's type, {column}: {str(cell)[:40]!r}", field=name) from None
        return record


def read_records(path: str, *, schema: Schema | None = None, strict: bool = True) -> RecordFile:
    """Return the records of a file, or of standard input for `-` (JSON lines).

    Args:
        path: A name with one of `ENDINGS`, or `-`.
        schema: The columns to read, where they are known already; else they are inferred from all rows.
        strict: Whether a row that cannot be read raises `InputError` now; else it is left to the iteration.
    """
    rows, value = _source(path)
    if schema is None or strict:
        inferred = _columns(path, rows, strict=strict).schema()
        schema = inferred if schema is None else schema
    return RecordFile(path, schema, rows, value)


def infer_schema(paths: Sequence[str]) -> Schema:
    """Return the columns of all the files taken together, in order of appearance."""
    columns = Columns()
    for path in paths:
        columns.widen(_columns(path, _source(path)[0], strict=True).types())
    return columns.schema()


def is_record_file(path: str) -> bool:
    """Tell whether the name says that the file holds records."""
    return path == STANDARD_INPUT or PurePath(path).suffix.lower() in ENDINGS


def ending_of(path: str) -> str:
    """Return the ending that names the format (`.jsonl` for standard input); another one is an `InputError`."""
    ending = ".jsonl" if path == STANDARD_INPUT else PurePath(path).suffix.lower()
    if ending not in ENDINGS:
        # Such a name may be a slip for a file that is not there at all: that is said first.
        check_readable(path)
        raise InputError(f"its name must end in one of {', '.join(ENDINGS)}", file=name_of(path))
    return ending


def raw_rows(path: str) -> Callable[[], Iterable[RawRow]]:
    """Return what yields the rows as the format has them: JSON values, or texts and `None` from CSV."""
    ending = ending_of(path)
    if ending == ".parquet":
        return lambda: ((f"row {number}", row) for number, row in enumerate(parquet_rows(path), 1))
    if ending == ".csv":
        return lambda: _csv_rows(path)
    if ending == ".json":
        kept = list(_array_rows(path))
        return lambda: kept
    if path == STANDARD_INPUT:
        lines = list(lines_of(path))
        return lambda: _json_lines(lines)
    return lambda: _json_lines(lines_of(path))


def _source(path: str) -> tuple[Callable[[], Iterable[RawRow]], Callable[[Any, ColumnType], Value]]:
    return raw_rows(path), (_csv_value if ending_of(path) == ".csv" else json_value)


def _columns(path: str, rows: Callable[[], Iterable[RawRow]], *, strict: bool) -> Columns:
    ending = ending_of(path)
    if ending == ".parquet":
        columns = Columns()
        columns.widen(parquet_types(path))
        return columns
    columns = Columns(_csv_header(path) if ending == ".csv" else ())
    type_of: Callable[[Any], ColumnType | None] = _csv_type if ending == ".csv" else json_type
    for place, row in rows():
        if not isinstance(row, InputError):
            columns.widen({name: type_of(cell) for name, cell in row.items()})
        elif strict:
            raise row.at(file=name_of(path), record=place)
    return columns


def _csv_type(cell: str | None) -> ColumnType | None:
    return None if cell is None else text_type(cell)


def _csv_value(cell: str | None, column: ColumnType) -> Value:
    return None if cell is None else text_value(cell, column)


def _json_lines(lines: Iterable[bytes]) -> Iterator[RawRow]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _json_object(line)


def _json_object(line: bytes) -> dict[str, Any] | InputError:
    try:
        value = decode_json(decoded(line))
    except InputError as error:
        return error
    return value if isinstance(value, dict) else InputError("is not a JSON object")


def _array_rows(path: str) -> Iterator[RawRow]:
    try:
        rows = decode_json(decoded(read_bytes(path)).removeprefix("\ufeff"))
    except InputError as error:
        raise error.at(file=name_of(path)) from None
    if not isinstance(rows, list):
        raise InputError("is not a JSON array of objects", file=name_of(path))
    for number, row in enumerate(rows, 1):
        yield f"object {number}", row if isinstance(row, dict) else InputError("is not a JSON object")


def _csv_texts(path: str) -> Iterator[str]:
    for number, line in enumerate(lines_of(path), 1):
        try:
            yield decoded(line)
        except InputError as error:
            raise error.at(file=name_of(path), record=number) from None


def _csv_reader(path: str) -> tuple[Any, list[str]]:
    """Return the reader after the header, and the header."""
    csv.field_size_limit(_CELL_CHARACTERS_MAX)
    reader = csv.reader(_csv_texts(path), strict=True)
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=name_of(path), record=1) from None
    if not header:
        raise InputError("is empty: there is no line with the columns' names", file=name_of(path))
    for number, name in enumerate(header, 1):
        if not name:
            raise InputError(f"column {number} has no name", file=name_of(path), record=1)
        if header.count(name) > 1:
            raise InputError("is the name of two columns", file=name_of(path), record=1, field=name)
    return reader, header


def _csv_header(path: str) -> list[str]:
    return _csv_reader(path)[1]


def _csv_rows(path: str) -> Iterator[RawRow]:
    reader, header = _csv_reader(path)
    while True:
        place = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield place, InputError(f"is not CSV: {error}")
            continue
        if len(cells) == len(header):
            yield place, {name: cell or None for name, cell in zip(header, cells, strict=True)}
        elif cells:  # a blank line is no row
            yield place, InputError(f"has {len(cells)} cells, but the header has {len(header)}")
