"""One node as a process: opens the log, wires driver, links and endpoints, serves, and stops cleanly.

Nothing here decides anything of the protocol, and nothing is global: several nodes may live in one event loop, as the
tests have it. `serve` is what the command runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import uvicorn

from distributary.broker.config import NodeConfig
from distributary.core.errors import InputError, Unavailable
from distributary.core.generator import Generator
from distributary.core.inputs import Started, StopRequested
from distributary.runtime.clock import Clock
from distributary.runtime.driver import Driver, NodeMachine
from distributary.runtime.intake import Intake
from distributary.runtime.links import Links
from distributary.runtime.log import DurableLog
from distributary.runtime.log_store import LogStore
from distributary.runtime.metrics import Metrics
from distributary.runtime.options import ListenAddress, ProcessOptions, link_options, raise_file_limit, tls_contexts
from distributary.runtime.reports import LibraryReports, Reports
from distributary.runtime.server import Endpoints, build_app
from distributary.runtime.sessions import Sessions
from distributary.runtime.subscribing import Subscribing
from distributary.runtime.tokens import Tokens, read_tokens, readable_by_others

__all__ = ["MakeNode", "RunningNode", "new_identity", "serve"]

#: Makes the machine that is driven.
MakeNode = Callable[[NodeConfig, Generator], NodeMachine]
_GRACE_SECONDS = 2


class _Server(uvicorn.Server):
    """A server whose process handles the signals itself: its own way out of SIGTERM is to die of it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class RunningNode:
    """One node that serves. `start` returns when it does; `stop` when nothing of it is left."""

    def __init__(self, config: NodeConfig, options: ProcessOptions, make_node: MakeNode) -> None:
        self._options = options
        self._make_node = make_node
        self._tls, self._link_tls = tls_contexts(options)
        self._tokens = _tokens_of(options)
        # The address first: a node that cannot listen leaves no log behind.
        self._socket = _listen(options.listen)
        try:
            self._store = LogStore(options.data, new_identity())
        except BaseException:
            self._socket.close()
            raise
        host, port = self._socket.getsockname()[:2]
        #: Where it listens.
        self.url = ListenAddress(host, port).url("https" if self._tls else "http")
        name = config.name or f"node-{port}"
        self.config = replace(config, url=self._advertised(host, port), name=name)
        self.reports = Reports(name)
        self._stopped = False
        self._server: _Server
        self._serving: asyncio.Task[None]
        self.driver: Driver
        self.log: DurableLog
        self.links: Links
        self.sessions: Sessions

    @property
    def failed(self) -> asyncio.Future[BaseException]:
        """Done when the node or its log broke."""
        return self.driver.failed

    async def start(self) -> None:
        """Let the node begin and the port answer."""
        loop, config = asyncio.get_running_loop(), self.config
        recovered = self._store.recover()
        newest = max((segment.at for stream in recovered for segment in stream.segments), default=0.0)
        node = self._make_node(config, Generator(secrets.randbits(62)))
        self.driver = driver = Driver(node, Clock(loop.time, newest), self.reports, self._options.converter)
        self.log = DurableLog(self._store, loop, driver.feed, driver.fail)
        options = link_options(config, self._tokens, self._link_tls, self._tls is not None)
        self.links = Links(driver.feed, self.reports, options, self.log.room)
        self.sessions = Sessions(driver.feed, 2 * config.request_timeout_seconds)
        driver.attach(self.log, self.links, self.sessions)
        self._server = _Server(self._server_config(self._endpoints(node), options.frame_bytes_max))
        driver.feed(Started(self._store.node, recovered))
        self._serving = loop.create_task(self._server.serve([self._socket]))
        self.reports.write("started", [("url", self.url), ("id", self._store.node), ("data", str(self._options.data))])
        if self._tokens is None and not _is_loopback(self._options.listen.host):
            self.reports.write("open_node", [("warning", "no token: everybody who reaches this node may use it")])

    async def until(self, stopping: asyncio.Event) -> None:
        """Wait until the operator asks for the end, or the node or its server breaks."""
        asked = asyncio.create_task(stopping.wait())
        everything: set[asyncio.Future[Any]] = {asked, self._serving, self.failed}
        await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if self._serving.done() and not self.failed.done():
            self.driver.fail(self._serving.exception() or RuntimeError("the server ended on its own"))

    async def stop(self) -> None:
        """Say goodbye, answer what is owed, end all streams, and write the log out."""
        if self._stopped:
            return
        self._stopped = True
        await self.sessions.settle(self._options.settle_seconds if not self.failed.done() else 0.0)
        self.driver.feed(StopRequested())
        self.sessions.stop()
        self.driver.stop()
        await self.links.stop()
        self._server.should_exit = True
        await asyncio.wait([self._serving])
        await asyncio.to_thread(self.log.close)
        self._socket.close()
        self.reports.write("stopped")

    def _advertised(self, host: str, port: int) -> str:
        if self._options.advertise is not None:
            return self._options.advertise.rstrip("/")
        if host in {"0.0.0.0", "::"}:  # noqa: S104 - no address that others could use
            host = socket.gethostname()
        return ListenAddress(host, port).url("https" if self._tls else "http")

    def _endpoints(self, node: NodeMachine) -> Endpoints:
        config = self.config
        intake = Intake(config.item_bytes_max, config.batch_items_max)
        log, links = self.log, self.links
        counters: dict[str, Callable[[], int]] = {
            "log_commits": lambda: log.commits,
            "log_appends": lambda: log.appends,
            "link_sent_bytes": lambda: links.sent_bytes,
            "link_received_bytes": lambda: links.received_bytes,
            "link_sent_frames": lambda: links.sent_frames,
            "link_received_frames": lambda: links.received_frames,
        }
        gauges: dict[str, Callable[[], int]] = {
            "links": lambda: len(links),
            "bodies_under_way_bytes": lambda: intake.held_bytes,
        }
        metrics = Metrics(
            node.status,
            lambda: {name: read() for name, read in counters.items()},
            lambda: {name: read() for name, read in gauges.items()},
        )
        return Endpoints(
            status=node.status,
            plan=node.plan,
            sessions=self.sessions,
            links=links,
            intake=intake,
            metrics=metrics,
            subscribing=Subscribing(self.sessions),
            log_room=log.room.wait,
            tokens=self._tokens,
            tls=self._tls is not None,
        )

    def _server_config(self, endpoints: Endpoints, frame_bytes_max: int) -> uvicorn.Config:
        tls = self._tls
        return uvicorn.Config(
            build_app(endpoints, self._options.dashboard),
            # `guard` refuses what comes in one piece.
            h11_max_incomplete_event_size=64 << 10,
            http="h11",
            ws="websockets-sansio",
            ws_max_size=frame_bytes_max,
            ws_per_message_deflate=False,
            # A slow reader answers late and is still one.
            ws_ping_timeout=300.0,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=raise_file_limit(),
            timeout_graceful_shutdown=_GRACE_SECONDS,
            ssl_context_factory=None if tls is None else lambda _config, _default: tls,
        )


