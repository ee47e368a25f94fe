"""The neighbours below a router: whose each slot is, and what is written for each of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from distributary.algebra.treepattern import TreePattern
from distributary.matching.hints.annotation import Hints
from distributary.matching.hints.choice import Annotation, Estimator, Feedback
from distributary.matching.hints.compiled.groups import Slots
from distributary.matching.hints.labels import Labels
from distributary.matching.hints.matching import SlotMatcher
from distributary.matching.hints.numbers import Numbers, unpack
from distributary.matching.hints.onward import HintSettings, Onward, Outcome
from distributary.matching.hints.table import HintTable

__all__ = ["Links", "Seen"]

Neighbour = TypeVar("Neighbour", bound=Hashable)

_NO_SLOTS: Slots = np.empty(0, np.int32)
_NONE: Numbers = np.empty(0, np.int64)
#: The owner of slots that are no neighbour's.
_HERE = -1


class Seen(msgspec.Struct, frozen=True, eq=False):
    """What routing a document has come to, for those who write headers."""

    body: bytes
    #: All slots that matched, those of data patterns among them.
    matched: Slots
    #: The document's elements, where all of it was read.
    labels: Labels | None
    #: Whether data patterns were matched.
    patterns: bool
    #: The header from above.
    hints: Hints | None


@dataclass(slots=True)
class _Link:
    #: Slots of filters are owned by twice this number, those of data patterns by one more.
    index: int
    onward: Onward
    #: The slot of each of the table's filters.
    slots: dict[int, int]
    #: The data patterns that are matched, and their slots.
    looked_for: tuple[TreePattern, ...]
    patterns: Slots
    #: Places of the table's first data patterns among this router's own: what a header from above says of them.
    inherited: Numbers


class Links(Generic[Neighbour]):
    """The neighbours of one router."""

    def __init__(self, matcher: SlotMatcher, settings: HintSettings) -> None:
        self._matcher = matcher
        self._settings = settings
        self._links: dict[Neighbour, _Link] = {}
        self._next = 0
        #: By slot: whose it is, and its number or place there.
        self._owner = np.full(16, _HERE, np.int32)
        self._number = np.zeros(16, np.int64)
        #: This router's own data patterns, if it has a table.
        self._own_patterns: Sequence[TreePattern] = ()

    def change(self, neighbour: Neighbour, table: HintTable) -> tuple[list[int], list[int]]:
        """Take over a table; return the slots that are gone with it and the numbers that have none yet."""
        link = self._links.get(neighbour)
        if link is None:
            onward = Onward(table, self._matcher.vocabulary, self._settings)
            self._links[neighbour] = _Link(self._next, onward, {}, (), _NO_SLOTS, _NONE)
            self._next += 1
            return [], list(table.filters)
        before = link.onward.table
        same = before.patterns == table.patterns and before.names == table.names
        kept = {number for number in link.slots if same and before.filters[number] == table.filters.get(number)}
        gone = [link.slots.pop(number) for number in list(link.slots) if number not in kept]
        link.onward = Onward(table, self._matcher.vocabulary, self._settings, link.onward.estimator if same else None)
        self._disown(gone)
        return gone, [number for number in table.filters if number not in kept]

    def own(self, neighbour: Neighbour, number: int, slot: int) -> None:
        """Note whose a new slot is."""
        link = self._links[neighbour]
        link.slots[number] = slot
        self._note(slot, 2 * link.index, number)

    def look_for(self, neighbour: Neighbour, slots: Iterator[int]) -> None:
        """Match the table's data patterns too, in new slots; those of an earlier table no more."""
        link = self._links[neighbour]
        self._inherit(link)
        wanted = link.onward.table.patterns if Annotation.ABSENT in self._settings.annotations else ()
        if link.looked_for == wanted:
            return
        self._look_no_more(link)
        link.looked_for = wanted
        link.patterns = np.array([slot for slot, _ in zip(slots, wanted, strict=False)], np.int32)
        for place, (slot, pattern) in enumerate(zip(link.patterns.tolist(), wanted, strict=True)):
            self._matcher.add(slot, pattern)
            self._note(slot, 2 * link.index + 1, place)

    def _look_no_more(self, link: _Link) -> None:
        for slot in link.patterns.tolist():
            self._matcher.remove(slot)
        self._disown(link.patterns.tolist())

    def drop(self, neighbour: Neighbour) -> list[int]:
        """Forget a neighbour; return the slots of its filters."""
        link = self._links.pop(neighbour)
        self._look_no_more(link)
        gone = list(link.slots.values())
        self._disown(gone)
        return gone

    def patterns(self) -> list[TreePattern]:
        """Return the data patterns of all tables, each once."""
        return list(dict.fromkeys(each for link in self._links.values() for each in link.onward.table.patterns))

    def inherit(self, patterns: Sequence[TreePattern]) -> None:
        """Note this router's own data patterns, of which headers from above speak."""
        self._own_patterns = patterns
        for link in self._links.values():
            self._inherit(link)

    def _inherit(self, link: _Link) -> None:
        own = {pattern: place for place, pattern in enumerate(self._own_patterns)}
        places = []
        for pattern in link.onward.table.patterns:
            if pattern not in own:
                break
            places.append(own[pattern])
        link.inherited = np.array(places, np.int64)

    def learn(self, neighbour: Neighbour, feedback: Feedback) -> None:
        """Take what a neighbour says of a header."""
        link = self._links.get(neighbour)
        if link is not None:
            link.onward.estimator.learn(feedback)

    def unlearn(self, neighbour: Neighbour) -> None:
        """Forget what a neighbour said of its headers."""
        self._links[neighbour].onward.estimator = Estimator()

    def pattern_slots(self) -> Slots | None:
        """Return the slots of all data patterns; None where no header is to speak of them."""
        if not any(Annotation.ABSENT in link.onward.annotations() for link in self._links.values()):
            return None
        return np.concatenate([_NO_SLOTS, *(link.patterns for link in self._links.values())])

    def here(self, matched: Slots) -> list[int]:
        """Return the slots that are no neighbour's, in the order in which they came."""
        mine = matched[self._owner[matched] == _HERE]
        mine.sort()
        slots: list[int] = mine.tolist()
        return slots

    def headers(self, seen: Seen) -> dict[Neighbour, bytes]:
        """Return the headers for the neighbours that want the document."""
        owners, numbers = self._owner[seen.matched], self._number[seen.matched]
        written = {}
        for neighbour, link in self._links.items():
            mine = numbers[owners == 2 * link.index]
            if len(mine):
                mine.sort()
                looked_for, absent = 0, _NONE
                if Annotation.ABSENT in link.onward.annotations():
                    looked_for, absent = self._absent(link, seen, owners, numbers)
                written[neighbour] = link.onward.header(Outcome(seen.body, mine, looked_for, absent, seen.labels))
        return written

    def _absent(self, link: _Link, seen: Seen, owners: npt.NDArray[np.int32], numbers: Numbers) -> tuple[int, Numbers]:
        """Return of how many of a neighbour's first data patterns it is known whether they occur, and which do not."""
        if seen.patterns:
            missing = np.ones(len(link.patterns), np.bool_)
            missing[numbers[owners == 2 * link.index + 1]] = False
            return len(missing), np.flatnonzero(missing)
        hints = seen.hints
        if hints is None or hints.looked_for < len(self._own_patterns):
            return 0, _NONE
        missing = np.zeros(hints.looked_for, np.bool_)
        missing[unpack(hints.absent, hints.looked_for)] = True
        return len(link.inherited), np.flatnonzero(missing[link.inherited])

    def _note(self, slot: int, owner: int, number: int) -> None:
        self.make_room(slot)
        self._owner[slot], self._number[slot] = owner, number

    def make_room(self, slot: int) -> None:
        """See to it that a slot has a place in the arrays."""
        while slot >= len(self._owner):
            room = len(self._owner)
            self._owner = np.append(self._owner, np.full(room, _HERE, np.int32))
            self._number = np.append(self._number, np.zeros(room, np.int64))

    def _disown(self, slots: list[int]) -> None:
        self._owner[slots] = _HERE
