"""A merge plan that follows its subscriptions: each one that comes or goes changes the blocks near it, and no others.

The plan starts as pair merging makes it. A change is mended on the spot (`compiled.live`), so that the plan stays about
as good as a fresh one; what it may have lost all the same is bounded by `drift_bound`, and won back by a rebuild:
`snapshot`, `rebuilt` (in another thread or process), `adopt`. This class has no thread itself and is not to be used by
two at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from distributary.algebra.filter import Statistics
from distributary.algebra.intervals import Sort
from distributary.core.errors import InputError
from distributary.core.results import MergePlan
from distributary.merging.compiled.boxes import Ints
from distributary.merging.compiled.live import ADD, MEND, REMOVE, change
from distributary.merging.compiled.live_blocks import Live, arranged
from distributary.merging.compiled.pair import merge_pairs
from distributary.merging.cost import Block, Pricing
from distributary.merging.geometry import boxes_of
from distributary.merging.live_queries import TAKES, columns_of, ends_of
from distributary.merging.live_rebuild import Fresh, Snapshot, rebuilt
from distributary.merging.planner import channel_of
from distributary.merging.problem import Member, MergeProblem, check_members
from distributary.merging.procedures import sized_query
from distributary.merging.settings import MergeSettings

__all__ = ["Fresh", "LivePlan", "Snapshot", "rebuilt"]

_ROOM_MIN = 16
#: Of the cost; what a rebuild saves less is rounding.
_LEAST = 1e-9


class LivePlan:
    """The blocks of one stream's subscriptions, kept while subscriptions are added and removed.

    Args:
        members: The subscriptions to start with, of one stream, in any order; there may be none.
        statistics: What measures filters; it stays the same. A `UniformDensity` without a space, or a `Sample`.
        settings: The prices. The procedure must be `rectangle`, the algorithm `pair` or `auto`.
        lower_bound: What no plan of `members` costs less than, where the caller has a proof; see `drift_bound`.

    Raises `InputError` for queries that do not merge to the bounding box of ranges on the same columns, for members of
    different streams, and for an id that is there already. The blocks depend on the members, not on their order, and on
    the order of the changes after that.

    >>> from distributary.algebra.box import Box
    >>> from distributary.algebra.statistics import UniformDensity
    >>> members = [Member(name, None, None, Box.of({"x": (0, 10)})) for name in "ab"]
    >>> live = LivePlan(members, UniformDensity(), MergeSettings())
    >>> live.add(Member("c", None, None, Box.of({"x": (50, 60)})))
    >>> live.remove("a")
    >>> live.blocks()
    (('b', 'c'),)
    """

    def __init__(
        self,
        members: Sequence[Member],
        statistics: Statistics,
        settings: MergeSettings,
        lower_bound: float = 0.0,
    ) -> None:
        settings.check()
        if settings.procedure != "rectangle":
            raise InputError(f"a live plan merges by rectangle, not {settings.procedure!r}", field="procedure")
        if settings.algorithm not in {"auto", "pair"}:
            raise InputError(f"a live plan is made by pair, not {settings.algorithm!r}", field="algorithm")
        self._statistics = statistics
        self._settings = settings
        #: The members, in the order in which they came, and their places in the arrays.
        self._members: dict[str, Member] = {}
        self._places: dict[str, int] = {}
        #: Places below the number in use that are free.
        self._spare: list[int] = []
        #: The arrays; `None` while there are no members, so that the first one decides on the columns.
        self._live: Live | None = None
        self._columns: tuple[tuple[str, Sort], ...] = ()
        self._stream: str | None = None
        #: How many members ever came.
        self._serial = 0
        self._changed = 0
        #: `_changed` when the plan was last fresh.
        self._fresh_at = 0
        #: No plan of the members with a serial below `_proven_to` costs less than this.
        self._proven = 0.0
        self._proven_to = 0
        if members:
            check_members(members)
            self._begin(members)
        self._prove(lower_bound, self._serial)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, identity: object) -> bool:
        return identity in self._members

    @property
    def cost(self) -> float:
        """What the plan costs; kept with each change, exact up to rounding."""
        return 0.0 if self._live is None else float(self._live.total.sum())

    @property
    def unmerged_cost(self) -> float:
        """What the members cost without merging; the plan never costs more."""
        return 0.0 if self._live is None else float(self._live.alone.sum())

    @property
    def changes(self) -> int:
        """How many members were added and removed since the plan was last fresh."""
        return self._changed - self._fresh_at

    @property
    def lower_bound(self) -> float:
        """What no plan of the present members costs less than.

        Let L be the bound that was proven for some set of members. Sizes only grow with merging, so leaving a query out
        of a plan never makes it dearer: one more member never lowers the optimum. A member that goes lowers it by no
        more than it costs alone, because it could have stood alone. So the optimum now is at least L less what those
        of the set cost alone that have gone since; members that came later and went again take nothing. It is also at
        least what the dearest member costs alone, which is all that is known without a bound from the caller. O(n).
        """
        if self._live is None:
            return 0.0
        places = self._used_places()
        boxes = self._live.boxes
        return max(self._proven, float((boxes.rate[places] * (boxes.K_M + boxes.K_T * boxes.size[places])).max()))

    @property
    def drift_bound(self) -> float:
        """By what share of an optimum the plan costs more than it, at most: cost / `lower_bound` - 1.

        No plan of the present members is better than an optimum, so it also bounds the drift from a fresh plan, of
        whatever algorithm. It is as good as the bound that the caller gave, and grows with the members that go; without
        one it holds, but says little.
        """
        least = self.lower_bound
        return max(0.0, self.cost / least - 1.0) if least > 0 else 0.0 if self.cost <= 0 else inf

    def add(self, member: Member) -> None:
        """Add a member: it joins the block that gains most by it, and the blocks near it are planned anew."""
        if member.id in self._members:
            raise InputError("is the id of two members", record=member.id, field="id")
        if self._live is None:
            self._begin([member])
        else:
            self._insert(member, self._live)
        self._changed += 1

    def remove(self, identity: str) -> None:
        """Remove a member: what is left of its block, and the blocks near it, are planned anew."""
        if identity not in self._members or self._live is None:
            raise InputError("is the id of no member", record=identity, field="id")
        place = self._places.pop(identity)
        del self._members[identity]
        if self._live.serial[place] < self._proven_to:
            boxes = self._live.boxes
            self._proven -= float(boxes.rate[place] * (boxes.K_M + boxes.K_T * boxes.size[place]))
        change(self._live, np.array([place]), REMOVE)
        self._spare.append(place)
        self._changed += 1
        if not self._members:
            self._live = None

    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """Return the ids in each block, ids and blocks in the order in which the members came."""
        ids = tuple(self._members)
        return tuple(tuple(ids[number] for number in block) for block in self._numbered())

    def plan(self) -> MergePlan:
        """Return the present plan as `planner.plan` does; `seconds` is 0. O(n): all queries are sized again."""
        pricing = self._priced(list(self._members.values()))
        blocks = self._numbered()
        cost = pricing.total(blocks)
        least = min(self.lower_bound, cost)
        return MergePlan(
            algorithm="live",
            procedure=self._settings.procedure,
            costs=self._settings.costs,
            cost=cost,
            unmerged_cost=pricing.total((number,) for number in range(len(self))),
            lower_bound=least,
            optimal=cost <= least + 1e-9 * max(1.0, abs(cost)),
            seconds=0.0,
            channels=tuple(channel_of(f"c{number}", block, pricing) for number, block in enumerate(blocks)),
        )

    def snapshot(self) -> Snapshot:
        """Return what a rebuild needs, as copies; changes that are made from now on are re-applied by `adopt`."""
        if self._live is None:
            raise InputError("there is nothing to merge", field="members")
        places, boxes = self._used_places(), self._live.boxes
        copied = boxes._replace(
            low=boxes.low[places], high=boxes.high[places], size=boxes.size[places], rate=boxes.rate[places]
        )
        return Snapshot(tuple(self._places), copied, self._live.serial[places], self._serial, self._changed)

    def adopt(self, fresh: Fresh, lower_bound: float = 0.0) -> bool:
        """Take over a rebuilt plan, with the changes that were made since its snapshot.

        Members that have gone are left out and those that came are added, each mended as in a change. The plan is
        taken only where it is cheaper than the present one; returned is whether it was. In both cases `changes` counts
        from the snapshot on. `lower_bound` is a proven one for the members of the snapshot. O(n).
        """
        self._fresh_at = max(self._fresh_at, fresh.mark)
        if self._live is None:
            return False
        places = self._used_places()
        serials = self._live.serial[places]
        places, serials = places[np.argsort(serials)], np.sort(serials)
        stays = np.isin(fresh.serials, serials, assume_unique=True)
        self._prove(lower_bound - float(fresh.alone[~stays].sum()), fresh.until)
        known = np.isin(serials, fresh.serials, assume_unique=True)
        labels = np.arange(len(fresh.numbers) * 2, len(fresh.numbers) * 2 + len(places))
        labels[known] = fresh.numbers[stays]
        # One member of each block that lost some, then those that came.
        _, firsts = np.unique(labels, return_index=True)
        torn = firsts[np.isin(labels[firsts], fresh.numbers[~stays]) & known[firsts]]
        made = self._arranged(self._live, places, labels)
        change(made, places[np.concatenate([np.sort(torn), np.flatnonzero(~known)])], MEND)
        cheaper = bool(made.total.sum() < self._live.total.sum() * (1 - _LEAST))
        if cheaper:
            self._live = made
        return cheaper

    def _prove(self, least: float, until: int) -> None:
        """Take over a lower bound for the members that came before a moment, where it is the better one now."""
        if not least <= self.cost * (1 + 1e-9):
            raise InputError(f"is no lower bound: {least} is more than the plan's {self.cost}", field="lower_bound")
        if least > self._proven:
            self._proven, self._proven_to = least, until

    def _used_places(self) -> Ints:
        return np.fromiter(self._places.values(), dtype=np.int64, count=len(self._places))

    def _numbered(self) -> list[Block]:
        found: dict[int, list[int]] = {}
        if self._live is not None:
            for number, home in enumerate(self._live.home[self._used_places()].tolist()):
                found.setdefault(home, []).append(number)
        return [tuple(block) for block in found.values()]

    def _priced(self, members: Sequence[Member]) -> Pricing:
        settings = self._settings
        return Pricing(MergeProblem(tuple(members), settings.procedure, settings.costs, self._statistics))

    def _begin(self, members: Sequence[Member]) -> None:
        """Make the first plan; the places are in the order of the ids."""
        ordered = sorted(members, key=lambda member: member.id)
        pricing = self._priced(ordered)
        columns = columns_of(pricing.queries[0], ordered[0])
        boxes = boxes_of(pricing, tuple(range(len(ordered))))
        if boxes is None or len({member.stream for member in ordered}) > 1:
            for member, query in zip(ordered, pricing.queries, strict=True):
                ends_of(member, query, columns, ordered[0].stream)
            raise InputError("a live plan takes an even density without a space, or a sample", field="statistics")
        # Whole numbers would be compiled for once more.
        density, K_M, K_T, K_U = map(float, (boxes.density, boxes.K_M, boxes.K_T, boxes.K_U))
        boxes, places = boxes._replace(density=density, K_M=K_M, K_T=K_T, K_U=K_U), np.arange(len(ordered))
        self._columns, self._stream, self._spare = columns, ordered[0].stream, []
        self._members = {member.id: member for member in members}
        number = {member.id: place for place, member in enumerate(ordered)}
        self._places = {identity: number[identity] for identity in self._members}
        numbers = np.unique(merge_pairs(boxes, places), return_inverse=True)[1]
        self._live = arranged(boxes, self._serial + places, numbers, 2 * max(_ROOM_MIN, len(places)))
        self._serial += len(ordered)

    def _insert(self, member: Member, live: Live) -> None:
        query = sized_query(member, self._statistics)
        low, high = ends_of(member, query, self._columns, self._stream)
        if not len(live.boxes.points) and not np.isfinite([low, high]).all():
            raise InputError(f"is open at an end; {TAKES}", record=member.id)
        if self._spare:
            place = self._spare.pop()
        else:
            place = len(self._members)
            if place == len(live.home):
                places = self._used_places()
                self._live = live = self._arranged(live, places, live.home[places], 2 * place)
        live.boxes.low[place], live.boxes.high[place] = low, high
        live.boxes.size[place], live.boxes.rate[place] = query.size, query.rate
        live.serial[place] = self._serial
        self._serial += 1
        self._places[member.id] = place
        self._members[member.id] = member
        change(live, np.array([place]), ADD)

    @staticmethod
    def _arranged(live: Live, places: Ints, labels: Ints, room: int | None = None) -> Live:
        """Return the arrays anew with other blocks, or more room."""
        numbers = np.full(len(live.home), -1, dtype=np.int64)
        numbers[places] = np.unique(labels, return_inverse=True)[1]
        return arranged(live.boxes, live.serial, numbers, room or len(live.home))
