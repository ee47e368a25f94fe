"""The aggregate of many filters by containment: those that no other one covers, with the others below them.

The aggregate matches exactly what the filters match together (paper 002's section 3, its reference [1]: aggregation
without loss). Filters come and go; each change says what the aggregate gained and lost. It does not generalise:
that is `limited`'s.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from distributary.algebra.filter import Filter
from distributary.matching.routing.candidates import Candidates
from distributary.matching.routing.outline import Outline, outline_of

__all__ = ["Aggregate", "Change"]

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Change:
    """What one step did to the aggregate: filters that are in it now and were not, and the other way round."""

    gained: tuple[Filter, ...] = ()
    lost: tuple[Filter, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything changed."""
        return bool(self.gained or self.lost)


@dataclass(slots=True, eq=False)
class _Entry(Generic[Key]):
    """A filter with its keys, and the filters that hang below it."""

    filter: Filter
    outline: Outline
    keys: dict[Key, None] = field(default_factory=dict)
    #: What covers it; None for a member of the aggregate.
    above: _Entry[Key] | None = None
    #: The place in the index; -1 below another one.
    row: int = -1
    #: What was in the aggregate when this filter came and covered it: no two of them cover each other.
    replaced: dict[Filter, _Entry[Key]] = field(default_factory=dict)
    #: The others right below it.
    covered: dict[Filter, _Entry[Key]] = field(default_factory=dict)


