"""The client for programs with an event loop: the same as `client`, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import msgspec

from distributary.client.attempts import Attempts
from distributary.client.events import Event, Gap, Published
from distributary.client.exchange import (
    Query,
    Request,
    batch_request,
    checked_urls,
    error_of,
    publish_request,
    published_of,
    require_httpx,
)
from distributary.client.following import Following
from distributary.client.transport import SILENCE_SECONDS, settings
from distributary.core.errors import Unavailable
from distributary.core.headers import Header
from distributary.core.ids import Sequence, StreamName, check_stream
from distributary.core.status import NodeStatus, StreamPlan

if TYPE_CHECKING:
    import ssl


__all__ = ["AsyncClient"]


class AsyncClient:
    """Talks to a node, or to whichever of several answers; use it as a context, or close it.

    Errors are those of `distributary.core.errors`: `InputError` and its kinds for what the node refuses, `Unavailable`
    when no node answered within `patience_seconds` (None: never give up), `MissingExtra` without httpx.
    """

    def __init__(
        self,
        url: str | Iterable[str],
        token: str | None = None,
        *,
        patience_seconds: float | None = 30.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        require_httpx()
        import httpx

        self._urls = checked_urls(url)
        self._patience_seconds = patience_seconds
        self._http = httpx.AsyncClient(**settings(token, tls))

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, story: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def publish(
        self,
        stream: StreamName,
        item: bytes | str | Mapping[str, Any],
        *,
        content_type: str | None = None,
        key: str | None = None,
        header: Header | None = None,
    ) -> Published:
        """Publish one item; returns once it is durable at the source, and publishes once however often it tries."""
        request = publish_request(stream, item, content_type, key, header)
        body, node = await self._ask(request, 202)
        return published_of(body, node)

    async def publish_many(
        self,
        stream: StreamName,
        items: Iterable[Mapping[str, Any] | bytes],
        *,
        key: str | None = None,
        header: Header | None = None,
    ) -> Published:
        """Publish records, all or none, in one unbroken run of sequence numbers."""
        body, node = await self._ask(batch_request(stream, items, key, header), 202)
        return published_of(body, node)

    async def status(self) -> NodeStatus:
        """Return what a node tells about itself."""
        body, _ = await self._ask(Request("GET", "/status"), 200)
        return msgspec.json.decode(body, type=NodeStatus)

    async def plan(self, stream: StreamName) -> StreamPlan:
        """Return the channels of a stream that a publisher may match."""
        body, _ = await self._ask(Request("GET", f"/streams/{quote(check_stream(stream))}/plan"), 200)
        return msgspec.json.decode(body, type=StreamPlan)

    async def subscribe(
        self,
        stream: StreamName,
        *,
        where: str | None = None,
        xpath: str | None = None,
        namespaces: Mapping[str, str] | None = None,
        format: str | None = None,  # noqa: A002 - the interface's name
        subscription: Mapping[str, Any] | None = None,
        after: Sequence | None = None,
    ) -> AsyncIterator[Event | Gap]:
        """Return the matches, without end, once a node has accepted: `async for event in await client.subscribe(…)`.

        A connection that is lost is taken up again, at the next node if there are several, from the last event on.
        """
        query = Query(where, xpath, namespaces or {}, format, subscription, after)
        deliveries = self._follow(Following(self._attempts(), stream, query))
        await anext(deliveries)
        return (delivery async for delivery in deliveries if delivery is not None)

    async def _follow(self, following: Following) -> AsyncIterator[Event | Gap | None]:
        """Yield None for each acceptance, and the deliveries behind it."""
        import httpx

        attempts = following.attempts
        timeout = httpx.Timeout(10.0, read=SILENCE_SECONDS)
        headers = {"Accept": "text/event-stream"}
        while True:
            error: Unavailable
            try:
                url = attempts.url + following.path()
                async with self._http.stream("GET", url, headers=headers, timeout=timeout) as response:
                    if response.status_code != 200:
                        raise following.refused(response.status_code, await response.aread())
                    following.opened()
                    yield None
                    async for chunk in response.aiter_bytes():
                        for delivery in following.receive(chunk):
                            yield delivery
                error = attempts.unreachable("the node closed the connection")
            except httpx.TransportError as lost:
                error = attempts.unreachable(lost)
            except Unavailable as refused:
                error = refused
            await asyncio.sleep(attempts.failed(error, time.monotonic()))

    def _attempts(self) -> Attempts:
        return Attempts(self._urls, self._patience_seconds)

    async def _ask(self, request: Request, accepted: int) -> tuple[bytes, str]:
        """Return the body of the accepted answer and the node that gave it."""
        import httpx

        attempts = self._attempts()
        while True:
            url = attempts.url + request.path
            try:
                answer = await self._http.request(
                    request.method, url, content=request.content, headers=dict(request.headers)
                )
                if answer.status_code == accepted:
                    return answer.content, attempts.url
                raise error_of(answer.status_code, answer.content, attempts.url)
            except httpx.TransportError as lost:
                error = attempts.unreachable(lost)
            except Unavailable as refused:
                error = refused
            await asyncio.sleep(attempts.failed(error, time.monotonic()))
