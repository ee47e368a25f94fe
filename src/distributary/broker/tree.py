"""What a node knows of one tree: the membership, the streams, the children; shared by the parts that act on it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from distributary.broker.config import NodeConfig
from distributary.broker.outlet import Outlet, Window
from distributary.broker.retention import Segments
from distributary.broker.stream import Stream
from distributary.core.effects import Effect
from distributary.core.errors import InputError
from distributary.core.ids import LinkId, Sequence, StreamName
from distributary.core.messages import Peer
from distributary.core.subscriptions import FilterText
from distributary.matching import Matcher
from distributary.overlay import Membership

__all__ = ["ChildLink", "Tree"]


@dataclass(slots=True)
class ChildLink:
    """What a child wants, as its last message said."""

    peer: Peer
    version: int = 0
    #: The version that it was told is known up to the source.
    confirmed: int = 0
    filters: dict[int, tuple[StreamName, FilterText]] = field(default_factory=dict)
    numbers: dict[tuple[StreamName, FilterText], int] = field(default_factory=dict)
    #: The filters whose confirmation is still owed.
    unconfirmed: dict[tuple[StreamName, FilterText], None] = field(default_factory=dict)
    outlets: dict[StreamName, Outlet] = field(default_factory=dict)


@dataclass(slots=True)
class Tree:
    """One tree's state at this node. Nothing here decides."""

    config: NodeConfig
    membership: Membership
    emit: Callable[[Effect], None]
    #: Numbers of log operations, unique at this node.
    tokens: Iterator[int]
    counters: Counter[str]
    #: Makes the matcher of a stream.
    matcher: Callable[[], Matcher[FilterText]]
    streams: dict[StreamName, Stream] = field(default_factory=dict)
    children: dict[LinkId, ChildLink] = field(default_factory=dict)
    #: The version of the set of filters that are wanted here; every change makes another.
    version: int = 1
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def is_source(self) -> bool:
        """Tell whether this node is the root, now or, when it has stopped, until then."""
        return not self.membership.settings.seeds

    @property
    def id(self) -> str:
        """Return the tree's id; only asked for once the node is in it."""
        assert self.membership.tree is not None
        return self.membership.tree

    @property
    def node(self) -> str:
        """Return this node's id."""
        return self.membership.me.node

    def next_number(self) -> int:
        """Return a number for a filter, never given before."""
        return next(self._numbers)

    def stream(self, name: StreamName) -> Stream:
        """Return a stream's state, made when there is none; too many are refused."""
        stream = self.streams.get(name)
        if stream is None:
            if len(self.streams) >= self.config.streams_max:
                raise InputError(
                    f"this node has {self.config.streams_max} streams, no more are allowed", field="stream"
                )
            stream = self.streams[name] = Stream(name, Segments(), self.matcher(), mark=0 if self.is_source else None)
        return stream

    def outlet(self, key: str, name: StreamName, *, child: bool, sent: Sequence = 0, open: bool = False) -> Outlet:  # noqa: A002
        """Return a new outlet, registered with its stream; it is served once it is open."""
        window = Window(self.config.window_bytes, self.config.window_items)
        outlet = Outlet(key, name, window, child, sent=sent, told=sent, open=open)
        stream = self.stream(name)
        stream.outlets[key] = stream.behind[key] = outlet
        return outlet