class Aggregate(Generic[Key]):
    """Filters under keys, and the antichain of those that cover all of them.

    No member covers another one, as far as `covers` is transitive; of filters that cover each other the one that is
    in the aggregate stays. A filter that nothing matches may stand beside others.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> aggregate: Aggregate[str] = Aggregate()
    >>> _ = aggregate.add("narrow", parse_where("x < 1"))
    >>> [filter.text().text for filter in aggregate.add("wide", parse_where("x < 5")).lost]
    ['x < 1']
    >>> [filter.text().text for filter in aggregate.remove("wide").gained]
    ['x < 1']
    """

    def __init__(self) -> None:
        self._entries: dict[Filter, _Entry[Key]] = {}
        self._filter_of: dict[Key, Filter] = {}
        self._members: Candidates[_Entry[Key]] = Candidates()

    def __len__(self) -> int:
        """Return how many keys are held."""
        return len(self._filter_of)

    def __contains__(self, key: Key) -> bool:
        """Tell whether a key is held."""
        return key in self._filter_of

    @property
    def size(self) -> int:
        """How many filters the aggregate has."""
        return len(self._members)

    def filters(self) -> tuple[Filter, ...]:
        """Return the aggregate, in the order in which its filters came: O(filters held)."""
        return tuple(entry.filter for entry in self._entries.values() if entry.above is None)

    def filter_of(self, key: Key) -> Filter:
        """Return the filter of a key; one that is not held is a `KeyError`."""
        return self._filter_of[key]

    def is_member(self, filter: Filter) -> bool:  # noqa: A002 - the paper's noun
        """Tell whether a filter is in the aggregate."""
        entry = self._entries.get(filter)
        return entry is not None and entry.above is None

    def member_of(self, key: Key) -> Filter:
        """Return the filter of the aggregate that the key's filter is below: it covers it. O(depth)."""
        entry = self._entries[self._filter_of[key]]
        while entry.above is not None:
            entry = entry.above
        return entry.filter

    def aggregating(self, filter: Filter) -> Iterator[Key]:  # noqa: A002
        """Yield the keys whose filters a member of the aggregate stands for, its own ones first."""
        stack = [self._entries[filter]]
        while stack:
            entry = stack.pop()
            yield from entry.keys
            stack += reversed([*entry.replaced.values(), *entry.covered.values()])

    def keys_of(self, filter: Filter) -> tuple[Key, ...]:  # noqa: A002
        """Return the keys that hold exactly this filter."""
        entry = self._entries.get(filter)
        return tuple(entry.keys) if entry is not None else ()

    def coverer(self, filter: Filter) -> Filter | None:  # noqa: A002
        """Return a member of the aggregate that covers a filter, held or not; None when none is known to."""
        entry = self._entries.get(filter)
        if entry is not None:
            while entry.above is not None:
                entry = entry.above
            return entry.filter
        found = self._coverer(filter, outline_of(filter))
        return found.filter if found is not None else None

    def add(self, key: Key, filter: Filter) -> Change:  # noqa: A002
        """Hold a filter under a key; a key that is held already is an assertion error.

        Costs a comparison with every member that the index lets through.
        """
        assert key not in self._filter_of, f"{key!r} is held already"
        self._filter_of[key] = filter
        entry = self._entries.get(filter)
        if entry is not None:
            entry.keys[key] = None
            return Change()
        entry = self._entries[filter] = _Entry(filter, outline_of(filter), {key: None})
        lost = self._place(entry, first=True)
        return Change((filter,) if entry.above is None else (), tuple(each.filter for each in lost))

    def add_below(self, key: Key, filter: Filter) -> Filter | None:  # noqa: A002
        """Hold a filter if the aggregate has one that covers it; return that one. Otherwise nothing happens: None."""
        assert key not in self._filter_of, f"{key!r} is held already"
        entry = self._entries.get(filter)
        if entry is None:
            outline = outline_of(filter)
            above = self._coverer(filter, outline)
            if above is None:
                return None
            entry = self._entries[filter] = _Entry(filter, outline)
            self._hang(entry, above)
        entry.keys[key] = None
        self._filter_of[key] = filter
        return self.member_of(key)

    def remove(self, key: Key) -> Change:
        """Forget a key; one that is not held is a `KeyError`. What its filter alone covered comes back.

        Costs as much as adding again what hung below the filter when that was in the aggregate.
        """
        filter = self._filter_of.pop(key)  # noqa: A001
        entry = self._entries[filter]
        del entry.keys[key]
        if entry.keys:
            return Change()
        del self._entries[filter]
        above = entry.above
        if above is not None:
            above.replaced.pop(filter, None)
            above.covered.pop(filter, None)
            for below in (*entry.replaced.values(), *entry.covered.values()):
                self._hang(below, above)
            return Change()
        self._leave(entry)
        gained: dict[Filter, None] = {}
        lost: dict[Filter, None] = {filter: None}
        self._bring_back(entry, gained, lost)
        return Change(
            tuple(each for each in gained if each not in lost), tuple(each for each in lost if each not in gained)
        )

    def _bring_back(self, gone: _Entry[Key], gained: dict[Filter, None], lost: dict[Filter, None]) -> None:
        """Find new places for what hung below a member that is gone; note what the aggregate gains and loses."""
        # Those that were members together need not be compared with each other, only with the other members.
        back = [(entry, self._coverer(entry.filter, entry.outline)) for entry in gone.replaced.values()]
        for entry, above in back:
            if above is not None:
                self._hang(entry, above)
            else:
                self._join(entry)
                gained[entry.filter] = None
        for entry in gone.covered.values():
            for each in self._place(entry):
                lost[each.filter] = None
            if entry.above is None:
                gained[entry.filter] = None

    def _place(self, entry: _Entry[Key], *, first: bool = False) -> list[_Entry[Key]]:
        """Hang an entry below a member that covers it, or make it one; return the members that it covers then."""
        above = self._coverer(entry.filter, entry.outline)
        if above is not None:
            self._hang(entry, above)
            return []
        covered = [other for other in self._members.narrower(entry.outline) if entry.filter.covers(other.filter)]
        for other in covered:
            self._leave(other)
            other.above = entry
            (entry.replaced if first else entry.covered)[other.filter] = other
        self._join(entry)
        return covered

    def _coverer(self, filter: Filter, outline: Outline) -> _Entry[Key] | None:  # noqa: A002
        for other in self._members.wider(outline):
            if other.filter.covers(filter):
                return other
        return None

    def _hang(self, entry: _Entry[Key], above: _Entry[Key]) -> None:
        entry.above = above
        above.covered[entry.filter] = entry

    def _join(self, entry: _Entry[Key]) -> None:
        entry.above = None
        entry.row = self._members.add(entry, entry.outline)

    def _leave(self, entry: _Entry[Key]) -> None:
        moved = self._members.remove(entry.row)
        if moved is not None:
            moved.row = entry.row
        entry.row = -1
