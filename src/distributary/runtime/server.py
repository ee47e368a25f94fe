"""The endpoints of one node as a Starlette application: the interface's contract, and nothing of the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from distributary.core.answers import PublishAccepted, Refused
from distributary.core.errors import DistributaryError, InputError
from distributary.core.ids import StreamName, check_stream
from distributary.core.status import NodeStatus, StreamPlan
from distributary.runtime.guard import COOKIE, Guard, cookie_value
from distributary.runtime.intake import Intake
from distributary.runtime.links import Links
from distributary.runtime.metrics import CONTENT_TYPE, Metrics
from distributary.runtime.responses import HttpError, error_response, json_response
from distributary.runtime.sessions import Sessions
from distributary.runtime.subscribing import Subscribing
from distributary.runtime.tokens import Tokens
from distributary.runtime.wires import IncomingWire

__all__ = ["Dashboard", "Endpoints", "build_app"]

_SESSION_BODY_BYTES_MAX = 4096


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The routes of a dashboard and the paths among them that are open without a token."""

    routes: tuple[BaseRoute, ...] = ()
    open_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What the endpoints speak to."""

    status: Callable[[], NodeStatus]
    plan: Callable[[StreamName], StreamPlan]
    sessions: Sessions
    links: Links
    intake: Intake
    metrics: Metrics
    subscribing: Subscribing
    #: Done when the log has room for more.
    log_room: Callable[[], Awaitable[object]]
    tokens: Tokens | None
    tls: bool

    async def health(self, _: Request) -> Response:
        """Say that the process answers."""
        return json_response({"status": "ok"})

    async def get_status(self, _: Request) -> Response:
        """Tell about the node."""
        return json_response(self.status())

    async def get_metrics(self, _: Request) -> Response:
        """Give Prometheus its page."""
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    async def get_plan(self, request: Request) -> Response:
        """Tell which channels a publisher may match on its own."""
        return json_response(self.plan(check_stream(request.path_params["stream"])))

    async def publish(self, request: Request) -> Response:
        """Take items; 202 comes after they are durable at the source."""
        stream = check_stream(request.path_params["stream"])
        await self.log_room()
        async with self.intake.publication(request) as publication:
            answer = await self.sessions.publish(stream, publication.items, publication.key, publication.digest)
        if isinstance(answer, Refused):
            raise answer.error()
        assert isinstance(answer, PublishAccepted), answer
        if publication.batch:
            return json_response({"stream": answer.stream, "first": answer.first, "last": answer.last}, 202)
        return json_response({"stream": answer.stream, "seq": answer.last}, 202)

    async def link(self, websocket: WebSocket) -> None:
        """Take a link from another node."""
        if self.links.full:
            await websocket.send_denial_response(error_response(HttpError(503, "there are too many links")))
            return
        await websocket.accept()
        await self.links.run_incoming(IncomingWire(websocket))

    async def open_session(self, request: Request) -> Response:
        """Put a token into the browser's cookie, where no script can read it."""
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _SESSION_BODY_BYTES_MAX:
                raise HttpError(413, "a session's body is small")
        try:
            presented = msgspec.json.decode(body, type=dict[str, str])["token"]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
            raise InputError('must be {"token": "…"}', field="body") from None
        token = None if self.tokens is None else self.tokens.find(presented.strip())
        if token is None:
            raise HttpError(401, "the token is not known", {"WWW-Authenticate": "Bearer"})
        response = json_response({"scopes": sorted(token.scopes)})
        response.set_cookie(COOKIE, cookie_value(token), httponly=True, samesite="strict", secure=self.tls)
        return response

    async def close_session(self, _: Request) -> Response:
        """Take the cookie away."""
        response = json_response({})
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=self.tls)
        return response


def build_app(endpoints: Endpoints, dashboard: Dashboard) -> ASGIApp:
    """Return the application; whatever it answers is JSON, an event stream, metrics or a file of the dashboard."""
    subscribing = endpoints.subscribing
    routes: Sequence[BaseRoute] = [
        Route("/health", endpoints.health),
        Route("/status", endpoints.get_status),
        Route("/metrics", endpoints.get_metrics),
        Route("/session", endpoints.open_session, methods=["POST"]),
        Route("/session", endpoints.close_session, methods=["DELETE"]),
        Route("/streams/{stream}/items", endpoints.publish, methods=["POST"]),
        Route("/streams/{stream}/subscribe", subscribing.events),
        WebSocketRoute("/streams/{stream}/subscribe", subscribing.websocket),
        Route("/streams/{stream}/plan", endpoints.get_plan),
        WebSocketRoute("/link", endpoints.link),
        *dashboard.routes,
    ]
    open_paths = ("/health", "/session", *dashboard.open_paths)
    app = Starlette(
        routes=routes,
        middleware=[Middleware(_Hardened), Middleware(Guard, tokens=endpoints.tokens, open_paths=open_paths)],
        exception_handlers={DistributaryError: _on_error, HTTPException: _on_http_exception, Exception: _on_crash},
    )
    assert isinstance(app.router, Router)
    app.router.redirect_slashes = False
    return app


class _Hardened:
    """Adds the headers that every answer has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_hardened(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                ]
            await send(message)

        await self._app(scope, receive, send_hardened)


async def _on_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, DistributaryError)
    return error_response(error)


async def _on_http_exception(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return error_response(HttpError(error.status_code, error.detail.lower(), error.headers))


async def _on_crash(_: Request, error: Exception) -> Response:
    # The error goes on to the server, which reports it; the asker learns nothing of our insides.
    return error_response(HttpError(500, "something is wrong with this node; its log says what"))
