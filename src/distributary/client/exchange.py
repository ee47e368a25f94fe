"""Requests and answers as values, for both clients: what is asked of a node, and what its answers mean."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from distributary.client.events import Published
from distributary.core.errors import (
    Conflict,
    DistributaryError,
    InputError,
    MissingExtra,
    NoSpace,
    NotAcceptable,
    TooLarge,
    Unavailable,
)
from distributary.core.headers import Header, encode_header
from distributary.core.ids import Sequence, StreamName, check_stream
from distributary.core.items import JSON, XML

__all__ = [
    "Query",
    "Request",
    "batch_request",
    "checked_urls",
    "error_of",
    "is_passing",
    "publish_request",
    "published_of",
    "require_httpx",
    "subscribe_path",
]

#: What a node takes as the first line of a request, with room for its headers.
_PATH_LENGTH_MAX = 60_000
_KINDS: Mapping[int, type[InputError]] = {409: Conflict, 413: TooLarge, 422: NotAcceptable}


@dataclass(frozen=True, slots=True)
class Request:
    """A request without the node that it goes to."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What a subscriber wants, in the interface's words; `subscription` is the whole object in place of the others."""

    where: str | None = None
    xpath: str | None = None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    subscription: Mapping[str, Any] | None = None
    after: Sequence | None = None


class _Refusal(msgspec.Struct):
    error: str = "no reason was given"
    field: str | None = None


class _Accepted(msgspec.Struct):
    stream: str
    seq: int = 0
    first: int = 0
    last: int = 0


def require_httpx() -> None:
    """Raise `MissingExtra` when the library below is not installed."""
    try:
        import httpx  # noqa: F401
    except ImportError:
        raise MissingExtra("httpx", "web") from None


def checked_urls(url: str | Iterable[str], field: str = "url") -> tuple[str, ...]:
    """Return one or several node addresses without their last slash; `field` is what an `InputError` names."""
    urls = (url,) if isinstance(url, str) else tuple(url)
    for one in urls:
        if not _is_address(one):
            raise InputError(f"{one[:200]!r} is no address of a node such as http://host:8000", field=field)
    if not urls:
        raise InputError("no node is named", field=field)
    return tuple(one.rstrip("/") for one in urls)


def publish_request(
    stream: StreamName,
    item: bytes | str | Mapping[str, Any],
    content_type: str | None = None,
    key: str | None = None,
    header: Header | None = None,
) -> Request:
    """Return the request that publishes one item.

    A mapping is JSON; a string is XML when it begins with `<`, else plain text; bytes are bytes. The key makes a
    repetition harmless; one is made up when there is none, so that a lost answer can be asked for again.
    """
    if isinstance(item, str):
        content, kind = item.encode(), XML if item.lstrip().startswith("<") else "text/plain; charset=utf-8"
    elif isinstance(item, bytes):
        content, kind = item, "application/octet-stream"
    else:
        content, kind = msgspec.json.encode(item), JSON
    return _items(stream, content, content_type or kind, key, header)


def batch_request(
    stream: StreamName, items: Iterable[Mapping[str, Any] | bytes], key: str | None = None, header: Header | None = None
) -> Request:
    """Return the request that publishes many records, all or none; bytes are a record's JSON on one line."""
    lines = (item if isinstance(item, bytes) else msgspec.json.encode(item) for item in items)
    return _items(stream, b"\n".join(lines), "application/x-ndjson", key, header)


def subscribe_path(stream: StreamName, query: Query) -> str:
    """Return the path and query of a subscription."""
    pairs: list[tuple[str, str]] = []
    if query.subscription is not None:
        pairs.append(("subscription", msgspec.json.encode(query.subscription).decode()))
    for name in ("where", "xpath", "format"):
        value: str | None = getattr(query, name)
        if value is not None:
            pairs.append((name, value))
    pairs += [("ns", f"{prefix}={uri}") for prefix, uri in query.namespaces.items()]
    if query.after is not None:
        pairs.append(("after", str(query.after)))
    path = f"/streams/{quote(check_stream(stream))}/subscribe" + (f"?{urlencode(pairs)}" if pairs else "")
    if len(path) > _PATH_LENGTH_MAX:
        raise InputError(
            f"makes an address of {len(path)} characters, at most {_PATH_LENGTH_MAX}", field="subscription"
        )
    return path


def published_of(body: bytes, node: str) -> Published:
    """Return what a 202 says."""
    try:
        found = msgspec.json.decode(body, type=_Accepted)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Unavailable(node, "gave an answer that is none") from None
    return Published(found.stream, found.first or found.seq, found.last or found.seq)


def error_of(status: int, body: bytes, node: str) -> DistributaryError:
    """Return the error that an answer stands for."""
    try:
        refusal = msgspec.json.decode(body, type=_Refusal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Whoever that is, it is no node: what it answered says little, and its address is what must be looked at.
        refusal = _Refusal(f"{node} answered {status}; is it a node?")
    reason = refusal.error.removeprefix(f"{refusal.field}: ")
    if status == 507:
        return NoSpace(node, refusal.error)
    if is_passing(status):
        return Unavailable(node, refusal.error)
    return _KINDS.get(status, InputError)(reason, field=refusal.field)


def is_passing(status: int) -> bool:
    """Tell whether the same request may be answered otherwise later, or by another node."""
    return status >= 500 or status in {408, 429}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port  # a number that is none is an error only when it is asked for
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and port != 0


def _items(stream: StreamName, content: bytes, content_type: str, key: str | None, header: Header | None) -> Request:
    headers = {"Content-Type": content_type, "Idempotency-Key": key or secrets.token_hex(16)}
    if header is not None:
        headers["Distributary-Header"] = encode_header(header)
    return Request("POST", f"/streams/{quote(check_stream(stream))}/items", headers, content)
