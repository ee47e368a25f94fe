"""Requests that wait for the node's answer, and subscribers that take deliveries. It knows no HTTP and no socket."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable

from distributary.core.answers import Answered, Refused, SubscribeAccepted
from distributary.core.effects import Answer, Deliver, Gap
from distributary.core.errors import DistributaryError, TimedOut, Unavailable
from distributary.core.ids import RequestId, Sequence, StreamName, SubscriberId
from distributary.core.inputs import DeliveryTaken, Input, PublishRequested, SubscribeRequested, Unsubscribed
from distributary.core.items import Item, NewItem
from distributary.core.subscriptions import Subscription

__all__ = ["Session", "Sessions"]


class Session:
    """One subscriber. What waits here is bounded by the node's window: `taken` lets the node send more."""

    def __init__(self, subscriber: SubscriberId, request: RequestId, feed: Callable[[Input], None]) -> None:
        self.subscriber = subscriber
        self.request = request
        self._feed = feed
        self._deliveries: deque[Item | Gap] = deque()
        self._changed = asyncio.Event()
        #: Why it ended, when the node or the operator ended it.
        self.error: DistributaryError | None = None

    def put(self, delivery: Item | Gap) -> None:
        """Add a delivery."""
        self._deliveries.append(delivery)
        self._changed.set()

    def end(self, error: DistributaryError) -> None:
        """End the session after what was delivered before."""
        self.error = self.error or error
        self._changed.set()

    async def next(self) -> Item | Gap | None:
        """Return the next delivery; None when there is none and the session has ended."""
        while not self._deliveries:
            if self.error is not None:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._deliveries.popleft()

    def taken(self, delivery: Item | Gap) -> None:
        """Say that a delivery was written out; the node has forgotten a session that ended."""
        if self.error is None:
            seq = delivery.seq if isinstance(delivery, Item) else delivery.last
            self._feed(DeliveryTaken(self.subscriber, seq))


class Sessions:
    """All requests and subscribers of one node."""

    def __init__(self, feed: Callable[[Input], None], patience_seconds: float) -> None:
        self._feed = feed
        #: The node answers in its own time limit; this one is behind it.
        self._patience_seconds = patience_seconds
        self._numbers = itertools.count(1)
        self._waiting: dict[RequestId, asyncio.Future[Answered]] = {}
        self._by_request: dict[RequestId, Session] = {}
        self._by_subscriber: dict[SubscriberId, Session] = {}
        self._stopping = False

    async def publish(self, stream: StreamName, items: tuple[NewItem, ...], key: str | None, digest: str) -> Answered:
        """Return what the node answers to a publication."""
        request = f"r{next(self._numbers)}"
        return await self._ask(request, PublishRequested(request, stream, items, key, digest))

    async def subscribe(
        self, stream: StreamName, subscription: Subscription, after: Sequence | None
    ) -> tuple[Session, SubscribeAccepted]:
        """Open a session; raises the error of a refusal."""
        number = next(self._numbers)
        session = Session(f"s{number}", f"r{number}", self._feed)
        self._by_request[session.request] = self._by_subscriber[session.subscriber] = session
        try:
            answer = await self._ask(
                session.request, SubscribeRequested(session.request, session.subscriber, stream, subscription, after)
            )
            if isinstance(answer, Refused):
                raise answer.error()
        except BaseException as error:
            # A refused one is already gone for the node; one that was given up is not.
            self.close(session, told=isinstance(error, DistributaryError) and not isinstance(error, TimedOut))
            raise
        assert isinstance(answer, SubscribeAccepted), answer
        return session, answer

    def close(self, session: Session, *, told: bool = False) -> None:
        """Forget a session; the node hears of it unless it ended the session itself."""
        if self._by_subscriber.pop(session.subscriber, None) is None:
            return
        del self._by_request[session.request]
        if not told:
            self._feed(Unsubscribed(session.subscriber))

    def answer(self, effect: Answer) -> None:
        """Give an answer to who waits for it; a refusal after an acceptance ends that session."""
        waiting = self._waiting.pop(effect.request, None)
        if waiting is not None:
            if not waiting.done():
                waiting.set_result(effect.answer)
        elif isinstance(effect.answer, Refused) and effect.request in self._by_request:
            self._by_request[effect.request].end(effect.answer.error())

    def deliver(self, effect: Deliver) -> None:
        """Hand over a delivery; one for a subscriber that has just gone is dropped."""
        session = self._by_subscriber.get(effect.subscriber)
        if session is not None:
            session.put(effect.delivery)

    async def settle(self, seconds: float) -> None:
        """Take no more requests, and wait a while for the answers that are owed."""
        self._stopping = True
        if self._waiting:
            await asyncio.wait(list(self._waiting.values()), timeout=seconds)

    def stop(self) -> None:
        """Refuse what still waits and end all sessions."""
        self._stopping = True
        stopping = Refused("Unavailable", "is stopping", "node")
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(stopping)
        for session in self._by_subscriber.values():
            session.end(stopping.error())

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._by_subscriber)

    async def _ask(self, request: RequestId, question: PublishRequested | SubscribeRequested) -> Answered:
        if self._stopping:
            raise Unavailable("node", "is stopping")
        waiting = self._waiting[request] = asyncio.get_running_loop().create_future()
        self._feed(question)
        try:
            return await asyncio.wait_for(waiting, self._patience_seconds)
        except TimeoutError:
            raise TimedOut("node", self._patience_seconds) from None
        finally:
            self._waiting.pop(request, None)
