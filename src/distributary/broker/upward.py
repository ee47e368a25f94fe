"""What a node tells its parent: the filters of its subtree, by versions, until the source is known to have them.

Only those are told that nothing else stands for. A filter begins by standing for itself. Once the node is complete
for it up to the stream's mark, it also stands for what it covers, and they are told no more; new ones below it are
not told at all. When it goes, they are told in the same message, with the mark: the parent owes them what follows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from distributary.broker.stream import Stream, Wanted
from distributary.broker.tree import Tree
from distributary.core.effects import SendMessage
from distributary.core.ids import StreamName
from distributary.core.messages import Confirmed, Filters, NumberedFilter
from distributary.core.subscriptions import FilterText
from distributary.matching.routing import Change

__all__ = ["Upward"]

_REPEAT_BEATS = 2

_Place: TypeAlias = tuple[StreamName, FilterText]


@dataclass(slots=True)
class Upward:
    """The parent's side of the filters: changes are collected and sent once for each input handled."""

    tree: Tree
    #: The version that was last sent on the present link; 0: nothing was.
    _sent: int = 0
    #: The version that is known up to the source.
    _confirmed: int = 0
    #: What the latest version has, with its numbers.
    _told: dict[_Place, int] = field(default_factory=dict)
    #: What may have to be told or taken back at the end of this step.
    _touched: dict[_Place, None] = field(default_factory=dict)
    #: What was told and is not known up to the source.
    _young: dict[_Place, Wanted] = field(default_factory=dict)
    #: What is known there, but the mark is not where the node is complete from.
    _settling: dict[_Place, Wanted] = field(default_factory=dict)
    #: Keep-alives since the filters were sent and not confirmed.
    _beats: int = 0

    def want(self, stream: Stream, text: FilterText, wanted: Wanted) -> None:
        """Note a filter that nobody below wanted before; if another stands for it, the node is complete already."""
        if not self.tree.is_source:
            member = stream.aggregate.add_below(text, wanted.filter)
            if member is not None:
                wanted.since = stream.wanted[stream.aggregate.keys_of(member)[0]].since
        self._touched[stream.name, text] = None

    def unwant(self, stream: Stream, text: FilterText, wanted: Wanted) -> None:
        """Note that nobody below wants a filter any more."""
        self._touched[stream.name, text] = None
        if text in stream.aggregate:
            self._touch(stream, stream.aggregate.remove(text))
            for other in stream.aggregate.keys_of(wanted.filter):
                self._touched[stream.name, other] = None

    def _touch(self, stream: Stream, change: Change) -> None:
        for each in (*change.gained, *change.lost):
            for text in stream.aggregate.keys_of(each):
                self._touched[stream.name, text] = None

    def flush(self) -> None:
        """Make a version of the collected changes and send it, as a change or whole."""
        if self._settling:
            self._settle()
        removed, places = self._changes()
        added = self._tell(places)
        parent = self.tree.membership.parent
        if parent is not None and self._sent == 0:
            self.send_whole()
        elif parent is not None and (added or removed):
            fresh = self._fresh(added)
            # Known so far through a filter that goes or is not wide enough any more.
            resumed = [each.stream for each in added if each.number not in fresh]
            marks = {name: self.tree.streams[name].head for name in resumed}
            message = Filters(self.tree.version, self._sent, added, removed, marks, fresh)
            self.tree.emit(SendMessage(parent, message))
            self._note_sent()
        elif added or removed:
            self.tree.version += 1

    def _settle(self) -> None:
        """Let filters stand for what they cover, where the mark has come to where they are complete from."""
        for (name, text), wanted in list(self._settling.items()):
            stream = self.tree.streams.get(name)
            if stream is None or stream.wanted.get(text) is not wanted:
                del self._settling[name, text]
            elif wanted.since is not None and wanted.since <= stream.head:
                del self._settling[name, text]
                self._touched[name, text] = None
                self._touch(stream, stream.aggregate.add(text, wanted.filter))

    def _changes(self) -> tuple[tuple[int, ...], list[_Place]]:
        """Return the numbers to take back, and what is to be told."""
        removed, places = [], []
        for place in self._touched:
            name, text = place
            stream = self.tree.streams.get(name)
            wanted = stream.wanted.get(text) if stream is not None else None
            speaks = stream is not None and wanted is not None and (self.tree.is_source or stream.speaks(text))
            if stream is not None and wanted is not None and wanted.number is not None and not speaks:
                stream.hide(text)
            number = self._told.get(place)
            if number is not None and (wanted is None or wanted.number != number):
                removed.append(number)
                del self._told[place]
            if wanted is not None and speaks and wanted.number is None:
                places.append(place)
        self._touched.clear()
        return tuple(removed), places

    def _tell(self, places: list[_Place]) -> tuple[NumberedFilter, ...]:
        """Give numbers to what is told in the version that is being made."""
        told = []
        for name, text in places:
            stream, number = self.tree.streams[name], self.tree.next_number()
            stream.tell(text, number, self.tree.version)
            self._told[name, text] = number
            if stream.wanted[text].since is None:
                self._young[name, text] = stream.wanted[text]
            told.append(NumberedFilter(number, name, text))
        return tuple(told)

    def _fresh(self, added: tuple[NumberedFilter, ...]) -> tuple[int, ...]:
        """Return the numbers of those for which the node is not known to be complete from anywhere."""
        found = []
        for each in added:
            stream = self.tree.streams.get(each.stream)
            wanted = stream.wanted.get(each.text) if stream is not None else None
            # One that nobody wants any more is taken back at the end of this step.
            if wanted is None or wanted.since is None:
                found.append(each.number)
        return tuple(found)

    def send_whole(self) -> None:
        """Send all filters, and how far the node is complete, to the parent."""
        parent = self.tree.membership.parent
        if parent is None:
            return
        added = tuple(NumberedFilter(number, name, text) for (name, text), number in self._told.items())
        marks = {stream.name: stream.mark for stream in self.tree.streams.values() if stream.mark is not None}
        fresh = self._fresh(added)
        self.tree.emit(SendMessage(parent, Filters(self.tree.version, 0, added, marks=marks, fresh=fresh)))
        self._note_sent()

    def _note_sent(self) -> None:
        self._sent, self._beats = self.tree.version, 0
        self.tree.version += 1

    def parent_lost(self) -> None:
        """Forget what the lost parent knew."""
        self._sent = 0

    def confirmed(self, message: Confirmed) -> list[Stream]:
        """Take over from where the node is complete for its new filters; return the streams that this concerns."""
        self._confirmed = max(self._confirmed, message.version)
        changed: dict[StreamName, Stream] = {}
        for (name, text), wanted in list(self._young.items()):
            stream, start = self.tree.streams.get(name), message.starts.get(name)
            if stream is None or stream.wanted.get(text) is not wanted:
                del self._young[name, text]
            elif start is not None and wanted.version <= message.version:
                if stream.mark is None:
                    stream.mark = start
                    stream.segments.trimmed = start
                wanted.since = max(start, stream.mark)
                del self._young[name, text]
                self._settling[name, text] = wanted
                changed[name] = stream
        return list(changed.values())

    def beat(self) -> None:
        """Send everything once more when the parent has not confirmed it for some time."""
        if self._sent and self._confirmed < self._sent:
            self._beats += 1
            if self._beats > _REPEAT_BEATS:
                self.send_whole()
