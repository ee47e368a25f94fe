"""Subscribers over server-sent events and WebSocket: what is sent, when, and what happens when either side goes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from distributary.core.answers import Refused
from distributary.core.effects import Answer, Gap
from distributary.core.inputs import DeliveryTaken, SubscribeRequested, Unsubscribed

# Each test starts and stops a server.
pytestmark = pytest.mark.slow

SSE = {"Accept": "text/event-stream"}
JSON = {"Content-Type": "application/json"}


async def publish(served: Any, *items: object) -> None:
    for item in items:
        answer = await served.http.post("/streams/news/items", content=json.dumps(item), headers=JSON)
        assert answer.status_code == 202


async def blocks(answer: httpx.Response) -> AsyncIterator[dict[str, str]]:
    """Yield the events as a naive reader sees them: fields by name, comments under the empty one."""
    block: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(":")
            block[name] = value.strip()
        else:
            yield block
            block = {}


def subscribed(served: Any) -> list[SubscribeRequested]:
    return [given for given in served.node.inputs if isinstance(given, SubscribeRequested)]


def test_sse_sends_each_item_with_its_seq_as_id(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            await publish(served, {"a": 1})
            async with served.http.stream("GET", "/streams/news/subscribe?where=a>0", headers=SSE) as answer:
                assert answer.status_code == 200
                assert answer.headers["content-type"].startswith("text/event-stream")
                await publish(served, {"a": 2}, [3, "x\ny"])
                events = blocks(answer)
                assert (await anext(events))["id"] == "1"
                for seq, item in ((2, {"a": 2}), (3, [3, "x\ny"])):
                    event = await anext(events)
                    assert event["id"] == str(seq)
                    frame = {"stream": "news", "seq": seq, "content_type": "application/json", "item": item}
                    assert json.loads(event["data"]) == frame
            await served.node.until(lambda: served.node.got(Unsubscribed))
            assert subscribed(served)[0].subscription.where == "a>0"
            assert subscribed(served)[0].after is None

    asyncio.run(main())


def test_sse_last_event_id_beats_after(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            await publish(served, 1, 2, 3)
            headers = SSE | {"Last-Event-ID": "2"}
            async with served.http.stream("GET", "/streams/news/subscribe?after=0", headers=headers) as answer:
                events = blocks(answer)
                await anext(events)
                assert (await anext(events))["id"] == "3"
            assert subscribed(served)[0].after == 2

    asyncio.run(main())


def test_sse_fields_gap_and_end_are_told(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            await publish(served, {"a": 1, "b": 2})
            served.node.gap = Gap(1, 4)
            query = {"subscription": '{"id": "s", "fields": ["b"]}', "after": "0"}
            url = httpx.URL("/streams/news/subscribe", params=query)
            async with served.http.stream("GET", url, headers=SSE) as answer:
                events = blocks(answer)
                await anext(events)
                gap = await anext(events)
                assert (gap["event"], json.loads(gap["data"]), gap["id"]) == ("gap", {"from": 1, "to": 4}, "4")
                assert json.loads((await anext(events))["data"])["item"] == {"b": 2}
                await served.node.until(
                    lambda: [given.seq for given in served.node.inputs if isinstance(given, DeliveryTaken)] == [4, 1]
                )
                subscriber, request = next(iter(served.node.requests.items()))
                served.running.sessions.answer(Answer(request, Refused("Unavailable", "is another tree's", "source")))
                error = await anext(events)
                assert error["event"] == "error"
                assert json.loads(error["data"])["status"] == 503
                assert [event async for event in events] == []
            assert Unsubscribed(subscriber) not in served.node.inputs

    asyncio.run(main())


def test_sse_comments_when_nothing_comes(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("distributary.runtime.subscribing.COMMENT_SECONDS", 0.02)
    monkeypatch.setattr("distributary.runtime.subscribing.Subscribing.__init__.__defaults__", (0.02,))

    async def main() -> None:
        async with serve() as served, served.http.stream("GET", "/streams/news/subscribe", headers=SSE) as answer:
            events = blocks(answer)
            await anext(events)
            assert await anext(events) == {"": "still here"}
            await publish(served, 1)
            assert (await anext(events)).get("id", "1") == "1"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("?after=x", SSE, 400),
        ("?unknown=1", SSE, 400),
        ("?where=", SSE, 400),
        ("", {}, 406),
        ("", {"Accept": "application/json"}, 406),
        ("", SSE | {"Last-Event-ID": "x"}, 400),
    ],
)
def test_subscribe_that_is_wrong_is_refused(serve: Any, query: str, headers: dict[str, str], status: int) -> None:
    async def main() -> None:
        async with serve() as served:
            answer = await served.http.get(f"/streams/news/subscribe{query}", headers=headers)
            assert answer.status_code == status
            assert set(answer.json()) == {"error", "field"}
            assert subscribed(served) == []

    asyncio.run(main())


def test_subscribe_refused_or_not_answered_by_the_node(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            served.node.refusal = Refused("InputError", "is no predicate", "where")
            answer = await served.http.get("/streams/news/subscribe?where=1", headers=SSE)
            assert (answer.status_code, answer.json()["field"]) == (400, "where")
            with pytest.raises(InvalidStatus) as caught:
                await connect(served.url.replace("http", "ws") + "/streams/news/subscribe?where=1", proxy=None)
            assert caught.value.response.status_code == 400
            assert json.loads(caught.value.response.body or b"")["field"] == "where"
            served.node.refusal, served.node.silent = None, True
            answer = await served.http.get("/streams/news/subscribe", headers=SSE)
            assert answer.status_code == 503
            assert served.node.got(Unsubscribed)
            head = await served.http.head("/streams/news/subscribe", headers=SSE)
            assert head.status_code == 405

    asyncio.run(main())


def test_websocket_sends_frames_and_hears_nothing(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            served.node.gap = Gap(1, 1)
            await publish(served, {"a": 1})
            url = served.url.replace("http", "ws") + "/streams/news/subscribe?after=0"
            async with connect(url, proxy=None) as socket:
                await socket.send("ignored")
                assert json.loads(await socket.recv()) == {"event": "gap", "from": 1, "to": 1}
                frame = {"stream": "news", "seq": 1, "content_type": "application/json", "item": {"a": 1}}
                assert json.loads(await socket.recv()) == frame
                binary = await served.http.post(
                    "/streams/news/items", content=b"\0\xff", headers={"Content-Type": "image/png"}
                )
                assert binary.status_code == 202
                assert json.loads(await socket.recv())["data"] == "AP8="
            await served.node.until(lambda: served.node.got(Unsubscribed))

    asyncio.run(main())


def test_slow_reader_takes_only_what_fits_the_sockets(serve: Any) -> None:
    """A reader that stops reading holds up its own deliveries, and nobody else's."""

    async def main() -> None:
        async with serve() as served:
            url = served.url.replace("http", "ws") + "/streams/news/subscribe"
            async with connect(url, proxy=None, max_queue=1, max_size=None) as slow, connect(url, proxy=None) as quick:
                big = "x" * 400_000
                for _ in range(60):
                    await publish(served, big)
                for seq in range(1, 61):
                    assert json.loads(await quick.recv())["seq"] == seq
                taken = [given for given in served.node.inputs if isinstance(given, DeliveryTaken)]
                late = len(taken) - 60
                assert late < 40, "24 MB do not fit into sockets"
                for seq in range(1, 61):
                    assert json.loads(await slow.recv())["seq"] == seq

    asyncio.run(main())


@pytest.mark.parametrize("websocket", [False, True])
def test_stop_ends_open_streams_in_time(serve: Any, websocket: bool) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with serve() as served:
            if websocket:
                async with connect(served.url.replace("http", "ws") + "/streams/news/subscribe", proxy=None) as socket:
                    stopping = asyncio.create_task(served.running.stop())
                    began = loop.time()
                    assert json.loads(await socket.recv())["status"] == 503
                    with pytest.raises(ConnectionClosed):
                        await socket.recv()
            else:
                async with served.http.stream("GET", "/streams/news/subscribe", headers=SSE) as answer:
                    stopping = asyncio.create_task(served.running.stop())
                    began = loop.time()
                    assert [block.get("event") async for block in blocks(answer)] == [None, "error"]
            await stopping
            assert loop.time() - began < 3

    asyncio.run(main())
