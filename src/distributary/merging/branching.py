"""Branch and price on boxes: an optimum of one cluster, or the best plan so far with a bound.

The master program (`master`) covers the queries by the blocks that are known; `compiled.pricing` finds blocks that are
worth more than they cost, until there are none: then the program's optimum bounds every plan. Where it uses shares of
blocks, two queries that are together in some of them and apart in others branch: together in every block, or apart.
Under such rules the blocks within a box are chosen by a search of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, block_cost, measure
from distributary.merging.compiled.pricing import Found, list_boxes, price_boxes
from distributary.merging.cost import Block, Pricing
from distributary.merging.master import Master, Relaxed

__all__ = ["Bounded", "branch_and_price", "branch_and_price_of"]

#: Costs are scaled so that a query alone costs about 1; a reduced cost nearer to 0 is none.
_EPS = 1e-9
#: Boxes that a node under rules looks at; more are left to a later round, and bound nothing.
_ROOM = 50_000
#: How long a last plan may take when the time is over.
_LAST_SECONDS = 2.0
#: The weight of the best duals so far beside those of the program.
_SMOOTHING = 0.8


@dataclass(frozen=True, slots=True)
class Bounded:
    """Blocks of a cluster's queries, by their numbers in it, and what no plan costs less than."""

    blocks: list[Block]
    cost: float
    lower_bound: float


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a node asks of every block: these pairs both or neither, those never both."""

    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()

    def allow(self, block: Block) -> bool:
        members = set(block)
        if any((first in members) != (second in members) for first, second in self.together):
            return False
        return not any(first in members and second in members for first, second in self.apart)


def branch_and_price(
    boxes: Boxes,
    start: Sequence[Block],
    clock: Callable[[], float],
    deadline: float | None,
    rounds_max: int | None = None,
) -> Bounded:
    """Return the best blocks of a cluster; the lower bound equals their cost when they are proven to be.

    Args:
        boxes: Queries on one to three axes, measured by an even density or by points.
        start: A plan to begin with.
        clock: The time in seconds.
        deadline: When to end with what there is; `None`: never.
        rounds_max: After how many searches for better blocks to end with what there is.
    """
    scale = float(np.mean(boxes.rate * (boxes.K_M + boxes.K_T * boxes.size))) or 1.0
    scaled = _on_two_axes(boxes._replace(K_M=boxes.K_M / scale, K_T=boxes.K_T / scale, K_U=boxes.K_U / scale))
    found = _Search(scaled, clock, deadline, rounds_max).run(start)
    return Bounded(found.blocks, found.cost * scale, found.lower_bound * scale)


def branch_and_price_of(
    pricing: Pricing,
    cluster: Block,
    boxes: Boxes,
    start: Sequence[Block],
    clock: Callable[[], float],
    deadline: float | None,
    rounds_max: int | None = None,
) -> Bounded:
    """Return the same for a cluster of a problem's members, whose queries are `boxes`, in their places."""
    number = {place: query for query, place in enumerate(cluster)}
    begun = [tuple(number[place] for place in block) for block in start]
    found = branch_and_price(boxes, begun, clock, deadline, rounds_max)
    blocks = [tuple(cluster[query] for query in block) for block in found.blocks]
    cost = pricing.total(blocks)
    # The costs are the same but for rounding, and so is a proof.
    return Bounded(blocks, cost, cost if found.lower_bound == found.cost else min(found.lower_bound, cost))


def _on_two_axes(boxes: Boxes) -> Boxes:
    """Return boxes of one axis with a second one, on which all are alike."""
    if boxes.low.shape[1] > 1:
        return boxes
    zeros, ones = np.zeros_like(boxes.low), np.ones_like(boxes.high)
    points = np.hstack([boxes.points, np.full((len(boxes.points), 1), 0.5)])
    return boxes._replace(low=np.hstack([boxes.low, zeros]), high=np.hstack([boxes.high, ones]), points=points)


