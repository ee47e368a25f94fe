"""The algorithms of paper 000 as plain loops that count their operations; what plans use is `distributary.merging`.

An operation is one candidate merge or split whose profit is evaluated. The profit table of section 6.2 keeps what was
evaluated, so that a candidate counts once, and once more only after one of its sets has been made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from distributary.algebra.box import Box
from distributary.core.generator import Generator
from distributary.core.results import Costs

__all__ = ["Block", "Search", "clusters"]

#: The lower and the upper corner.
_Hull: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
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

    def directed(self, starts: int, generator: Generator) -> list[Block]:
        """Return the best of directed search (6.3) from all apart, all together and random partitions.

        From all apart, merges are exhausted before splits are tried (READINGS, 000).
        """
        state = _State(self, list(self.singles))
        state.descend(splits=False)
        state.descend(splits=True)
        best = state.blocks
        for number in range(1, starts):
            state = _State(self, self._start(number, generator))
            state.descend(splits=True)
            best = min(best, state.blocks, key=_total)
        return best

    def _start(self, number: int, generator: Generator) -> list[Block]:
        count = 1 if number == 1 else 1 + generator.below(len(self.singles))
        groups: dict[int, list[int]] = {}
        for single in self.singles:
            groups.setdefault(generator.below(count), []).extend(single.members)
        return [self.joined([self.singles[place] for place in places]) for places in groups.values()]

    def joined(self, blocks: Sequence[Block]) -> Block:
        """Return one block of the queries of all."""
        lows_and_highs = list(zip(*(block.hull for block in blocks), strict=True))
        hull = (min(lows_and_highs[0]), min(lows_and_highs[1]), max(lows_and_highs[2]), max(lows_and_highs[3]))
        members = tuple(sorted(member for block in blocks for member in block.members))
        return self._block(members, hull, sum(block.wanted for block in blocks))

    def _block(self, members: tuple[int, ...], hull: _Hull, wanted: float) -> Block:
        size = _size(hull)
        cost = self._costs.K_M + self._costs.K_T * size + self._costs.K_U * (len(members) * size - wanted)
        return Block(members, hull, wanted, cost)


#: What a step replaces, and by what.
_Move: TypeAlias = tuple[tuple[Block, ...], tuple[Block, ...]]


class _State:
    """A partition with its profit table: what each candidate among its blocks would save."""

    def __init__(self, search: Search, blocks: list[Block]) -> None:
        self.blocks = blocks
        self._search = search
        #: Moves that save something, by what they replace; a split also by the query that it takes out.
        self._merges: dict[tuple[Block, ...], tuple[float, _Move]] = {}
        self._splits: dict[tuple[Block, int], tuple[float, _Move]] = {}
        #: The blocks whose splits are in the table.
        self._split: set[tuple[int, ...]] = set()
        for first, second in combinations(blocks, 2):
            self._try_merge(first, second)

    def descend(self, *, splits: bool) -> None:
        """Make the best move until none saves anything."""
        while True:
            if splits:
                for block in self.blocks:
                    self._try_splits(block)
            moves = [*self._merges.values(), *self._splits.values()]
            if not moves:
                return
            _, move = max(moves, key=lambda entry: (entry[0], [-part.members[0] for part in entry[1][0]]))
            self._make(*move)

    def _try_merge(self, first: Block, second: Block) -> None:
        self._search.evaluated += 1
        merged = self._search.joined((first, second))
        profit = first.cost + second.cost - merged.cost
        if profit > 0:
            self._merges[first, second] = profit, ((first, second), (merged,))

    def _try_splits(self, block: Block) -> None:
        if len(block.members) == 1 or block.members in self._split:
            return
        self._split.add(block.members)
        for member in block.members:
            self._search.evaluated += 1
            out = self._search.singles[member]
            rest = self._search.joined([self._search.singles[other] for other in block.members if other != member])
            profit = block.cost - out.cost - rest.cost
            # Beyond rounding: or a split and the merge that undoes it would follow each other for ever.
            if profit > 1e-12:
                self._splits[block, member] = profit, ((block,), (out, rest))

    def _make(self, gone: tuple[Block, ...], made: tuple[Block, ...]) -> None:
        self._search.applied += 1
        left = [block for block in self.blocks if block not in gone]
        self._merges = {key: entry for key, entry in self._merges.items() if not any(block in gone for block in key)}
        self._splits = {key: entry for key, entry in self._splits.items() if key[0] not in gone}
        for number, block in enumerate(made):
            for other in (*left, *made[:number]):
                self._try_merge(other, block)
        self.blocks = [*left, *made]


def clusters(boxes: Sequence[Box], costs: Costs, metric: str) -> list[list[int]]:
    """Return the clusters (6.4): queries that a metric, `heuristic` or `exact` (READINGS, 000), does not keep apart."""
    hulls = [_hull(box) for box in boxes]
    of = list(range(len(hulls)))
    for first, second in combinations(range(len(hulls)), 2):
        if of[first] != of[second] and not _apart(hulls[first], hulls[second], costs, metric):
            of = [of[first] if name == of[second] else name for name in of]
    return [[place for place, name in enumerate(of) if name == cluster] for cluster in dict.fromkeys(of)]


def _apart(first: _Hull, second: _Hull, costs: Costs, metric: str) -> bool:
    sizes = _size(first), _size(second)
    both = _size(
        (
            min(first[0], second[0]),
            min(first[1], second[1]),
            max(first[2], second[2]),
            max(first[3], second[3]),
        )
    )
    if metric == "heuristic":
        return costs.K_M + costs.K_T * min(sizes) - costs.K_U * (2 * both - sum(sizes)) < 0
    return any(costs.K_U * (both - size) > costs.K_M + costs.K_T * size for size in sizes)


def _total(blocks: Sequence[Block]) -> float:
    return sum(block.cost for block in blocks)


def _hull(box: Box) -> _Hull:
    (_, left, right), (_, bottom, top) = box.ranges
    return left, bottom, right, top


def _size(hull: _Hull) -> float:
    return (hull[2] - hull[0]) * (hull[3] - hull[1])
