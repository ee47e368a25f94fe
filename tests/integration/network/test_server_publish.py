"""POST of items: what is answered for what, and what the node is given."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from distributary.broker.config import NodeConfig
from distributary.core.answers import Refused
from distributary.core.headers import Header, encode_header
from distributary.core.inputs import PublishRequested
from distributary.core.items import NewItem

# Each test starts and stops a server.
pytestmark = pytest.mark.slow

XML = {"Content-Type": "application/xml"}
LINES = {"Content-Type": "application/x-ndjson"}
SMALL = NodeConfig("", name="fake", item_bytes_max=1000, batch_items_max=5, request_timeout_seconds=0.2)


def published(served: Any) -> list[PublishRequested]:
    return [given for given in served.node.inputs if isinstance(given, PublishRequested)]


def test_publish_item_is_answered_with_its_seq(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            header = Header("v1", (3,))
            headers = XML | {"Idempotency-Key": "one", "Distributary-Header": encode_header(header)}
            answer = await served.http.post("/streams/news/items", content=b"<a/>", headers=headers)
            assert (answer.status_code, answer.json()) == (202, {"stream": "news", "seq": 1})
            request = published(served)[0]
            assert request.items == (NewItem("application/xml", b"<a/>", header),)
            assert (request.stream, request.key) == ("news", "one")
            assert request.digest == hashlib.sha256(b"<a/>").hexdigest()

    asyncio.run(main())


def test_publish_lines_are_one_batch(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            body = b'{"a": 1.10}\n\n  [2]\r\n"x"'
            answer = await served.http.post("/streams/news/items", content=body, headers=LINES)
            assert (answer.status_code, answer.json()) == (202, {"stream": "news", "first": 1, "last": 3})
            assert [item.body for item in published(served)[0].items] == [b'{"a": 1.10}', b"[2]", b'"x"']

    asyncio.run(main())


@pytest.mark.parametrize(
    ("path", "headers", "body", "status", "text"),
    [
        ("/streams/news/items", LINES, b'{"a":1}\n{broken\n', 422, "line 2: body: is no JSON"),
        ("/streams/news/items", LINES, b'{"a":1}\n' + b"[" * 990, 413, "line 2: body: nests too deep"),
        ("/streams/news/items", LINES, b"\n\n", 422, "body: has no line"),
        ("/streams/news/items", LINES, b"1\n2\n3\n4\n5\n6\n", 413, "has more than 5 lines"),
        ("/streams/news/items", XML, b"x" * 1001, 413, "body: has 1001 bytes, at most 1000"),
        ("/streams/news/items", {}, b"<a/>", 415, "Content-Type"),
        ("/streams/news/items", {"Content-Type": "xml"}, b"<a/>", 415, "Content-Type"),
        ("/streams/news/items", XML | {"Content-Encoding": "gzip"}, b"<a/>", 415, "Content-Encoding"),
        ("/streams/news/items", XML | {"Idempotency-Key": ""}, b"<a/>", 400, "Idempotency-Key"),
        ("/streams/news/items", XML | {"Idempotency-Key": "k" * 256}, b"<a/>", 400, "Idempotency-Key"),
        ("/streams/news/items", XML | {"Distributary-Header": "?"}, b"<a/>", 400, "Distributary-Header"),
        ("/streams/ne%20ws/items", XML, b"<a/>", 400, "stream:"),
        ("/streams/..%2F..%2Fetc/items", XML, b"<a/>", 404, "not found"),
        ("/streams/%2E%2E/items", XML, b"<a/>", 400, "stream:"),
        ("/elsewhere", XML, b"<a/>", 404, "not found"),
    ],
)
def test_publish_that_is_wrong_is_refused_before_the_node(
    serve: Any, path: str, headers: dict[str, str], body: bytes, status: int, text: str
) -> None:
    async def main() -> None:
        async with serve(config=SMALL) as served:
            answer = await served.http.post(path, content=body, headers=headers)
            assert answer.status_code == status
            assert text in answer.json()["error"]
            assert "\n" not in answer.json()["error"]
            assert published(served) == []

    asyncio.run(main())


@pytest.mark.parametrize(
    ("refusal", "status", "field"),
    [
        (Refused("NotAcceptable", "is no XML", "item"), 422, "item"),
        (Refused("TooLarge", "is too deep", "item"), 413, "item"),
        (Refused("Conflict", "was used for another body", "Idempotency-Key"), 409, "Idempotency-Key"),
        (Refused("InputError", "is odd", "stream"), 400, "stream"),
        (Refused("NoSpace", "disk full", "log"), 507, None),
        (Refused("Unavailable", "is out of reach", "source"), 503, None),
    ],
)
def test_publish_refused_by_the_node_has_the_errors_status(
    serve: Any, refusal: Refused, status: int, field: str | None
) -> None:
    async def main() -> None:
        async with serve() as served:
            served.node.refusal = refusal
            answer = await served.http.post("/streams/news/items", content=b"<a/>", headers=XML)
            assert (answer.status_code, answer.json()["field"]) == (status, field)
            assert refusal.reason in answer.json()["error"]
            assert ("retry-after" in answer.headers) == (status == 503)

    asyncio.run(main())


def test_publish_to_a_node_that_does_not_answer_is_503(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            served.node.silent = True
            answer = await served.http.post("/streams/news/items", content=b"<a/>", headers=XML)
            assert answer.status_code == 503

    asyncio.run(main())


def test_publish_endless_body_is_cut_at_the_limit(serve: Any) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b"x" * 100

    async def main() -> None:
        async with serve(config=SMALL) as served:
            answer = await served.http.post("/streams/news/items", content=endless(), headers=XML)
            assert answer.status_code == 413

    asyncio.run(main())


def test_publish_that_breaks_off_gives_the_node_nothing(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            host, port = served.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            head = "POST /streams/news/items HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Length: 100\r\n\r\n"
            writer.write(head.encode() + b"half")
            await writer.drain()
            writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
            writer.close()
            assert (await served.http.get("/health")).status_code == 200
            assert published(served) == []
            del reader

    asyncio.run(main())


def test_publish_many_at_once_share_commits(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            posts = [
                served.http.post("/streams/news/items", content=b"%d" % index, headers={"Content-Type": "text/plain"})
                for index in range(60)
            ]
            answers = await asyncio.gather(*posts)
            assert sorted(answer.json()["seq"] for answer in answers) == list(range(1, 61))
            assert served.running.log.appends == 60
            assert served.running.log.commits < 60

    asyncio.run(main())
