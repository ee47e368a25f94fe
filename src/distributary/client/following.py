"""Where a subscription stands over reconnections: nothing twice, nothing lost, whichever node serves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from distributary.client.attempts import Attempts
from distributary.client.events import Event, Gap, event_of, gap_of
from distributary.client.exchange import Query, error_of, subscribe_path
from distributary.client.server_sent_events import EventParser, ServerEvent
from distributary.core.errors import DistributaryError
from distributary.core.ids import Sequence, StreamName

__all__ = ["Following"]


class _Ended(msgspec.Struct):
    status: int = 503


class Following:
    """One subscription of a client; the transport feeds it what arrives."""

    def __init__(self, attempts: Attempts, stream: StreamName, query: Query) -> None:
        self.attempts = attempts
        self._stream = stream
        self._query = query
        #: Everything up to here has been given out; None until the first node has told where it starts.
        self.last: Sequence | None = query.after
        self._parser = EventParser(attempts.url)

    def path(self) -> str:
        """Return what to ask the node whose turn it is."""
        return subscribe_path(self._stream, replace(self._query, after=self.last))

    def opened(self) -> None:
        """Note that a node has accepted; what half arrived before is gone."""
        self.attempts.succeeded()
        self._parser = EventParser(self.attempts.url)

    def refused(self, status: int, body: bytes) -> DistributaryError:
        """Return the error of a refusal; `Unavailable` when it may pass."""
        return error_of(status, body, self.attempts.url)

    def receive(self, chunk: bytes) -> Iterator[Event | Gap]:
        """Give what a chunk completes; raises when the node ends the subscription, `Unavailable` when only for now."""
        for arrived in self._parser.feed(chunk):
            found = self._delivery(arrived)
            if found is not None:
                yield found

    def _delivery(self, arrived: ServerEvent) -> Event | Gap | None:
        node = self.attempts.url
        if arrived.name == "error":
            raise self._end(arrived.data or b"{}")
        if arrived.data is None:
            if self.last is None and arrived.id is not None and arrived.id.isdecimal():
                self.last = int(arrived.id)
            return None
        if arrived.name == "gap":
            gap = gap_of(arrived.data, node)
            if self.last is not None and gap.last <= self.last:
                return None
            self.last = gap.last
            return gap
        if arrived.name != "message":
            return None
        event = event_of(arrived.data, node)
        if self.last is not None and event.seq <= self.last:
            return None
        self.last = event.seq
        return event

    def _end(self, data: bytes) -> DistributaryError:
        try:
            status = msgspec.json.decode(data, type=_Ended).status
        except msgspec.DecodeError:
            status = 503
        return error_of(status, data, self.attempts.url)
