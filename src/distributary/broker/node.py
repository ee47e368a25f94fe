"""One node as a value machine: `handle(input, now)` returns effects. It has no clock, no socket and no disk."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable

from distributary.broker.config import NodeConfig
from distributary.broker.machine import TreeMachine
from distributary.broker.requests import NO_SOURCE
from distributary.broker.tree import Tree
from distributary.core.answers import refusal_of
from distributary.core.effects import Answer, Disconnect, Effect, Report
from distributary.core.errors import InputError, ProtocolError
from distributary.core.generator import Generator
from distributary.core.headers import Header
from distributary.core.ids import LinkId, StreamName, check_stream
from distributary.core.inputs import (
    Appended,
    ConversionFailed,
    Converted,
    DeliveryTaken,
    Input,
    LinkLost,
    LinkOpened,
    LogRead,
    MessageArrived,
    PublishRequested,
    Started,
    StopRequested,
    SubscribeRequested,
    TimerFired,
    Unsubscribed,
)
from distributary.core.messages import Join, Peer, Publish
from distributary.core.status import NodeStatus, PeerStatus, PlanChannel, StreamPlan, StreamStatus, TreeStatus
from distributary.core.subscriptions import FilterText
from distributary.matching import CompiledMatcher, Matcher
from distributary.overlay import Membership, MembershipSettings

__all__ = ["Node"]

_LAST_INPUTS = 16


class Node:
    """The same class runs live and in simulation. Its first input is `Started`.

    Args:
        config: Its settings.
        generator: Chance.
        matcher: Makes what holds the filters of one stream; by default, compiled code is loaded when it is needed.
    """

    def __init__(
        self,
        config: NodeConfig,
        generator: Generator,
        matcher: Callable[[], Matcher[FilterText]] = CompiledMatcher,
    ) -> None:
        self.config = config
        self._matcher = matcher
        self.counters: Counter[str] = Counter()
        self._generator = generator
        self._effects: list[Effect] = []
        self._machines: list[TreeMachine] = []
        #: Which tree a link belongs to, from its first message or its opening on.
        self._links: dict[LinkId, TreeMachine] = {}
        self._id = ""
        #: It has said goodbye: what is under way ends, nothing new begins.
        self._stopped = False
        #: For the story when an assertion fails.
        self._last: deque[Input] = deque(maxlen=_LAST_INPUTS)

    def handle(self, input: Input, now: float) -> list[Effect]:  # noqa: A002 - the design's noun
        """Take one input and return what is to be done, in order.

        Raises `AssertionError`, with the last inputs as notes, when the node itself is at fault.
        """
        self._last.append(input)
        try:
            self._dispatch(input, now)
            for machine in self._machines:
                machine.finish(now)
        except AssertionError as error:
            for earlier in self._last:
                error.add_note(f"input: {earlier!r:.300}")
            raise
        effects, self._effects = self._effects, []
        for effect in effects:
            if isinstance(effect, Disconnect):
                self._links.pop(effect.link, None)
        return effects

    def _dispatch(self, input: Input, now: float) -> None:  # noqa: A002
        match input:
            case Started():
                self._start(input, now)
            case LinkOpened(link, incoming):
                if not incoming:
                    self._of(link).opened(link)
            case LinkLost(link):
                machine = self._links.pop(link, None) or self._outgoing(link)
                if machine is not None:
                    machine.lost(link, now)
            case MessageArrived():
                self._message(input, now)
            case TimerFired(name):
                any(machine.timer(name, now) for machine in self._machines)
            case PublishRequested():
                self._publish(input, now)
            case SubscribeRequested(request, _, stream):
                machine = self._machine_of(stream)
                if machine is None or self._stopped:
                    self._effects.append(Answer(request, NO_SOURCE))
                else:
                    machine.subscribers.subscribe(input, now)
            case Unsubscribed(subscriber):
                for machine in self._machines:
                    machine.subscribers.unsubscribe(subscriber)
            case DeliveryTaken(subscriber, seq):
                for machine in self._machines:
                    machine.subscribers.taken(subscriber, seq, now)
            case Appended():
                any(machine.source.appended(input, now) for machine in self._machines)
            case LogRead():
                any(machine.flow.log_read(input, now) for machine in self._machines)
            case Converted() | ConversionFailed():
                self._effects.append(Report("conversion not asked for"))
            case StopRequested():
                if not self._stopped:
                    for machine in self._machines:
                        machine.stop(now)
                self._stopped = True

    def _start(self, started: Started, now: float) -> None:
        assert not self._machines, "started twice"
        self._id = started.node
        me = Peer(started.node, self.config.url, self.config.name)
        tokens = itertools.count(1)
        for index, seeds in enumerate([(url,) for url in self.config.joins] or [()]):
            settings = MembershipSettings(
                seeds, self.config.keep_alive_seconds, self.config.keep_alive_misses, self.config.join_timeout_seconds
            )
            generator = self._generator.fork("membership", index)
            membership = Membership(me, str(index), settings, generator, self._has_room, self._effects_add)
            tree = Tree(self.config, membership, self._effects_add, tokens, self.counters, self._matcher)
            self._machines.append(TreeMachine(tree))
        for machine in self._machines:
            machine.start(started.streams if machine is self._machines[0] else (), now)

    def _effects_add(self, effect: Effect) -> None:
        self._effects.append(effect)

    def _has_room(self) -> bool:
        return sum(len(machine.membership.children) for machine in self._machines) < self.config.fanout

    def _outgoing(self, link: LinkId) -> TreeMachine | None:
        """Return the tree whose membership named a link `out-<slot>-<number>`."""
        kind, _, rest = link.partition("-")
        slot = rest.partition("-")[0]
        return self._machines[int(slot)] if kind == "out" and self._machines else None

    def _of(self, link: LinkId) -> TreeMachine:
        machine = self._outgoing(link)
        assert machine is not None, f"{link} was not asked for"
        self._links[link] = machine
        return machine

    def _message(self, arrived: MessageArrived, now: float) -> None:
        link, message = arrived.link, arrived.message
        machine = self._links.get(link)
        if machine is None:
            machine = self._outgoing(link)
            if machine is None and isinstance(message, Join):
                named = [m for m in self._machines if message.tree is not None and m.membership.tree == message.tree]
                machine = next(iter(named or self._machines), None)
            if machine is None:
                self._effects.append(Disconnect(link))
                return
            self._links[link] = machine
        try:
            machine.message(link, message, now)
        except ProtocolError as error:
            self.counters["protocol_errors"] += 1
            self._effects.append(Report("protocol error", (("link", link), ("reason", error.reason))))
            self._effects.append(Disconnect(link))
            machine.lost(link, now)

    def _machine_of(self, stream: StreamName) -> TreeMachine | None:
        """Return the tree that a stream is in: one that knows it, else the first."""
        known = [machine for machine in self._machines if stream in machine.tree.streams]
        return next(iter(known or self._machines), None)

    def _publish(self, wanted: PublishRequested, now: float) -> None:
        machine = self._machine_of(wanted.stream)
        try:
            check_stream(wanted.stream)
        except InputError as error:
            self._effects.append(Answer(wanted.request, refusal_of(error)))
            return
        if machine is None or self._stopped:
            self._effects.append(Answer(wanted.request, NO_SOURCE))
        else:
            message = Publish(0, wanted.stream, wanted.items, wanted.key, wanted.digest)
            machine.publish(wanted.request, message, now)

    # What others may read.

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Return the state of each tree, for checkers that look from outside."""
        return tuple(machine.tree for machine in self._machines)

    def status(self) -> NodeStatus:
        """Return the node's neighbours, streams and counters."""
        trees = tuple(_tree_status(machine) for machine in self._machines)
        return NodeStatus(
            name=self.config.name,
            id=self._id,
            url=self.config.url,
            trees=trees,
            parent=next((tree.parent for tree in trees if tree.parent is not None), None),
            children=tuple(child for tree in trees for child in tree.children),
            subscribers=sum(len(machine.subscribers) for machine in self._machines),
            counters=dict(sorted(self.counters.items())),
        )

    def plan(self, stream: StreamName) -> StreamPlan:
        """Return the channels that a publisher may match for the source; elsewhere there are none."""
        machine = self._machine_of(check_stream(stream))
        if machine is None or not machine.tree.is_source:
            return StreamPlan(Header("").version, ())
        known = machine.tree.streams.get(stream)
        channels = tuple(
            PlanChannel(wanted.number, text.kind, text.text, dict(text.namespaces))
            for text, wanted in (known.wanted.items() if known is not None else ())
            if wanted.number is not None
        )
        return StreamPlan(f"{self._id}:{machine.tree.version - 1}", channels)


def _tree_status(machine: TreeMachine) -> TreeStatus:
    membership = machine.membership
    parent = membership.path[-2] if membership.parent is not None and len(membership.path) > 1 else None
    return TreeStatus(
        tree=membership.tree,
        state=membership.state.value,
        parent=_peer_status(parent) if parent is not None else None,
        path=tuple(peer.name or peer.node for peer in membership.path),
        children=tuple(_peer_status(child.peer) for child in membership.children.values()),
        streams=tuple(
            StreamStatus(stream.name, stream.head, stream.segments.trimmed, len(stream.wanted))
            for stream in machine.tree.streams.values()
        ),
    )


def _peer_status(peer: Peer) -> PeerStatus:
    return PeerStatus(peer.name, peer.url, peer.node)
