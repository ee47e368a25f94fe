"""A parser of server-sent events, as the HTML standard has them: bytes in, events out. It reads no socket."""

from __future__ import annotations

from dataclasses import dataclass

from distributary.core.errors import ProtocolError

__all__ = ["EventParser", "ServerEvent"]


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One block: its name, its data, and the last id that was seen; without data it only tells the id."""

    name: str
    data: bytes | None
    id: str | None


class EventParser:
    r"""Takes chunks cut anywhere, and gives the events that they end.

    >>> EventParser("node").feed(b"id: 7\ndata: {}\n\n")
    [ServerEvent(name='message', data=b'{}', id='7')]
    """

    def __init__(self, peer: str, bytes_max: int = 64 << 20) -> None:
        self._peer = peer
        self._bytes_max = bytes_max
        self._rest = bytearray()
        self._searched = 0
        self._data: list[bytes] = []
        self._size = 0
        self._name = ""
        self._id: str | None = None
        self._told_id: str | None = None

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events that end in this chunk."""
        self._rest += chunk
        events: list[ServerEvent] = []
        start = 0
        while (end := self._line_end(start)) is not None:
            line, start = bytes(self._rest[start : end[0]]), end[1]
            event = self._line(line)
            if event is not None:
                events.append(event)
        del self._rest[:start]
        self._searched = max(0, len(self._rest) - 1)
        if len(self._rest) + self._size > self._bytes_max:
            raise ProtocolError(self._peer, f"sent an event of more than {self._bytes_max} bytes")
        return events

    def _line_end(self, start: int) -> tuple[int, int] | None:
        """Return where a line ends and the next begins; a last CR may be half of a line break."""
        begin = max(start, self._searched)
        feed = self._rest.find(b"\n", begin)
        back = self._rest.find(b"\r", begin, feed if feed >= 0 else len(self._rest))
        if back >= 0 and back + 1 < len(self._rest):
            return back, back + 2 if self._rest[back + 1] == 10 else back + 1
        return (feed, feed + 1) if feed >= 0 else None

    def _line(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._block()
        field, _, value = line.partition(b":")
        value = value[1:] if value.startswith(b" ") else value
        if field == b"data":
            self._data.append(value)
            self._size += len(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        return None

    def _block(self) -> ServerEvent | None:
        data, name = self._data, self._name or "message"
        self._data, self._name, self._size = [], "", 0
        if not data and self._id == self._told_id:
            return None
        self._told_id = self._id
        return ServerEvent(name, b"\n".join(data) if data else None, self._id)
