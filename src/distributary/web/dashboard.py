"""The dashboard's routes: files of our own, read once from the package. What they show comes from `/status`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = ["CONTENT_SECURITY_POLICY", "app", "routes"]

#: Nothing from elsewhere, nothing inline, no frame around it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/dashboard/dashboard.css": ("dashboard.css", "text/css; charset=utf-8"),
    "/dashboard/dashboard.js": ("dashboard.js", "text/javascript; charset=utf-8"),
    "/dashboard/icon.svg": ("icon.svg", "image/svg+xml"),
}


def routes() -> list[Route]:
    """Return one route for each file; each of them may be open, since none tells anything about the node."""
    return [Route(path, _file(name, content_type), methods=["GET"]) for path, (name, content_type) in _FILES.items()]


def app() -> Starlette:
    """Return the dashboard alone, for whoever serves `/status` from elsewhere."""
    return Starlette(routes=routes())


def _file(name: str, content_type: str) -> Callable[[Request], Awaitable[Response]]:
    content = files("distributary.web").joinpath("files", name).read_bytes()
    headers = {
        "Content-Type": content_type,
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cache-Control": "no-cache",
    }

    async def serve(_: Request) -> Response:
        return Response(content, headers=headers)

    return serve
