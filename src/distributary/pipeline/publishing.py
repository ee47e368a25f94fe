"""Publishing a table's rows to a node: what a Spark task sends, and how a task that runs twice publishes once.

A row is a record; or, when there are the columns `item` (or `data`) and `content_type`, an item as it stands. Records
go in batches, each one atomic append with an idempotency key made of the job, the batch, the partition and the place
in it. So a task that Spark repeats over the same rows adds nothing; one that comes with other rows is refused (409).
Rows of one task are published in order; between tasks there is no order.

Only items that are posted alone (all but records, and records with `batchRows` 1) carry a header with the channels of
the node's plan: one request has one header, and grouping rows by their channels would undo their order, and with it
the repeatability of a task when the plan changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from typing import Any, TypeAlias

import msgspec

from distributary.algebra.parse import filter_of
from distributary.client import Client
from distributary.core.errors import DistributaryError, InputError
from distributary.core.headers import Header
from distributary.core.items import JSON, media_type
from distributary.core.status import StreamPlan
from distributary.core.subscriptions import FilterText
from distributary.matching import CompiledMatcher, read_content
from distributary.matching.hints import compact
from distributary.pipeline.cells import cell_of
from distributary.pipeline.source_options import SourceOptions

__all__ = ["Payload", "payloads_of", "publish_rows"]


@dataclass(frozen=True, slots=True)
class Payload:
    """One item to publish."""

    content_type: str
    body: bytes


Row: TypeAlias = Mapping[str, Any]


def publish_rows(options: SourceOptions, rows: Iterable[Row], key: str) -> int:
    """Publish rows in their order under keys that begin with `key`; returns how many there were."""
    published = 0
    with Client(options.nodes, options.token) as client:
        header = _Headers(client, options.stream)
        numbers = count()
        for chunk in _chunks(payloads_of(rows, options), options):
            own = f"{key}-{next(numbers)}"
            first = chunk[0]
            if first.content_type == JSON and options.batch_rows > 1:
                client.publish_many(options.stream, [each.body for each in chunk], key=own)
            else:
                client.publish(
                    options.stream, first.body, content_type=first.content_type, key=own, header=header.of(first)
                )
            published += len(chunk)
    return published


def payloads_of(rows: Iterable[Row], options: SourceOptions) -> Iterator[Payload]:
    """Yield what each row is as an item.

    Numbers that JSON lacks become the strings that Spark writes for them, times become ISO texts, bytes base64.
    """
    for row in rows:
        kind = row.get("content_type") or options.content_type
        if kind is None or not ("item" in row or "data" in row):
            yield Payload(JSON, msgspec.json.encode({name: _plain(value) for name, value in row.items()}))
            continue
        body = row.get("data") if row.get("item") is None else row["item"]
        if body is None:
            raise InputError("is null: there is nothing to publish", field="item")
        yield _item(kind, body.encode() if isinstance(body, str) else _bytes_of(body))


def _item(kind: str, body: bytes) -> Payload:
    if media_type(kind) != JSON:
        return Payload(kind, body)
    # It will be a line of a batch; a line break in JSON stands between tokens, never within a string.
    return Payload(JSON, body.replace(b"\r", b" ").replace(b"\n", b" "))


def _bytes_of(body: Any) -> bytes:
    if not isinstance(body, bytes | bytearray):
        raise InputError("is neither a string nor bytes", field="item")
    return bytes(body)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        # Without a zone it is local time of nowhere; its text says so.
        return cell_of(value) if value.tzinfo else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return cell_of(value) if isinstance(value, float) else value


def _chunks(payloads: Iterable[Payload], options: SourceOptions) -> Iterator[list[Payload]]:
    """Yield what goes into one request: a run of records within the limits, or one item."""
    held: list[Payload] = []
    size = 0
    for payload in payloads:
        batched = payload.content_type == JSON
        length = len(payload.body) + 1
        if held and (not batched or size + length > options.batch_bytes or len(held) == options.batch_rows):
            yield held
            held, size = [], 0
        if not batched:
            yield [payload]
            continue
        held.append(payload)
        size += length
    if held:
        yield held


class _Headers:
    """Matches items against the node's plan, which is asked for once, when the first item is posted alone."""

    def __init__(self, client: Client, stream: str) -> None:
        self._client = client
        self._stream = stream
        #: The plan's version and its filters; None when the node gives none.
        self._plan: tuple[str, CompiledMatcher[int]] | None = None
        self._asked = False

    def of(self, payload: Payload) -> Header | None:
        """Return the header of an item, or None: then the node matches it."""
        if not self._asked:
            self._asked = True
            self._plan = self._read()
        if self._plan is None:
            return None
        version, matcher = self._plan
        try:
            channels = matcher.match(read_content(payload.content_type, payload.body))
        except InputError:
            # The node refuses the item, and says why.
            return None
        return compact(Header(version, tuple(sorted(channels))))

    def _read(self) -> tuple[str, CompiledMatcher[int]] | None:
        try:
            plan: StreamPlan = self._client.plan(self._stream)
            matcher: CompiledMatcher[int] = CompiledMatcher()
            for channel in plan.channels:
                text = FilterText(channel.kind, channel.text, tuple(channel.namespaces.items()))
                matcher.add(channel.channel, filter_of(text))
        except DistributaryError:
            # A token without the scope `route`, a node that is no source, a filter of a newer version: no hint then.
            return None
        return (plan.version, matcher) if plan.channels else None
