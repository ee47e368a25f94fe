"""The filters of a router in groups under the aggregated ones, and what a header from above says about all of them.

Every filter of the router has a slot, a small number that is never used again. It hangs under an aggregated filter
that covers it; headers speak of these by number (`table`), and `begin` says at once which slots match, which do not
and which are still to be tested. `begin_plainly` is what it means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar, cast

import msgspec
import numpy as np
import numpy.typing as npt

from distributary.algebra.filter import Filter
from distributary.core.errors import InputError
from distributary.matching.hints.annotation import Hints
from distributary.matching.hints.compiled.groups import NO_SET, Groups, Slots, begin, make_groups
from distributary.matching.hints.numbers import no_set, unpack
from distributary.matching.hints.requirements import Requirements
from distributary.matching.hints.table import Numbering
from distributary.matching.routing import Aggregate, Change

__all__ = ["Grouping", "Start"]

_WORD = (1 << 64) - 1
_Array = TypeVar("_Array", bound=npt.NDArray[Any])
Division: TypeAlias = tuple[list[int], list[int], int]


class Start(msgspec.Struct, frozen=True, eq=False):
    """What is known of the slots before anything is read."""

    #: Slots that match; like the candidates, good until the next document.
    matched: Slots
    #: Slots that are still to be tested.
    candidates: Slots
    #: How many an absent pattern ruled out, that their groups had not.
    dropped: int


class Grouping:
    """Slots, their groups, and the numbers of the groups.

    Args:
        numbering: Of a table that has no filters yet.
    """

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self._aggregate: Aggregate[int] = Aggregate()
        self._requirements = Requirements(numbering.patterns)
        #: The number of the aggregated filter that each slot hangs under.
        self._group_of: dict[int, int] = {}
        self._groups: Groups = make_groups(16, 16)
        #: Names that bound what each slot looks at, as `Requirements.bounds` has them.
        self._bounds: dict[int, tuple[int, ...]] = {}
        self._matched = np.empty(16, np.int32)
        self._candidates = np.empty(16, np.int32)
        self._stamp = 0

    def __len__(self) -> int:
        """Return how many slots there are."""
        return len(self._aggregate)

    def add_all(self, filters: Iterable[tuple[int, Filter]]) -> None:
        """Hold many at once, at first: groups with many slots get the low numbers, which headers rather speak of."""
        assert not len(self)
        slots = []
        for slot, wanted in filters:
            self._describe(slot, wanted)
            self._aggregate.add(slot, wanted)
            slots.append(slot)
        weights = Counter(self._aggregate.member_of(slot) for slot in slots)
        self._change(Change(tuple(wanted for wanted, _ in weights.most_common())))
        for slot in slots:
            self._place(slot)

    def add(self, slot: int, wanted: Filter) -> None:
        """Hold a filter."""
        self._describe(slot, wanted)
        self._change(self._aggregate.add(slot, wanted))
        self._place(slot)

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        self._leave(slot)
        del self._bounds[slot]
        self._change(self._aggregate.remove(slot))

    def filter(self, slot: int) -> Filter:
        """Return the filter of a slot."""
        return self._aggregate.filter_of(slot)

    def members(self, number: int) -> Iterator[int]:
        """Yield the slots under an aggregated filter; none under one that is gone."""
        slot = int(self._groups.first[number])
        while slot >= 0:
            following = int(self._groups.next[slot])
            yield slot
            slot = following

    def bounds(self, slots: Slots) -> tuple[int, ...]:
        """Return masks of names, of each of which one must have ended before reading may; none where it may not."""
        masks: dict[int, None] = {}
        for slot in slots.tolist():
            bounds = self._bounds[slot]
            if not bounds:
                return ()
            masks |= dict.fromkeys(bounds)
        return tuple(masks)

    def begin(self, hints: Hints, decided: Iterable[int] = ()) -> Start | None:
        """Return what a header says of the slots; None for one of an unknown version.

        `decided` are slots that are known to match from elsewhere. `InputError` for numbers that the version lacks.
        """
        if not self.speaks(hints):
            return None
        self._stamp += 1
        for slot in decided:
            self._groups.decided[slot] = self._stamp
        matched, candidates, dropped = begin(
            self._groups,
            self.numbering.size,
            (hints.positive, hints.negative),
            (hints.domain, np.frombuffer(hints.matched, np.uint8)),
            (hints.looked_for, np.frombuffer(hints.absent, np.uint8)),
            self._stamp,
            self._matched,
            self._candidates,
        )
        if matched == NO_SET:
            raise no_set()
        return Start(self._matched[:matched], self._candidates[:candidates], dropped)

    def begin_plainly(self, hints: Hints, decided: Iterable[int] = ()) -> Division | None:
        """Return what `begin` returns, as lists: the reference."""
        if not self.speaks(hints):
            return None
        hits = frozenset(unpack(hints.matched, hints.domain).tolist())
        absent = unpack(hints.absent, hints.looked_for).tolist()
        matched, candidates, dropped = [], [], 0
        known = frozenset(decided)
        missing = sum(1 << place for place in absent)
        for slot, number in self._group_of.items():
            wanted = self.filter(slot)
            hit = number in hits
            if hints.negative and 0 <= number < hints.domain and not hit:
                continue
            if slot in known or (hints.positive and hit and self.numbering.number_of.get(wanted) == number):
                matched.append(slot)
            elif self._requirements.needs(wanted) & missing:
                dropped += 1
            else:
                candidates.append(slot)
        return matched, candidates, dropped

    def speaks(self, hints: Hints) -> bool:
        """Tell whether a header is of a known version; `InputError` when it speaks of more than that has."""
        size = self.numbering.size_at(hints.version)
        if size is None:
            return False
        if hints.domain > size or hints.looked_for > len(self.numbering.patterns):
            raise InputError("speak of more than their table has", field="hints")
        return True

    def _describe(self, slot: int, wanted: Filter) -> None:
        self._make_room(slot)
        self._groups.needs[slot] = _words(self._requirements.needs(wanted))
        self._bounds[slot] = self._requirements.bounds(wanted)

    def _change(self, change: Change) -> None:
        """Follow the aggregate: number what is new, and put what hung under the lost ones where it now belongs."""
        if not change:
            return
        numbers = [self.numbering.number_of[each] for each in change.lost]
        homeless = [slot for number in numbers for slot in self.members(number)]
        self._groups.first[numbers] = -1
        self.numbering.change(change.gained, change.lost)
        self._make_groups()
        for slot in homeless:
            self._place(slot)

    def _make_groups(self) -> None:
        while self.numbering.size > len(self._groups.first):
            first, hits = _grown(self._groups.first, -1), _grown(self._groups.hits, 0)
            self._groups = self._groups._replace(first=first, hits=hits)

    def _place(self, slot: int) -> None:
        top = self._aggregate.member_of(slot)
        number = self.numbering.number_of[top]
        self._group_of[slot] = number
        groups = self._groups
        groups.exact[slot] = top == self.filter(slot)
        groups.next[slot] = groups.first[number]
        groups.first[number] = slot

    def _leave(self, slot: int) -> None:
        number = self._group_of.pop(slot)
        groups, before = self._groups, -1
        at = int(groups.first[number])
        while at != slot:
            before, at = at, int(groups.next[at])
        if before < 0:
            groups.first[number] = groups.next[slot]
        else:
            groups.next[before] = groups.next[slot]

    def _make_room(self, slot: int) -> None:
        while slot >= len(self._matched):
            groups = self._groups
            self._groups = Groups(
                groups.first,
                _grown(groups.next, -1),
                _grown(groups.exact, 0),
                _grown(groups.needs, 0),
                _grown(groups.decided, 0),
                groups.hits,
            )
            self._matched, self._candidates = _grown(self._matched, 0), _grown(self._candidates, 0)


def _words(mask: int) -> tuple[int, int]:
    return mask & _WORD, mask >> 64


def _grown(array: _Array, value: int) -> _Array:
    """Return a copy with twice the room, the new half filled with a value."""
    grown = np.full((2 * len(array), *array.shape[1:]), value, array.dtype)
    grown[: len(array)] = array
    return cast("_Array", grown)
