"""An aggregate under a limit: where it would have too many filters, the most alike are generalised.

After paper 002's reference [1] (Chan et al., VLDB 2002, section 5): of the merges at hand the one is made that adds
the least share of the stream for the filter it saves. No generalisation ever selects more than `share_max`: where
that leaves too many filters, the limit gives way, as an estimate of load is worth less than the load itself; with
`share_max` 1 the last resort is `Everything`, and the limit always holds. False positives arise from generalisations
alone, and these are taken back as soon as there is room for what they stand for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from typing import Generic, TypeVar

from distributary.algebra.anyof import any_of
from distributary.algebra.filter import Filter
from distributary.matching.routing.aggregate import Aggregate, Change
from distributary.matching.routing.candidates import Candidates
from distributary.matching.routing.generalisation import generalised
from distributary.matching.routing.outline import Outline, outline_of
from distributary.matching.routing.shares import ShapeShare, Share

__all__ = ["Limit", "LimitedAggregate"]

Key = TypeVar("Key", bound=Hashable)

#: How many filters a new one is compared with as partners of a merge.
_PARTNERS = 4
#: A generalisation of more filters than these is not made anew when one of them goes.
_REMADE_MAX = 32


@dataclass(frozen=True, slots=True)
class Limit:
    """How many filters an aggregate may have, and the greatest share of the stream that a generalisation may select."""

    filters_max: int
    share_max: float = 1.0


@dataclass(slots=True, eq=False)
class _Group:
    """One filter that is passed on, and the members of the exact aggregate that it stands for."""

    number: int
    filter: Filter
    outline: Outline
    members: dict[Filter, None]
    row: int = -1


@dataclass(slots=True)
class LimitedAggregate(Generic[Key]):
    """Filters under keys, and at most `limit.filters_max` filters that cover all of them."""

    limit: Limit
    share: Share = field(default_factory=ShapeShare)
    exact: Aggregate[Key] = field(default_factory=Aggregate)
    _groups: dict[int, _Group] = field(default_factory=dict)
    _group_of: dict[Filter, _Group] = field(default_factory=dict)
    #: The groups of each filter that is passed on, by number; seldom more than one.
    _passed: dict[Filter, dict[int, _Group]] = field(default_factory=dict)
    _index: Candidates[_Group] = field(default_factory=Candidates)
    #: Merges that were thought of, the best first: (share added, number, number); either group may be gone by now.
    _merges: list[tuple[float, int, int]] = field(default_factory=list)
    #: Groups whose merges were not thought of yet.
    _fresh: dict[int, _Group] = field(default_factory=dict)
    _next: int = 0
    #: During a step: whether each filter that it touched was passed on before.
    _before: dict[Filter, bool] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many keys are held."""
        return len(self.exact)

    @property
    def size(self) -> int:
        """How many filters are passed on."""
        return len(self._groups)

    def filters(self) -> tuple[Filter, ...]:
        """Return the filters that are passed on."""
        return tuple(self._passed)

    def is_generalised(self, filter: Filter) -> bool:  # noqa: A002 - the paper's noun
        """Tell whether a filter that is passed on may select what nobody wants."""
        return not self.exact.is_member(filter)

    def aggregating(self, filter: Filter) -> Iterator[Key]:  # noqa: A002
        """Yield the keys that a filter that is passed on stands for."""
        for member in self.standing_for(filter):
            yield from self.exact.aggregating(member)

    def standing_for(self, filter: Filter) -> tuple[Filter, ...]:  # noqa: A002
        """Return the members of the exact aggregate that a filter that is passed on stands for."""
        return tuple(member for group in self._passed[filter].values() for member in group.members)

    def add(self, key: Key, filter: Filter) -> Change:  # noqa: A002
        """Hold a filter under a key."""
        return self._follow(self.exact.add(key, filter))

    def remove(self, key: Key) -> Change:
        """Forget a key."""
        return self._follow(self.exact.remove(key))

    def _follow(self, change: Change) -> Change:
        """Take over what changed in the exact aggregate; return what changes in what is passed on."""
        self._before = {}
        for member in change.lost:
            self._leave(member)
        for member in change.gained:
            self._enter(member)
        self._split()
        while len(self._groups) > self.limit.filters_max and self._merge():
            pass
        gained = tuple(each for each, was in self._before.items() if not was and each in self._passed)
        lost = tuple(each for each, was in self._before.items() if was and each not in self._passed)
        return Change(gained, lost)

    # Groups.

    def _form(self, filter: Filter, members: Iterable[Filter]) -> None:  # noqa: A002
        self._next += 1
        outline = outline_of(filter)
        group = _Group(self._next, filter, outline, {})
        for member in members:
            group.members[member] = None
            self._group_of[member] = group
        self._before.setdefault(filter, filter in self._passed)
        self._passed.setdefault(filter, {})[group.number] = group
        self._groups[group.number] = self._fresh[group.number] = group
        group.row = self._index.add(group, outline)

    def _dissolve(self, group: _Group) -> None:
        self._before.setdefault(group.filter, True)
        del self._passed[group.filter][group.number], self._groups[group.number]
        if not self._passed[group.filter]:
            del self._passed[group.filter]
        self._fresh.pop(group.number, None)
        moved = self._index.remove(group.row)
        if moved is not None:
            moved.row = group.row
        for member in group.members:
            del self._group_of[member]

    def _enter(self, member: Filter) -> None:
        """Let a generalisation stand for a new member where one covers it, else pass it on itself."""
        outline = outline_of(member)
        for group in self._index.wider(outline):
            if group.filter.covers(member):
                group.members[member] = None
                self._group_of[member] = group
                return
        self._form(member, [member])

    def _leave(self, member: Filter) -> None:
        """Forget a member; what stood for it stands for the others, as tightly as they allow."""
        group = self._group_of.pop(member)
        del group.members[member]
        if group.members and len(group.members) > _REMADE_MAX:
            return
        left = tuple(group.members)
        self._dissolve(group)
        if left:
            self._form(reduce(generalised, left), left)

    def _split(self) -> None:
        """Take back the generalisations whose members there is room for, the smallest first."""
        while True:
            room = self.limit.filters_max - len(self._groups)
            merged = [group for group in self._groups.values() if len(group.members) > 1] if room > 0 else []
            smallest = min(merged, key=lambda group: len(group.members), default=None)
            if smallest is None or len(smallest.members) - 1 > room:
                return
            members = tuple(smallest.members)
            self._dissolve(smallest)
            for member in members:
                self._form(member, [member])

    # Merges.

    def _merge(self) -> bool:
        """Make the merge that adds least; `False` when none is allowed."""
        fresh, self._fresh = self._fresh, {}
        for group in fresh.values():
            self._propose(group)
        while self._merges:
            _, first, second = heappop(self._merges)
            one, other = self._groups.get(first), self._groups.get(second)
            if one is not None and other is not None:
                self._join(one, other)
                return True
            left = one or other
            if left is not None:
                self._propose(left)
        return False

    def _propose(self, group: _Group) -> None:
        """Think of merges with the groups that look most alike."""
        for other in self._index.nearest(group.outline, _PARTNERS + 1):
            if other is group:
                continue
            share = self.share(generalised(group.filter, other.filter, minimal=False))
            if share <= self.limit.share_max:
                now = self.share(any_of((group.filter, other.filter), absorb=False))
                numbers = sorted((group.number, other.number))
                heappush(self._merges, (max(0.0, share - now), numbers[0], numbers[1]))
        if len(self._merges) > 4 * _PARTNERS * (len(self._groups) + _PARTNERS):
            alive = [each for each in self._merges if each[1] in self._groups and each[2] in self._groups]
            self._merges = sorted(set(alive))

    def _join(self, one: _Group, other: _Group) -> None:
        """Pass one filter on for two groups, and for all others that it covers."""
        both = generalised(one.filter, other.filter)
        outline = outline_of(both)
        covered = [group for group in self._index.narrower(outline) if both.covers(group.filter)]
        gone = {group.number: group for group in (one, other, *covered)}
        for group in gone.values():
            self._dissolve(group)
        self._form(both, [member for group in gone.values() for member in group.members])
