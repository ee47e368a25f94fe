"""One node's membership in one tree: join at the first node with a free slot, keep-alive, leave (paper 004, 3.1-3.2).

It knows neighbours and the path to the source, not what flows between them. Deviations from the paper: a full node
names its children, lightest subtree first, and the joiner asks them itself, so that a lost message costs one time-out
and no state is kept for a joiner; an orphan starts from its grandparent and further ancestors; each keep-alive carries
the path from the source, so that a loop made by two orphans at once is seen by the node that finds itself above itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from distributary.core.effects import CancelTimer, Connect, Disconnect, Effect, Report, SendMessage, SetTimer
from distributary.core.generator import Generator
from distributary.core.ids import LinkId, Sequence, StreamName, TreeId
from distributary.core.messages import Goodbye, Join, KeepAlive, Peer, Redirect, Welcome
from distributary.overlay.states import (
    TRANSITIONS,
    Change,
    ChildGained,
    ChildLost,
    Event,
    ParentGained,
    ParentLost,
    State,
)

__all__ = ["Child", "Membership", "MembershipSettings"]

_BACKOFF_SECONDS_MIN = 0.1
_BACKOFF_SECONDS_MAX = 5.0


@dataclass(frozen=True, slots=True)
class MembershipSettings:
    """What the protocol's timing and its start depend on; without seeds the node is the source."""

    seeds: tuple[str, ...]
    keep_alive_seconds: float
    keep_alive_misses: int
    join_timeout_seconds: float


@dataclass(slots=True)
class Child:
    """A child as its parent knows it."""

    peer: Peer
    #: When its last word came.
    heard: float
    #: Nodes in its subtree, itself among them.
    nodes: int = 1


