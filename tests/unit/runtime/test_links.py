"""Links over fake wires: order, bounds, peers that break the protocol, and goodbyes that are still sent."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from distributary.core.errors import InputError, ProtocolError
from distributary.core.inputs import Input, LinkLost, LinkOpened, MessageArrived
from distributary.core.items import Item
from distributary.core.messages import Goodbye, Items, Taken, encode_message
from distributary.runtime.links import LinkOptions, Links
from distributary.runtime.reports import Reports
from distributary.runtime.wires import WireClosed, link_url

OPTIONS = LinkOptions(frame_bytes_max=10_000, queue_bytes_max=2_000, linger_seconds_max=0.05)


class FakeWire:
    """A wire of queues; `drains` lets the other side stop reading."""

    peer = "10.0.0.1:5"

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[bytes | Exception] = asyncio.Queue()
        self.sent: list[bytes] = []
        self.drains = asyncio.Event()
        self.drains.set()
        self.closed = asyncio.Event()

    async def send(self, frame: bytes) -> None:
        await self.drains.wait()
        self.sent.append(frame)

    async def receive(self) -> bytes:
        frame = await self.incoming.get()
        if isinstance(frame, Exception):
            raise frame
        return frame

    async def close(self) -> None:
        self.closed.set()


class Inputs:
    def __init__(self) -> None:
        self.taken: list[Input] = []
        self._changed = asyncio.Event()

    def take(self, given: Input) -> None:
        self.taken.append(given)
        self._changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


def make(options: LinkOptions = OPTIONS) -> tuple[Links, Inputs, asyncio.Event]:
    inputs, room = Inputs(), asyncio.Event()
    room.set()
    return Links(inputs.take, Reports("n", io.StringIO()), options, room), inputs, room


def test_links_incoming_passes_messages_both_ways_in_order() -> None:
    async def main() -> None:
        links, inputs, _ = make()
        wire = FakeWire()
        serving = asyncio.create_task(links.run_incoming(wire))
        messages = [Taken("news", mark) for mark in range(5)]
        for message in messages:
            wire.incoming.put_nowait(encode_message(message))
        await inputs.until(lambda: len(inputs.taken) == 6)
        assert inputs.taken[0] == LinkOpened("in-1", incoming=True)
        assert inputs.taken[1:] == [MessageArrived("in-1", message) for message in messages]
        for message in messages:
            links.send("in-1", message)
        wire.incoming.put_nowait(WireClosed("gone"))
        await serving
        assert inputs.taken[-1] == LinkLost("in-1", "gone")
        assert wire.closed.is_set()
        assert len(links) == 0
        links.send("in-1", Goodbye())

    asyncio.run(main())


def test_links_disconnect_sends_what_was_queued_and_says_nothing() -> None:
    async def main() -> None:
        links, inputs, _ = make()
        wire = FakeWire()
        serving = asyncio.create_task(links.run_incoming(wire))
        await inputs.until(lambda: bool(inputs.taken))
        links.send("in-1", Goodbye())
        links.disconnect("in-1")
        links.send("in-1", Taken("news", 1))
        wire.incoming.put_nowait(encode_message(Taken("news", 1)))
        await serving
        assert wire.sent == [encode_message(Goodbye())]
        assert inputs.taken == [LinkOpened("in-1", incoming=True)]
        assert wire.closed.is_set()

    asyncio.run(main())


def test_links_disconnect_from_a_peer_that_does_not_drain_ends_in_time() -> None:
    async def main() -> None:
        links, inputs, _ = make()
        wire = FakeWire()
        wire.drains.clear()
        serving = asyncio.create_task(links.run_incoming(wire))
        await inputs.until(lambda: bool(inputs.taken))
        links.send("in-1", Goodbye())
        links.disconnect("in-1")
        async with asyncio.timeout(5):
            await serving
        assert wire.sent == []
        assert wire.closed.is_set()

    asyncio.run(main())


def test_links_peer_that_does_not_drain_is_cut() -> None:
    async def main() -> None:
        links, inputs, _ = make()
        wire = FakeWire()
        wire.drains.clear()
        serving = asyncio.create_task(links.run_incoming(wire))
        await inputs.until(lambda: bool(inputs.taken))
        items = Items("news", 0, 1, (Item("news", 1, "text/plain", b"x" * 900),))
        for _ in range(4):
            links.send("in-1", items)
        lost = inputs.taken[-1]
        assert isinstance(lost, LinkLost)
        assert "does not drain" in lost.reason
        async with asyncio.timeout(5):
            await serving
        assert len([given for given in inputs.taken if isinstance(given, LinkLost)]) == 1

    asyncio.run(main())


def test_links_frame_over_the_limit_cuts_the_link() -> None:
    async def main() -> None:
        links, inputs, _ = make()
        serving = asyncio.create_task(links.run_incoming(FakeWire()))
        await inputs.until(lambda: bool(inputs.taken))
        links.send("in-1", Items("news", 0, 1, (Item("news", 1, "text/plain", b"x" * 20_000),)))
        lost = inputs.taken[-1]
        assert isinstance(lost, LinkLost)
        assert "over the limit of a frame" in lost.reason
        await serving

    asyncio.run(main())


@pytest.mark.parametrize("broken", [b"no message", b"", ProtocolError("10.0.0.1:5", "sent a text frame")])
def test_links_peer_that_breaks_the_protocol_is_closed(broken: bytes | Exception) -> None:
    async def main() -> None:
        links, inputs, _ = make()
        wire = FakeWire()
        wire.incoming.put_nowait(broken)
        await links.run_incoming(wire)
        assert isinstance(inputs.taken[-1], LinkLost)
        assert "10.0.0.1:5" in inputs.taken[-1].reason
        assert wire.closed.is_set()

    asyncio.run(main())


def test_links_read_no_more_while_the_log_has_no_room() -> None:
    async def main() -> None:
        links, inputs, room = make()
        room.clear()
        wire = FakeWire()
        serving = asyncio.create_task(links.run_incoming(wire))
        for mark in range(3):
            wire.incoming.put_nowait(encode_message(Taken("news", mark)))
        await inputs.until(lambda: len(inputs.taken) == 2)
        await asyncio.sleep(0.01)
        assert len(inputs.taken) == 2
        room.set()
        await inputs.until(lambda: len(inputs.taken) == 4)
        wire.incoming.put_nowait(WireClosed("gone"))
        await serving

    asyncio.run(main())


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "ftp://x", "http://", "http://u:p@host", "http://h:0", "x" * 500]
)
def test_links_connect_that_fails_is_lost(url: str) -> None:
    async def main() -> None:
        links, inputs, _ = make()
        links.connect("out-1", url)
        await inputs.until(lambda: bool(inputs.taken))
        assert isinstance(inputs.taken[0], LinkLost)
        assert len(links) == 0

    asyncio.run(main())


def test_links_of_a_node_with_tls_open_none_in_clear() -> None:
    async def main() -> None:
        links, inputs, _ = make(replace(OPTIONS, tls_only=True, token="secret"))
        links.connect("out-1", "http://127.0.0.1:9")
        await inputs.until(lambda: bool(inputs.taken))
        assert inputs.taken == [LinkLost("out-1", "http://127.0.0.1:9: this node opens no link in clear")]

    asyncio.run(main())


def test_link_url_is_the_endpoint() -> None:
    assert link_url("http://[::1]:8000") == "ws://[::1]:8000/link"
    with pytest.raises(InputError):
        link_url("http://host:99999")
