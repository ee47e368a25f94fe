"""One stream at one node: which filters want it, how far the node is complete for them, and its outlets.

A *completeness mark* is a promise: the node has, or has passed on, every item with `since < seq <= mark` that
matches a filter. All filters of a stream share the mark; each has its own `since`.

Not every filter is told to the parent. One that is complete up to the mark stands for all that it covers: the node
gets their matches with its own. Until then it stands for itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from distributary.algebra.filter import Filter
from distributary.broker.outlet import Outlet, OutletKey
from distributary.broker.retention import Segments
from distributary.core.errors import InputError
from distributary.core.headers import Header
from distributary.core.ids import ChannelId, NodeId, Sequence, StreamName
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content
from distributary.matching import Matcher
from distributary.matching.hints import channels_of
from distributary.matching.routing import Aggregate

__all__ = ["Stream", "Wanted"]

#: More covered filters than these are not tested one by one.
_FEW = 8


@dataclass(slots=True)
class Wanted:
    """A filter that somebody below wants."""

    filter: Filter
    #: After which seq the node is complete for it; None until the source knows of it.
    since: Sequence | None
    #: What the parent, or the source's plan, knows it by; never used again. None while another filter stands for it.
    number: int | None = None
    #: The version of the node's filters in which it got its number.
    version: int = 0
    outlets: dict[OutletKey, Outlet] = field(default_factory=dict)


@dataclass(slots=True)
class Stream:
    """The state of one stream at one node."""

    name: StreamName
    segments: Segments
    #: All wanted filters.
    matcher: Matcher[FilterText]
    #: Everything up to here that any wanted filter matches has been seen; None until a start is known.
    mark: Sequence | None = None
    #: The last seq that the source has given away; only used there.
    assigned: Sequence = 0
    wanted: dict[FilterText, Wanted] = field(default_factory=dict)
    #: Those that are complete up to the mark, with what they stand for. Not used at the source.
    aggregate: Aggregate[FilterText] = field(default_factory=Aggregate)
    #: Ascending, so by version too.
    _by_number: dict[int, FilterText] = field(default_factory=dict)
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

    def complete_after(self, text: FilterText, filter: Filter) -> Sequence | None:  # noqa: A002 - the paper's noun
        """Return after which seq this node's log has all matches of a filter, be it wanted here or only covered."""
        if text in self.wanted:
            return self.since(text)
        member = self.aggregate.coverer(filter)
        return self.since(self.aggregate.keys_of(member)[0]) if member is not None else None

    def hold(self, text: FilterText, outlet: Outlet, make: Callable[[], Wanted]) -> bool:
        """Let an outlet want a filter; `True` when nobody wanted it before."""
        wanted = self.wanted.get(text)
        new = wanted is None
        if wanted is None:
            wanted = self.wanted[text] = make()
            self.matcher.add(text, wanted.filter)
        wanted.outlets[outlet.key] = outlet
        return new

    def release(self, text: FilterText, key: OutletKey) -> Wanted | None:
        """Let an outlet want a filter no more; return the filter's record when nobody wants it now."""
        wanted = self.wanted[text]
        del wanted.outlets[key]
        if wanted.outlets:
            return None
        del self.wanted[text]
        if wanted.number is not None:
            del self._by_number[wanted.number]
        self.matcher.remove(text)
        return wanted

    def tell(self, text: FilterText, number: int, version: int) -> None:
        """Note under which number a filter is told, from a version of the node's filters on."""
        wanted = self.wanted[text]
        assert wanted.number is None, f"{text} is told twice"
        wanted.number, wanted.version = number, version
        self._by_number[number] = text

    def hide(self, text: FilterText) -> None:
        """Note that another filter stands for one that was told."""
        wanted = self.wanted[text]
        assert wanted.number is not None, f"{text} was not told"
        del self._by_number[wanted.number]
        wanted.number = None

    def speaks(self, text: FilterText) -> bool:
        """Tell whether a wanted filter must be told: nothing that is complete up to the mark stands for it."""
        if text not in self.aggregate:
            return True
        filter = self.wanted[text].filter  # noqa: A001
        return self.aggregate.is_member(filter) and self.aggregate.keys_of(filter)[0] == text

    def matches(self, content: Callable[[], Content], header: Header | None, node: NodeId) -> tuple[FilterText, ...]:
        """Return the wanted filters that an item matches, as the header tells them or matched afresh.

        A header that speaks of this node's filters (`<node>:<version>`) has decided all that were told in that
        version; only younger ones are tested here, and what stands below those that match.
        """
        decided = _decided(header, node)
        if decided is None:
            return self.matcher.match(content()) if self.wanted else ()
        version, channels = decided
        texts = [self._by_number[number] for number in channels if number in self._by_number]
        for text in reversed(self._by_number.values()):
            wanted = self.wanted[text]
            if wanted.version <= version:
                break
            if text not in texts and wanted.filter.matches(content()):
                texts.append(text)
        below = list(islice(self._below(texts), _FEW + 1))
        if len(below) > _FEW:
            return self.matcher.match(content())
        texts += [text for text in below if self.wanted[text].filter.matches(content())]
        return tuple(texts)

    def _below(self, texts: Iterable[FilterText]) -> Iterator[FilterText]:
        """Yield the filters that these stand for, themselves not."""
        for text in texts:
            if text in self.aggregate:
                yield from (other for other in self.aggregate.aggregating(self.wanted[text].filter) if other != text)


def _decided(header: Header | None, node: NodeId) -> tuple[int, tuple[ChannelId, ...]] | None:
    """Return which version a header speaks of and what matched of it; None when it says nothing to this node."""
    if header is None:
        return None
    name, _, version = header.version.rpartition(":")
    if name != node or not version.isdecimal() or len(version) >= 20:
        return None
    try:
        return int(version), channels_of(header)
    except InputError:
        # Hints are no more than that: without them the answers are the same.
        return None
