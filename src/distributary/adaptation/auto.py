"""The planner that chooses: the optimum where it is quick, else a good plan and a proven bound close to it.

The good plan is the best of the plain plans, of what dual ascent leaves and of promising formats, refined. Where there
is time after that, or patience, the optimum follows all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from distributary.adaptation.all_in_leaves import all_in_leaves
from distributary.adaptation.all_in_root import all_in_root
from distributary.adaptation.bounds import lower_bound
from distributary.adaptation.compiled.instance import Instance, PlanArrays, plan_costs
from distributary.adaptation.deadline import NEVER, Deadline
from distributary.adaptation.dual import dual_bound
from distributary.adaptation.iterative import improvements
from distributary.adaptation.optimal import FORMATS_MAX, best_plan, steps_of
from distributary.adaptation.promising import promising_plan
from distributary.adaptation.single_format import single_format
from distributary.adaptation.steiner import ConversionTrees
from distributary.core.generator import Generator

__all__ = ["STARTS", "Solution", "best_of", "proven_bound", "refined", "solve"]

#: The plans that the paper starts from.
STARTS: tuple[Callable[[Instance, ConversionTrees], PlanArrays], ...] = (all_in_root, all_in_leaves, single_format)

#: An optimum of so many steps is done at once; of so many in a second, on a slow machine.
_STEPS_AT_ONCE = 2e8
_STEPS_PER_SECOND = 2e8
#: Without a deadline, refinements of so many steps are enough; one takes operators x formats at least.
_REFINING_STEPS_MAX = 40_000_000
#: A plan this close to the bound is one of the least cost, relative to it.
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan, and what is proven about it: no plan costs less than the bound."""

    plan: PlanArrays
    lower_bound: float | None
    #: Whether the plan is one of the least cost, by how it was found.
    optimal: bool = False


def solve(instance: Instance, generator: Generator, deadline: Deadline, *, insist: bool) -> Solution:
    """Return the optimum or a plan close to it.

    Args:
        instance: The problem.
        generator: Chance.
        deadline: When to stop; there is always a plan.
        insist: Whether, without a deadline, the optimum is worth any time.
    """
    nodes, formats = instance.requests.shape
    steps, possible = steps_of(nodes, formats), formats <= FORMATS_MAX
    if possible and steps <= min(_STEPS_AT_ONCE, _affordable(deadline)):
        best = best_plan(instance, deadline)
        if best is not None:
            return Solution(best.plan, None, optimal=True)
    good = _good(instance, generator, deadline)
    worth_it = insist if deadline.at is None else steps <= _affordable(deadline) or insist
    if not good.optimal and possible and worth_it:
        best = best_plan(instance, deadline)
        if best is not None:
            return Solution(best.plan, None, optimal=True)
    return good


def best_of(instance: Instance, plans: Iterable[PlanArrays]) -> PlanArrays:
    """Return the cheapest plan, the first of equals."""
    return min(plans, key=lambda plan: float(plan_costs(instance, plan).sum()))


def proven_bound(instance: Instance, deadline: Deadline) -> float:
    """Return the higher of the paper's bound and that of dual ascent."""
    return max(lower_bound(instance), dual_bound(instance, deadline).bound)


def refined(
    instance: Instance, plan: PlanArrays, deadline: Deadline, rounds: Iterator[float], iterations: int | None = None
) -> PlanArrays:
    """Return the plan after so many refinements, or as many as there are and time for; it is changed in place."""
    done = 0
    while (iterations is None or done < iterations) and not deadline.passed:
        if next(rounds, None) is None:
            break
        done += 1
    return plan


def _affordable(deadline: Deadline) -> float:
    """Return the steps that are surely done before the deadline."""
    return deadline.left() * _STEPS_PER_SECOND


def _good(instance: Instance, generator: Generator, deadline: Deadline) -> Solution:
    """Return a plan close to the optimum, and a proven bound."""
    trees = ConversionTrees(instance.price)
    plans = [all_in_root(instance, trees)]
    for start in STARTS[1:]:
        if not deadline.passed:
            plans.append(start(instance, trees))
    dual = dual_bound(instance, _half(deadline))
    bound = max(lower_bound(instance), dual.bound)
    promising = None if deadline.passed else promising_plan(instance, trees, _half(deadline))
    plan = best_of(instance, [*plans, *(found for found in (dual.plan, promising) if found is not None)])
    operators = int(np.isfinite(instance.price).sum())
    most = max(1, _REFINING_STEPS_MAX // (1 + operators * len(instance.size))) if deadline.at is None else None
    for depth in (1, 2):
        plan = refined(instance, plan, deadline, improvements(instance, plan, "slack", depth, generator), most)
    cost = float(plan_costs(instance, plan).sum())
    return Solution(plan, bound, optimal=cost - bound <= _CLOSE * cost)


def _half(deadline: Deadline) -> Deadline:
    """Return a deadline in half the time that is left."""
    return NEVER if deadline.at is None else Deadline(deadline.clock, deadline.at - deadline.left() / 2)
