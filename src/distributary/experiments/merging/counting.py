"""The algorithms of paper 000 as plain loops that count their operations: the reference of figure 15.

The study takes its counts from `distributary.merging`, as plans do, which is a hundred times as fast; tests hold the
two against each other.

An operation is one candidate merge or split whose profit is evaluated. The profit table of section 6.2 keeps what was
evaluated, so that a candidate counts once, and once more only after one of its sets has been made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import attrgetter
from typing import TypeAlias

from distributary.algebra.box import Box
from distributary.core.results import Costs

__all__ = ["Block", "Search", "clusters"]

#: The lower and the upper corner.
_Hull: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A set of queries and the bounding box that answers all of them."""

    #: The places of the queries, ascending.
    members: tuple[int, ...]
    hull: _Hull
    #: The sum of the members' own sizes.
    wanted: float
    cost: float


class Search:
    """Local search over one set of queries, and how much of it was done so far."""

    def __init__(self, boxes: Sequence[Box], costs: Costs) -> None:
        self._costs = costs
        hulls = [_hull(box) for box in boxes]
        self.singles = tuple(self._block((place,), hull, _size(hull)) for place, hull in enumerate(hulls))
        #: How many candidates were evaluated, and how many of them were carried out.
        self.evaluated = 0
        self.applied = 0

    def pair(self, places: Iterable[int] | None = None) -> list[Block]:
        """Return what pair merging (6.2) makes of all queries, or of those at `places`."""
        state = _State(self, [self.singles[place] for place in places] if places is not None else list(self.singles))
        state.descend(splits=False)
        return state.blocks

    def directed(self, starts: Sequence[Sequence[int]]) -> list[Block]:
        """Return the best of directed search (6.3) from partitions, each as a number for the block of each query.

        From the first, all apart, merges are exhausted before splits are tried.
        """
        ends = []
        for number, start in enumerate(starts):
            state = _State(self, self._begun(start))
            if number == 0:
                state.descend(splits=False)
            state.descend(splits=True)
            ends.append(state.blocks)
        return min(ends, key=_total)

    def _begun(self, start: Sequence[int]) -> list[Block]:
        groups: dict[int, list[Block]] = {}
        for single, number in zip(self.singles, start, strict=True):
            groups.setdefault(number, []).append(single)
        return [self.joined(blocks) for blocks in groups.values()]

    def joined(self, blocks: Sequence[Block]) -> Block:
        """Return one block of the queries of all."""
        members = tuple(sorted(member for block in blocks for member in block.members))
        hull = reduce(_around, (block.hull for block in blocks))
        return self._block(members, hull, sum(block.wanted for block in blocks))

    def _block(self, members: tuple[int, ...], hull: _Hull, wanted: float) -> Block:
        return Block(members, hull, wanted, self.cost(len(members), hull, wanted))

    def cost(self, count: int, hull: _Hull, wanted: float) -> float:
        """Return what a block of so many queries costs."""
        size = _size(hull)
        return self._costs.K_M + self._costs.K_T * size + self._costs.K_U * (count * size - wanted)


@dataclass(frozen=True, slots=True)
class _Move:
    """A merge of two blocks, or a split that takes a query out of one."""

    #: What it saves, and the least places of its blocks: of equal ones, that of the smaller places is made.
    worth: tuple[float, tuple[int, ...]]
    gone: tuple[Block, ...]
    #: The query that is taken out.
    out: Block | None


