"""Links between simulated nodes: delay, loss, duplication and reordering of messages, and links that break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from distributary.core.generator import Generator
from distributary.core.ids import LinkId
from distributary.core.inputs import Input, LinkLost, LinkOpened, MessageArrived
from distributary.core.messages import Message, decode_message, encode_message
from distributary.simulation.events import EventQueue

__all__ = ["Faults", "Network"]


@dataclass(frozen=True, slots=True)
class Faults:
    """What the network does to messages: shares between 0 and 1, and delays in seconds."""

    delay_min: float = 0.005
    delay_max: float = 0.1
    loss: float = 0.0
    duplication: float = 0.0
    #: Share of messages that may be overtaken.
    reordering: float = 0.0


@dataclass(slots=True)
class _Wire:
    """One link: its two ends, as (node url, link id)."""

    ends: tuple[tuple[str, LinkId], tuple[str, LinkId]]
    delay: float
    #: When the last message of each direction arrives, so that the next does not overtake it.
    last: dict[str, float] = field(default_factory=dict)
    broken: bool = False

    def other(self, url: str) -> tuple[str, LinkId]:
        """Return the far end."""
        return self.ends[1] if self.ends[0][0] == url else self.ends[0]


@dataclass(slots=True)
class Network:
    """Carries messages between nodes that are named by their addresses; encodes them as on a real wire."""

    events: EventQueue
    generator: Generator
    faults: Faults
    #: Hands an input to a node; `False` when the node is down.
    give: Callable[[str, Input], bool]
    is_up: Callable[[str], bool]
    messages: int = 0
    bytes_sent: int = 0
    #: Pairs of nodes that cannot reach each other.
    cut: set[frozenset[str]] = field(default_factory=set)
    _wires: dict[tuple[str, LinkId], _Wire] = field(default_factory=dict)
    _opened: int = 0

    def connect(self, url: str, link: LinkId, target: str) -> None:
        """Open a link, or report that it cannot be opened."""
        delay = self.generator.uniform(self.faults.delay_min, self.faults.delay_max)
        self._opened += 1
        wire = _Wire(((url, link), (target, f"in-{self._opened}")), delay)
        self._wires[url, link] = wire

        def arrive() -> None:
            if wire.broken or not self.is_up(url):
                return
            if not self.is_up(target) or frozenset((url, target)) in self.cut:
                self._wires.pop((url, link), None)
                self.give(url, LinkLost(link, "cannot be reached"))
                return
            self._wires[target, wire.ends[1][1]] = wire
            self.give(target, LinkOpened(wire.ends[1][1], incoming=True))
            self.give(url, LinkOpened(link, incoming=False))

        self.events.after(2 * delay, arrive)

    def send(self, url: str, link: LinkId, message: Message) -> None:
        """Carry a message, or lose it, or carry it twice."""
        wire = self._wires.get((url, link))
        frame = encode_message(message)
        self.messages += 1
        self.bytes_sent += len(frame)
        if wire is None or wire.broken or self.generator.random() < self.faults.loss:
            return
        copies = 2 if self.generator.random() < self.faults.duplication else 1
        for _ in range(copies):
            self._carry(wire, url, frame)

    def _carry(self, wire: _Wire, url: str, frame: bytes) -> None:
        target, link = wire.other(url)
        at = self.events.now + wire.delay * self.generator.uniform(1.0, 1.5)
        if self.generator.random() >= self.faults.reordering:
            at = max(at, wire.last.get(url, 0.0))
            wire.last[url] = at

        def arrive() -> None:
            if not wire.broken and (target, link) in self._wires and frozenset((url, target)) not in self.cut:
                self.give(target, MessageArrived(link, decode_message(frame, url)))

        self.events.at(at, arrive)

    def disconnect(self, url: str, link: LinkId) -> None:
        """Close one end at once; the other end learns of it after what was sent before."""
        wire = self._wires.pop((url, link), None)
        if wire is None or wire.broken:
            return
        target, far = wire.other(url)

        def arrive() -> None:
            wire.broken = True
            if self._wires.pop((target, far), None) is not None:
                self.give(target, LinkLost(far, "closed by the peer"))

        self.events.at(max(self.events.now + wire.delay, wire.last.get(url, 0.0)), arrive)

    def crash(self, url: str, *, silent: bool) -> None:
        """Break all links of a node that is down; with `silent`, nobody is told."""
        for end in [end for end in self._wires if end[0] == url]:
            wire = self._wires.pop(end)
            target, far = wire.other(url)
            wire.broken = True
            if not silent:
                self.events.after(wire.delay, lambda target=target, far=far: self._break(target, far))  # type: ignore[misc]

    def _break(self, url: str, link: LinkId) -> None:
        if self._wires.pop((url, link), None) is not None:
            self.give(url, LinkLost(link, "reset by the peer"))
