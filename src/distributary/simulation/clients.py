"""Simulated publishers and subscribers: they hold their own keys and resume points, and try again until it works."""

from __future__ import annotations

from dataclasses import dataclass, field

from distributary.core.answers import Answered, PublishAccepted, SubscribeAccepted
from distributary.core.effects import Gap
from distributary.core.generator import Generator
from distributary.core.ids import Sequence
from distributary.core.inputs import DeliveryTaken, PublishRequested, SubscribeRequested, Unsubscribed
from distributary.core.items import Item, NewItem
from distributary.core.subscriptions import Subscription
from distributary.simulation.world import SimulatedNode, World

__all__ = ["Publication", "SimulatedPublisher", "SimulatedSubscriber"]


@dataclass(slots=True)
class Publication:
    """Items that a publisher wants appended, and the place that they were given."""

    key: str
    stream: str
    items: tuple[NewItem, ...]
    accepted: PublishAccepted | None = None


@dataclass(slots=True)
class SimulatedPublisher:
    """Publishes at any node that is up; after a refusal or silence it tries again with the same key."""

    world: World
    generator: Generator
    publications: list[Publication] = field(default_factory=list)
    _requests: int = 0

    def publish(self, publication: Publication) -> None:
        """Begin a publication."""
        self.publications.append(publication)
        self._try(publication)

    def _try(self, publication: Publication) -> None:
        if publication.accepted is not None:
            return
        self.world.events.after(15.0, lambda: self._try(publication))
        node = self.generator.choice(list(self.world.nodes.values()))
        self._requests += 1
        request = f"publish-{publication.key}-{self._requests}"

        def answered(answer: Answered) -> None:
            if isinstance(answer, PublishAccepted):
                earlier = publication.accepted
                assert earlier in {None, answer}, f"{publication.key}: {earlier} and {answer}"
                publication.accepted = answer
            else:
                self.world.events.after(1.0, lambda: self._try(publication))

        self.world.on_answer[request] = answered
        wanted = PublishRequested(request, publication.stream, publication.items, publication.key, publication.key)
        if not self.world.give(node.config.url, wanted):
            self.world.events.after(1.0, lambda: self._try(publication))


@dataclass(slots=True)
class SimulatedSubscriber:
    """Follows one stream; when its node is gone it goes to another and resumes after what it has."""

    world: World
    generator: Generator
    name: str
    stream: str
    subscription: Subscription
    #: Seconds that it takes to take one delivery.
    slowness: float
    #: After which seq everything is owed; None until it was first accepted.
    start: Sequence | None = None
    #: Everything up to here has been delivered or is known to be lost.
    last: Sequence = 0
    seen: list[Item] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    _node: SimulatedNode | None = None
    _life: int = 0
    _subscriber: str = ""
    _tries: int = 0
    _accepted: bool = False

    def watch(self) -> None:
        """Subscribe, and come back again and again to see that the node is still there."""
        self.world.events.after(0.5, self.watch)
        if self._node is None or self._node.machine is None or self._node.lives != self._life:
            self._subscribe()

    def move(self) -> None:
        """Leave the node and go to another."""
        if self._node is not None:
            self.world.give(self._node.config.url, Unsubscribed(self._subscriber))
        self._node = None

    def _subscribe(self) -> None:
        up = [node for node in self.world.nodes.values() if node.machine is not None]
        if not up:
            return
        node = self.generator.choice(up)
        self._tries += 1
        self._node, self._life, self._accepted = node, node.lives, False
        self._subscriber = subscriber = f"{self.name}-{self._tries}"

        def answered(answer: Answered) -> None:
            if subscriber != self._subscriber:
                return
            if isinstance(answer, SubscribeAccepted):
                self._accepted = True
                if self.start is None:
                    self.start = self.last = answer.start
                assert answer.start == self.last, f"{subscriber} resumes at {answer.start}, not {self.last}"
            else:
                self._node = None

        self.world.on_answer[f"subscribe-{subscriber}"] = answered
        self.world.on_delivery[subscriber] = lambda delivery: self._take(subscriber, delivery)
        after = self.last if self.start is not None else None
        self.world.give(
            node.config.url,
            SubscribeRequested(f"subscribe-{subscriber}", subscriber, self.stream, self.subscription, after),
        )

    def _take(self, subscriber: str, delivery: Item | Gap) -> None:
        if subscriber != self._subscriber or self._node is None:
            return
        assert self._accepted, f"{subscriber}: delivered before the answer"
        seq = delivery.seq if isinstance(delivery, Item) else delivery.last
        if isinstance(delivery, Item):
            assert seq > self.last, f"{subscriber}: {seq} after {self.last}: twice, or out of order"
            self.seen.append(delivery)
        else:
            assert delivery.first > self.last
            self.gaps.append(delivery)
        self.last = seq
        url, life = self._node.config.url, self._life

        def taken() -> None:
            if subscriber == self._subscriber and self.world.nodes[url].lives == life:
                self.world.give(url, DeliveryTaken(subscriber, seq))

        self.world.events.after(self.slowness, taken)
