"""A node that serves in the test's own event loop, with the real machine or one that keeps to the same contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import httpx
import pytest

from distributary.broker.config import NodeConfig
from distributary.core.answers import PublishAccepted, Refused, SubscribeAccepted
from distributary.core.effects import Answer, AppendLog, Deliver, Effect, Gap, KeyRecord
from distributary.core.generator import Generator
from distributary.core.ids import RequestId, StreamName, SubscriberId
from distributary.core.inputs import (
    Appended,
    DeliveryTaken,
    Input,
    PublishRequested,
    Started,
    SubscribeRequested,
    Unsubscribed,
)
from distributary.core.items import Item
from distributary.core.status import NodeStatus, PlanChannel, StreamPlan
from distributary.runtime.node_process import RunningNode
from distributary.runtime.options import ListenAddress, ProcessOptions
from distributary.runtime.server import Dashboard
from distributary.web import routes


class FakeNode:
    """A source whose subscribers want everything: one item under way to each, and no protocol at all.

    `refusal` is answered to all requests; with `silent` nothing is answered; `held` keeps the items that were
    published, and `gap` is told to each new subscriber first.
    """

    def __init__(self, config: NodeConfig, _: Generator) -> None:
        self.config = config
        self.inputs: list[Input] = []
        self.refusal: Refused | None = None
        self.silent = False
        self.broken = False
        self.gap: Gap | None = None
        self.held: list[Item] = []
        self._publishing: dict[int, tuple[RequestId, tuple[Item, ...]]] = {}
        self.owed: dict[SubscriberId, list[Item | Gap]] = {}
        self.busy: set[SubscriberId] = set()
        self.requests: dict[SubscriberId, RequestId] = {}
        self._changed = asyncio.Event()

    def handle(self, input: Input, now: float) -> Sequence[Effect]:  # noqa: A002
        self.inputs.append(input)
        self._changed.set()
        assert not self.broken, "broken on purpose"
        match input:
            case PublishRequested() | SubscribeRequested() if self.refusal is not None:
                return [Answer(input.request, self.refusal)]
            case PublishRequested() if not self.silent:
                first = len(self.held) + 1
                items = tuple(
                    Item(input.stream, first + index, new.content_type, new.body)
                    for index, new in enumerate(input.items)
                )
                self.held += items
                self._publishing[first] = (input.request, items)
                key = KeyRecord(input.key, input.digest) if input.key else None
                return [AppendLog(first, "tree", input.stream, items, durable=True, key=key)]
            case Appended(token, error):
                request, items = self._publishing.pop(token)
                if error is not None:
                    return [Answer(request, Refused("NoSpace", error, "log"))]
                for owed in self.owed.values():
                    owed += items
                accepted = PublishAccepted(items[0].stream, items[0].seq, items[-1].seq)
                return [Answer(request, accepted), *self._hand_out()]
            case SubscribeRequested(request, subscriber, stream, _, after) if not self.silent:
                start = len(self.held) if after is None else after
                gap = [self.gap] if self.gap is not None else []
                self.owed[subscriber] = [*gap, *self.held[start:]]
                self.requests[subscriber] = request
                return [Answer(request, SubscribeAccepted(stream, start)), *self._hand_out()]
            case DeliveryTaken(subscriber):
                self.busy.discard(subscriber)
                return self._hand_out()
            case Unsubscribed(subscriber):
                self.owed.pop(subscriber, None)
        return []

    def _hand_out(self) -> list[Effect]:
        effects: list[Effect] = []
        for subscriber, owed in self.owed.items():
            if owed and subscriber not in self.busy:
                self.busy.add(subscriber)
                effects.append(Deliver(subscriber, owed.pop(0)))
        return effects

    def status(self) -> NodeStatus:
        return NodeStatus(self.config.name, "id", self.config.url, (), None, (), len(self.owed), {"fake_inputs": 3})

    def plan(self, stream: StreamName) -> StreamPlan:
        return StreamPlan("v1", (PlanChannel(0, "where", "a = 1", {}),))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until an input has made something true."""
        async with asyncio.timeout(10):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    def got(self, kind: type[Input]) -> bool:
        return any(isinstance(given, kind) for given in self.inputs)


class Served:
    """A running node with a fake machine, and an HTTP client for it."""

    def __init__(self, running: RunningNode, node: FakeNode, http: httpx.AsyncClient) -> None:
        self.running = running
        self.node = node
        self.http = http
        self.url = running.url


class Serve(Protocol):
    """Opens a served fake node."""

    def __call__(
        self, *, tokens: str | None = None, config: NodeConfig | None = None, token: str | None = None
    ) -> AbstractAsyncContextManager[Served]: ...


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    @asynccontextmanager
    async def open_node(
        *, tokens: str | None = None, config: NodeConfig | None = None, token: str | None = None
    ) -> AsyncIterator[Served]:
        file = None
        if tokens is not None:
            file = tmp_path / "tokens"
            file.write_text(tokens)
            file.chmod(0o600)
        pages = tuple(routes())
        dashboard = Dashboard(pages, tuple(page.path for page in pages))
        options = ProcessOptions(ListenAddress("127.0.0.1", 0), tmp_path / "data", token_file=file, dashboard=dashboard)
        made: list[FakeNode] = []

        def make(settings: NodeConfig, generator: Generator) -> FakeNode:
            made.append(FakeNode(settings, generator))
            return made[0]

        running = RunningNode(config or NodeConfig("", name="fake", request_timeout_seconds=0.2), options, make)
        await running.start()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            async with httpx.AsyncClient(base_url=running.url, headers=headers, trust_env=False) as http:
                served = Served(running, made[0], http)
                await made[0].until(lambda: made[0].got(Started))
                yield served
        finally:
            await running.stop()

    return open_node
