"""Several publications at once that share what nodes can spend on conversions.

Paper 003 says that it has planned concurrent publications and shows nothing of it; this is ours. Nodes have capacities,
in conversion cost as the plans count it. Prices for the capacities (Lagrange multipliers) give a proven bound: each
publication is planned alone with its conversions that much dearer. Plans that keep within the capacities come from
planning the publications one after the other with what is left, dear nodes avoided, and then each again with the
others as they are, while that saves. With one publication that is the optimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from distributary.adaptation.compiled.instance import Floats, PlanArrays, plan_costs
from distributary.adaptation.compiled.limited import Steps, limited_values, make_steps, read_limited_plan
from distributary.adaptation.deadline import Deadline
from distributary.adaptation.numbering import NumberedProblem, empty_plan, number
from distributary.adaptation.planner import result_of
from distributary.adaptation.problem import AdaptationProblem, check_problem
from distributary.adaptation.settings import AdaptationSettings
from distributary.core.errors import InputError
from distributary.core.results import AdaptationResult

__all__ = ["ConcurrentResult", "plan_together"]

#: Formats that are of use to one publication; a plan within limits takes nodes x 3^formats steps.
FORMATS_MAX = 10
#: Changes of the prices, and rounds in which every publication is planned again.
_PRICES_MAX = 60
_ROUNDS_MAX = 10
#: Rounding may exceed a capacity by this share of it.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ConcurrentResult:
    """Plans that keep within the capacities together, in the order of the publications."""

    plans: tuple[AdaptationResult, ...]
    cost: float
    #: No plans within the capacities cost less together.
    lower_bound: float
    #: What each node with a capacity spends.
    loads: Mapping[str, float]


class _Publication:
    """One problem, with what is computed once for it."""

    def __init__(self, problem: AdaptationProblem, settings: AdaptationSettings, capacities: Mapping[str, float]):
        self.problem = problem
        self.numbered: NumberedProblem = number(problem, settings.alpha, settings.beta)
        instance = self.numbered.instance
        if len(instance.size) > FORMATS_MAX:
            raise InputError(
                f"at most {FORMATS_MAX} formats that are of use are planned together, not {len(instance.size)}",
                field="formats",
            )
        self.steps: Steps = make_steps(instance.price)
        #: The factor of each node, and the place of its capacity; -1 where it has none.
        self.factor = np.array([problem.node_factor(name) for name in self.numbered.nodes])
        places = {name: place for place, name in enumerate(capacities)}
        self.place = np.array([places.get(name, -1) for name in self.numbered.nodes])

    def planned(self, prices: Floats, left: Floats | None) -> tuple[float, PlanArrays | None]:
        """Return the least cost with these prices for the capacities within what is left, and its plan."""
        node, limits = self.numbered.instance.node.copy(), np.full(len(self.place), np.inf)
        limited = np.flatnonzero(self.place >= 0)
        node[limited] += self.factor[limited] * prices[self.place[limited]]
        if left is not None:
            # Where conversions cost nothing there is no limit to them.
            limited = limited[self.factor[limited] > 0]
            spent = np.maximum(0.0, left[self.place[limited]]) * (1.0 + _ROUNDING)
            limits[limited] = spent / self.factor[limited]
        instance = self.numbered.instance._replace(node=node)
        after, received = limited_values(instance, self.steps, limits)
        cost = float(received[0, 1 << instance.source])
        if cost == math.inf:
            return cost, None
        plan = empty_plan(instance)
        read_limited_plan(instance, self.steps, limits, after, received, plan)
        return cost, plan

    def load(self, plan: PlanArrays, count: int) -> Floats:
        """Return what a plan spends at each node with a capacity."""
        spent = plan_costs(self.numbered.instance._replace(node=self.factor), plan)[1]
        limited = self.place >= 0
        loads: Floats = np.bincount(self.place[limited], weights=spent[limited], minlength=count).astype(np.float64)
        return loads

    def cost(self, plan: PlanArrays) -> float:
        """Return what a plan costs without prices."""
        return float(plan_costs(self.numbered.instance, plan).sum())


def plan_together(
    problems: Sequence[AdaptationProblem],
    capacities: Mapping[str, float],
    settings: AdaptationSettings,
    clock: Callable[[], float],
) -> ConcurrentResult:
    """Return plans for several publications that together keep within what nodes can spend on conversions.

    Args:
        problems: The publications; their trees may differ. At most ten formats are of use to each.
        capacities: By node; nodes that are not named have no limit. Conversions count with the factors of their nodes.
        settings: The weights and the limit of time; the algorithm is not chosen.
        clock: Seconds, for the limit of time.

    Raises:
        InputError: A problem is wrong, or no plans within the capacities were found; that there are none is proven
            only for one publication.
    """
    settings.check()
    deadline = Deadline(clock, None if settings.time_limit is None else clock() + settings.time_limit)
    for name, capacity in capacities.items():
        if not (math.isfinite(capacity) and capacity >= 0):
            raise InputError(f"must be a number, zero or more, not {capacity}", field="capacities", record=name)
    for problem in problems:
        check_problem(problem)
    publications = [_Publication(problem, settings, capacities) for problem in problems]
    room = np.array([float(capacity) for capacity in capacities.values()])
    plans, bound = _searched(publications, room, deadline)
    if plans is None:
        raise InputError("no plans that keep within the capacities were found", field="capacities")
    results = tuple(
        result_of(one.problem, settings, one.numbered.named(plan), None, optimal=False)
        for one, plan in zip(publications, plans, strict=True)
    )
    spent = _loads(publications, plans, len(room)).sum(axis=0)
    cost = math.fsum(result.cost for result in results)
    return ConcurrentResult(results, cost, min(cost, bound), dict(zip(capacities, spent.tolist(), strict=True)))


def _searched(
    publications: Sequence[_Publication], room: Floats, deadline: Deadline
) -> tuple[list[PlanArrays] | None, float]:
    """Change the prices while the bound is below the best plans; return those, and the highest bound."""
    prices, best, bound = np.zeros(len(room)), math.inf, -math.inf
    plans: list[PlanArrays] | None = None
    for turn in range(_PRICES_MAX):
        free = [one.planned(prices, None) for one in publications]
        bound = max(bound, math.fsum(cost for cost, _ in free) - float(prices @ room))
        wanted = [plan for _, plan in free if plan is not None]
        over = _loads(publications, wanted, len(room)).sum(axis=0) - room
        # Plans that keep within the capacities on their own need no repair; others, not in every turn.
        if turn % 5 == 0 or (over <= room * _ROUNDING).all():
            for candidate in _repaired(publications, wanted, prices, room):
                cost = math.fsum(one.cost(plan) for one, plan in zip(publications, candidate, strict=True))
                if cost < best:
                    best, plans = cost, candidate
        slope = np.where((prices > 0) | (over > 0), over, 0.0)
        steep = float(slope @ slope)
        if steep == 0.0 or best - bound <= _ROUNDING * abs(best) or deadline.passed:
            break
        # Polyak's step towards the best plans known; without any, towards a tenth above the bound.
        target = best if best < math.inf else bound + 0.1 * abs(bound) + 1.0
        prices = np.maximum(0.0, prices + (target - bound) / (1.0 + turn / 10) / steep * slope)
    return plans, bound * (1.0 - _ROUNDING)


def _repaired(
    publications: Sequence[_Publication], wanted: list[PlanArrays], prices: Floats, room: Floats
) -> list[list[PlanArrays]]:
    """Return plans within the capacities: those wanted if they are, and ones made in the order given and against it."""
    loads = _loads(publications, wanted, len(room))
    if (loads.sum(axis=0) <= room * (1.0 + _ROUNDING)).all():
        return [_improved(publications, wanted, loads, room)]
    order = range(len(publications))
    found: list[list[PlanArrays]] = []
    for places in (order, order[::-1]):
        loads = np.zeros((len(publications), len(room)))
        made: dict[int, PlanArrays] = {}
        for place in places:
            _, plan = publications[place].planned(prices, room - loads.sum(axis=0))
            if plan is None:
                break
            made[place], loads[place] = plan, publications[place].load(plan, len(room))
        if len(made) == len(publications):
            found.append(_improved(publications, [made[place] for place in order], loads, room))
    return found


def _improved(
    publications: Sequence[_Publication], plans: list[PlanArrays], loads: Floats, room: Floats
) -> list[PlanArrays]:
    """Plan each publication again with what the others leave, until that saves nothing."""
    plans, costs = list(plans), [one.cost(plan) for one, plan in zip(publications, plans, strict=True)]
    for _ in range(_ROUNDS_MAX):
        saved = False
        for place, one in enumerate(publications):
            left = room - loads.sum(axis=0) + loads[place]
            cost, plan = one.planned(np.zeros(len(room)), left)
            if plan is not None and cost < costs[place] * (1.0 - _ROUNDING):
                plans[place], costs[place], loads[place] = plan, cost, one.load(plan, len(room))
                saved = True
        if not saved:
            break
    return plans


def _loads(publications: Sequence[_Publication], plans: Sequence[PlanArrays], count: int) -> Floats:
    """Return what each publication's plan spends at each node with a capacity."""
    rows = [one.load(plan, count) for one, plan in zip(publications, plans, strict=True)]
    return np.array(rows).reshape(len(rows), count)
