"""How items go through a node: from the parent or the source's log to the outlets, live or a page at a time."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Many
from dataclasses import dataclass, field

import msgspec

from distributary.broker.outlet import PATIENCE_SECONDS_MAX, PATIENCE_SECONDS_MIN, Outlet, OutletKey
from distributary.broker.requests import Requests
from distributary.broker.stream import Stream
from distributary.broker.tree import Tree
from distributary.core.effects import AppendLog, Deliver, Gap, ReadLog, Report, SendMessage
from distributary.core.errors import InputError
from distributary.core.headers import Header
from distributary.core.ids import LinkId, Sequence, StreamName
from distributary.core.inputs import LogRead
from distributary.core.items import Item
from distributary.core.messages import Fetch, Fetched, Items, Taken
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content, Opaque
from distributary.matching import read_content
from distributary.matching.hints import compact

__all__ = ["Flow", "Hit"]


def _content(item: Item) -> Content:
    """Return an item's content, which the source has checked; what cannot be read all the same is opaque."""
    try:
        return read_content(item.content_type, item.body)
    except InputError:
        return Opaque(item.content_type)


@dataclass(frozen=True, slots=True)
class Hit:
    """An item with the filters, among those of one outlet, that it matches."""

    item: Item
    texts: tuple[FilterText, ...]


@dataclass(frozen=True, slots=True)
class _ChildFetch:
    """A child's fetch that is being read from this node's log."""

    link: LinkId
    message: Fetch


