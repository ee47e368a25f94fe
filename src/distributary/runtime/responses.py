"""Answers over HTTP: JSON bodies, and the status that stands for each error. The errors' texts are one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from distributary.core.errors import (
    Conflict,
    DistributaryError,
    InputError,
    NoSpace,
    NotAcceptable,
    TooLarge,
    Unavailable,
)

__all__ = ["HttpError", "error_response", "json_response", "status_of"]

#: The first that fits counts.
_STATUS: tuple[tuple[type[DistributaryError], int], ...] = (
    (Conflict, 409),
    (TooLarge, 413),
    (NotAcceptable, 422),
    (InputError, 400),
    (NoSpace, 507),
    (Unavailable, 503),
)


class HttpError(DistributaryError):
    """A refusal that only HTTP knows: its status and reason."""

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = dict(headers or {})


def status_of(error: DistributaryError) -> int:
    """Return the status that an error is answered with.

    >>> status_of(TooLarge("has 20 bytes, at most 10")), status_of(Unavailable("source", "is out of reach"))
    (413, 503)
    """
    if isinstance(error, HttpError):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a JSON body that nobody keeps."""
    return Response(
        msgspec.json.encode(content),
        status,
        headers={"Cache-Control": "no-store", **(headers or {})},
        media_type="application/json",
    )


def error_response(error: DistributaryError) -> Response:
    """Return `{"error": …, "field": …}` with the error's status."""
    status = status_of(error)
    headers = dict(error.headers) if isinstance(error, HttpError) else {}
    if status == 503:
        headers.setdefault("Retry-After", "1")
    field = error.field if isinstance(error, InputError) else None
    return json_response({"error": str(error), "field": field}, status, headers)
