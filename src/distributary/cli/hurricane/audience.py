"""The subscribers of the demonstration: real clients over real sockets, each at a node of its own choice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from distributary.client import AsyncClient, Event, Gap
from distributary.core.generator import Generator
from distributary.core.subscriptions import Subscription

__all__ = ["Audience", "Listener"]

_AT_ONCE = 30


@dataclass(slots=True)
class Listener:
    """One subscriber with what it has received."""

    kind: str
    subscription: Subscription
    url: str
    events: list[Event] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


class Audience:
    """All subscribers, listening from `listen` to `leave`."""

    def __init__(self, subscriptions: Sequence[tuple[str, Subscription]], urls: Sequence[str], seed: int) -> None:
        generator = Generator("audience", seed)
        self.listeners = [Listener(kind, each, generator.choice(urls)) for kind, each in subscriptions]
        self._clients = {url: AsyncClient(url) for url in urls}
        self._tasks: list[asyncio.Task[None]] = []

    async def listen(self) -> None:
        """Subscribe; return when every subscriber has been accepted."""
        gate = asyncio.Semaphore(_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for listener in self.listeners:
                group.create_task(self._begin(listener, gate))

    async def _begin(self, listener: Listener, gate: asyncio.Semaphore) -> None:
        assert listener.subscription.stream is not None
        asked = msgspec.to_builtins(listener.subscription)
        async with gate:
            deliveries = await self._clients[listener.url].subscribe(listener.subscription.stream, subscription=asked)

        async def follow() -> None:
            async for delivery in deliveries:
                (listener.events if isinstance(delivery, Event) else listener.gaps).append(delivery)  # type: ignore[arg-type]

        self._tasks.append(asyncio.create_task(follow()))

    async def served(self, owed: Sequence[int], seconds: float) -> None:
        """Wait until each listener has at least as many items as it is owed, but no longer than `seconds`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while loop.time() < end and any(
            len(listener.events) < count for listener, count in zip(self.listeners, owed, strict=True)
        ):
            await asyncio.sleep(0.1)

    async def leave(self) -> None:
        """End all subscriptions."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for client in self._clients.values():
            await client.close()
