"""A router that starts from what the one above found out, and tells those below what it found (paper 002, section 3).

`route` gives the same answers whatever header comes with a document: none, a good one, or one of a table that is gone.
It sends nothing and knows no time: bodies, headers, tables and feedback are values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Generic, TypeVar

import msgspec
import numpy as np

from distributary.algebra.filter import Filter
from distributary.core.errors import InputError
from distributary.matching.hints.annotation import Hints, LastEnd, decode
from distributary.matching.hints.bound import Bound, bindable
from distributary.matching.hints.choice import BYTES_PER_TEST, TESTS_PER_READING, Annotation, Feedback
from distributary.matching.hints.compiled.groups import Slots
from distributary.matching.hints.ending import cut
from distributary.matching.hints.grouping import Grouping, Start
from distributary.matching.hints.labels import Labels
from distributary.matching.hints.links import Links, Seen
from distributary.matching.hints.matching import SlotMatcher
from distributary.matching.hints.onward import HintSettings
from distributary.matching.hints.table import HintTable, Numbering, names_for, patterns_for

__all__ = ["HintedRouter", "Routed"]

Key = TypeVar("Key", bound=Hashable)
Neighbour = TypeVar("Neighbour", bound=Hashable)

_NOTHING: Slots = np.empty(0, np.int32)
#: Filters that a table offers to bind.
_BINDABLE_MAX = 64
#: With more left to test than this no cut is looked for, and with more names none is asked for: they end everywhere.
_CUT_FOR_MAX = 64
_ENDS_MAX = 24
#: With fewer than this it is looked which ends would have helped, where a header has none.
_ASKED_FOR_MAX = 8


class Routed(msgspec.Struct, Generic[Key, Neighbour], frozen=True):
    """Where a document goes, and what it took."""

    #: The subscribers that it matches, in the order in which they were added.
    subscribers: tuple[Key, ...]
    #: The neighbours that want it, each with its header.
    headers: Mapping[Neighbour, bytes]
    #: For the router above; None without a header of a known version.
    feedback: Feedback | None
    #: Filters that were tested, and bytes of the document that were read.
    tested: int
    read: int


class _Looked(msgspec.Struct, frozen=True, eq=False):
    """What reading a document came to."""

    found: Slots
    #: The document's elements, and whether data patterns were looked for; only where all of it was read.
    labels: Labels | None = None
    patterns: bool = False
    tested: int = 0
    read: int = 0
    #: The data patterns behind whose last ends there was nothing to find.
    ends: tuple[int, ...] = ()


class _Started(msgspec.Struct, frozen=True, eq=False):
    """What a header decides, and what part its bindings have in that: the slots by number."""

    start: Start
    bindings: list[tuple[int, tuple[int, ...]]]


class HintedRouter(Generic[Key, Neighbour]):
    """The filters of subscribers here and of neighbours below.

    Args:
        matcher: Holding no filters yet.
        settings: What headers hold.
    """

    def __init__(self, matcher: SlotMatcher, settings: HintSettings | None = None) -> None:
        self._matcher = matcher
        self._slots = count()
        self._subscribers: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        #: The filter of each slot, data patterns aside.
        self._filters: dict[int, Filter] = {}
        self._links: Links[Neighbour] = Links(matcher, settings or HintSettings())
        #: The groups of all slots, and what bindings say of them; None until a table is asked for.
        self._grouping: Grouping | None = None
        self._bound: Bound | None = None

    def __len__(self) -> int:
        """Return how many filters are held."""
        return len(self._filters)

    # Filters come and go.

    def add(self, key: Key, wanted: Filter) -> None:
        """Hold the filter of a subscriber here."""
        assert key not in self._subscribers, f"{key!r} is held already"
        slot = self._hold(wanted)
        self._subscribers[key] = slot
        self._keys[slot] = key

    def remove(self, key: Key) -> None:
        """Forget a subscriber; one that is not held is a `KeyError`."""
        slot = self._subscribers.pop(key)
        del self._keys[slot]
        self._release(slot)

    def connect(self, neighbour: Neighbour, table: HintTable) -> None:
        """Take over a neighbour's table, its first or a newer one."""
        gone, new = self._links.change(neighbour, table)
        for slot in gone:
            self._release(slot)
        for number in new:
            self._links.own(neighbour, number, self._hold(table.filters[number]))
        self._links.look_for(neighbour, self._slots)

    def disconnect(self, neighbour: Neighbour) -> None:
        """Forget a neighbour; one that is not held is a `KeyError`."""
        for slot in self._links.drop(neighbour):
            self._release(slot)

    def table(self) -> HintTable:
        """Return the table for the router above, as it is now."""
        if self._grouping is None:
            patterns = patterns_for(self._links.patterns(), self._filters.values())
            self._grouping = Grouping(Numbering(patterns, names_for(self._filters.values())))
            self._grouping.add_all(self._filters.items())
            self._bound = Bound(self._grouping)
            self._links.inherit(patterns)
        return self._grouping.numbering.table(bindable(self._grouping, _BINDABLE_MAX))

    def renew(self) -> HintTable:
        """Return a table made afresh: numbers by weight, data patterns for the filters of today."""
        self._grouping = self._bound = None
        return self.table()

    def _hold(self, wanted: Filter) -> int:
        slot = next(self._slots)
        self._filters[slot] = wanted
        self._links.make_room(slot)
        self._matcher.add(slot, wanted)
        if self._grouping is not None:
            self._grouping.add(slot, wanted)
            self._changed()
        return slot

    def _release(self, slot: int) -> None:
        del self._filters[slot]
        self._matcher.remove(slot)
        if self._grouping is not None:
            self._grouping.remove(slot)
            self._changed()

    def _changed(self) -> None:
        if self._bound is not None:
            self._bound.forget()

    # Documents come in.

    def learn(self, neighbour: Neighbour, feedback: Feedback) -> None:
        """Take what a neighbour says of a header that it got from here."""
        self._links.learn(neighbour, feedback)

    def unlearn(self, neighbour: Neighbour) -> None:
        """Forget what a neighbour said of its headers, as if it had just come."""
        self._links.unlearn(neighbour)

    def route(self, body: bytes, header: bytes = b"") -> Routed[Key, Neighbour]:
        """Return where a document goes; `InputError` for a document or a header that is none.

        Of a document whose header decides everything nothing is read: it is as well-formed as the router above found.
        """
        hints = decode(header) if header else None
        start = self._start(hints) if hints is not None else None
        if hints is None or start is None:
            arrays = self._matcher.read(body)
            looked = _Looked(self._matcher.match_arrays(arrays), Labels(arrays), True, len(self), len(body))
            return self._routed(Seen(body, looked.found, looked.labels, True, None), looked, None)
        looked = self._look(body, hints, start.start.candidates)
        matched = np.concatenate((start.start.matched, looked.found))
        seen = Seen(body, matched, looked.labels, looked.patterns, hints)
        return self._routed(seen, looked, self._feedback(hints, start, looked, len(body)))

    def _routed(self, seen: Seen, looked: _Looked, feedback: Feedback | None) -> Routed[Key, Neighbour]:
        subscribers = tuple(map(self._keys.__getitem__, self._links.here(seen.matched)))
        return Routed(subscribers, self._links.headers(seen), feedback, looked.tested, looked.read)

    def _start(self, hints: Hints) -> _Started | None:
        """Return what a header decides; None for one of no known table."""
        if self._grouping is None or self._bound is None or not self._grouping.speaks(hints):
            return None
        bindings = [(each.number, self._bound.slots(each)) for each in hints.bindings]
        start = self._grouping.begin(hints, [slot for _, slots in bindings for slot in slots])
        return None if start is None else _Started(start, bindings)

    def _look(self, body: bytes, hints: Hints, candidates: Slots) -> _Looked:
        """Test what is left, on as little of the document as will do."""
        if not len(candidates):
            return _Looked(_NOTHING)
        assert self._grouping is not None
        bounds = self._bounds(hints, candidates)
        shorter = self._cut(body, hints, bounds) if hints.ends and bounds else None
        if shorter is not None:
            try:
                found = self._matcher.match_slots(self._matcher.read(shorter), candidates)
            except InputError:
                # What looked like a tag was none.
                pass
            else:
                return _Looked(found, tested=len(candidates), read=len(shorter), ends=_places(bounds))
        arrays = self._matcher.read(body)
        inherits = hints.looked_for == len(self._grouping.numbering.patterns)
        patterns = None if inherits else self._links.pattern_slots()
        slots = candidates if patterns is None else np.concatenate((candidates, patterns))
        found = self._matcher.match_slots(arrays, slots)
        return _Looked(found, Labels(arrays), patterns is not None, len(slots), len(body), _places(bounds))

    def _bounds(self, hints: Hints, candidates: Slots) -> tuple[int, ...]:
        """Return the names of which some must have ended before reading may; none where that is not looked into."""
        if len(candidates) > (_CUT_FOR_MAX if hints.ends else _ASKED_FOR_MAX):
            return ()
        assert self._grouping is not None
        return self._grouping.bounds(candidates)

    def _cut(self, body: bytes, hints: Hints, bounds: tuple[int, ...]) -> bytes | None:
        """Return the document up to where one of each of these names has ended; None where the header lacks one."""
        assert self._grouping is not None
        last: LastEnd | None = None
        for mask in bounds:
            known = [each for each in hints.ends if mask >> each.pattern & 1]
            if not known:
                return None
            first = min(known, key=_position)
            last = first if last is None else max(last, first, key=_position)
        assert last is not None
        names = self._grouping.numbering.names
        if last.position > len(body) or max(last.path, default=0) >= len(names):
            raise InputError("speak of more than there is", field="hints")
        return cut(body, last.position, [names[place] for place in last.path])

    def _feedback(self, hints: Hints, started: _Started, looked: _Looked, length: int) -> Feedback:
        start = started.start
        bound = sum(len(slots) for _, slots in started.bindings)
        spared = len(self) - len(start.candidates) - start.dropped - bound
        gains = [spared, start.dropped, bound, 0]
        unread = (length - looked.read) // BYTES_PER_TEST
        if looked.read:
            gains[Annotation.ENDS] = unread
        else:
            # Due to whatever ruled out the last one.
            last = Annotation.ABSENT if start.dropped else Annotation.BINDINGS if bound else Annotation.SUBSCRIPTIONS
            gains[last] += unread + TESTS_PER_READING
        had = (hints.domain > 0, hints.looked_for > 0, bool(hints.bindings), bool(hints.ends))
        return Feedback(
            hints.version,
            had[0] | had[1] << 1 | had[2] << 2 | had[3] << 3,
            (gains[0], gains[1], gains[2], gains[3]),
            tuple((number, len(slots)) for number, slots in started.bindings),
            looked.ends,
        )


def _position(end: LastEnd) -> int:
    return end.position


def _places(masks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places of the bits of all masks, ascending; none where there are too many."""
    mask = 0
    for each in masks:
        mask |= each
    if mask.bit_count() > _ENDS_MAX:
        return ()
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)