@dataclass(slots=True)
class Flow:
    """Moves items; knows nothing of how filters and starts came about."""

    tree: Tree
    requests: Requests
    #: What a log read is for.
    _reads: dict[int, tuple[Stream, OutletKey] | _ChildFetch] = field(default_factory=dict)

    # Items come in.

    def received(self, link: LinkId, message: Items, now: float) -> None:
        """Take what the parent sent, when it continues what is here; ask again when something is missing."""
        stream = self.tree.streams.get(message.stream)
        if stream is None or stream.mark is None:
            return
        if message.after > stream.mark:
            self.missing(link, stream)
            return
        if message.upto <= stream.mark:
            self.tree.counters["items_repeated"] += len(message.items)
            return
        if message.lost:
            self._lose(stream, message.upto)
            self.serve_behind(stream, now)
            return
        items = tuple(item for item in message.items if item.seq > stream.head)
        contents: dict[Sequence, Content] = {}
        matched = []
        for item in items:

            def content(item: Item = item) -> Content:
                if item.seq not in contents:
                    self.tree.counters["items_matched_afresh"] += 1
                    contents[item.seq] = _content(item)
                return contents[item.seq]

            matched.append(stream.matches(content, item.header, self.tree.node))
        bare = tuple(msgspec.structs.replace(item, header=None) for item in items)
        if bare:
            self.tree.emit(AppendLog(next(self.tree.tokens), self.tree.id, stream.name, bare, durable=False))
            size = sum(len(item.body) for item in bare)
            stream.segments.add(bare[-1].seq, size, now, self.tree.config.retention_seconds)
            stream.unacknowledged_items += len(bare)
            stream.unacknowledged_bytes += size
        self.tree.counters["items_received"] += len(bare)
        self.arrived(stream, bare, matched, message.upto, now)
        config = self.tree.config
        if (
            stream.unacknowledged_bytes > config.window_bytes // 4
            or stream.unacknowledged_items > config.window_items // 4
        ):
            self.acknowledge(link, stream)

    def missing(self, link: LinkId, stream: Stream) -> None:
        """Ask the parent, once for each mark and keep-alive, to go on from here."""
        if stream.asked_again != stream.mark:
            stream.asked_again = stream.mark
            self.tree.emit(SendMessage(link, Taken(stream.name, stream.head, missing=True)))

    def acknowledge(self, link: LinkId, stream: Stream) -> None:
        """Tell the parent how far the stream has come."""
        stream.unacknowledged_items = stream.unacknowledged_bytes = 0
        self.tree.emit(SendMessage(link, Taken(stream.name, stream.head)))

    def arrived(
        self, stream: Stream, items: Many[Item], matched: Many[tuple[FilterText, ...]], upto: Sequence, now: float
    ) -> None:
        """Advance the mark over items that are in the log, and serve the outlets that stand at it."""
        batches: dict[OutletKey, list[Hit]] = {}
        for item, texts in zip(items, matched, strict=True):
            for key, mine in _by_outlet(stream, texts).items():
                batches.setdefault(key, []).append(Hit(item, mine))
        before, stream.mark = stream.head, upto
        for key, hits in batches.items():
            outlet = stream.outlets[key]
            if outlet.window.fits(len(hits), sum(len(hit.item.body) for hit in hits)):
                self._hand_over(outlet, hits, upto)
            else:
                outlet.live, outlet.sent = False, before
                stream.behind[key] = outlet
        self.serve_behind(stream, now)

    def _lose(self, stream: Stream, upto: Sequence) -> None:
        """Take over that the source no longer keeps a range: nothing here is complete below its end."""
        self.tree.emit(Report("range lost", (("stream", stream.name), ("upto", upto))))
        for outlet in stream.outlets.values():
            if outlet.live:
                outlet.live, outlet.sent = False, stream.head
                stream.behind[outlet.key] = outlet
        stream.mark = upto
        stream.segments.drop_all(upto)

    # Outlets are served.

    def serve_behind(self, stream: Stream, now: float) -> None:
        """Serve every outlet that is not live, as far as it can take."""
        for outlet in list(stream.behind.values()):
            self.serve(stream, outlet, now)

    def serve(self, stream: Stream, outlet: Outlet, now: float) -> None:
        """Hand over, read or fetch the next page for an outlet, or let it go live when it has caught up."""
        while not outlet.live and outlet.open and outlet.waiting is None and stream.mark is not None:
            complete_from = self._complete_from(stream, outlet)
            if complete_from is None:
                return
            behind = complete_from > outlet.sent
            if not behind and outlet.sent == stream.mark and outlet.released is None:
                outlet.live = True
                stream.behind.pop(outlet.key, None)
                return
            limit = outlet.limit(max(stream.mark, complete_from))
            if outlet.sent >= limit or not outlet.window.room():
                return
            if not behind:
                self._read(stream, outlet, limit, now)
            elif self.tree.is_source:
                self._hand_over_lost(outlet, complete_from)
            elif not self._fetch(stream, outlet, complete_from, now):
                return

    def _complete_from(self, stream: Stream, outlet: Outlet) -> Sequence | None:
        """Return from where the log has all that is owed to the outlet; None when that is not known yet."""
        complete_from = 0
        for text, start in outlet.starts.items():
            if start is not None and start <= outlet.sent:
                since = stream.since(text)
                if since is None:
                    return None
                complete_from = max(complete_from, since)
        return complete_from

    def _read(self, stream: Stream, outlet: Outlet, upto: Sequence, now: float) -> None:
        token = next(self.tree.tokens)
        self._reads[token] = (stream, outlet.key)
        outlet.waiting, outlet.waiting_upto, outlet.waiting_since = token, outlet.sent, now
        page = self.tree.config.page_bytes
        self.tree.emit(ReadLog(token, self.tree.id, stream.name, outlet.sent, upto, page))

    def _fetch(self, stream: Stream, outlet: Outlet, upto: Sequence, now: float) -> bool:
        texts = tuple(text for text, start in outlet.starts.items() if start is not None)
        number = self.requests.fetch((stream.name, outlet.key), stream.name, texts, outlet.sent, upto, now)
        if number is None:
            return False
        self.tree.counters["fetches"] += 1
        outlet.waiting, outlet.waiting_upto, outlet.waiting_since = number, upto, now
        return True

    def log_read(self, done: LogRead, now: float) -> bool:
        """Go on with what a log read was for; `False` when it is none of this tree's."""
        purpose = self._reads.pop(done.token, None)
        if purpose is None:
            return False
        if isinstance(purpose, _ChildFetch):
            self._answer_fetch(purpose, done)
            return True
        stream, key = purpose
        outlet = stream.outlets.get(key)
        if outlet is not None and outlet.waiting == done.token:
            self._continue(stream, outlet, done.items, done.upto, now, lost=False)
        return True

    def fetched(self, number: int, stream_name: str, key: OutletKey, message: Fetched, now: float) -> None:
        """Go on with an outlet whose page came from further up."""
        stream = self.tree.streams.get(stream_name)
        outlet = stream.outlets.get(key) if stream is not None else None
        if stream is not None and outlet is not None and outlet.waiting == number:
            self._continue(stream, outlet, message.items, message.upto, now, lost=message.lost)

    def _continue(
        self, stream: Stream, outlet: Outlet, items: Iterable[Item], upto: Sequence, now: float, *, lost: bool
    ) -> None:
        outlet.waiting = None
        outlet.patience_seconds = PATIENCE_SECONDS_MIN
        if lost:
            self._hand_over_lost(outlet, upto)
        elif upto > outlet.sent:
            hits = []
            for item in items:
                if outlet.sent < item.seq <= upto:
                    content = _content(item)
                    texts = tuple(text for text in outlet.starts if stream.wanted[text].filter.matches(content))
                    if texts:
                        hits.append(Hit(item, texts))
            outlet.sent = upto
            if hits:
                self._hand_over(outlet, hits, upto)
        self.serve(stream, outlet, now)

    def _hand_over(self, outlet: Outlet, hits: Many[Hit], upto: Sequence) -> None:
        for hit in hits:
            outlet.window.add(hit.item.seq, len(hit.item.body))
        if not outlet.child:
            for hit in hits:
                self.tree.emit(Deliver(outlet.key, hit.item))
            self.tree.counters["items_delivered"] += len(hits)
            return
        child = self.tree.children[outlet.key]
        version = f"{child.peer.node}:{child.version}"
        items = tuple(
            msgspec.structs.replace(
                hit.item,
                header=compact(
                    Header(version, tuple(sorted(child.numbers[outlet.stream, text] for text in hit.texts)))
                ),
            )
            for hit in hits
        )
        self.tree.emit(SendMessage(outlet.key, Items(outlet.stream, outlet.told, upto, items)))
        self.tree.counters["items_forwarded"] += len(items)
        outlet.told = upto

    def _hand_over_lost(self, outlet: Outlet, upto: Sequence) -> None:
        if outlet.child:
            self.tree.emit(SendMessage(outlet.key, Items(outlet.stream, outlet.told, upto, lost=True)))
            outlet.told = upto
        else:
            self.tree.emit(Deliver(outlet.key, Gap(outlet.sent + 1, upto)))
            self.tree.counters["gaps"] += 1
        outlet.sent = upto

    # What children say of their links.

    def taken(self, link: LinkId, message: Taken, now: float) -> None:
        """Open a child's window; where it misses something, go back to its mark."""
        stream = self.tree.streams.get(message.stream)
        outlet = stream.outlets.get(link) if stream is not None else None
        if stream is None or outlet is None:
            return
        outlet.taken(message.mark)
        if message.missing and message.mark < outlet.told:
            self.tree.counters["rewinds"] += 1
            outlet.go_back(message.mark)
            stream.behind[link] = outlet
        self.serve(stream, outlet, now)

    def fetch_wanted(self, link: LinkId, message: Fetch, now: float) -> None:
        """Answer a child's fetch from the log where that is complete, else pass it on."""
        stream = self.tree.streams.get(message.stream)
        source = self.tree.is_source
        if source and (stream is None or message.after < stream.segments.trimmed):
            upto = message.upto if stream is None else min(message.upto, stream.segments.trimmed)
            self.tree.emit(SendMessage(link, Fetched(message.request, upto, lost=stream is not None)))
            return
        if stream is not None and (source or self._complete(stream, message)):
            token = next(self.tree.tokens)
            self._reads[token] = _ChildFetch(link, message)
            page = self.tree.config.page_bytes
            self.tree.emit(ReadLog(token, self.tree.id, stream.name, message.after, message.upto, page))
            return
        self.requests.pass_on(link, message, now)

    def _complete(self, stream: Stream, message: Fetch) -> bool:
        if stream.head < message.upto:
            return False
        filters = self.requests.filters_of(message.filters)
        sinces = [stream.complete_after(*pair) for pair in zip(message.filters, filters, strict=True)]
        return all(since is not None and since <= message.after for since in sinces)

    def _answer_fetch(self, purpose: _ChildFetch, done: LogRead) -> None:
        message = purpose.message
        if purpose.link not in self.tree.children:
            return
        filters = self.requests.filters_of(message.filters)
        items = []
        for item in done.items:
            content = _content(item)
            if any(wanted.matches(content) for wanted in filters):
                items.append(item)
        self.tree.emit(SendMessage(purpose.link, Fetched(message.request, done.upto, tuple(items))))

    # Every keep-alive.

    def marks_told(self, link: LinkId) -> dict[StreamName, Sequence]:
        """Tell a child the marks it has not heard of yet, and return how far it was told where it may not know."""
        told = {}
        for name, outlet in self.tree.children[link].outlets.items():
            stream = self.tree.streams[name]
            upto = stream.head if outlet.live else outlet.sent
            if upto > outlet.told:
                self.tree.emit(SendMessage(link, Items(name, outlet.told, upto)))
                outlet.told = upto
            if outlet.told > outlet.acknowledged:
                told[name] = outlet.told
        return told

    def told(self, link: LinkId, name: StreamName, upto: Sequence) -> None:
        """Answer a parent that does not know whether what it sent has come."""
        stream = self.tree.streams.get(name)
        if stream is None or stream.mark is None:
            return
        if stream.mark < upto:
            self.missing(link, stream)
        else:
            self.acknowledge(link, stream)

    def retry(self, now: float) -> None:
        """Give up fetches that were not answered in time, and serve their outlets afresh."""
        for stream in self.tree.streams.values():
            stream.asked_again = None
            for outlet in list(stream.behind.values()):
                late = outlet.waiting_since + outlet.patience_seconds < now
                if outlet.waiting is not None and late and outlet.waiting not in self._reads:
                    outlet.waiting = None
                    outlet.patience_seconds = min(2 * outlet.patience_seconds, PATIENCE_SECONDS_MAX)
                self.serve(stream, outlet, now)


def _by_outlet(stream: Stream, texts: Iterable[FilterText]) -> dict[OutletKey, tuple[FilterText, ...]]:
    """Return the live outlets that want any of the filters, each with those that it wants."""
    found: dict[OutletKey, tuple[FilterText, ...]] = {}
    for text in texts:
        for key, outlet in stream.wanted[text].outlets.items():
            if outlet.live:
                found[key] = (*found.get(key, ()), text)
    return found
