"""What `publish` sends for a file and what `subscribe` prints for a delivery."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any

import msgspec

from distributary.algebra.content import content_of
from distributary.cli.output import err, out, print_json_line
from distributary.client import Client, Event, Gap
from distributary.core.errors import InputError, NotAcceptable, TooLarge
from distributary.files.records import RawRow, is_record_file, raw_rows, read_records
from distributary.files.text import STANDARD_INPUT, check_readable, name_of, read_bytes

__all__ = ["FilePublished", "prepared", "print_delivery"]

#: A batch is one append at the source, and one body on the way.
_BATCH_ITEMS = 5000
_BATCH_BYTES = 4 << 20
#: What the standard library's table lacks or names otherwise.
_TYPES = {".xml": "application/xml", ".json": "application/json", ".geojson": "application/geo+json"}


@dataclass(frozen=True, slots=True)
class FilePublished:
    """How many items of a file were published, and their first and last numbers."""

    items: int
    first: int
    last: int


def prepared(file: str, content_type: str | None) -> Callable[[Client, str], FilePublished]:
    """Check a file, every record of it, and return what publishes it: as one item, or its records in batches."""
    if file != STANDARD_INPUT:
        check_readable(file)
    if content_type is None and is_record_file(file) and not _is_one_value(file):
        rows = _rows_of(file)
        if not sum(1 for _ in rows()):
            raise InputError("has no record", file=name_of(file))
        return lambda client, stream: _publish_records(client, stream, file, rows())
    ending = PurePath(file).suffix.lower()
    kind = content_type or _TYPES.get(ending) or mimetypes.guess_type(file)[0]
    if kind is None:
        raise InputError("its ending does not tell what it is; give --type", file=name_of(file))
    body = read_bytes(file)
    with _named(file):
        content_of(kind, body)
    # Only what cannot be read again is kept: the files of one command may be more than memory holds.
    kept = body if file == STANDARD_INPUT else None
    return lambda client, stream: _publish_one(client, stream, file, kind, kept)


def print_delivery(delivery: Event | Gap, *, as_json: bool) -> None:
    """Print an item: as the JSON frame, or for people; a gap is told on stderr, and as JSON on stdout as well."""
    if isinstance(delivery, Gap):
        err.print(f"items {delivery.first} to {delivery.last} are no longer kept", style="yellow")
        if as_json:
            print_json_line({"event": "gap", "from": delivery.first, "to": delivery.last})
    elif as_json:
        kind = "data" if isinstance(delivery.item, bytes) else "item"
        frame = {"stream": delivery.stream, "seq": delivery.seq, "content_type": delivery.content_type}
        print_json_line(frame | {kind: delivery.item})
    else:
        item = delivery.item
        if isinstance(item, bytes):
            text = f"{len(item)} bytes of {delivery.content_type}"
        else:
            text = item if isinstance(item, str) else msgspec.json.encode(item).decode()
        out.print(f"{delivery.seq}  {text}", markup=False)


def _publish_records(client: Client, stream: str, file: str, rows: Iterator[bytes]) -> FilePublished:
    with _named(file):
        done = [(count, client.publish_many(stream, batch)) for count, batch in _batches(rows)]
    return FilePublished(sum(count for count, _ in done), done[0][1].first, done[-1][1].last)


def _publish_one(client: Client, stream: str, file: str, content_type: str, body: bytes | None) -> FilePublished:
    with _named(file):
        one = client.publish(stream, read_bytes(file) if body is None else body, content_type=content_type)
    return FilePublished(1, one.first, one.last)


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Name the file in what is wrong with an item; a wrong stream or address is none of the file's."""
    try:
        yield
    except (NotAcceptable, TooLarge) as error:
        raise error.at(file=name_of(file)) from None


def _is_one_value(file: str) -> bool:
    """Tell whether a `.json` file is one item and no array of records."""
    return PurePath(file).suffix.lower() == ".json" and not read_bytes(file).lstrip().startswith(b"[")


def _rows_of(file: str) -> Callable[[], Iterator[bytes]]:
    """Return what yields each record as JSON: JSON as it is, columns of CSV and Parquet with the types they have."""
    if PurePath(file).suffix.lower() in {".csv", ".parquet"}:
        records = read_records(file)
        return lambda: map(msgspec.json.encode, records)
    rows = raw_rows(file)
    return lambda: _encoded(file, rows())


def _encoded(file: str, rows: Iterable[RawRow]) -> Iterator[bytes]:
    for place, row in rows:
        if isinstance(row, InputError):
            raise row.at(file=name_of(file), record=place)
        yield msgspec.json.encode(row)


def _batches(rows: Iterator[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    batch: list[bytes] = []
    size = 0
    last: list[Any] = [None]
    for row in chain(rows, last):
        if batch and (row is None or len(batch) == _BATCH_ITEMS or size + len(row) > _BATCH_BYTES):
            yield len(batch), batch
            batch, size = [], 0
        if row is not None:
            batch.append(row)
            size += len(row)