@dataclass(slots=True)
class Membership:
    """The state machine; `emit` takes effects, the methods return what has changed among the neighbours."""

    me: Peer
    #: Distinguishes this tree's links and timers from those of the node's other trees.
    slot: str
    settings: MembershipSettings
    generator: Generator
    #: Tells whether one child more is allowed (fan-out is shared among the node's trees).
    has_room: Callable[[], bool]
    emit: Callable[[Effect], None]

    state: State = State.SEEKING
    tree: TreeId | None = None
    parent: LinkId | None = None
    #: From the source to this node, or from the topmost node above it that has no parent.
    path: tuple[Peer, ...] = ()
    #: The path begins at the source.
    rooted: bool = False
    children: dict[LinkId, Child] = field(default_factory=dict)
    #: When the parent's last word came.
    _heard: float = 0.0
    #: The link to the candidate that was asked, and its address.
    _asked: tuple[LinkId, str] | None = None
    #: Addresses to ask next, best first.
    _candidates: deque[str] = field(default_factory=deque)
    #: Addresses asked in this round.
    _tried: set[str] = field(default_factory=set)
    #: The last known way to the source, from the grandparent up, then the parent: whom to ask when that is gone.
    _ancestors: tuple[str, ...] = ()
    _backoff_seconds: float = _BACKOFF_SECONDS_MIN
    _links_opened: int = 0

    @property
    def beat_timer(self) -> str:
        """The name of the keep-alive's timer."""
        return f"{self.slot}/beat"

    @property
    def join_timer(self) -> str:
        """The name of the timer for a candidate's answer, and for the pause between two rounds."""
        return f"{self.slot}/join"

    def start(self, now: float) -> None:
        """Become the source, or begin to seek a parent."""
        self.path = (self.me,)
        self.emit(SetTimer(self.beat_timer, now + self.settings.keep_alive_seconds))
        if not self.settings.seeds:
            self.state, self.tree, self.rooted = State.SOURCE, self.me.node, True
            return
        self._candidates.extend(self.settings.seeds)
        self._ask_next(now)

    def stop(self) -> list[Change]:
        """Say goodbye to the parent and the children, and tell these where to go."""
        self._move(Event.STOPPED)
        way_up = self.path[-2::-1]
        changes: list[Change] = []
        for link in list(self.children):
            self.emit(SendMessage(link, Goodbye(way_up)))
            self.emit(Disconnect(link))
            changes.append(self._forget_child(link))
        if self.parent is not None:
            self.emit(SendMessage(self.parent, Goodbye()))
            self.emit(Disconnect(self.parent))
            changes.append(ParentLost(self.parent))
        if self._asked is not None:
            self.emit(Disconnect(self._asked[0]))
        self.parent, self._asked, self.rooted = None, None, False
        self.emit(CancelTimer(self.beat_timer))
        self.emit(CancelTimer(self.join_timer))
        return changes

    # Seeking a parent.

    def opened(self, link: LinkId) -> None:
        """Ask the candidate whose link is open now."""
        if self._asked is not None and self._asked[0] == link:
            self.emit(SendMessage(link, Join(self.me, self.tree)))

    def welcomed(self, link: LinkId, message: Welcome, now: float) -> list[Change]:
        """Become a child of the candidate, unless that would close a loop."""
        if self._asked is None or self._asked[0] != link:
            return []
        if any(peer.node == self.me.node for peer in message.path):
            self.emit(SendMessage(link, Goodbye()))
            self._turned_down(now, disconnect=True)
            return []
        self._move(Event.WELCOMED)
        moved = self.tree is not None and self.tree != message.tree
        self._asked, self.parent, self.tree = None, link, message.tree
        self._heard = now
        self._tried.clear()
        self._candidates.clear()
        self._backoff_seconds = _BACKOFF_SECONDS_MIN
        self.emit(CancelTimer(self.join_timer))
        self._take_path(message.path, rooted=True)
        self.emit(Report("joined", (("parent", message.path[-1].url), ("depth", len(message.path)))))
        return [ParentGained(link, message.tree, moved)]

    def redirected(self, link: LinkId, message: Redirect, now: float) -> None:
        """Ask those that the candidate has named before all others."""
        if self._asked is None or self._asked[0] != link:
            return
        self._candidates.extendleft(peer.url for peer in reversed(message.peers) if peer.node != self.me.node)
        self._turned_down(now, disconnect=True)

    def join_timed_out(self, now: float) -> None:
        """Give up the candidate that does not answer; after a pause, begin a new round."""
        if self.state is State.ASKING:
            self._turned_down(now, disconnect=True)
        elif self.state is State.SEEKING:
            self._begin_round(now)

    # Keeping parent and children.

    def joined_by(self, link: LinkId, message: Join, now: float) -> list[Change]:
        """Take a joiner as a child, or tell it whom to ask."""
        joiner = message.joiner
        changes: list[Change] = []
        for old, child in list(self.children.items()):
            if child.peer.node == joiner.node:
                if old == link:
                    self.emit(SendMessage(link, Welcome(self.tree or "", self.path)))
                    return []
                self.emit(Disconnect(old))
                changes.append(self._forget_child(old))
        above = any(peer.node == joiner.node for peer in self.path)
        if self.tree is None or not self.rooted or above:
            self._turn_away(link, ())
        elif not self.has_room():
            lightest = sorted(self.children.values(), key=lambda child: (child.nodes, child.peer.node))
            self._turn_away(link, tuple(child.peer for child in lightest))
        else:
            self.children[link] = Child(joiner, now)
            self.emit(SendMessage(link, Welcome(self.tree, self.path)))
            changes.append(ChildGained(link, joiner))
        return changes

    def kept_alive(self, link: LinkId, message: KeepAlive, now: float) -> list[Change]:
        """Note a neighbour's word; a path that runs through this node shows a loop, and is left."""
        child = self.children.get(link)
        if child is not None:
            child.heard, child.nodes = now, message.nodes
        elif link == self.parent:
            self._heard = now
            if any(peer.node == self.me.node for peer in message.path):
                self.emit(Report("loop left", (("parent", message.path[-1].url),)))
                self.emit(SendMessage(link, Goodbye()))
                self.emit(Disconnect(link))
                return self._parent_gone(now, ())
            if message.path:
                self._take_path(message.path, rooted=message.rooted)
        return []

    def goodbye(self, link: LinkId, message: Goodbye, now: float) -> list[Change]:
        """A neighbour leaves: forget the child, or seek another parent."""
        self.emit(Disconnect(link))
        return self._lost(link, now, tuple(peer.url for peer in message.peers))

    def lost(self, link: LinkId, now: float) -> list[Change]:
        """A link is gone."""
        return self._lost(link, now, ())

    def dismiss(self, link: LinkId) -> None:
        """Send a child away: it must join again."""
        self.emit(SendMessage(link, Goodbye()))
        self.emit(Disconnect(link))
        self._forget_child(link)

    def heard(self, link: LinkId, now: float) -> None:
        """Note that a neighbour has said something, whatever it was."""
        if link == self.parent:
            self._heard = now
        elif (child := self.children.get(link)) is not None:
            child.heard = now

    def beat(self, now: float, sent: Callable[[LinkId], Mapping[StreamName, Sequence]]) -> list[Change]:
        """Tell the neighbours that this node lives, and give up those that were silent for too long."""
        self.emit(SetTimer(self.beat_timer, now + self.settings.keep_alive_seconds))
        silent = now - self.settings.keep_alive_seconds * self.settings.keep_alive_misses
        changes: list[Change] = []
        for link, child in list(self.children.items()):
            if child.heard < silent:
                self.emit(Report("child silent", (("child", child.peer.url),)))
                self.emit(Disconnect(link))
                changes.append(self._forget_child(link))
            else:
                self.emit(SendMessage(link, KeepAlive(self.path, self.rooted, sent=dict(sent(link)))))
        if self.parent is not None and self._heard < silent:
            self.emit(Report("parent silent"))
            self.emit(Disconnect(self.parent))
            changes.extend(self._parent_gone(now, ()))
        elif self.parent is not None:
            nodes = 1 + sum(child.nodes for child in self.children.values())
            self.emit(SendMessage(self.parent, KeepAlive(nodes=nodes)))
        return changes

    # Inside.

    def _move(self, event: Event) -> None:
        state = TRANSITIONS.get((self.state, event))
        assert state is not None, f"{event} in state {self.state}"
        self.state = state

    def _ask_next(self, now: float) -> None:
        while self._candidates:
            url = self._candidates.popleft()
            if url in self._tried or url == self.me.url:
                continue
            self._tried.add(url)
            self._links_opened += 1
            self._asked = (f"out-{self.slot}-{self._links_opened}", url)
            self._move(Event.CANDIDATE_ASKED)
            self.emit(Connect(*self._asked))
            self.emit(SetTimer(self.join_timer, now + self.settings.join_timeout_seconds))
            return
        pause = self._backoff_seconds * self.generator.uniform(0.5, 1.5)
        self._backoff_seconds = min(2 * self._backoff_seconds, _BACKOFF_SECONDS_MAX)
        self.emit(SetTimer(self.join_timer, now + pause))

    def _begin_round(self, now: float) -> None:
        self._tried.clear()
        self._candidates = deque((*self._ancestors, *self.settings.seeds))
        self._ask_next(now)

    def _turned_down(self, now: float, *, disconnect: bool) -> None:
        if self._asked is not None and disconnect:
            self.emit(Disconnect(self._asked[0]))
        self._asked = None
        self._move(Event.TURNED_DOWN)
        self._ask_next(now)

    def _turn_away(self, link: LinkId, peers: tuple[Peer, ...]) -> None:
        self.emit(SendMessage(link, Redirect(peers)))
        self.emit(Disconnect(link))

    def _take_path(self, above: tuple[Peer, ...], *, rooted: bool) -> None:
        """Adopt the parent's path; the children hear of a change at once, so that none trusts a way that is gone."""
        path = (*above, self.me)
        if rooted and above:
            self._ancestors = tuple(peer.url for peer in (*above[-2::-1], above[-1]))
        if rooted != self.rooted or [peer.node for peer in path] != [peer.node for peer in self.path]:
            self.path, self.rooted = path, rooted
            for link in self.children:
                self.emit(SendMessage(link, KeepAlive(path, rooted)))

    def _forget_child(self, link: LinkId) -> ChildLost:
        del self.children[link]
        return ChildLost(link)

    def _lost(self, link: LinkId, now: float, hints: tuple[str, ...]) -> list[Change]:
        if link in self.children:
            return [self._forget_child(link)]
        if link == self.parent:
            return self._parent_gone(now, hints)
        if self._asked is not None and self._asked[0] == link:
            self._turned_down(now, disconnect=False)
        return []

    def _parent_gone(self, now: float, hints: tuple[str, ...]) -> list[Change]:
        assert self.parent is not None
        change = ParentLost(self.parent)
        self.parent = None
        self._move(Event.PARENT_GONE)
        self._take_path((), rooted=False)
        self._tried.clear()
        self._candidates = deque((*hints, *self._ancestors, *self.settings.seeds))
        self._ask_next(now)
        return [change]
