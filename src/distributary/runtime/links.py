"""Links to other nodes: frames out and in, in order, with a bound on what waits for a peer that does not drain.

It opens and closes what the node asks for and reports what happened; when to link to whom is the node's decision.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from distributary.core.errors import ProtocolError
from distributary.core.ids import LinkId
from distributary.core.inputs import Input, LinkLost, LinkOpened, MessageArrived
from distributary.core.messages import Message, decode_message, encode_message
from distributary.runtime.reports import Reports
from distributary.runtime.wires import Wire, WireClosed, open_wire

__all__ = ["LinkOptions", "Links"]


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """Limits and credentials of links; times in seconds, sizes in bytes."""

    #: The greatest frame that is sent or taken.
    frame_bytes_max: int
    #: What may wait for a peer; a link with more is closed.
    queue_bytes_max: int
    links_max: int = 1024
    open_seconds_max: float = 5.0
    #: How long a link that is being closed may take to send what was queued.
    linger_seconds_max: float = 2.0
    token: str | None = None
    tls: ssl.SSLContext | None = None
    #: Open no link in clear: one that would show the token, or join a node that is not who it says.
    tls_only: bool = False


class _Link:
    """One link: a queue of frames for its sender."""

    def __init__(self, name: LinkId) -> None:
        self.name = name
        self.frames: deque[bytes] = deque()
        self.queued_bytes = 0
        self.changed = asyncio.Event()
        #: Set when the node gave it up: send what is queued, then close, and say nothing.
        self.given_up = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def closing(self) -> bool:
        """Tell whether the node gave it up."""
        return self.given_up.is_set()


class Links:
    """All links of one node."""

    def __init__(
        self, feed: Callable[[Input], None], reports: Reports, options: LinkOptions, log_room: asyncio.Event
    ) -> None:
        self._feed = feed
        self._reports = reports
        self._options = options
        self._log_room = log_room
        self._numbers = itertools.count(1)
        self._links: dict[LinkId, _Link] = {}
        #: Links that still send what was queued when the node gave them up.
        self._lingering: set[asyncio.Task[None]] = set()
        #: Frames and bytes that went out and came in, for the metrics.
        self.sent_frames = self.sent_bytes = self.received_frames = self.received_bytes = 0

    def __len__(self) -> int:
        """Return the number of links, open or being opened."""
        return len(self._links)

    @property
    def full(self) -> bool:
        """Tell whether no more links are taken."""
        return len(self._links) >= self._options.links_max

    def send(self, link: LinkId, message: Message) -> None:
        """Queue a message; one for a link that is gone is dropped."""
        found = self._links.get(link)
        if found is None or found.closing:
            return
        frame = encode_message(message)
        if len(frame) > self._options.frame_bytes_max:
            self._cut(found, f"a {type(message).__name__} of {len(frame)} bytes is over the limit of a frame")
        elif found.queued_bytes > self._options.queue_bytes_max:
            self._cut(found, f"the peer does not drain: {found.queued_bytes} bytes wait for it")
        else:
            found.frames.append(frame)
            found.queued_bytes += len(frame)
            found.changed.set()

    def connect(self, link: LinkId, url: str) -> None:
        """Open a link; `LinkOpened` or `LinkLost` follows."""
        found = self._links[link] = _Link(link)
        found.task = asyncio.get_running_loop().create_task(self._run_outgoing(found, url))

    def disconnect(self, link: LinkId) -> None:
        """Close a link after what was sent; no more comes from it."""
        found = self._links.pop(link, None)
        if found is None:
            return
        self._give_up(found)

    async def run_incoming(self, wire: Wire) -> None:
        """Serve a link that a peer opened until it ends."""
        link = _Link(f"in-{next(self._numbers)}")
        link.task = asyncio.current_task()
        self._links[link.name] = link
        self._feed(LinkOpened(link.name, incoming=True))
        await self._run(link, wire)

    async def stop(self) -> None:
        """Close all links after what was sent on them."""
        for name in list(self._links):
            self.disconnect(name)
        if self._lingering:
            await asyncio.wait(self._lingering, timeout=self._options.linger_seconds_max + 1.0)
        for task in self._lingering:
            task.cancel()

    async def _run_outgoing(self, link: _Link, url: str) -> None:
        options = self._options
        try:
            if options.tls_only and not url.startswith("https://"):
                raise WireClosed("this node opens no link in clear")
            wire = await open_wire(url, options.token, options.tls, options.frame_bytes_max, options.open_seconds_max)
        except WireClosed as error:
            self._lost(link, f"{url}: {error}")
            return
        if not link.closing:
            self._feed(LinkOpened(link.name, incoming=False))
        await self._run(link, wire)

    async def _run(self, link: _Link, wire: Wire) -> None:
        """Send and receive until either ends, or until the time of a link that was given up is over; then close."""
        loop = asyncio.get_running_loop()
        tasks = [
            loop.create_task(part)
            for part in (
                self._receive_all(link, wire),
                self._send_all(link, wire),
                _linger(link, self._options.linger_seconds_max),
            )
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            reason = next(task.result() for task in tasks if task in done)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._lost(link, reason)
        await wire.close()

    async def _send_all(self, link: _Link, wire: Wire) -> str:
        """Send what is queued until the link ends; return why."""
        try:
            while True:
                while link.frames:
                    frame = link.frames.popleft()
                    await wire.send(frame)
                    link.queued_bytes -= len(frame)
                    self.sent_frames += 1
                    self.sent_bytes += len(frame)
                if link.closing:
                    return "closed here"
                link.changed.clear()
                await link.changed.wait()
        except WireClosed as error:
            return str(error)

    async def _receive_all(self, link: _Link, wire: Wire) -> str:
        """Feed what comes in until the link ends; return why. A link that was given up is read and not heard."""
        try:
            while True:
                frame = await wire.receive()
                self.received_frames += 1
                self.received_bytes += len(frame)
                if not link.closing:
                    self._feed(MessageArrived(link.name, decode_message(frame, wire.peer)))
                await self._log_room.wait()
        except WireClosed as error:
            return str(error)
        except ProtocolError as error:
            self._reports.write("peer_broke_protocol", [("link", link.name), ("error", str(error))])
            return str(error)

    def _cut(self, link: _Link, reason: str) -> None:
        """Close a link without waiting for what is queued."""
        self._reports.write("link_cut", [("link", link.name), ("reason", reason)])
        link.frames.clear()
        self._lost(link, reason)
        self._give_up(link)

    def _give_up(self, link: _Link) -> None:
        link.given_up.set()
        link.changed.set()
        if link.task is not None:
            self._lingering.add(link.task)
            link.task.add_done_callback(self._lingering.discard)

    def _lost(self, link: _Link, reason: str) -> None:
        if self._links.pop(link.name, None) is not None:
            self._feed(LinkLost(link.name, reason))


async def _linger(link: _Link, seconds: float) -> str:
    await link.given_up.wait()
    await asyncio.sleep(seconds)
    return "closed here"
