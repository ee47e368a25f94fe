"""Planning conversions: the algorithms by name, and their plan with its costs and what is proven about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from distributary.adaptation.all_in_root import all_in_root
from distributary.adaptation.bounds import lower_bound
from distributary.adaptation.cost import ConversionPlan, conversion_cost, transmission_cost
from distributary.adaptation.problem import AdaptationProblem, check_problem
from distributary.adaptation.validity import broken_rules
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult, LinkFormats, NodeOperators

__all__ = ["ALGORITHMS", "AUTO", "Algorithm", "plan"]

#: An algorithm gets a problem that has been checked, alpha, beta, and its share of chance.
Algorithm: TypeAlias = Callable[[AdaptationProblem, float, float, Generator], ConversionPlan]


def _all_in_root(problem: AdaptationProblem, alpha: float, beta: float, generator: Generator) -> ConversionPlan:
    return all_in_root(problem)


#: The algorithms by the names that users give them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType({"all-in-root": _all_in_root})

#: What `auto` chooses; the result names the algorithm that ran.
AUTO = "all-in-root"


def plan(
    problem: AdaptationProblem,
    algorithm: str,
    generator: Generator,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> AdaptationResult:
    """Return the conversions and formats that an algorithm plans (paper 003, section 2.2).

    Args:
        problem: The content adaptation graph, the tree and the requests; checked here.
        algorithm: A name in `ALGORITHMS`, or `auto`.
        generator: Chance.
        alpha: The weight of transmission; zero or more.
        beta: The weight of conversion; zero or more.
    """
    check_problem(problem)
    for name, weight in (("alpha", alpha), ("beta", beta)):
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError(f"must be a number, zero or more, not {weight}", field=name)
    name = AUTO if algorithm == "auto" else algorithm
    if name not in ALGORITHMS:
        raise InputError(f"{name!r} is none of auto, {', '.join(ALGORITHMS)}", field="algorithm")
    made = ALGORITHMS[name](problem, alpha, beta, generator.fork("adaptation", name))
    broken = broken_rules(problem, made)
    assert not broken, broken
    transmission, conversion = transmission_cost(problem, made), conversion_cost(problem, made)
    cost = alpha * transmission + beta * conversion
    bound = min(lower_bound(problem, alpha, beta), cost)
    return AdaptationResult(
        algorithm=name,
        cost=cost,
        transmission=transmission,
        conversion=conversion,
        lower_bound=bound,
        optimal=cost <= bound + 1e-9 * max(1.0, cost),
        links=tuple(
            LinkFormats(link.source, link.target, made.formats[link.source, link.target])
            for link in problem.links
            if made.formats.get((link.source, link.target))
        ),
        nodes=tuple(NodeOperators(node, made.operators[node]) for node in problem.top_down if made.operators.get(node)),
    )
