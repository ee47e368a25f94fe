"""Planning conversions: the algorithms by name, and their plan with its costs and what is proven about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from distributary.adaptation.all_in_leaves import all_in_leaves
from distributary.adaptation.all_in_root import all_in_root
from distributary.adaptation.auto import STARTS, Solution, best_of, proven_bound, refined, solve
from distributary.adaptation.compiled.instance import Instance, PlanArrays
from distributary.adaptation.cost import ConversionPlan, conversion_cost, transmission_cost
from distributary.adaptation.deadline import Deadline
from distributary.adaptation.iterative import improvements
from distributary.adaptation.numbering import number
from distributary.adaptation.problem import AdaptationProblem, check_problem
from distributary.adaptation.settings import AdaptationSettings
from distributary.adaptation.single_format import single_format
from distributary.adaptation.steiner import ConversionTrees
from distributary.adaptation.validity import broken_rules
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult, LinkFormats, NodeOperators

__all__ = ["ALGORITHMS", "Algorithm", "plan", "result_of"]

#: An algorithm gets a problem that has been checked, as arrays, the options, its share of chance and when to stop.
Algorithm: TypeAlias = Callable[[Instance, AdaptationSettings, Generator, Deadline], Solution]

#: A plan this close to the bound is one of the least cost, relative to it.
_CLOSE = 1e-9


def _plain(made: Callable[[Instance, ConversionTrees], PlanArrays]) -> Algorithm:
    """Return an algorithm that makes one of the plans that the paper starts from."""

    def algorithm(
        instance: Instance, settings: AdaptationSettings, generator: Generator, deadline: Deadline
    ) -> Solution:
        return Solution(made(instance, ConversionTrees(instance.price)), proven_bound(instance, deadline))

    return algorithm


def _iterative(instance: Instance, settings: AdaptationSettings, generator: Generator, deadline: Deadline) -> Solution:
    trees = ConversionTrees(instance.price)
    start = best_of(instance, [make(instance, trees) for make in STARTS])
    rounds = improvements(instance, start, settings.select, settings.depth, generator)
    made = refined(instance, start, deadline, rounds, settings.iterations)
    return Solution(made, proven_bound(instance, deadline))


def _optimal(instance: Instance, settings: AdaptationSettings, generator: Generator, deadline: Deadline) -> Solution:
    return solve(instance, generator, deadline, insist=True)


def _auto(instance: Instance, settings: AdaptationSettings, generator: Generator, deadline: Deadline) -> Solution:
    return solve(instance, generator, deadline, insist=False)


#: The algorithms by the names that users give them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        "auto": _auto,
        "optimal": _optimal,
        "iterative": _iterative,
        "all-in-root": _plain(all_in_root),
        "all-in-leaves": _plain(all_in_leaves),
        "single-format": _plain(single_format),
    }
)


def plan(
    problem: AdaptationProblem, settings: AdaptationSettings, clock: Callable[[], float], generator: Generator
) -> AdaptationResult:
    """Return the conversions and formats that an algorithm plans (paper 003, section 2.2).

    Args:
        problem: The content adaptation graph, the tree and the requests; checked here.
        settings: The algorithm, the weights and the limits; checked here.
        clock: Seconds, for the limit of time.
        generator: Chance.
    """
    began = clock()
    settings.check()
    name = settings.algorithm
    if name not in ALGORITHMS:
        raise InputError(f"{name!r} is none of {', '.join(ALGORITHMS)}", field="algorithm")
    check_problem(problem)
    numbered = number(problem, settings.alpha, settings.beta)
    deadline = Deadline(clock)
    if settings.time_limit is not None:
        # What comes after the search takes about as long as what came before it.
        deadline = Deadline(clock, began + settings.time_limit - 2 * (clock() - began))
    found = ALGORITHMS[name](numbered.instance, settings, generator.fork("adaptation", name), deadline)
    made = numbered.named(found.plan)
    return result_of(problem, settings, made, found.lower_bound, optimal=found.optimal)


def result_of(
    problem: AdaptationProblem,
    settings: AdaptationSettings,
    made: ConversionPlan,
    lower_bound: float | None,
    *,
    optimal: bool,
) -> AdaptationResult:
    """Return a plan with its costs; it is checked once more. An optimal plan's cost is its own bound."""
    broken = broken_rules(problem, made)
    assert not broken, broken[:10]
    transmission, conversion = transmission_cost(problem, made), conversion_cost(problem, made)
    cost = settings.alpha * transmission + settings.beta * conversion
    if lower_bound is not None:
        optimal = optimal or cost - lower_bound <= _CLOSE * cost
    bound = cost if optimal else None if lower_bound is None else min(lower_bound, cost)
    return AdaptationResult(
        algorithm=settings.algorithm,
        cost=cost,
        transmission=transmission,
        conversion=conversion,
        lower_bound=bound,
        optimal=optimal,
        links=tuple(
            LinkFormats(link.source, link.target, made.formats[link.source, link.target])
            for link in problem.links
            if made.formats.get((link.source, link.target))
        ),
        nodes=tuple(NodeOperators(node, made.operators[node]) for node in problem.top_down if made.operators.get(node)),
    )
