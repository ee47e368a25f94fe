"""The two ends of a WebSocket between nodes behind one face: whole binary frames in order, or `WireClosed`."""

from __future__ import annotations

import ssl
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from distributary.core.errors import InputError, ProtocolError

__all__ = ["IncomingWire", "OutgoingWire", "Wire", "WireClosed", "link_url", "open_wire"]


class WireClosed(Exception):
    """The other side, or the network, closed the connection; says why."""


class Wire(Protocol):
    """One connection."""

    @property
    def peer(self) -> str:
        """Return the other side's address, for reports."""
        ...

    async def send(self, frame: bytes) -> None:
        """Send a frame; waits while the other side does not drain."""
        ...

    async def receive(self) -> bytes:
        """Return the next frame; a `ProtocolError` when it is not binary."""
        ...

    async def close(self) -> None:
        """Close; never raises."""
        ...


class IncomingWire:
    """A connection that a peer opened, accepted by the server."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        client = websocket.client
        self.peer = f"{client.host}:{client.port}" if client else "unknown"

    async def send(self, frame: bytes) -> None:
        """Send a frame."""
        try:
            await self._websocket.send_bytes(frame)
        except (WebSocketDisconnect, WebSocketDisconnected, OSError) as error:
            raise WireClosed(_reason(error)) from error

    async def receive(self) -> bytes:
        """Return the next frame."""
        try:
            message = await self._websocket.receive()
        except WebSocketDisconnected as error:
            raise WireClosed(_reason(error)) from error
        if message["type"] == "websocket.disconnect":
            raise WireClosed(message.get("reason") or f"closed with code {message.get('code')}")
        frame = message.get("bytes")
        if not isinstance(frame, bytes):
            raise ProtocolError(self.peer, "sent a text frame")
        return frame

    async def close(self) -> None:
        """Close, if it is still open."""
        try:
            await self._websocket.close()
        except (WebSocketDisconnect, WebSocketDisconnected, OSError, RuntimeError):
            return


class OutgoingWire:
    """A connection that this node opened."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        address = connection.remote_address
        self.peer = f"{address[0]}:{address[1]}" if address else "unknown"

    async def send(self, frame: bytes) -> None:
        """Send a frame."""
        try:
            await self._connection.send(frame)
        except ConnectionClosed as error:
            raise WireClosed(_reason(error)) from error

    async def receive(self) -> bytes:
        """Return the next frame."""
        try:
            frame = await self._connection.recv()
        except ConnectionClosed as error:
            raise WireClosed(_reason(error)) from error
        if not isinstance(frame, bytes):
            raise ProtocolError(self.peer, "sent a text frame")
        return frame

    async def close(self) -> None:
        """Close, if it is still open."""
        await self._connection.close()


def link_url(url: str) -> str:
    """Return the address of the link endpoint of the node at `url`; `InputError` when it is no node's URL.

    >>> link_url("https://river.example:8443/")
    'wss://river.example:8443/link'
    """
    try:
        parts = urlsplit(url)
        scheme = {"http": "ws", "https": "wss"}[parts.scheme]
        if not parts.hostname or parts.port == 0 or parts.username is not None or parts.query or parts.fragment:
            raise ValueError(url)
    except (KeyError, ValueError):
        raise InputError(f"{url[:200]!r} is no address of a node such as http://host:8000") from None
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/link", "", ""))


async def open_wire(
    url: str, token: str | None, tls: ssl.SSLContext | None, frame_bytes_max: int, patience_seconds: float
) -> OutgoingWire:
    """Open a connection to the node at `url`; raises `WireClosed` when that fails."""
    try:
        address = link_url(url)
        connection = await connect(
            address,
            additional_headers={"Authorization": f"Bearer {token}"} if token is not None else None,
            # Items are often compressed, and a compressed frame would be a bomb to bound.
            compression=None,
            # Nodes reach each other directly; a proxy of the environment is for people.
            proxy=None,
            open_timeout=patience_seconds,
            close_timeout=1.0,
            max_size=frame_bytes_max,
            ssl=tls if address.startswith("wss:") else None,
        )
    except InvalidStatus as error:
        raise WireClosed(f"answered {error.response.status_code}") from error
    except (OSError, TimeoutError, InvalidHandshake, InvalidURI, InputError) as error:
        raise WireClosed(_reason(error)) from error
    return OutgoingWire(connection)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
