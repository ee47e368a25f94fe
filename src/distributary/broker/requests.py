"""Questions that go up the tree and answers that come down: each node remembers only who asked it.

Nothing is repeated here on its own: whoever began a question asks again, or gives up, when its time is over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import msgspec

from distributary.algebra import Filter, filter_of
from distributary.broker.outlet import PATIENCE_SECONDS_MAX, OutletKey
from distributary.broker.tree import Tree
from distributary.core.answers import Refused
from distributary.core.effects import Answer, SendMessage
from distributary.core.ids import LinkId, RequestId, Sequence, StreamName, SubscriberId
from distributary.core.messages import Fetch, Fetched, Publish, Published, Start, StartWanted
from distributary.core.subscriptions import FilterText

__all__ = ["NO_SOURCE", "FetchOrigin", "PublishOrigin", "Requests", "StartOrigin"]

NO_SOURCE = Refused("Unavailable", "is out of reach now; try again", "source")
_TOO_MANY = Refused("Unavailable", "has too many requests waiting; try again", "node")


@dataclass(frozen=True, slots=True)
class _ChildOrigin:
    """A child asked, under a number of its own."""

    link: LinkId
    number: int


@dataclass(frozen=True, slots=True)
class PublishOrigin:
    """A publisher at this node."""

    request: RequestId


@dataclass(frozen=True, slots=True)
class StartOrigin:
    """A subscriber at this node."""

    subscriber: SubscriberId


@dataclass(frozen=True, slots=True)
class FetchOrigin:
    """An outlet at this node."""

    stream: StreamName
    outlet: OutletKey


_Origin: TypeAlias = _ChildOrigin | PublishOrigin | StartOrigin | FetchOrigin
_Asked: TypeAlias = Publish | StartWanted | Fetch
_Given: TypeAlias = Published | Start | Fetched


@dataclass(frozen=True, slots=True)
class _Pending:
    origin: _Origin
    publishing: bool
    deadline: float


@dataclass(slots=True)
class Requests:
    """The questions under way from this node to its parent in one tree."""

    tree: Tree
    _pending: dict[int, _Pending] = field(default_factory=dict)

    def publish(self, request: RequestId, message: Publish, now: float) -> None:
        """Send a publisher's items towards the source."""
        if self._ask(PublishOrigin(request), message, now) is None:
            full = self.tree.membership.parent is not None
            self.tree.emit(Answer(request, _TOO_MANY if full else NO_SOURCE))

    def start(self, subscriber: SubscriberId, stream: StreamName, now: float) -> int | None:
        """Ask the source where a stream stands; return the question's number, or None when there is no way up now."""
        return self._ask(StartOrigin(subscriber), StartWanted(0, stream), now)

    def fetch(
        self,
        outlet: tuple[StreamName, OutletKey],
        stream: StreamName,
        texts: tuple[FilterText, ...],
        after: Sequence,
        upto: Sequence,
        now: float,
    ) -> int | None:
        """Ask for a part of a stream; return the question's number, or None when there is no way up now."""
        return self._ask(FetchOrigin(*outlet), Fetch(0, stream, texts, after, upto), now)

    def pass_on(self, link: LinkId, message: _Asked, now: float) -> None:
        """Pass a child's question on; one about publishing is refused when there is no way up, others are repeated."""
        asked = self._ask(_ChildOrigin(link, message.request), message, now)
        if asked is None and isinstance(message, Publish):
            self.tree.emit(SendMessage(link, Published(message.request, NO_SOURCE)))

    def answered(self, message: _Given) -> PublishOrigin | StartOrigin | FetchOrigin | None:
        """Return who at this node asked; the answer to a child's question is passed down, to None."""
        pending = self._pending.pop(message.request, None)
        if pending is None:
            return None
        if isinstance(pending.origin, _ChildOrigin):
            if pending.origin.link in self.tree.children:
                answer = msgspec.structs.replace(message, request=pending.origin.number)
                self.tree.emit(SendMessage(pending.origin.link, answer))
            return None
        return pending.origin

    def expire(self, now: float) -> None:
        """Forget the questions whose time is over; publishers are told."""
        for number in [number for number, pending in self._pending.items() if pending.deadline <= now]:
            self._fail(self._pending.pop(number), Refused("Unavailable", "gave no answer in time; try again", "source"))

    def parent_lost(self) -> list[FetchOrigin]:
        """Fail every question that was under way; return the outlets that were waiting for one."""
        pending, self._pending = self._pending, {}
        for question in pending.values():
            self._fail(question, NO_SOURCE)
        return [question.origin for question in pending.values() if isinstance(question.origin, FetchOrigin)]

    def _ask(self, origin: _Origin, message: _Asked, now: float) -> int | None:
        parent = self.tree.membership.parent
        if parent is None or len(self._pending) >= self.tree.config.requests_max:
            return None
        number = next(self.tree.tokens)
        publishing = isinstance(message, Publish)
        patience = self.tree.config.request_timeout_seconds if publishing else PATIENCE_SECONDS_MAX
        self._pending[number] = _Pending(origin, publishing, now + patience)
        self.tree.emit(SendMessage(parent, msgspec.structs.replace(message, request=number)))
        return number

    def _fail(self, pending: _Pending, refusal: Refused) -> None:
        origin = pending.origin
        if not pending.publishing:
            return
        if isinstance(origin, PublishOrigin):
            self.tree.emit(Answer(origin.request, refusal))
        elif isinstance(origin, _ChildOrigin) and origin.link in self.tree.children:
            self.tree.emit(SendMessage(origin.link, Published(origin.number, refusal)))

    @staticmethod
    def filters_of(texts: Iterable[FilterText]) -> list[Filter]:
        """Return the filters of a question."""
        return [_filter_of(text) for text in texts]


@lru_cache(maxsize=4096)
def _filter_of(text: FilterText) -> Filter:
    """Return the filter of a text; pages of one fetch have the same ones."""
    return filter_of(text)
