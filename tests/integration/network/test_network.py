"""Real nodes on loopback in one event loop: exact, complete and once, whatever becomes of the nodes between."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from distributary.broker import Node, NodeConfig
from distributary.client import AsyncClient, Event, Gap
from distributary.core.errors import Conflict, NotAcceptable, Unavailable
from distributary.runtime.node_process import RunningNode
from distributary.runtime.options import ListenAddress, ProcessOptions, client_tls

pytestmark = pytest.mark.slow

Items = AsyncIterator[Event | Gap]


async def start(folder: Path, name: str, *joins: str, **settings: Any) -> RunningNode:
    options = {key: settings.pop(key) for key in list(settings) if key in ProcessOptions.__slots__}
    config = NodeConfig("", name=name, joins=joins, fanout=2, **settings)
    node = RunningNode(config, ProcessOptions(ListenAddress("127.0.0.1", 0), folder / name, **options), Node)
    await node.start()
    return node


@asynccontextmanager
async def tree(folder: Path, count: int, **settings: Any) -> AsyncIterator[list[RunningNode]]:
    """Run a source and nodes below it; all have joined."""
    nodes = [await start(folder, "source", **settings)]
    try:
        for index in range(1, count):
            nodes.append(await start(folder, f"n{index}", nodes[0].url, **settings))
            await until(lambda: joined(nodes[-1]))
        yield nodes
    finally:
        for node in reversed(nodes):
            await node.stop()


def joined(node: RunningNode) -> bool:
    return all(tree.state in {"source", "joined"} for tree in node.driver.node.status().trees)


async def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.02)


async def take(items: Items, count: int) -> list[Event]:
    found: list[Event] = []
    async with asyncio.timeout(30):
        while len(found) < count:
            item = await anext(items)
            assert isinstance(item, Event), item
            found.append(item)
    return found


def test_network_gives_every_subscriber_exactly_its_items(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            nodes = await stack.enter_async_context(tree(tmp_path, 5))
            assert all(len(node.driver.node.status().children) <= 2 for node in nodes)
            clients = [await stack.enter_async_context(AsyncClient(node.url)) for node in nodes]
            readers = [await client.subscribe("quakes", where=f"mag >= {k}") for k, client in enumerate(clients)]
            url = nodes[4].url.replace("http", "ws") + "/streams/quakes/subscribe?where=mag%20%3D%203"
            socket = await stack.enter_async_context(connect(url, proxy=None))
            sent = {}
            for number in range(40):
                published = await clients[number % 5].publish("quakes", {"mag": number % 6, "n": number})
                sent[published.seq] = number
            assert sorted(sent) == list(range(1, 41))
            for k, reader in enumerate(readers):
                expected = [seq for seq, number in sorted(sent.items()) if number % 6 >= k]
                assert [item.seq for item in await take(reader, len(expected))] == expected
            threes = [seq for seq, number in sorted(sent.items()) if number % 6 == 3]
            async with asyncio.timeout(10):
                assert [json.loads(await socket.recv())["seq"] for _ in threes] == threes

    asyncio.run(main())


def test_network_resumes_where_a_subscriber_says(tmp_path: Path) -> None:
    async def main() -> None:
        async with tree(tmp_path, 3) as nodes, AsyncClient(nodes[2].url) as client:
            first = await client.publish_many("news", [{"n": number} for number in range(10)])
            assert (first.first, first.last) == (1, 10)
            assert [item.seq for item in await take(await client.subscribe("news", after=0), 10)] == list(range(1, 11))
            assert [item.seq for item in await take(await client.subscribe("news", where="n > 4", after=7), 3)] == [
                8,
                9,
                10,
            ]
            headers = {"Accept": "text/event-stream", "Last-Event-ID": "9"}
            async with (
                httpx.AsyncClient(base_url=nodes[1].url, trust_env=False) as http,
                http.stream("GET", "/streams/news/subscribe?after=0", headers=headers) as answer,
            ):
                ids = [line async for line in _lines(answer, 2)]
            assert ids == ["id: 9", "id: 10"]

    asyncio.run(main())


async def _lines(answer: httpx.Response, count: int) -> AsyncIterator[str]:
    async for line in answer.aiter_lines():
        if line.startswith("id:"):
            yield line
            count -= 1
            if not count:
                return


def test_network_keys_make_repetitions_harmless_over_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        async with tree(tmp_path, 2) as nodes, AsyncClient(nodes[1].url) as client:
            first = await client.publish("news", {"a": 1}, key="one")
            assert await client.publish("news", {"a": 1}, key="one") == first
            with pytest.raises(Conflict):
                await client.publish("news", {"a": 2}, key="one")
            with pytest.raises(NotAcceptable):
                await client.publish("news", "<a", content_type="application/xml")
        again = await start(tmp_path, "source")
        async with AsyncClient(again.url) as client:
            assert await client.publish("news", {"a": 1}, key="one") == first
            assert (await client.publish("news", {"a": 2})).seq > first.seq
            assert [item.item for item in await take(await client.subscribe("news", after=0), 2)] == [
                {"a": 1},
                {"a": 2},
            ]
        await again.stop()

    asyncio.run(main())


def test_network_tells_a_gap_when_the_start_is_no_longer_kept(tmp_path: Path) -> None:
    async def main() -> None:
        settings = {"retention_bytes": 100_000, "keep_alive_seconds": 0.1}
        async with tree(tmp_path, 2, **settings) as nodes, AsyncClient(nodes[1].url) as client:
            for number in range(30):
                await client.publish("news", {"n": number, "pad": "x" * 10_000})
            source = nodes[0].driver.node

            def trimmed() -> bool:
                return any(stream.trimmed > 0 for stream in source.status().trees[0].streams)

            await until(trimmed)
            reader = await client.subscribe("news", after=0)
            async with asyncio.timeout(10):
                gap = await anext(reader)
            assert isinstance(gap, Gap)
            assert gap.first == 1
            rest = await take(reader, 30 - gap.last)
            assert [item.seq for item in rest] == list(range(gap.last + 1, 31))

    asyncio.run(main())


def test_network_survives_the_loss_of_a_node_between(tmp_path: Path) -> None:
    async def main() -> None:
        settings = {"keep_alive_seconds": 0.1}
        async with AsyncExitStack() as stack:
            nodes = await stack.enter_async_context(tree(tmp_path, 6, **settings))
            urls = {child.url for child in nodes[0].driver.node.status().children}
            between = next(node for node in nodes if node.url in urls and node.driver.node.status().children)
            others = [node for node in nodes[1:] if node is not between]
            clients = [await stack.enter_async_context(AsyncClient([node.url, nodes[0].url])) for node in others]
            publisher = await stack.enter_async_context(AsyncClient(nodes[0].url))
            readers = [await client.subscribe("news", where="n >= 0") for client in clients]
            for number in range(20):
                await publisher.publish("news", {"n": number})
            await between.stop()
            for number in range(20, 60):
                await publisher.publish("news", {"n": number})
            for reader in readers:
                assert [item.item["n"] for item in await take(reader, 60)] == list(range(60))

    asyncio.run(main())


def test_network_slow_reader_holds_up_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        settings = {"window_bytes": 200_000, "page_bytes": 100_000}
        async with tree(tmp_path, 2, **settings) as nodes, AsyncClient(nodes[1].url) as client:
            quick = await client.subscribe("news")
            slow_url = nodes[1].url.replace("http", "ws") + "/streams/news/subscribe"
            async with connect(slow_url, proxy=None, max_queue=1, max_size=None) as slow:
                for number in range(150):
                    await client.publish("news", {"n": number, "pad": "x" * 60_000})
                assert [item.item["n"] for item in await take(quick, 150)] == list(range(150))
                async with asyncio.timeout(20):
                    assert [json.loads(await slow.recv())["item"]["n"] for _ in range(150)] == list(range(150))

    asyncio.run(main())


def test_network_with_tokens_lets_only_their_holders_join(tmp_path: Path) -> None:
    async def main() -> None:
        good, bad = tmp_path / "good", tmp_path / "bad"
        good.write_text("secret words\n")
        bad.write_text("other\n")
        source = await start(tmp_path, "source", token_file=good)
        friend = await start(tmp_path, "friend", source.url, token_file=good)
        stranger = await start(tmp_path, "stranger", source.url, token_file=bad, request_timeout_seconds=0.5)
        await until(lambda: joined(friend))
        async with AsyncClient(friend.url, "secret words") as client:
            assert (await client.publish("news", {"a": 1})).seq == 1
        async with AsyncClient(stranger.url, "other", patience_seconds=0.5) as client:
            with pytest.raises(Unavailable):
                await client.publish("news", {"a": 1})
        assert [child.name for child in source.driver.node.status().children] == ["friend"]
        for node in (stranger, friend, source):
            await node.stop()

    asyncio.run(main())


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that signs itself."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=node"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(words, check=True, capture_output=True)
    return certificate, key


def test_network_with_tls_trusts_only_known_authorities(tmp_path: Path) -> None:
    async def main() -> None:
        cert, key = certificate(tmp_path)
        tls = {"tls_certificate": cert, "tls_key": key, "tls_authorities": cert}
        source = await start(tmp_path, "source", **tls)
        below = await start(tmp_path, "below", source.url, **tls)
        doubter = await start(tmp_path, "doubter", source.url)
        assert source.url.startswith("https://")
        await until(lambda: joined(below))
        async with AsyncClient(below.url, tls=client_tls(cert)) as client:
            reader = await client.subscribe("news")
            assert (await client.publish("news", {"a": 1})).seq == 1
            assert (await take(reader, 1))[0].item == {"a": 1}
        async with AsyncClient(source.url, tls=ssl.create_default_context(), patience_seconds=0.2) as client:
            with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
                await client.status()
        assert not joined(doubter)
        for node in (doubter, below, source):
            await node.stop()

    asyncio.run(main())


def test_network_full_disk_refuses_and_goes_on_when_there_is_space(tmp_path: Path) -> None:
    async def main() -> None:
        source = await start(tmp_path, "source")
        store = source._store
        headers = {"Content-Type": "application/json"}
        async with httpx.AsyncClient(base_url=source.url, trust_env=False) as http:
            assert (await http.post("/streams/news/items", content=b"{}", headers=headers)).status_code == 202
            store._connection.execute("PRAGMA max_page_count = 60")
            big = json.dumps({"x": "x" * 400_000})
            refused = await http.post("/streams/news/items", content=big, headers=headers)
            assert (refused.status_code, refused.json()["error"]) == (507, "log: database or disk is full")
            store._connection.execute("PRAGMA max_page_count = 100000")
            accepted = await http.post("/streams/news/items", content=big, headers=headers)
            assert accepted.status_code == 202
        async with AsyncClient(source.url) as client:
            found = await take(await client.subscribe("news", after=0), 2)
            assert [item.seq for item in found] == [1, accepted.json()["seq"]]
        await source.stop()

    asyncio.run(main())
