"""What only the source of a tree does: give items their place, make them durable, and honour idempotency keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from distributary.algebra.xml import XmlLimits
from distributary.broker.flow import Flow
from distributary.broker.stream import Stream
from distributary.broker.tree import Tree
from distributary.core.answers import PublishAccepted, PublishAnswer, refusal_of
from distributary.core.effects import Answer, AppendLog, KeyRecord, SendMessage
from distributary.core.errors import Conflict, InputError, NoSpace, TooLarge
from distributary.core.ids import LinkId, RequestId, StreamName, check_stream
from distributary.core.inputs import Appended, RecoveredKey, RecoveredStream
from distributary.core.items import Item
from distributary.core.messages import Publish, Published
from distributary.core.values import Content
from distributary.matching import read_content

__all__ = ["ChildPublisher", "Source"]


@dataclass(frozen=True, slots=True)
class ChildPublisher:
    """A child that passes items on, under a number of its own."""

    link: LinkId
    number: int


#: Who waits for the answer: a request at this node, or a child.
Publisher: TypeAlias = RequestId | ChildPublisher


@dataclass(slots=True)
class _Appending:
    """Items on their way to the disk."""

    stream: Stream
    items: tuple[Item, ...]
    contents: tuple[Content, ...]
    publishers: list[Publisher]
    key: KeyRecord | None


@dataclass(slots=True)
class Source:
    """The owner of a tree's streams."""

    tree: Tree
    flow: Flow
    _appending: dict[int, _Appending] = field(default_factory=dict)
    #: Keys whose items are durable, by stream, oldest first.
    _keys: dict[StreamName, dict[str, RecoveredKey]] = field(default_factory=dict)
    #: Keys whose items are on their way to the disk.
    _keys_appending: dict[tuple[StreamName, str], int] = field(default_factory=dict)

    def recover(self, recovered: RecoveredStream) -> None:
        """Go on where the log ends."""
        stream = self.tree.stream(recovered.stream)
        stream.segments = stream.segments.recovered(recovered.trimmed, recovered.segments)
        stream.mark = stream.assigned = recovered.head
        self._keys[stream.name] = {key.key: key for key in recovered.keys}

    def publish(self, publisher: Publisher, message: Publish, now: float) -> None:
        """Check the items and send them to the log, or answer at once."""
        try:
            earlier = self._earlier(publisher, message)
            if earlier is not None:
                if isinstance(earlier, PublishAccepted):
                    self._answer(publisher, earlier)
                return
            contents = self._checked(message)
            stream = self.tree.stream(check_stream(message.stream))
        except InputError as error:
            self.tree.counters["publications_refused"] += 1
            self._answer(publisher, refusal_of(error))
            return
        first = stream.assigned + 1
        items = tuple(
            Item(stream.name, first + index, new.content_type, new.body, new.header)
            for index, new in enumerate(message.items)
        )
        stream.assigned += len(items)
        token = next(self.tree.tokens)
        key = KeyRecord(message.key, message.digest) if message.key is not None else None
        self._appending[token] = _Appending(stream, items, contents, [publisher], key)
        if message.key is not None:
            self._keys_appending[stream.name, message.key] = token
        bare = tuple(msgspec.structs.replace(item, header=None) for item in items)
        self.tree.emit(AppendLog(token, self.tree.id, stream.name, bare, durable=True, key=key))

    def _earlier(self, publisher: Publisher, message: Publish) -> PublishAccepted | str | None:
        """Return what a key was answered before, or `waits` when the publisher waits for the same append."""
        if message.key is None:
            return None
        token = self._keys_appending.get((message.stream, message.key))
        known = self._keys.get(message.stream, {}).get(message.key)
        if token is not None:
            appending = self._appending[token]
            assert appending.key is not None
            digest = appending.key.digest
            appending.publishers.extend([publisher] if digest == message.digest else [])
        elif known is not None:
            digest = known.digest
        else:
            return None
        if digest != message.digest:
            raise Conflict("was used for another body", field="Idempotency-Key")
        return "waits" if known is None else PublishAccepted(message.stream, known.first, known.last)

    def _checked(self, message: Publish) -> tuple[Content, ...]:
        """Return what the items hold; one that is too large or not what it says it is refuses all of them."""
        config = self.tree.config
        if not message.items:
            raise InputError("has no item", field="body")
        if len(message.items) > config.batch_items_max:
            raise TooLarge(
                f"has {len(message.items)} items, at most {config.batch_items_max} are allowed", field="body"
            )
        contents = []
        limits = XmlLimits(depth=config.item_depth_max)
        for index, new in enumerate(message.items):
            if len(new.body) > config.item_bytes_max:
                raise TooLarge(f"has {len(new.body)} bytes, at most {config.item_bytes_max} are allowed", field="item")
            try:
                contents.append(read_content(new.content_type, new.body, limits))
            except InputError as error:
                if len(message.items) == 1:
                    raise error.at(field="item") from None
                # A refusal has no place for records, and of many items it must be told which.
                raise type(error)(f"item {index + 1}: {error.reason}", field=error.field or "body") from None
        return tuple(contents)

    def appended(self, done: Appended, now: float) -> bool:
        """Answer the publishers and let the items flow; `False` when the token is none of this tree's."""
        appending = self._appending.pop(done.token, None)
        if appending is None:
            return False
        stream, items, key = appending.stream, appending.items, appending.key
        if key is not None:
            del self._keys_appending[stream.name, key.key]
        if done.error is not None:
            for publisher in appending.publishers:
                self._answer(publisher, refusal_of(NoSpace("log", done.error)))
            return True
        first, last = items[0].seq, items[-1].seq
        if key is not None:
            self._keys.setdefault(stream.name, {})[key.key] = RecoveredKey(key.key, key.digest, first, last)
        config = self.tree.config
        stream.segments.add(last, sum(len(item.body) for item in items), now, config.retention_seconds)
        self.tree.counters["items_published"] += len(items)
        for publisher in appending.publishers:
            self._answer(publisher, PublishAccepted(stream.name, first, last))
        matched = [
            stream.matches(lambda content=content: content, item.header, self.tree.node)  # type: ignore[misc]
            for item, content in zip(items, appending.contents, strict=True)
        ]
        bare = tuple(msgspec.structs.replace(item, header=None) for item in items)
        self.flow.arrived(stream, bare, matched, last, now)
        return True

    def forget_keys(self, stream: Stream) -> None:
        """Forget the keys of items that are no longer kept."""
        keys = self._keys.get(stream.name, {})
        for name in [key.key for key in keys.values() if key.last <= stream.segments.trimmed]:
            del keys[name]

    def _answer(self, publisher: Publisher, answer: PublishAnswer) -> None:
        if not isinstance(publisher, ChildPublisher):
            self.tree.emit(Answer(publisher, answer))
        elif publisher.link in self.tree.children:
            self.tree.emit(SendMessage(publisher.link, Published(publisher.number, answer)))