async def serve(
    config: NodeConfig,
    options: ProcessOptions,
    make_node: MakeNode,
    announce: Callable[[str], None],
) -> int:
    """Run one node until SIGTERM or SIGINT; return the process's exit status.

    `announce` is called with the URL once the port answers. Raises `InputError` for bad options and `Unavailable` or
    `OSError` when the port or the folder cannot be had.
    """
    node = RunningNode(config, options, make_node)
    handler = LibraryReports(node.reports)
    logging.getLogger().addHandler(handler)
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    try:
        if options.token_file is not None and readable_by_others(options.token_file):
            node.reports.write("token_file_readable_by_others", [("file", str(options.token_file))])
        await node.start()
        announce(node.url)
        await node.until(stopping)
        # Who asks twice does not want to wait.
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
        await node.stop()
    finally:
        logging.getLogger().removeHandler(handler)
    return 1 if node.failed.done() else 0


def new_identity() -> str:
    """Return an identity for a node that has none: 80 bits, as others write it in logs."""
    return secrets.token_hex(10)


def _tokens_of(options: ProcessOptions) -> Tokens | None:
    return None if options.token_file is None else read_tokens(options.token_file)


def _is_loopback(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")


def _listen(address: ListenAddress) -> socket.socket:
    """Return a socket that listens; one clear line when it cannot be had."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror as error:
        raise InputError(f"{address.host}: {error.strerror}", field="--listen") from None
    family, kind, protocol, _, place = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(1024)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise Unavailable(f"{address.host}:{address.port}", error.strerror or str(error)) from None
    return listener
