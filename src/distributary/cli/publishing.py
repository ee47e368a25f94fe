"""What `publish` sends for a file and what `subscribe` prints for a delivery."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any

import msgspec

from distributary.cli.output import err, out, print_json_line
from distributary.client import Client, Event, Gap, Published
from distributary.core.errors import InputError
from distributary.files.records import RawRow, is_record_file, raw_rows, read_records
from distributary.files.text import name_of, read_bytes

__all__ = ["FilePublished", "print_delivery", "publish_file"]

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


def publish_file(client: Client, stream: str, file: str, content_type: str | None) -> FilePublished:
    """Publish a file as one item, or its records in batches; every record is read before the first is sent."""
    if content_type is None and is_record_file(file) and not _is_one_value(file):
        rows = _rows_of(file)
        # The first pass finds what cannot be read, so that nothing is half published for that.
        for _ in rows():
            pass
        done = [(count, client.publish_many(stream, batch)) for count, batch in _batches(rows())]
        if not done:
            raise InputError("has no record", file=name_of(file))
        return FilePublished(sum(count for count, _ in done), done[0][1].first, done[-1][1].last)
    ending = PurePath(file).suffix.lower()
    kind = content_type or _TYPES.get(ending) or mimetypes.guess_type(file)[0]
    if kind is None:
        raise InputError("its ending does not tell what it is; give --type", file=name_of(file))
    one: Published = client.publish(stream, read_bytes(file), content_type=kind)
    return FilePublished(1, one.first, one.last)


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
