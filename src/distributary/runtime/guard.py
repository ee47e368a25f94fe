"""Who may do what: the bearer token or the browser's cookie, looked at before anything else of a request.

It stands before the routes, so that a path that nobody thought of is closed as well. It checks no content.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope
from starlette.websockets import WebSocket

from distributary.runtime.responses import HttpError, error_response
from distributary.runtime.tokens import Scope, Token, Tokens

__all__ = ["COOKIE", "Guard", "cookie_value"]

COOKIE = "distributary"
_HEADER = "distributary-header"
#: A browser's filter may be long; headers are not. The server itself stops only what comes in many pieces.
_HEADERS_BYTES_MAX = 64 << 10


class Guard:
    """Lets a request through, or answers 401, 403 or 431; without tokens every node of the network is let in."""

    def __init__(self, app: ASGIApp, tokens: Tokens | None, open_paths: Collection[str]) -> None:
        self._app = app
        self._tokens = tokens
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Check one request or WebSocket."""
        if scope["type"] in {"http", "websocket"}:
            error = self._refusal(HTTPConnection(scope))
            if error is not None:
                response = error_response(error)
                if scope["type"] == "http":
                    await response(scope, receive, send)
                else:
                    await WebSocket(scope, receive, send).send_denial_response(response)
                return
        await self._app(scope, receive, send)

    def _refusal(self, request: HTTPConnection) -> HttpError | None:
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > _HEADERS_BYTES_MAX:
            return HttpError(431, "the headers are too long")
        if _acts(request) and _foreign(request):
            # A page of another site must not publish, or read, with what this browser may do here.
            return HttpError(403, "requests from pages of other sites are not taken")
        # Not `request.url.path`: that is made with the Host header, which the asker chooses.
        if self._tokens is None or request.scope["path"] in self._open_paths:
            return None
        presented = _presented(request)
        token = None if presented is None else self._tokens.find(presented)
        if token is None:
            reason = "a token is needed" if presented is None else "the token is not known"
            return HttpError(401, reason, {"WWW-Authenticate": "Bearer"})
        missing = [scope for scope in _needed(request) if scope not in token.scopes]
        return HttpError(403, f"the token does not allow to {missing[0]}") if missing else None


def cookie_value(token: Token) -> str:
    """Return the cookie that stands for a token: a token may hold what a cookie must not."""
    return urlsafe_b64encode(token.text.encode()).decode()


def _presented(request: HTTPConnection) -> str | None:
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return text.strip()
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        return None
    try:
        return urlsafe_b64decode(cookie).decode()
    except (binascii.Error, ValueError):
        return ""


def _needed(request: HTTPConnection) -> list[Scope]:
    """Return the scopes that a request needs; a path without one is for any token that is known."""
    path = request.scope["path"]
    if path == "/link":
        return [Scope.JOIN]
    if not path.startswith("/streams/"):
        return []
    act = path.rpartition("/")[2]
    if act == "items":
        return [Scope.PUBLISH, Scope.ROUTE] if _HEADER in request.headers else [Scope.PUBLISH]
    return {"subscribe": [Scope.SUBSCRIBE], "plan": [Scope.ROUTE]}.get(act, [])


def _acts(request: HTTPConnection) -> bool:
    """Tell whether a request does something, or opens a channel that its page could read."""
    return request.scope["type"] == "websocket" or request.scope["method"] not in {"GET", "HEAD"}


def _foreign(request: HTTPConnection) -> bool:
    """Tell whether a browser sent the request for a page of another origin."""
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")
