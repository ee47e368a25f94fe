"""What a node tells its parent: the filters of its subtree, by versions, until the source is known to have them."""

from __future__ import annotations

from dataclasses import dataclass, field

from distributary.broker.stream import Stream, Wanted
from distributary.broker.tree import Tree
from distributary.core.effects import SendMessage
from distributary.core.messages import Confirmed, Filters, NumberedFilter
from distributary.core.subscriptions import FilterText

__all__ = ["Upward"]

_REPEAT_BEATS = 2


@dataclass(slots=True)
class Upward:
    """The parent's side of the filters: changes are collected and sent once for each input handled."""

    tree: Tree
    #: The version that was last sent on the present link; 0: nothing was.
    _sent: int = 0
    #: The version that is known up to the source.
    _confirmed: int = 0
    _added: dict[int, NumberedFilter] = field(default_factory=dict)
    _removed: list[int] = field(default_factory=list)
    #: Keep-alives since the filters were sent and not confirmed.
    _beats: int = 0

    def want(self, stream: Stream, text: FilterText, wanted: Wanted) -> None:
        """Note a filter that nobody below wanted before."""
        self._added[wanted.number] = NumberedFilter(wanted.number, stream.name, text)

    def unwant(self, wanted: Wanted) -> None:
        """Note that nobody below wants a filter any more."""
        if self._added.pop(wanted.number, None) is None:
            self._removed.append(wanted.number)

    def flush(self) -> None:
        """Make a version of the collected changes and send it, as a change or whole."""
        parent = self.tree.membership.parent
        changed = bool(self._added or self._removed)
        if parent is not None and self._sent == 0:
            self.send_whole()
        elif parent is not None and changed:
            added = tuple(self._added.values())
            message = Filters(self.tree.version, self._sent, added, tuple(self._removed))
            self.tree.emit(SendMessage(parent, message))
            self._note_sent()
        elif changed:
            self._note_version()

    def send_whole(self) -> None:
        """Send all filters, and how far the node is complete, to the parent."""
        parent = self.tree.membership.parent
        if parent is None:
            return
        added = tuple(
            NumberedFilter(wanted.number, stream.name, text)
            for stream in self.tree.streams.values()
            for text, wanted in stream.wanted.items()
        )
        marks = {stream.name: stream.mark for stream in self.tree.streams.values() if stream.mark is not None}
        self.tree.emit(SendMessage(parent, Filters(self.tree.version, 0, added, marks=marks)))
        self._note_sent()

    def _note_sent(self) -> None:
        self._sent, self._beats = self.tree.version, 0
        self._note_version()

    def _note_version(self) -> None:
        self.tree.version += 1
        self._added.clear()
        self._removed.clear()

    def parent_lost(self) -> None:
        """Forget what the lost parent knew."""
        self._sent = 0

    def confirmed(self, message: Confirmed) -> list[Stream]:
        """Take over from where the node is complete for its new filters; return the streams that this concerns."""
        self._confirmed = max(self._confirmed, message.version)
        changed: list[Stream] = []
        for name, start in message.starts.items():
            stream = self.tree.streams.get(name)
            if stream is None:
                continue
            for wanted in stream.wanted.values():
                if wanted.since is None and wanted.version <= message.version:
                    if stream.mark is None:
                        stream.mark = start
                        stream.segments.trimmed = start
                    wanted.since = max(start, stream.mark)
                    if stream not in changed:
                        changed.append(stream)
        return changed

    def beat(self) -> None:
        """Send everything once more when the parent has not confirmed it for some time."""
        if self._sent and self._confirmed < self._sent:
            self._beats += 1
            if self._beats > _REPEAT_BEATS:
                self.send_whole()
