"""A source node by itself, with a log that answers at once: what goes in, what comes out."""

from __future__ import annotations

import json

from distributary.broker import Node, NodeConfig
from distributary.core.answers import Answered
from distributary.core.effects import Answer, AppendLog, Deliver, Effect, ReadLog, SendMessage, TrimLog
from distributary.core.generator import Generator
from distributary.core.inputs import (
    Appended,
    Input,
    LinkOpened,
    MessageArrived,
    PublishRequested,
    RecoveredStream,
    Started,
    SubscribeRequested,
)
from distributary.core.items import JSON, Item, NewItem
from distributary.core.messages import Join, Message, Peer
from distributary.core.subscriptions import Subscription
from distributary.simulation.disk import Disk

__all__ = ["Rig", "answer_of"]


class Rig:
    """A node with its effects; durable appends are synced before the next input."""

    def __init__(self, streams: tuple[RecoveredStream, ...] = (), **settings: object) -> None:
        self.node = Node(NodeConfig("http://r", "r", **settings), Generator(1))  # type: ignore[arg-type]
        self.disk = Disk()
        self.effects: list[Effect] = []
        self.now = 0.0
        self.requests = 0
        self.give(Started("r", streams))

    def give(self, happened: Input) -> list[Effect]:
        """Hand in one input; return all effects until the node is quiet."""
        done: list[Effect] = []
        todo = [happened]
        while todo:
            for effect in self.node.handle(todo.pop(0), self.now):
                done.append(effect)
                if isinstance(effect, AppendLog):
                    self.disk.append(effect, self.now)
                    if effect.durable:
                        todo.append(Appended(effect.token, self.disk.sync(effect)))
                elif isinstance(effect, ReadLog):
                    todo.append(self.disk.read(effect))
                elif isinstance(effect, TrimLog):
                    self.disk.trim(effect)
        self.effects.extend(done)
        return done

    def publish(self, *bodies: object, key: str | None = None, digest: str = "", stream: str = "quakes") -> Answered:
        """Publish records and return the answer."""
        self.requests += 1
        request = f"p{self.requests}"
        items = tuple(
            body if isinstance(body, NewItem) else NewItem(JSON, json.dumps(body).encode()) for body in bodies
        )
        return answer_of(self.give(PublishRequested(request, stream, items, key, digest)), request)

    def subscribe(self, subscriber: str, where: str, after: int | None = None, **more: object) -> Answered:
        """Subscribe and return the answer."""
        subscription = Subscription("s", where=where, **more)  # type: ignore[arg-type]
        done = self.give(SubscribeRequested(f"r-{subscriber}", subscriber, "quakes", subscription, after))
        return answer_of(done, f"r-{subscriber}")

    def child(self, name: str = "c") -> str:
        """Let a child join and return its link."""
        link = f"in-{name}"
        self.give(LinkOpened(link, incoming=True))
        self.give(MessageArrived(link, Join(Peer(name, f"http://{name}"))))
        return link

    def says(self, link: str, message: Message) -> list[Message]:
        """Let a peer say something and return what it is answered."""
        return [
            effect.message
            for effect in self.give(MessageArrived(link, message))
            if isinstance(effect, SendMessage) and effect.link == link
        ]

    def delivered(self, subscriber: str) -> list[int]:
        """Return the seqs (for gaps: minus the last seq) that a subscriber has been given so far."""
        return [
            effect.delivery.seq if isinstance(effect.delivery, Item) else -effect.delivery.last
            for effect in self.effects
            if isinstance(effect, Deliver) and effect.subscriber == subscriber
        ]


def answer_of(effects: list[Effect], request: str) -> Answered:
    """Return the one answer to a request."""
    (answer,) = [effect.answer for effect in effects if isinstance(effect, Answer) and effect.request == request]
    return answer
