"""Planning delivery: the construction algorithms by name, and their trees with the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import DeliveryResult
from distributary.delivery.brush import brush
from distributary.delivery.model import measure
from distributary.delivery.problem import DeliveryProblem, check_problem
from distributary.delivery.validity import broken_conditions

__all__ = ["ALGORITHMS", "Algorithm", "Construction", "plan"]


@dataclass(frozen=True, slots=True)
class Construction:
    """The trees that an algorithm built, and its mean number of assignment rounds per join."""

    trees: dict[str, dict[str, str]]
    rounds: float = 1.0


#: An algorithm gets a problem that has been checked, and its share of chance.
Algorithm: TypeAlias = Callable[[DeliveryProblem, Generator], Construction]


def _brush(problem: DeliveryProblem, generator: Generator) -> Construction:
    return Construction(brush(problem))


#: The algorithms by the names that users give them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType({"brush": _brush})


def plan(
    problem: DeliveryProblem,
    algorithm: str,
    generator: Generator,
    report: Callable[[str], None] = lambda line: None,
) -> DeliveryResult:
    """Return the trees that an algorithm builds, with their measures.

    Args:
        problem: Nodes, links, streams and filters; checked here.
        algorithm: A name in `ALGORITHMS`.
        generator: Chance.
        report: Is told in one line when the drop rates did not converge: the result's are then approximate.
    """
    check_problem(problem)
    if algorithm not in ALGORITHMS:
        raise InputError(f"{algorithm!r} is none of {', '.join(ALGORITHMS)}", field="algorithm")
    built = ALGORITHMS[algorithm](problem, generator.fork("delivery", algorithm))
    broken = broken_conditions(problem, built.trees)
    assert not broken, broken
    measures = measure(problem, built.trees)
    if not measures.converged:
        report("the drop rates did not converge; they and the quality are approximate")
    return DeliveryResult(
        algorithm=algorithm,
        quality=measures.quality,
        total_bandwidth=measures.total_bandwidth,
        fairness=measures.fairness,
        delay_variance=measures.delay_variance,
        rounds=built.rounds,
        trees=built.trees,
        filters=measures.filters,
    )