@dataclass
class _Search:
    boxes: Boxes
    clock: Callable[[], float]
    deadline: float | None
    rounds_max: int | None
    master: Master = field(init=False)
    best: list[Block] = field(default_factory=list)
    best_cost: float = float("inf")
    #: What the root proves while its program is not solved yet.
    root_bound: float = 0.0
    rounds: int = 0

    def __post_init__(self) -> None:
        self.master = Master(len(self.boxes.size))

    def run(self, start: Sequence[Block]) -> Bounded:
        for query in range(len(self.boxes.size)):
            self._learn((query,))
        for block in start:
            self._learn(block)
        self._offer(list(start))
        numbers = count()
        pending: list[tuple[float, int, _Rules]] = [(0.0, next(numbers), _Rules())]
        proven = float("inf")
        while pending:
            bound, _, rules = heappop(pending)
            if self._useless(bound):
                continue
            solved, bound = self._solve(rules, bound)
            if solved is None:
                proven = min(proven, bound)
                if self._late():
                    # The blocks that were found may still make a better plan.
                    self._offer(self.master.integral(None if self.deadline is None else _LAST_SECONDS))
                    break
                continue
            if self._useless(bound):
                continue
            if solved.whole:
                self._offer([block for block, share in solved.used if share > 0.5])
                continue
            if not rules.together and not rules.apart:
                self._offer(self.master.integral(self._seconds_left()))
                if self._useless(bound):
                    continue
            first, second = _torn_pair(solved)
            for child in (
                _Rules((*rules.together, (first, second)), rules.apart),
                _Rules(rules.together, (*rules.apart, (first, second))),
            ):
                heappush(pending, (bound, next(numbers), child))
        lower = min([proven, self.best_cost, *(bound for bound, _, _ in pending)])
        lower = max(lower, min(self.root_bound, self.best_cost))
        return Bounded(self.best, self.best_cost, self.best_cost if self._useless(lower) else lower)

    def _useless(self, bound: float) -> bool:
        return bound >= self.best_cost - _EPS

    def _late(self) -> bool:
        return self.rounds == self.rounds_max or (self.deadline is not None and self.clock() >= self.deadline)

    def _seconds_left(self) -> float | None:
        return None if self.deadline is None else max(0.01, self.deadline - self.clock())

    def _solve(self, rules: _Rules, bound: float) -> tuple[Relaxed | None, float]:
        """Solve a node's program over all blocks; return `None` and the best bound when that was not to be had."""
        self.master.allow((block, rules.allow(block)) for block in self.master.blocks())
        if not rules.together and not rules.apart:
            return self._solve_root()
        while True:
            solved = self.master.relaxed()
            if solved is None:
                # A single query that must have company: its column is off, and none with company is known yet.
                if not self._cover(rules):
                    return None, bound
                continue
            learnt, whole = self._price_under(rules, solved.duals)
            self.rounds += 1
            if not learnt:
                return (solved, max(bound, solved.cost)) if whole else (None, bound)
            if self._late():
                return None, bound

    def _solve_root(self) -> tuple[Relaxed | None, float]:
        """Solve the program without rules, with smoothed duals.

        Those of the program itself jump from corner to corner. Blocks are priced at a mean of them and of the duals
        that gave the best bound so far, at first the incumbent's costs shared out among its queries; only when that
        finds no new block, at the program's own.
        """
        centre, share = self._shared_out(), _SMOOTHING
        best = -float("inf")
        while True:
            solved = self.master.relaxed()
            assert solved is not None, "single queries cover everything"
            duals = share * centre + (1 - share) * solved.duals
            found, least = price_boxes(self.boxes, duals, _EPS, self._late)
            self.rounds += 1
            if least is None:
                return None, self.root_bound
            # A block that is not known has two queries or more, each of which is in none that is better.
            bound = float(duals.sum() + least.sum() / 2)
            if bound > best:
                best, centre = bound, duals
                self.root_bound = max(self.root_bound, bound)
            learnt = sum(self._learn(self._chosen(found, place, duals)) for place in range(len(found.rate)))
            if self._useless(self.root_bound):
                return None, self.root_bound
            if not learnt and share == 0.0:
                return solved, max(self.root_bound, solved.cost - _EPS)
            share = 0.0 if not learnt else _SMOOTHING
            if self._late():
                return None, self.root_bound

    def _shared_out(self) -> Floats:
        """Return the incumbent's cost, shared out among the queries of each block by what they cost alone."""
        duals = np.zeros(len(self.boxes.size))
        for block in self.best:
            alone = np.array([self._cost((query,)) for query in block])
            duals[list(block)] = self._cost(block) * alone / (alone.sum() or 1.0)
        return duals

    def _cover(self, rules: _Rules) -> bool:
        """Make the blocks known that the rules' pairs need; tell whether there was anything new."""
        groups = _groups(rules.together)
        learnt = [self._learn(group) for group in groups if rules.allow(group)]
        for block in groups:
            if rules.allow(block):
                self.master.allow([(block, True)])
        return any(learnt)

    def _chosen(self, found: Found, place: int, duals: Floats) -> Block:
        """Return the block of a box: the queries in it that pay for what they receive in vain."""
        gain = self._gains(found, place, duals)
        return tuple(np.flatnonzero(gain > 0).tolist())

    def _gains(self, found: Found, place: int, duals: Floats) -> Floats:
        """Return what each query gains a block in a box; -inf outside it."""
        boxes, rate = self.boxes, found.rate[place]
        size = measure(boxes, found.low[place], found.high[place])
        gain = duals + boxes.K_U * (boxes.rate * boxes.size - rate * size)
        inside = (boxes.low >= found.low[place]).all(axis=1) & (boxes.high <= found.high[place]).all(axis=1)
        gains: Floats = np.where(inside & (boxes.rate <= rate), gain, -np.inf)
        return gains

    def _price_under(self, rules: _Rules, duals: Floats) -> tuple[bool, bool]:
        """Make better blocks known that keep the rules; tell whether there were, and whether all boxes were seen."""
        found, whole = list_boxes(self.boxes, duals, _EPS, _ROOM, self._late)
        learnt = 0
        for place in np.argsort(found.reduced, kind="stable"):
            gain = self._gains(found, int(place), duals)
            size = measure(self.boxes, found.low[place], found.high[place])
            fixed = found.rate[place] * (self.boxes.K_M + self.boxes.K_T * size)
            block, worth = _best_choice(gain, rules)
            if worth > fixed + _EPS and self._learn(block):
                learnt += 1
                if learnt >= len(self.boxes.size):
                    break
        return learnt > 0, whole

    def _learn(self, block: Block) -> bool:
        return bool(block) and self.master.add(block, self._cost(block))

    def _cost(self, block: Block) -> float:
        boxes, members = self.boxes, list(block)
        size = boxes.size[members[0]]
        if len(members) > 1:
            size = measure(boxes, boxes.low[members].min(axis=0), boxes.high[members].max(axis=0))
        wanted = float((boxes.rate[members] * boxes.size[members]).sum())
        return float(block_cost(boxes, size, len(members), boxes.rate[members].max(), wanted))

    def _offer(self, blocks: list[Block] | None) -> None:
        """Take a plan over when it is the best: each query once, in the first of its blocks."""
        if blocks is None:
            return
        seen: set[int] = set()
        plan = []
        for block in blocks:
            fresh = tuple(query for query in block if query not in seen)
            seen.update(fresh)
            if fresh:
                plan.append(fresh)
        cost = sum(map(self._cost, plan))
        if cost < self.best_cost:
            self.best, self.best_cost = plan, cost


