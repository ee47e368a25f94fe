"""Planning delivery: the construction algorithms by name, and their trees with the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import DeliveryResult
from distributary.delivery.annealing import annealing
from distributary.delivery.brush import brush
from distributary.delivery.chain import chain
from distributary.delivery.construction import Construction
from distributary.delivery.model import measure
from distributary.delivery.network import Network, NotConnected, network_of, trees_of
from distributary.delivery.optimal import optimal
from distributary.delivery.problem import DeliveryProblem, check_problem
from distributary.delivery.qasd import qasd
from distributary.delivery.triage import triage
from distributary.delivery.unfa import unfa
from distributary.delivery.validity import broken_conditions

__all__ = ["ALGORITHMS", "Algorithm", "plan"]


#: An algorithm grows trees in the empty network of a problem that has been checked, with its share of chance.
Algorithm: TypeAlias = Callable[[Network, Generator], Construction]

#: The algorithms by the names that users give them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        "brush": lambda network, generator: brush(network),
        "chain": lambda network, generator: chain(network),
        "unfas": lambda network, generator: unfa(network, everywhere=False),
        "unfag": lambda network, generator: unfa(network, everywhere=True),
        "qasds": lambda network, generator: qasd(network, everywhere=False),
        "qasdg": lambda network, generator: qasd(network, everywhere=True),
        "triage": lambda network, generator: triage(network),
        "annealing": annealing,
        "optimal": optimal,
    }
)


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
    network = network_of(problem)
    try:
        built = ALGORITHMS[algorithm](network, generator.fork("delivery", algorithm))
    except NotConnected as error:
        raise error.located(problem) from None
    trees = trees_of(problem, network.forest)
    broken = broken_conditions(problem, trees)
    assert not broken, broken
    measures = measure(problem, trees)
    if not measures.converged:
        report("the drop rates did not converge; they and the quality are approximate")
    return DeliveryResult(
        algorithm=algorithm,
        quality=measures.quality,
        total_bandwidth=measures.total_bandwidth,
        fairness=measures.fairness,
        delay_variance=measures.delay_variance,
        rounds=built.rounds,
        trees=trees,
        filters=measures.filters,
        optimal=built.optimal,
    )
