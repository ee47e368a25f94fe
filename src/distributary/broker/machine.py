"""A node's part in one tree: joins membership, filters, flow and questions, and decides who acts on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from distributary.broker.downward import Downward
from distributary.broker.flow import Flow
from distributary.broker.requests import FetchOrigin, PublishOrigin, Requests, StartOrigin
from distributary.broker.retention import oldest_over
from distributary.broker.roles import ALLOWED, Role
from distributary.broker.source import ChildPublisher, Source
from distributary.broker.subscribers import Subscribers
from distributary.broker.tree import Tree
from distributary.broker.upward import Upward
from distributary.core.effects import Answer, SendMessage, TrimLog
from distributary.core.errors import ProtocolError
from distributary.core.ids import LinkId, RequestId
from distributary.core.inputs import RecoveredStream
from distributary.core.messages import (
    Confirmed,
    Fetch,
    Fetched,
    Filters,
    FiltersWanted,
    Goodbye,
    Items,
    Join,
    KeepAlive,
    Message,
    Publish,
    Published,
    Redirect,
    Start,
    StartWanted,
    Taken,
    Welcome,
)
from distributary.overlay import Change, ChildGained, ChildLost, ParentGained, ParentLost

__all__ = ["TreeMachine"]


class TreeMachine:
    """One tree at one node. Every method is one step; `finish` ends it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.membership = tree.membership
        self.upward = Upward(tree)
        self.requests = Requests(tree)
        self.flow = Flow(tree, self.requests)
        self.downward = Downward(tree, self.upward)
        self.source = Source(tree, self.flow)
        self.subscribers = Subscribers(tree, self.flow, self.downward, self.requests)
        self._messages: dict[type[Message], Callable[[LinkId, Message, float], None]] = {
            Join: self._joined_by,
            Welcome: self._welcomed,
            Redirect: self._redirected,
            Goodbye: self._goodbye,
            KeepAlive: self._kept_alive,
            Filters: self._filters_came,
            FiltersWanted: self._filters_wanted,
            Confirmed: self._confirmed,
            Items: self._items_came,
            Taken: self._taken,
            Fetch: self._fetch_wanted,
            Fetched: self._answered,
            StartWanted: self._start_wanted,
            Start: self._answered,
            Publish: self._publish_came,
            Published: self._answered,
        }

    def start(self, streams: Iterable[RecoveredStream], now: float) -> None:
        """Begin: the source goes on where its log ends; any other node's log was a cache that nothing vouches for."""
        self.membership.start(now)
        for recovered in streams:
            if self.tree.is_source and recovered.tree == self.tree.id:
                self.source.recover(recovered)
            elif recovered.head > recovered.trimmed:
                self.tree.emit(TrimLog(recovered.tree, recovered.stream, recovered.head))

    def role(self, link: LinkId) -> Role:
        """Tell what a link is for."""
        if link in self.membership.children:
            return Role.CHILD
        if link == self.membership.parent:
            return Role.PARENT
        return Role.CANDIDATE if link.startswith("out-") else Role.STRANGER

    def message(self, link: LinkId, message: Message, now: float) -> None:
        """Act on a message; one that has no place on this link is a `ProtocolError`."""
        role = self.role(link)
        if type(message) not in ALLOWED[role]:
            raise ProtocolError(link, f"sent {type(message).__name__} as a {role}")
        self.membership.heard(link, now)
        self._messages[type(message)](link, message, now)

    def opened(self, link: LinkId) -> None:
        """A link that the membership asked for is open."""
        self.membership.opened(link)

    def lost(self, link: LinkId, now: float) -> None:
        """A link is gone."""
        self._apply(self.membership.lost(link, now), now)

    def timer(self, name: str, now: float) -> bool:
        """Act on a timer; `False` when it is none of this tree's."""
        if name == self.membership.beat_timer:
            self._beat(now)
        elif name == self.membership.join_timer:
            self.membership.join_timed_out(now)
        else:
            return self.subscribers.released(name, now)
        return True

    def publish(self, request: RequestId, message: Publish, now: float) -> None:
        """Take a publication at this node."""
        if self.tree.is_source:
            self.source.publish(request, message, now)
        else:
            self.requests.publish(request, message, now)

    def stop(self, now: float) -> None:
        """Leave the tree."""
        self._apply(self.membership.stop(), now)

    def finish(self, now: float) -> None:
        """End a step: the parent hears of changed filters, and subscribers that can be answered are."""
        self.upward.flush()
        self.subscribers.progress(now)

    def _beat(self, now: float) -> None:
        self._apply(self.membership.beat(now, self.flow.marks_told), now)
        self.upward.beat()
        self.requests.expire(now)
        self.subscribers.expire(now)
        self.flow.retry(now)
        self._trim(now)

    def _trim(self, now: float) -> None:
        config = self.tree.config
        logs = {id(stream.segments): stream for stream in self.tree.streams.values()}
        while True:
            segments = [stream.segments for stream in logs.values()]
            log = oldest_over(segments, now, config.retention_seconds, config.retention_bytes)
            if log is None:
                return
            stream = logs[id(log)]
            self.tree.emit(TrimLog(self.tree.id, stream.name, log.drop_oldest()))
            self.source.forget_keys(stream)

    def _apply(self, changes: Iterable[Change], now: float) -> None:
        for change in changes:
            match change:
                case ChildGained(link, peer):
                    self.downward.gained(link, peer)
                case ChildLost(link):
                    self.downward.lost(link)
                case ParentGained(_, _, moved):
                    if moved:
                        self._begin_anew()
                case ParentLost(_):
                    self.upward.parent_lost()
                    self.subscribers.parent_lost()
                    for origin in self.requests.parent_lost():
                        self._fetch_failed(origin)

    def _begin_anew(self) -> None:
        """Forget all that concerns another tree's streams: the children and subscribers must come again."""
        self.subscribers.end_all()
        for link in list(self.tree.children):
            self.membership.dismiss(link)
            self.downward.lost(link)

    def _fetch_failed(self, origin: FetchOrigin) -> None:
        stream = self.tree.streams.get(origin.stream)
        outlet = stream.outlets.get(origin.outlet) if stream is not None else None
        if outlet is not None:
            outlet.waiting = None

    # Messages, each with the narrow type that the table has checked.

    def _joined_by(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Join)
        self._apply(self.membership.joined_by(link, message, now), now)

    def _welcomed(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Welcome)
        self._apply(self.membership.welcomed(link, message, now), now)

    def _redirected(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Redirect)
        self.membership.redirected(link, message, now)

    def _goodbye(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Goodbye)
        self._apply(self.membership.goodbye(link, message, now), now)

    def _kept_alive(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, KeepAlive)
        self._apply(self.membership.kept_alive(link, message, now), now)
        for name, upto in message.sent.items():
            self.flow.told(link, name, upto)

    def _filters_came(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Filters)
        self.downward.filters_came(link, message)
        self._confirm(now)

    def _filters_wanted(self, _link: LinkId, message: Message, _now: float) -> None:
        assert isinstance(message, FiltersWanted)
        self.upward.send_whole()

    def _confirmed(self, _link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Confirmed)
        for stream in self.upward.confirmed(message):
            self.flow.serve_behind(stream, now)
        self._confirm(now)

    def _confirm(self, now: float) -> None:
        for stream in self.downward.confirm():
            self.flow.serve_behind(stream, now)

    def _items_came(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Items)
        self.flow.received(link, message, now)

    def _taken(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Taken)
        self.flow.taken(link, message, now)

    def _fetch_wanted(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Fetch)
        self.flow.fetch_wanted(link, message, now)

    def _start_wanted(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, StartWanted)
        if self.tree.is_source:
            stream = self.tree.streams.get(message.stream)
            self.tree.emit(SendMessage(link, Start(message.request, stream.head if stream is not None else 0)))
        else:
            self.requests.pass_on(link, message, now)

    def _publish_came(self, link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Publish)
        if self.tree.is_source:
            self.source.publish(ChildPublisher(link, message.request), message, now)
        else:
            self.requests.pass_on(link, message, now)

    def _answered(self, _link: LinkId, message: Message, now: float) -> None:
        assert isinstance(message, Fetched | Start | Published)
        origin = self.requests.answered(message)
        if isinstance(origin, FetchOrigin) and isinstance(message, Fetched):
            self.flow.fetched(message.request, origin.stream, origin.outlet, message, now)
        elif isinstance(origin, StartOrigin) and isinstance(message, Start):
            self.subscribers.started(origin.subscriber, message.head, now)
        elif isinstance(origin, PublishOrigin) and isinstance(message, Published):
            self.tree.emit(Answer(origin.request, message.answer))