def _torn_pair(solved: Relaxed) -> tuple[int, int]:
    """Return the pair of queries whose being together is most undecided."""
    shares: dict[tuple[int, int], float] = {}
    for block, share in solved.used:
        for place, first in enumerate(block):
            for second in block[place + 1 :]:
                shares[first, second] = shares.get((first, second), 0.0) + share
    return min(shares, key=lambda pair: (abs(shares[pair] - 0.5), pair))


def _groups(pairs: Sequence[tuple[int, int]]) -> list[Block]:
    """Return the sets of queries that must be together."""
    groups: list[set[int]] = []
    for pair in pairs:
        joined = set(pair)
        rest = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                rest.append(group)
        groups = [*rest, joined]
    return [tuple(sorted(group)) for group in groups]


def _best_choice(gain: Floats, rules: _Rules) -> tuple[Block, float]:
    """Return the queries of a box that gain most under the rules, and what they gain."""
    groups = _groups(rules.together)
    grouped = {query for group in groups for query in group}
    singles = [(query,) for query in np.flatnonzero(gain > 0).tolist() if query not in grouped]
    units = [(unit, float(gain[list(unit)].sum())) for unit in [*groups, *singles]]
    units = [(unit, worth) for unit, worth in units if worth > 0 and np.isfinite(worth)]
    units = [(unit, worth) for unit, worth in units if rules.allow(unit) or len(unit) == 1]
    hostile = {query for pair in rules.apart for query in pair}
    free = [(unit, worth) for unit, worth in units if not hostile & set(unit)]
    torn = [(unit, worth) for unit, worth in units if hostile & set(unit)]
    chosen, worth = max(_choices(torn, rules.apart), key=lambda choice: choice[1])
    members = (query for unit, _ in free for query in unit)
    return tuple(sorted([*members, *chosen])), worth + sum(each for _, each in free)


def _choices(
    units: Sequence[tuple[Block, float]], apart: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield the sets of units without a hostile pair that no unit can be added to, roughly."""
    if not units:
        yield (), 0.0
        return
    (unit, worth), rest = units[0], units[1:]
    foes = {second for first, second in apart if first in unit} | {first for first, second in apart if second in unit}
    if not foes & set(unit):
        for chosen, gained in _choices([other for other in rest if not foes & set(other[0])], apart):
            yield (*unit, *chosen), gained + worth
    if any(foes & set(other[0]) for other in rest):
        yield from _choices(rest, apart)
