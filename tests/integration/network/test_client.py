"""Both clients against a served node: the same calls, reconnection without loss, and errors with their kinds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from distributary.client import AsyncClient, Client, Event, Gap, Published
from distributary.core.answers import Refused
from distributary.core.effects import Answer
from distributary.core.effects import Gap as NodeGap
from distributary.core.errors import InputError, NotAcceptable, Unavailable
from distributary.core.inputs import PublishRequested, SubscribeRequested

pytestmark = pytest.mark.slow


def with_client(serve: Any, use: Callable[[Client, Any], None], **options: Any) -> None:
    """Run a synchronous client in a thread beside the node."""

    async def main() -> None:
        async with serve() as served:

            def work() -> None:
                with Client(served.url, **options) as client:
                    use(client, served)

            await asyncio.to_thread(work)

    asyncio.run(main())


def test_client_publishes_and_reads_back(serve: Any) -> None:
    def use(client: Client, served: Any) -> None:
        served.node.gap = NodeGap(1, 3)
        assert client.publish("news", {"a": 1}) == Published("news", 1, 1)
        assert client.publish("news", b"\0", content_type="image/png").seq == 2
        assert client.publish_many("news", [{"a": 2}, {"a": 3}]) == Published("news", 3, 4)
        deliveries = client.subscribe("news", where="a > 0", after=0)
        assert next(deliveries) == Gap(1, 3)
        assert client.status().name == "fake"
        assert client.plan("news").version == "v1"
        # Items up to the end of the gap were told as lost; none of them may come behind it.
        assert next(deliveries) == Event("news", 4, "application/json", {"a": 3})

    with_client(serve, use)


def test_client_errors_have_their_kinds(serve: Any) -> None:
    def use(client: Client, served: Any) -> None:
        served.node.refusal = Refused("NotAcceptable", "is no XML", "item")
        with pytest.raises(NotAcceptable, match="item: is no XML"):
            client.publish("news", "<a")
        with pytest.raises(NotAcceptable):
            client.subscribe("news", xpath="//a")
        served.node.refusal = Refused("Unavailable", "is out of reach", "source")
        with pytest.raises(Unavailable, match="source: is out of reach"):
            client.publish("news", "x")
        keys = {given.key for given in served.node.inputs if isinstance(given, PublishRequested)}
        assert len(keys) == 2, "each publication keeps its key however often it is tried"
        with pytest.raises(InputError):
            client.subscribe("no name")

    with_client(serve, use, patience_seconds=0.5)


def test_client_goes_on_where_it_was_when_the_node_ends_its_stream(serve: Any) -> None:
    def use(client: Client, served: Any) -> None:
        client.publish_many("news", [{"a": number} for number in range(3)])
        deliveries = client.subscribe("news", after=0)
        assert [next(deliveries).seq for _ in range(3)] == [1, 2, 3]  # type: ignore[union-attr]
        end = Answer(next(iter(served.node.requests.values())), Refused("Unavailable", "went away", "source"))
        served.running.driver._loop.call_soon_threadsafe(served.running.sessions.answer, end)
        client.publish("news", {"a": 4})
        assert next(deliveries) == Event("news", 4, "application/json", {"a": 4})
        assert [given.after for given in served.node.inputs if isinstance(given, SubscribeRequested)] == [0, 3]

    with_client(serve, use)


def test_client_takes_the_next_node_when_the_first_is_out_of_reach(serve: Any) -> None:
    def use(_: Client, served: Any) -> None:
        with Client(["http://127.0.0.1:9", served.url]) as client:
            assert client.publish("news", "x").seq == 1
            assert next(client.subscribe("news", after=0)).seq == 1  # type: ignore[union-attr]

    with_client(serve, use)


def test_client_gives_up_when_its_patience_is_over() -> None:
    with Client("http://127.0.0.1:9", patience_seconds=0.3) as client:
        for ask in (client.status, lambda: client.subscribe("news")):
            with pytest.raises(Unavailable, match=re.escape("http://127.0.0.1:9: cannot be reached")):
                ask()


def test_async_client_publishes_and_reads_back(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served, AsyncClient(["http://127.0.0.1:9", served.url]) as client:
            deliveries = await client.subscribe("news")
            assert await client.publish("news", "<a/>") == Published("news", 1, 1)
            assert await client.publish_many("news", [b'{"a": 1}']) == Published("news", 2, 2)
            assert await anext(deliveries) == Event("news", 1, "application/xml", "<a/>")
            assert await anext(deliveries) == Event("news", 2, "application/json", {"a": 1})
            assert (await client.status()).name == "fake"
            assert (await client.plan("news")).version == "v1"
            served.node.refusal = Refused("InputError", "is no predicate", "where")
            with pytest.raises(InputError, match="where: is no predicate"):
                await client.subscribe("news", where="(")

    asyncio.run(main())


def test_async_client_goes_on_where_it_was(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served, AsyncClient(served.url) as client:
            deliveries = await client.subscribe("news")
            end = Answer(next(iter(served.node.requests.values())), Refused("Unavailable", "went away", "source"))
            served.running.sessions.answer(end)
            # Published while nobody listens: the start that the first answer told is where the second begins.
            await client.publish("news", "x")
            event = await anext(deliveries)
            assert isinstance(event, Event)
            assert (event.seq, event.item) == (1, "x")
            assert [given.after for given in served.node.inputs if isinstance(given, SubscribeRequested)] == [None, 0]

    asyncio.run(main())
