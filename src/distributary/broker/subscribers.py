"""A node's subscribers: each is answered when the source knows its filter and tells where the stream stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from distributary.algebra import filter_of_subscription
from distributary.broker.downward import Downward
from distributary.broker.flow import Flow
from distributary.broker.outlet import Outlet
from distributary.broker.requests import NO_SOURCE, Requests
from distributary.broker.tree import Tree
from distributary.core.answers import SubscribeAccepted, refusal_of
from distributary.core.effects import Answer, CancelTimer, SetTimer
from distributary.core.errors import InputError, NotAcceptable
from distributary.core.ids import RequestId, Sequence, SubscriberId, check_stream
from distributary.core.inputs import SubscribeRequested
from distributary.core.subscriptions import FilterText

__all__ = ["Subscribers"]

_ASK_AGAIN_SECONDS = 2.0


@dataclass(slots=True)
class _Subscriber:
    request: RequestId
    outlet: Outlet
    text: FilterText
    after: Sequence | None
    every: float | None
    #: When an unanswered subscription is refused.
    deadline: float
    #: When the source was last asked where the stream stands.
    asked: float | None = None


@dataclass(slots=True)
class Subscribers:
    """The subscriptions that run at this node in one tree."""

    tree: Tree
    flow: Flow
    downward: Downward
    requests: Requests
    _subscribers: dict[SubscriberId, _Subscriber] = field(default_factory=dict)
    #: Those that are not answered yet.
    _waiting: dict[SubscriberId, None] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._subscribers)

    def __contains__(self, subscriber: SubscriberId) -> bool:
        """Tell whether the subscriber is one of this tree's."""
        return subscriber in self._subscribers

    def subscribe(self, wanted: SubscribeRequested, now: float) -> None:
        """Hold the filter; the answer comes when the source is known to have it."""
        assert wanted.subscriber not in self._subscribers, wanted.subscriber
        config, subscription = self.tree.config, wanted.subscription
        try:
            if subscription.stream not in {None, wanted.stream}:
                raise InputError(f"is {subscription.stream!r}, not {wanted.stream!r}", field="stream")
            if subscription.format is not None:
                raise NotAcceptable(f"nobody here can make {subscription.format!r}", field="format")
            if len(self._subscribers) >= config.subscribers_max:
                raise InputError(f"this node has {config.subscribers_max} subscribers, no more are allowed")
            text = filter_of_subscription(subscription).text()
            stream = self.tree.stream(check_stream(wanted.stream))
        except InputError as error:
            self.tree.emit(Answer(wanted.request, refusal_of(error)))
            return
        outlet = self.tree.outlet(wanted.subscriber, wanted.stream, child=False)
        self.downward.hold(stream, text, outlet)
        outlet.starts[text] = None
        self._subscribers[wanted.subscriber] = _Subscriber(
            wanted.request, outlet, text, wanted.after, subscription.every, now + config.request_timeout_seconds
        )
        self._waiting[wanted.subscriber] = None

    def unsubscribe(self, subscriber: SubscriberId) -> None:
        """Forget a subscriber, known or not."""
        gone = self._subscribers.pop(subscriber, None)
        if gone is None:
            return
        self._waiting.pop(subscriber, None)
        if gone.every is not None:
            self.tree.emit(CancelTimer(self._timer(subscriber)))
        self.downward.release(self.tree.streams[gone.outlet.stream], gone.outlet)

    def progress(self, now: float) -> None:
        """Ask the source for the starts of those whose filters it knows by now."""
        for subscriber in list(self._waiting):
            waiting = self._subscribers[subscriber]
            stream = self.tree.streams[waiting.outlet.stream]
            if stream.since(waiting.text) is None:
                continue
            if self.tree.is_source:
                self.started(subscriber, stream.head, now)
            elif (waiting.asked is None or waiting.asked + _ASK_AGAIN_SECONDS <= now) and (
                self.requests.start(subscriber, stream.name, now) is not None
            ):
                waiting.asked = now

    def started(self, subscriber: SubscriberId, head: Sequence, now: float) -> None:
        """Answer a subscriber and let its items flow: the source's stream stands at `head`."""
        if subscriber not in self._waiting:
            return
        del self._waiting[subscriber]
        waiting = self._subscribers[subscriber]
        outlet = waiting.outlet
        start = head if waiting.after is None else waiting.after
        outlet.sent = outlet.starts[waiting.text] = start
        outlet.open = True
        if waiting.every is not None:
            outlet.released = start
            self.tree.emit(SetTimer(self._timer(subscriber), now + waiting.every))
        self.tree.emit(Answer(waiting.request, SubscribeAccepted(outlet.stream, start)))
        self.flow.serve(self.tree.streams[outlet.stream], outlet, now)

    def taken(self, subscriber: SubscriberId, seq: Sequence, now: float) -> None:
        """Open a subscriber's window."""
        known = self._subscribers.get(subscriber)
        if known is not None:
            known.outlet.window.taken(seq)
            self.flow.serve(self.tree.streams[known.outlet.stream], known.outlet, now)

    def released(self, timer: str, now: float) -> bool:
        """Let a subscriber with `every` have what has gathered; `False` when the timer is no such one."""
        prefix = self._timer("")
        subscriber = timer.removeprefix(prefix)
        known = self._subscribers.get(subscriber) if timer.startswith(prefix) else None
        if known is None or known.every is None:
            return False
        stream = self.tree.streams[known.outlet.stream]
        known.outlet.released = max(known.outlet.released or 0, stream.head)
        self.tree.emit(SetTimer(timer, now + known.every))
        self.flow.serve(stream, known.outlet, now)
        return True

    def expire(self, now: float) -> None:
        """Refuse those that the source did not confirm in time; ask again for the others."""
        for subscriber in list(self._waiting):
            waiting = self._subscribers[subscriber]
            if waiting.deadline <= now:
                self.tree.emit(Answer(waiting.request, NO_SOURCE))
                self.unsubscribe(subscriber)
        self.progress(now)

    def parent_lost(self) -> None:
        """Note that no question about a start is under way any more."""
        for subscriber in self._waiting:
            self._subscribers[subscriber].asked = None

    def end_all(self) -> None:
        """End every subscription: the tree is another, and its sequence numbers mean nothing any more."""
        for subscriber in list(self._subscribers):
            self.tree.emit(Answer(self._subscribers[subscriber].request, NO_SOURCE))
            self.unsubscribe(subscriber)

    def _timer(self, subscriber: SubscriberId) -> str:
        return f"{self.tree.membership.slot}/every/{subscriber}"
