"""What children tell a node: their filters come and go here, and are confirmed when the source knows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from distributary.algebra import filter_of
from distributary.broker.outlet import Outlet
from distributary.broker.stream import Stream, Wanted
from distributary.broker.tree import ChildLink, Tree
from distributary.broker.upward import Upward
from distributary.core.effects import SendMessage, TrimLog
from distributary.core.errors import InputError, ProtocolError
from distributary.core.ids import LinkId, Sequence, StreamName, check_stream
from distributary.core.messages import Confirmed, Filters, FiltersWanted, NumberedFilter, Peer
from distributary.core.subscriptions import FilterText

__all__ = ["Downward"]


@dataclass(slots=True)
class Downward:
    """The children's side of the filters, and the holding and releasing of filters for all outlets."""

    tree: Tree
    upward: Upward

    def hold(self, stream: Stream, text: FilterText, outlet: Outlet) -> None:
        """Let an outlet want a filter; the parent hears of a new one at the end of this step."""

        def make() -> Wanted:
            since = 0 if self.tree.is_source else None
            return Wanted(filter_of(text), since)

        if stream.hold(text, outlet, make):
            self.upward.want(stream, text, stream.wanted[text])

    def release(self, stream: Stream, outlet: Outlet) -> None:
        """Take an outlet away with all its filters; a stream that nobody wants is forgotten, but not by its source."""
        for text in list(outlet.starts):
            self._release(stream, text, outlet)
        stream.outlets.pop(outlet.key, None)
        stream.behind.pop(outlet.key, None)
        kept = self.tree.is_source and (stream.assigned or stream.segments.trimmed)
        if not stream.outlets and not kept:
            if stream.head and self.tree.membership.tree is not None:
                self.tree.emit(TrimLog(self.tree.id, stream.name, stream.head))
            del self.tree.streams[stream.name]

    def _release(self, stream: Stream, text: FilterText, outlet: Outlet) -> None:
        del outlet.starts[text]
        unwanted = stream.release(text, outlet.key)
        if unwanted is not None:
            self.upward.unwant(stream, text, unwanted)

    def gained(self, link: LinkId, peer: Peer) -> None:
        """Begin with a child that wants nothing yet."""
        self.tree.children[link] = ChildLink(peer)

    def lost(self, link: LinkId) -> None:
        """Forget a child and what it wanted."""
        child = self.tree.children.pop(link)
        for name, outlet in child.outlets.items():
            self.release(self.tree.streams[name], outlet)

    def filters_came(self, link: LinkId, message: Filters) -> None:
        """Take over a child's filters: whole, or a change of the version known here.

        What a child had through another filter so far is owed from its mark; the outlet goes back there.
        """
        child = self.tree.children[link]
        if message.version < child.version:
            return
        if message.base not in {0, child.version}:
            self.tree.emit(SendMessage(link, FiltersWanted()))
            return
        if message.base == 0:
            stay = {added.number for added in message.added}
            removed: Iterable[int] = [number for number in child.filters if number not in stay]
        else:
            removed = message.removed
        for added in message.added:
            if added.number not in child.filters:
                self._add(link, child, added, message)
        for number in removed:
            self._remove(child, number)
        child.version = message.version
        child.confirmed = 0

    def _add(self, link: LinkId, child: ChildLink, added: NumberedFilter, message: Filters) -> None:
        """Let a child want one filter more. One that comes from elsewhere is owed what follows its mark."""
        name, text = added.stream, added.text
        # On a link that has been in use, a range without the fresh filter's matches may still be on its way.
        mark = None if child.version and added.number in message.fresh else message.marks.get(name)
        earlier = child.numbers.get((name, text))
        if earlier is not None:
            del child.filters[earlier]
        else:
            try:
                stream = self.tree.stream(check_stream(name))
                outlet = child.outlets.get(name)
                if outlet is None:
                    outlet = self.tree.outlet(link, name, child=True, sent=mark or 0, open=mark is not None)
                    child.outlets[name] = outlet
                elif mark is not None:
                    outlet.go_back(min(mark, outlet.told) if outlet.open else mark)
                    outlet.open = True
                    stream.behind[link] = outlet
                self.hold(stream, text, outlet)
            except InputError as error:
                raise ProtocolError(child.peer.url, f"sent a filter that is refused: {error}") from None
            outlet.starts[text] = mark
        child.filters[added.number] = (name, text)
        child.numbers[name, text] = added.number
        child.unconfirmed[name, text] = None

    def _remove(self, child: ChildLink, number: int) -> None:
        place = child.filters.pop(number, None)
        if place is None:
            return
        name, text = place
        del child.numbers[place]
        child.unconfirmed.pop(place, None)
        outlet, stream = child.outlets[name], self.tree.streams[name]
        if len(outlet.starts) > 1:
            self._release(stream, text, outlet)
        else:
            self.release(stream, outlet)
            del child.outlets[name]

    def confirm(self) -> list[Stream]:
        """Tell children what is known up to the source by now; return the streams whose outlets may go on."""
        ready: list[Stream] = []
        for link, child in self.tree.children.items():
            if child.confirmed < child.version and self._known(child):
                for name, text in child.unconfirmed:
                    stream, outlet = self.tree.streams[name], child.outlets[name]
                    self._start(stream, outlet, text)
                    if stream not in ready:
                        ready.append(stream)
                child.unconfirmed.clear()
                child.confirmed = child.version
                self.tree.emit(SendMessage(link, Confirmed(child.version, _starts(child))))
        return ready

    def _known(self, child: ChildLink) -> bool:
        return all(self.tree.streams[name].since(text) is not None for name, text in child.unconfirmed)

    @staticmethod
    def _start(stream: Stream, outlet: Outlet, text: FilterText) -> None:
        """Fix after which seq a filter's matches are owed: never inside what went out before without it."""
        since = stream.since(text)
        assert since is not None
        if outlet.starts[text] is not None:
            return
        fresh = all(start is None for start in outlet.starts.values())
        start = max(since, stream.head if fresh else outlet.position(stream.head))
        if fresh:
            # Not acknowledged: a child whose mark is before the start is brought to it with the next keep-alive.
            outlet.sent = outlet.told = start
            outlet.open = True
            # Nobody waits for word of what is under way any more, so it must not keep the window shut.
            outlet.window.clear()
        outlet.starts[text] = start


def _starts(child: ChildLink) -> dict[StreamName, Sequence]:
    """Return for each stream after which seq every filter's matches are owed."""
    return {
        name: max(start for start in outlet.starts.values() if start is not None)
        for name, outlet in child.outlets.items()
    }
