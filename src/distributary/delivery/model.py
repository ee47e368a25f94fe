"""The measures of paper 001, sections 3.2, 4 and 6.1, for given trees: bandwidth, drop, delay, quality, fairness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance

from distributary.core.results import FilterQuality
from distributary.core.subscriptions import Quality
from distributary.delivery.drops import arrivals
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.trees import Edge, Trees, edges_of, path_to_source

__all__ = ["Measures", "measure", "quality_of"]

#: Drops up to this are none, and over the limit by no more than this are within it.
DROP_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Measures:
    """What trees are worth."""

    #: Geometric mean of the filters' qualities.
    quality: float
    #: Bytes per second that all links carry when nothing is dropped (section 3.2).
    total_bandwidth: float
    #: Population variance over the nodes of forwarded bandwidth divided by upload.
    fairness: float
    #: Population variance of the filters' delays.
    delay_variance: float
    filters: tuple[FilterQuality, ...]
    #: Whether the drop rates are a fixed point, not merely where the sweeps ended.
    converged: bool


def quality_of(drop: float, delay: float, limits: Quality) -> float:
    """Return C(r, d), the quality function of section 4.1 with the filter's own limits.

    >>> limits = Quality(drop=0.2, delay=1.0)
    >>> [quality_of(drop, delay, limits) for drop, delay in ((0.2, 1), (0.2, 2), (0.4, 1))]
    [1.0, 0.5, 0.25]
    """
    if drop <= limits.drop + DROP_TOLERANCE:
        return 1.0 if limits.delay is None or delay <= limits.delay else 0.5
    return 0.5 * limits.drop / drop


def measure(problem: DeliveryProblem, trees: Trees) -> Measures:
    """Return the measures of valid trees; filters in the order of the problem."""
    edges = edges_of(problem, trees)
    arrived = arrivals(problem, edges)
    filters = []
    for wanted in problem.filters:
        drop = 1.0 - arrived.fractions[wanted.stream, wanted.node]
        drop = 0.0 if drop <= DROP_TOLERANCE else drop
        delay = _delay(problem, trees, wanted.stream, wanted.node)
        filters.append(FilterQuality(wanted.node, wanted.stream, drop, delay, quality_of(drop, delay, wanted.quality)))
    return Measures(
        quality=_geometric_mean([found.quality for found in filters]),
        total_bandwidth=math.fsum(edge.bandwidth for edge in edges),
        fairness=_fairness(problem, edges),
        delay_variance=pvariance([found.delay for found in filters]),
        filters=tuple(filters),
        converged=arrived.converged,
    )


def _delay(problem: DeliveryProblem, trees: Trees, stream: str, node: str) -> float:
    """Return the sum of link delays and of the forwarding nodes' processing delays (section 4.2)."""
    total = 0.0
    for parent, child in path_to_source(problem, trees, stream, node):
        link = problem.delay(parent, child)
        assert link is not None, f"{parent} and {child} are not connected"
        total += link + problem.processing_delay
    return total


def _geometric_mean(values: Sequence[float]) -> float:
    if min(values) <= 0.0:
        return 0.0
    return math.exp(fmean(math.log(value) for value in values))


def _fairness(problem: DeliveryProblem, edges: Sequence[Edge]) -> float:
    forwarded = dict.fromkeys((node.id for node in problem.nodes), 0.0)
    for edge in edges:
        forwarded[edge.parent] += edge.bandwidth
    # A node whose upload has no limit carries any load with no share of it.
    return pvariance([forwarded[node.id] / node.upload if node.upload is not None else 0.0 for node in problem.nodes])
