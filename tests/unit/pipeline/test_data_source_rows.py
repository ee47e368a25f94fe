"""The data source without Spark and without a node: options, what rows become, and how they are cut into requests."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from distributary.client import Event
from distributary.core.errors import InputError
from distributary.pipeline import publishing
from distributary.pipeline.publishing import Payload, payloads_of
from distributary.pipeline.source_options import SourceOptions, source_options
from distributary.pipeline.source_rows import RowMaker

GIVEN = {"node": "http://127.0.0.1:1, http://127.0.0.1:2", "stream": "quakes"}


def options(**more: str) -> SourceOptions:
    return source_options({**GIVEN, **more})


def test_options_are_read_whatever_their_case() -> None:
    found = source_options({"NODE": "http://a", "Stream": "s", "BATCHBYTES": "2KiB", "failondataloss": "False"})
    assert (found.nodes, found.stream) == (("http://a",), "s")
    assert (found.batch_bytes, found.fail_on_data_loss) == (2048, False)
    assert options().nodes == ("http://127.0.0.1:1", "http://127.0.0.1:2")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"stream": "s"}, "node"),
        ({"node": "http://a"}, "stream"),
        ({**GIVEN, "stream": "a b"}, "stream"),
        ({**GIVEN, "streem": "x"}, "streem"),
        ({**GIVEN, "after": "-1"}, "after"),
        ({**GIVEN, "idle": "soon"}, "idle"),
        ({**GIVEN, "batchBytes": "much"}, "batchBytes"),
        ({**GIVEN, "failOnDataLoss": "perhaps"}, "failOnDataLoss"),
        ({**GIVEN, "namespaces": "[]"}, "namespaces"),
        ({**GIVEN, "where": "x > 1", "xpath": "/a"}, "where"),
        ({**GIVEN, "tokenFile": "/none"}, "tokenFile"),
        ({**GIVEN, "key": "k" * 201}, "key"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(given: dict[str, str], field: str) -> None:
    with pytest.raises(InputError) as raised:
        source_options(given)
    assert raised.value.field == field


def test_records_become_json_that_loses_no_value() -> None:
    row: dict[str, Any] = {
        "id": 2**63 - 1,
        "nan": math.nan,
        "zero": -0.0,
        "at": datetime(2026, 1, 2, 3, tzinfo=UTC),
        "name": "Zürich \U0001f30d",
        "none": None,
        "list": [1, {"a": Decimal("1.5")}],
    }
    [payload] = payloads_of([row], options())
    assert payload.content_type == "application/json"
    assert payload.body.decode() == (
        '{"id":9223372036854775807,"nan":"NaN","zero":-0.0,"at":"2026-01-02T03:00:00Z","name":"Zürich \U0001f30d",'
        '"none":null,"list":[1,{"a":1.5}]}'
    )


def test_items_keep_their_type_and_bytes() -> None:
    rows: list[dict[str, Any]] = [
        {"content_type": "application/xml", "item": "<a/>", "data": None},
        {"content_type": "image/png", "item": None, "data": b"\x89"},
        {"content_type": "application/json", "item": '{"a":\n1}', "data": None},
    ]
    assert list(payloads_of(rows, options())) == [
        Payload("application/xml", b"<a/>"),
        Payload("image/png", b"\x89"),
        Payload("application/json", b'{"a": 1}'),
    ]
    with pytest.raises(InputError, match="null"):
        list(payloads_of([{"content_type": "text/plain", "item": None}], options()))


class FakeClient:
    """Takes what is published and remembers it."""

    def __init__(self, nodes: tuple[str, ...], token: str | None) -> None:
        self.sent: list[tuple[str, list[bytes]]] = []
        made.append(self)

    def __enter__(self) -> FakeClient:
        return self

    def __exit__(self, *error: object) -> None: ...

    def publish_many(self, stream: str, items: list[bytes], *, key: str) -> None:
        self.sent.append((key, items))

    def publish(self, stream: str, item: bytes, *, content_type: str, key: str, header: object) -> None:
        self.sent.append((key, [item]))

    def plan(self, stream: str) -> None:
        raise InputError("this token may not")


made: list[FakeClient] = []


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> list[FakeClient]:
    made.clear()
    monkeypatch.setattr(publishing, "Client", FakeClient)
    return made


def test_batches_are_bounded_in_rows_and_bytes_and_keep_order(client: list[FakeClient]) -> None:
    rows = [{"n": n, "text": "x" * (n % 7)} for n in range(50)]
    for given in ({"batchRows": "8"}, {"batchBytes": "100"}, {"batchBytes": "1"}, {"batchRows": "1"}):
        assert publishing.publish_rows(options(**given), rows, "job-0") == 50
        sent = client.pop().sent
        assert [msgspec.json.decode(line)["n"] for _, lines in sent for line in lines] == list(range(50))
        assert all(len(lines) <= int(given.get("batchRows", 50)) for _, lines in sent)
        limit = int(given.get("batchBytes", 10**9))
        assert all(len(lines) == 1 or sum(map(len, lines)) + len(lines) <= limit for _, lines in sent)
        assert [key for key, _ in sent] == [f"job-0-{number}" for number in range(len(sent))]


def test_task_that_runs_twice_sends_the_same_under_the_same_keys(client: list[FakeClient]) -> None:
    rows = [{"n": n} for n in range(10)]
    for _ in range(2):
        publishing.publish_rows(options(batchRows="3"), rows, "job-0")
    assert client[0].sent == client[1].sent


def test_documents_between_records_cut_the_batches(client: list[FakeClient]) -> None:
    kinds = ["application/json", "application/json", "application/xml", "application/json"]
    rows = [{"content_type": kind, "item": f'"{n}"'} for n, kind in enumerate(kinds)]
    publishing.publish_rows(options(), rows, "j")
    assert [lines for _, lines in client[0].sent] == [[b'"0"', b'"1"'], [b'"2"'], [b'"3"']]


def test_records_are_read_as_the_users_columns() -> None:
    kinds = (LongType(), DoubleType(), BooleanType(), StringType(), TimestampType(), IntegerType())
    schema = StructType([StructField(name, kind) for name, kind in zip("abcdef", kinds, strict=True)])
    maker = RowMaker(schema)
    item = {"a": 1, "b": "NaN", "c": True, "d": {"x": 1}, "e": "2026-01-02T00:00:00Z", "f": 2**31}
    row = maker.row(Event("s", 1, "application/json", item))
    assert row[0] == 1
    assert math.isnan(row[1])
    assert row[2:] == (True, '{"x":1}', datetime(2026, 1, 2, tzinfo=UTC), None)
    wrong = {"a": True, "b": "x", "c": 1, "d": None, "e": "soon", "f": 1.5}
    assert maker.row(Event("s", 2, "application/json", wrong)) == (None,) * 6
    assert maker.row(Event("s", 3, "application/xml", "<a/>")) == (None,) * 6
    with pytest.raises(InputError, match="binary"):
        RowMaker(StructType([StructField("a", BinaryType())]))
