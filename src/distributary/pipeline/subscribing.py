"""Reading a stream from a node: what a Spark reader receives, up to a place or as it comes.

Both kinds of readers see the matching items in stream order, each once. A gap (items that the node no longer keeps)
is an error unless the reader asked for everything retained or set `failOnDataLoss` to false.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator

from distributary.client import Client, Event, Gap
from distributary.core.errors import DistributaryError, Unavailable
from distributary.pipeline.source_options import SourceOptions

__all__ = ["Follower", "events_between", "head_of"]

#: Deliveries that are received ahead of the reader.
_AHEAD = 10_000
#: A place that must come is waited for this long.
_REPLAY_SECONDS = 60.0


def head_of(options: SourceOptions) -> int:
    """Return the last sequence number of the stream that the node knows of; 0 for a stream that is new to it."""
    with Client(options.nodes, options.token) as client:
        status = client.status()
    heads = [stream.head for tree in status.trees for stream in tree.streams if stream.stream == options.stream]
    return max(heads, default=0)


def events_between(options: SourceOptions, after: int, upto: int, *, replay: bool = False) -> Iterator[Event]:
    """Yield the matches with `after < seq <= upto`.

    With `replay` the last of them is known to have been there, and must come again. Without it, a filter may match
    nothing more before `upto`: then silence for `idle` seconds is the end. Without a filter the end is certain.
    """
    certain = replay or (options.where is None and options.xpath is None)
    patience = _REPLAY_SECONDS if certain else options.idle_seconds
    if after >= upto:
        return
    follower = Follower(options, after)
    try:
        while True:
            found = follower.take(1_000, patience)
            for event in found:
                if event.seq <= upto:
                    yield event
            if follower.seq >= upto:
                return
            if not found and not certain:
                return
            if not found:
                raise Unavailable(options.stream, f"the items up to number {upto} did not come again")
    finally:
        follower.close()


class Follower:
    """A subscription that receives ahead, in a thread of its own, and is read in steps."""

    def __init__(self, options: SourceOptions, after: int) -> None:
        self._options = options
        #: Everything up to here has been taken.
        self.seq = after
        self._everything = after == 0
        self._arrived: queue.Queue[Event | Gap | Exception] = queue.Queue(_AHEAD)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._receive, args=(after,), daemon=True)
        self._thread.start()

    def take(self, count: int, wait_seconds: float) -> list[Event]:
        """Return what has arrived, at most `count` events; waits for the first one, but not longer than told.

        Raises what ended the subscription, and `Unavailable` for a gap that is one.
        """
        found: list[Event] = []
        deadline = time.monotonic() + wait_seconds
        while len(found) < count:
            try:
                left = 0.0 if found else max(0.0, deadline - time.monotonic())
                delivery = self._arrived.get(timeout=left) if left else self._arrived.get_nowait()
            except queue.Empty:
                break
            if isinstance(delivery, Exception):
                if found:
                    # What came before is handed over first; the error stands until it is taken.
                    self._arrived.put(delivery)
                    break
                raise delivery
            if isinstance(delivery, Gap):
                self._pass(delivery)
                self.seq = max(self.seq, delivery.last)
            else:
                found.append(delivery)
                self.seq = delivery.seq
        self._everything = self._everything and not found
        return found

    def close(self) -> None:
        """End the subscription; the thread ends with its next delivery or with the process."""
        self._closed.set()

    def _pass(self, gap: Gap) -> None:
        if self._options.fail_on_data_loss and not self._everything:
            raise Unavailable(
                self._options.stream,
                f"items {gap.first} to {gap.last} are no longer kept; set failOnDataLoss to false to go on after them",
            )

    def _receive(self, after: int) -> None:
        options = self._options
        try:
            with Client(options.nodes, options.token) as client:
                deliveries = client.subscribe(
                    options.stream,
                    where=options.where,
                    xpath=options.xpath,
                    namespaces=dict(options.namespaces),
                    format=options.format,
                    after=after,
                )
                for delivery in deliveries:
                    if not self._put(delivery):
                        return
        except DistributaryError as error:
            self._put(error)

    def _put(self, delivery: Event | Gap | Exception) -> bool:
        while not self._closed.is_set():
            try:
                self._arrived.put(delivery, timeout=0.5)
            except queue.Full:
                continue
            return True
        return False
