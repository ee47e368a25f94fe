"""One stream at one node: which filters want it, how far the node is complete for them, and its outlets.

A *completeness mark* is a promise: the node has, or has passed on, every item with `since < seq <= mark` that
matches a filter. All filters of a stream share the mark; each has its own `since`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from distributary.algebra.filter import Filter
from distributary.broker.outlet import Outlet, OutletKey
from distributary.broker.retention import Segments
from distributary.core.headers import Header
from distributary.core.ids import NodeId, Sequence, StreamName
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content
from distributary.matching import Matcher, ReferenceMatcher

__all__ = ["Stream", "Wanted"]


@dataclass(slots=True)
class Wanted:
    """A filter that somebody below wants."""

    #: Never used again in this node's life.
    number: int
    filter: Filter
    #: The version of the node's filters in which it came.
    version: int
    #: After which seq the node is complete for it; None until the source knows of it.
    since: Sequence | None
    outlets: dict[OutletKey, Outlet] = field(default_factory=dict)


@dataclass(slots=True)
class Stream:
    """The state of one stream at one node."""

    name: StreamName
    segments: Segments
    #: Everything up to here that any wanted filter matches has been seen; None until a start is known.
    mark: Sequence | None = None
    #: The last seq that the source has given away; only used there.
    assigned: Sequence = 0
    #: In the order in which they came, so by version and number.
    wanted: dict[FilterText, Wanted] = field(default_factory=dict)
    _by_number: dict[int, FilterText] = field(default_factory=dict)
    matcher: Matcher[FilterText] = field(default_factory=ReferenceMatcher)
    outlets: dict[OutletKey, Outlet] = field(default_factory=dict)
    #: The outlets that are not live, in the order in which they fell behind.
    behind: dict[OutletKey, Outlet] = field(default_factory=dict)
    #: Items and bytes that came since the parent was last told the mark.
    unacknowledged_items: int = 0
    unacknowledged_bytes: int = 0
    #: The mark at which the parent was asked to go back, so that one gap is not asked for with every message.
    asked_again: Sequence | None = None

    @property
    def head(self) -> Sequence:
        """Return the mark, 0 before there is one."""
        return self.mark or 0

    def since(self, text: FilterText) -> Sequence | None:
        """Return after which seq this node's log has all matches of a filter; None when nobody knows."""
        wanted = self.wanted.get(text)
        if wanted is None or wanted.since is None:
            return None
        return max(wanted.since, self.segments.trimmed)

    def hold(self, text: FilterText, outlet: Outlet, make: Callable[[], Wanted]) -> bool:
        """Let an outlet want a filter; `True` when nobody wanted it before."""
        wanted = self.wanted.get(text)
        new = wanted is None
        if wanted is None:
            wanted = self.wanted[text] = make()
            self._by_number[wanted.number] = text
            self.matcher.add(text, wanted.filter)
        wanted.outlets[outlet.key] = outlet
        return new

    def release(self, text: FilterText, key: OutletKey) -> Wanted | None:
        """Let an outlet want a filter no more; return the filter's record when nobody wants it now."""
        wanted = self.wanted[text]
        del wanted.outlets[key]
        if wanted.outlets:
            return None
        del self.wanted[text], self._by_number[wanted.number]
        self.matcher.remove(text)
        return wanted

    def matches(self, content: Callable[[], Content], header: Header | None, node: NodeId) -> tuple[FilterText, ...]:
        """Return the wanted filters that an item matches, as the header tells them or matched afresh.

        A header that speaks of this node's filters (`<node>:<version>`) has decided all that were wanted in that
        version; only younger ones are tested here.
        """
        version = _version_of(header, node)
        if header is None or version is None:
            return self.matcher.match(content()) if self.wanted else ()
        texts = [self._by_number[number] for number in header.channels if number in self._by_number]
        for text, wanted in reversed(self.wanted.items()):
            if wanted.version <= version:
                break
            if text not in texts and wanted.filter.matches(content()):
                texts.append(text)
        return tuple(texts)


def _version_of(header: Header | None, node: NodeId) -> int | None:
    if header is None:
        return None
    name, _, version = header.version.rpartition(":")
    return int(version) if name == node and version.isdecimal() and len(version) < 20 else None
