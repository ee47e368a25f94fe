"""Nodes, their disks, the network and the clients in one virtual world; it carries out effects as a driver does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from distributary.broker import Node, NodeConfig
from distributary.core.answers import Answered
from distributary.core.effects import (
    Answer,
    AppendLog,
    CancelTimer,
    Connect,
    Convert,
    Deliver,
    Disconnect,
    Effect,
    Gap,
    ReadLog,
    Report,
    SendMessage,
    SetTimer,
    TrimLog,
)
from distributary.core.generator import Generator
from distributary.core.ids import RequestId, SubscriberId
from distributary.core.inputs import Appended, ConversionFailed, Input, Started, TimerFired
from distributary.core.items import Item
from distributary.simulation.disk import Disk
from distributary.simulation.events import EventQueue
from distributary.simulation.network import Faults, Network

__all__ = ["SimulatedNode", "World"]


@dataclass(slots=True)
class SimulatedNode:
    """One node: its machine while it is up, and what outlasts a crash."""

    config: NodeConfig
    id: str
    disk: Disk = field(default_factory=Disk)
    machine: Node | None = None
    #: The time of each timer that is set.
    timers: dict[str, float] = field(default_factory=dict)
    #: How often it was started; what was asked of an earlier life is void.
    lives: int = 0


class World:
    """A run: everything that happens follows from the seed."""

    def __init__(self, seed: int, faults: Faults) -> None:
        self.generator = Generator("world", seed)
        self.events = EventQueue()
        self.nodes: dict[str, SimulatedNode] = {}
        self.network = Network(
            self.events, self.generator.fork("network"), faults, self.give, lambda url: self._machine(url) is not None
        )
        #: Who is told of answers and deliveries, by request and subscriber.
        self.on_answer: dict[RequestId, Callable[[Answered], None]] = {}
        self.on_delivery: dict[SubscriberId, Callable[[Item | Gap], None]] = {}
        #: Called after every step with the node that made it.
        self.after_step: list[Callable[[SimulatedNode], None]] = []
        self._trace = hashlib.sha256()

    @property
    def trace(self) -> str:
        """Return the hash of all that has happened."""
        return self._trace.hexdigest()

    def add(self, config: NodeConfig) -> SimulatedNode:
        """Add a node, not yet started."""
        identity = f"{self.generator.fork('identity', config.url).bits():08x}"
        node = self.nodes[config.url] = SimulatedNode(config, identity)
        return node

    def start(self, node: SimulatedNode) -> None:
        """Start a node with what its disk holds."""
        assert node.machine is None
        node.lives += 1
        node.machine = Node(node.config, self.generator.fork("node", node.config.url, node.lives))
        self.give(node.config.url, Started(node.id, node.disk.recover()))

    def crash(self, node: SimulatedNode, *, silent: bool = False) -> None:
        """Take a node down without a word."""
        node.machine = None
        node.timers.clear()
        node.disk.crash()
        self.network.crash(node.config.url, silent=silent)

    def stopped(self, node: SimulatedNode) -> None:
        """Take a node down after it has said goodbye; appends that it did not wait for are not done."""
        node.machine = None
        node.timers.clear()
        node.disk.crash()

    def give(self, url: str, happened: Input) -> bool:
        """Hand an input to a node and carry out what it asks for."""
        machine = self._machine(url)
        if machine is None:
            return False
        node = self.nodes[url]
        self._trace.update(f"{self.events.now:.6f} {url} {happened!r}\n".encode())
        for effect in machine.handle(happened, self.events.now):
            self._carry_out(node, effect)
        for check in self.after_step:
            check(node)
        return True

    def _machine(self, url: str) -> Node | None:
        node = self.nodes.get(url)
        return node.machine if node is not None else None

    def _later(self, node: SimulatedNode, seconds: float, happened: Callable[[], Input]) -> None:
        life = node.lives

        def arrive() -> None:
            if node.machine is not None and node.lives == life:
                self.give(node.config.url, happened())

        self.events.after(seconds, arrive)

    def _carry_out(self, node: SimulatedNode, effect: Effect) -> None:
        url = node.config.url
        match effect:
            case SendMessage(link, message):
                self.network.send(url, link, message)
            case Connect(link, target):
                self.network.connect(url, link, target)
            case Disconnect(link):
                self.network.disconnect(url, link)
            case SetTimer(name, at):
                self._set_timer(node, name, at)
            case CancelTimer(name):
                node.timers.pop(name, None)
            case AppendLog():
                node.disk.append(effect, self.events.now)
                if effect.durable:
                    self._later(node, 0.002, lambda: Appended(effect.token, node.disk.sync(effect)))
            case ReadLog():
                self._later(node, 0.001, lambda: node.disk.read(effect))
            case TrimLog():
                node.disk.trim(effect)
            case Deliver(subscriber, delivery):
                self.on_delivery[subscriber](delivery)
            case Answer(request, answer):
                self.on_answer[request](answer)
            case Convert(token):
                self._later(node, 0.0, lambda: ConversionFailed(token, "no converter"))
            case Report():
                pass

    def _set_timer(self, node: SimulatedNode, name: str, at: float) -> None:
        node.timers[name] = at
        life = node.lives

        def fire() -> None:
            if node.lives == life and node.timers.get(name) == at:
                del node.timers[name]
                self.give(node.config.url, TimerFired(name))

        self.events.at(at, fire)
