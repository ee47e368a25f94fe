"""A subscriber's connection: server-sent events or a WebSocket, opened only after the node's answer.

A delivery counts as taken when the server has taken its frame, and the server takes none while the one before it has
not drained: a slow reader holds one window in this process, whatever waits for it in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from distributary.core.answers import SubscribeAccepted
from distributary.core.effects import Gap
from distributary.core.errors import DistributaryError
from distributary.core.ids import Sequence, check_stream
from distributary.core.items import Item
from distributary.runtime.frames import Fields, error_frame, frame_of, gap_frame
from distributary.runtime.responses import HttpError, error_response, status_of
from distributary.runtime.sessions import Session, Sessions
from distributary.runtime.subscribe_query import parse_subscription

__all__ = ["Subscribing"]

#: The interface promises a comment every 10 s.
COMMENT_SECONDS = 5.0


class Subscribing:
    """The endpoint of subscribers."""

    def __init__(self, sessions: Sessions, comment_seconds: float = COMMENT_SECONDS) -> None:
        self._sessions = sessions
        self._comment_seconds = comment_seconds

    async def events(self, request: Request) -> Response:
        """Answer with server-sent events."""
        if request.method != "GET":
            raise HttpError(405, "is read with GET", {"Allow": "GET"})
        if "text/event-stream" not in request.headers.get("accept", ""):
            raise HttpError(406, "open a WebSocket, or send Accept: text/event-stream")
        session, accepted, fields = await self._open(request)
        return EventStream(self._sessions, session, accepted, fields, self._comment_seconds)

    async def websocket(self, websocket: WebSocket) -> None:
        """Serve a WebSocket; a refusal is an HTTP answer in its place."""
        try:
            session, _, fields = await self._open(websocket)
        except DistributaryError as error:
            await websocket.send_denial_response(error_response(error))
            return
        try:
            await websocket.accept()
            await _until_first(self._send_frames(websocket, session, fields), _until_disconnected(websocket.receive))
        except (WebSocketDisconnect, WebSocketDisconnected, OSError):
            return
        finally:
            self._sessions.close(session, told=session.error is not None)

    async def _open(self, request: HTTPConnection) -> tuple[Session, SubscribeAccepted, Fields]:
        stream = check_stream(request.path_params["stream"])
        subscription, after = parse_subscription(request, stream)
        session, accepted = await self._sessions.subscribe(stream, subscription, after)
        return session, accepted, subscription.fields

    async def _send_frames(self, websocket: WebSocket, session: Session, fields: Fields) -> None:
        while (delivery := await session.next()) is not None:
            if isinstance(delivery, Gap):
                frame = b'{"event":"gap",' + gap_frame(delivery)[1:]
            else:
                frame = frame_of(delivery, fields)
            await websocket.send_text(frame.decode())
            session.taken(delivery)
        assert session.error is not None
        status = status_of(session.error)
        frame = b'{"event":"error",' + error_frame(session.error, status)[1:]
        await websocket.send_text(frame.decode())
        await websocket.close(1012 if status == 503 else 1008, str(session.error)[:100])


class EventStream(Response):
    """A session as server-sent events."""

    def __init__(
        self,
        sessions: Sessions,
        session: Session,
        accepted: SubscribeAccepted,
        fields: Fields,
        comment_seconds: float,
    ) -> None:
        super().__init__(None, 200, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, "text/event-stream")
        del self.headers["content-length"]
        self._sessions = sessions
        self._session = session
        self._start: Sequence = accepted.start
        self._fields = fields
        self._comment_seconds = comment_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader goes away or the session ends."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await _until_first(self._send_events(send), _until_disconnected(receive))
        finally:
            self._sessions.close(self._session, told=self._session.error is not None)

    async def _send_events(self, send: Send) -> None:
        async def write(text: bytes) -> None:
            await send({"type": "http.response.body", "body": text, "more_body": True})

        loop = asyncio.get_running_loop()
        # An id without data dispatches no event, but a browser that loses this connection before its first item
        # resumes from here.
        await write(b": subscribed\nid: %d\n\n" % self._start)
        commented = loop.time()
        while True:
            try:
                async with asyncio.timeout_at(commented + self._comment_seconds):
                    delivery = await self._session.next()
            except TimeoutError:
                await write(b": still here\n\n")
                commented = loop.time()
                continue
            if delivery is None:
                break
            await write(_event_of(delivery, self._fields))
            self._session.taken(delivery)
        error = self._session.error
        assert error is not None
        await write(b"event: error\ndata: %b\n\n" % error_frame(error, status_of(error)))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _event_of(delivery: Item | Gap, fields: Fields) -> bytes:
    if isinstance(delivery, Gap):
        return b"event: gap\nid: %d\ndata: %b\n\n" % (delivery.last, gap_frame(delivery))
    return b"id: %d\ndata: %b\n\n" % (delivery.seq, frame_of(delivery, fields))


async def _until_disconnected(receive: Callable[[], Awaitable[object]]) -> None:
    """Read until the other side has gone; what it says meanwhile is not heard."""
    while True:
        message = await receive()
        if isinstance(message, dict) and message["type"].endswith(".disconnect"):
            return


async def _until_first(*parts: Awaitable[None]) -> None:
    """Run all until one ends, and raise its error, if it has one."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
