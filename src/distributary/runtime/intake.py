"""What a publisher sends: a body read with a limit as it comes, and split into items. It does not look into items."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
from starlette.requests import ClientDisconnect, Request

from distributary.core.errors import InputError, NotAcceptable, TooLarge
from distributary.core.headers import Header, decode_header
from distributary.core.items import JSON, NewItem, media_type
from distributary.runtime.responses import HttpError

__all__ = ["NDJSON", "Intake", "Publication"]

NDJSON = "application/x-ndjson"
_LINE = msgspec.json.Decoder(msgspec.Raw)
_KEY_LENGTH_MAX = 255
_CONTENT_TYPE_LENGTH_MAX = 255
_HEADER_LENGTH_MAX = 16 << 10


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published; `batch` when it came as lines."""

    items: tuple[NewItem, ...]
    batch: bool
    key: str | None
    digest: str


class Intake:
    """Reads publications; all bodies that are under way share one limit."""

    def __init__(
        self, body_bytes_max: int, batch_items_max: int, bytes_max: int = 256 << 20, patience_seconds: float = 30.0
    ) -> None:
        self._body_bytes_max = body_bytes_max
        self._batch_items_max = batch_items_max
        self._bytes_max = max(bytes_max, 2 * body_bytes_max)
        self._patience_seconds = patience_seconds
        #: Bytes of bodies that have come in and are not answered yet.
        self.held_bytes = 0

    @asynccontextmanager
    async def publication(self, request: Request) -> AsyncIterator[Publication]:
        """Give what a request publishes, and hold its bytes against the limit as long as it is worked on."""
        content_type = _content_type(request)
        key, header = _key(request), _header(request)
        held = 0
        try:
            chunks: list[bytes] = []
            async for chunk in self._chunks(request):
                held += len(chunk)
                self.held_bytes += len(chunk)
                if held > self._body_bytes_max:
                    raise TooLarge(f"has more than {self._body_bytes_max} bytes", field="body")
                if self.held_bytes > self._bytes_max:
                    raise HttpError(503, "too many bodies are under way")
                chunks.append(chunk)
            body = b"".join(chunks)
            del chunks
            batch = media_type(content_type) == NDJSON
            items = self._lines(body, header) if batch else (NewItem(content_type, body, header),)
            yield Publication(items, batch, key, hashlib.sha256(body).hexdigest())
        finally:
            self.held_bytes -= held

    async def _chunks(self, request: Request) -> AsyncIterator[bytes]:
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._body_bytes_max:
            raise TooLarge(f"has {length} bytes, at most {self._body_bytes_max}", field="body")
        stream = request.stream()
        while True:
            try:
                chunk = await asyncio.wait_for(anext(stream, None), self._patience_seconds)
            except TimeoutError:
                raise HttpError(408, "the body did not come in time") from None
            except ClientDisconnect:
                raise HttpError(400, "the publisher went away") from None
            if chunk is None:
                return
            yield chunk

    def _lines(self, body: bytes, header: Header | None) -> tuple[NewItem, ...]:
        """Return one item for each line that is not empty."""
        items: list[NewItem] = []
        for number, line in enumerate(body.split(b"\n"), 1):
            if not line.strip():
                continue
            if len(items) == self._batch_items_max:
                raise TooLarge(f"has more than {self._batch_items_max} lines", field="body")
            try:
                items.append(NewItem(JSON, bytes(_LINE.decode(line)), header))
            except msgspec.DecodeError as error:
                raise NotAcceptable(f"is no JSON: {error}", record=number, field="body") from None
            except RecursionError:
                raise TooLarge("nests too deep", record=number, field="body") from None
        if not items:
            raise NotAcceptable("has no line", field="body")
        return tuple(items)


def _content_type(request: Request) -> str:
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise HttpError(415, "Content-Encoding: bodies are taken as they are")
    content_type = request.headers.get("content-type", "").strip()
    kind, slash, subtype = media_type(content_type).partition("/")
    if not (kind and slash and subtype) or len(content_type) > _CONTENT_TYPE_LENGTH_MAX:
        raise HttpError(415, "Content-Type: must say what the item is, for example application/json")
    return content_type


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= _KEY_LENGTH_MAX:
        raise InputError(f"must have 1 to {_KEY_LENGTH_MAX} characters", field="Idempotency-Key")
    return key


def _header(request: Request) -> Header | None:
    text = request.headers.get("distributary-header")
    if text is None:
        return None
    if len(text) > _HEADER_LENGTH_MAX:
        raise InputError(f"has more than {_HEADER_LENGTH_MAX} characters", field="Distributary-Header")
    return decode_header(text)