class _State:
    """A partition with its profit table: what each candidate among its blocks would save."""

    def __init__(self, search: Search, blocks: list[Block]) -> None:
        self.blocks = blocks
        self._search = search
        #: The moves that save something.
        self._table: list[_Move] = []
        #: The blocks whose splits were evaluated; one with the same queries that is made anew is another block.
        self._split: set[Block] = set()
        for first, second in combinations(blocks, 2):
            self._try_merge(first, second)

    def descend(self, *, splits: bool) -> None:
        """Make the best move until none saves anything."""
        while True:
            if splits:
                for block in self.blocks:
                    self._try_splits(block)
            if not self._table:
                return
            self._make(max(self._table, key=attrgetter("worth")))

    def _try_merge(self, first: Block, second: Block) -> None:
        self._search.evaluated += 1
        count, wanted = len(first.members) + len(second.members), first.wanted + second.wanted
        profit = first.cost + second.cost - self._search.cost(count, _around(first.hull, second.hull), wanted)
        if profit > 0:
            self._table.append(_Move((profit, (-first.members[0], -second.members[0])), (first, second), None))

    def _try_splits(self, block: Block) -> None:
        if len(block.members) == 1 or block in self._split:
            return
        self._split.add(block)
        singles = [self._search.singles[member] for member in block.members]
        for out, hull in zip(singles, _around_others([single.hull for single in singles]), strict=True):
            self._search.evaluated += 1
            rest = self._search.cost(len(singles) - 1, hull, block.wanted - out.wanted)
            profit = block.cost - out.cost - rest
            # Beyond rounding: or a split and the merge that undoes it would follow each other for ever.
            if profit > 1e-12:
                self._table.append(_Move((profit, (-block.members[0],)), (block,), out))

    def _make(self, move: _Move) -> None:
        self._search.applied += 1
        if move.out is None:
            made = [self._search.joined(move.gone)]
        else:
            places = [place for place in move.gone[0].members if place != move.out.members[0]]
            made = [move.out, self._search.joined([self._search.singles[place] for place in places])]
        left = [block for block in self.blocks if block not in move.gone]
        self._table = [each for each in self._table if not any(block in move.gone for block in each.gone)]
        for number, block in enumerate(made):
            for other in (*left, *made[:number]):
                self._try_merge(other, block)
        self.blocks = [*left, *made]


def clusters(boxes: Sequence[Box], costs: Costs, metric: str) -> list[list[int]]:
    """Return the clusters (6.4): queries that a metric, `heuristic` or `exact`, does not keep apart."""
    hulls = [_hull(box) for box in boxes]
    of = list(range(len(hulls)))
    for first, second in combinations(range(len(hulls)), 2):
        if of[first] != of[second] and not _apart(hulls[first], hulls[second], costs, metric):
            of = [of[first] if name == of[second] else name for name in of]
    return [[place for place, name in enumerate(of) if name == cluster] for cluster in dict.fromkeys(of)]


def _apart(first: _Hull, second: _Hull, costs: Costs, metric: str) -> bool:
    sizes = _size(first), _size(second)
    both = _size(_around(first, second))
    if metric == "heuristic":
        return costs.K_M + costs.K_T * min(sizes) - costs.K_U * (2 * both - sum(sizes)) < 0
    return any(costs.K_U * (both - size) > costs.K_M + costs.K_T * size for size in sizes)


def _total(blocks: Sequence[Block]) -> float:
    return sum(block.cost for block in blocks)


def _hull(box: Box) -> _Hull:
    (_, left, right), (_, bottom, top) = box.ranges
    return left, bottom, right, top


def _around(first: _Hull, second: _Hull) -> _Hull:
    """Return the bounding box of two."""
    # No min and max: this is what most of a sample's time is spent on.
    return (
        first[0] if first[0] < second[0] else second[0],
        first[1] if first[1] < second[1] else second[1],
        first[2] if first[2] > second[2] else second[2],
        first[3] if first[3] > second[3] else second[3],
    )


def _around_others(hulls: Sequence[_Hull]) -> Iterator[_Hull]:
    """Yield for each of two or more boxes the bounding box of the others."""
    left, bottom, right, top = zip(*hulls, strict=True)
    (west, east), (south, north) = (sorted(left)[:2], sorted(right)[-2:]), (sorted(bottom)[:2], sorted(top)[-2:])
    for hull in hulls:
        yield (
            west[hull[0] == west[0]],
            south[hull[1] == south[0]],
            east[hull[2] != east[1]],
            north[hull[3] != north[1]],
        )


def _size(hull: _Hull) -> float:
    return (hull[2] - hull[0]) * (hull[3] - hull[1])
