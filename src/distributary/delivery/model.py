"""The measures of paper 001, sections 3.2, 4 and 6.1, for given trees: bandwidth, drop, delay, quality, fairness.

`trees.edges_of` and `drops.arrivals` say the same in plain Python, a link and a filter at a time; tests compare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from distributary.core.results import FilterQuality
from distributary.delivery.compiled.forest import Floats, Forest
from distributary.delivery.network import grown
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.qualities import DROP_TOLERANCE, quality_at
from distributary.delivery.trees import Trees

__all__ = ["Measures", "fairness", "geometric_mean", "measure", "total_bandwidth"]


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


def measure(problem: DeliveryProblem, trees: Trees) -> Measures:
    """Return the measures of valid trees; filters in the order of the problem."""
    network, converged = grown(problem, trees)
    forest = network.forest
    uploads = np.array([math.inf if node.upload is None else node.upload for node in problem.nodes])
    drops = 1.0 - forest.kept
    drops[drops <= DROP_TOLERANCE] = 0.0
    filters = tuple(
        FilterQuality(wanted.node, wanted.stream, drop, delay, quality_at(wanted.pieces, drop, delay))
        for wanted, drop, delay in zip(problem.filters, drops.tolist(), forest.delay.tolist(), strict=True)
    )
    return Measures(
        quality=geometric_mean(np.array([found.quality for found in filters])),
        total_bandwidth=total_bandwidth(forest),
        fairness=fairness(forest, uploads),
        delay_variance=float(np.var(forest.delay)),
        filters=filters,
        converged=converged,
    )


def total_bandwidth(forest: Forest) -> float:
    """Return the bytes per second of all links when nothing is dropped (section 3.2)."""
    return math.fsum(forest.load)


def fairness(forest: Forest, uploads: Floats) -> float:
    """Return the variance over all nodes of what they forward, without drops, divided by their uploads (6.1).

    A node whose upload has no limit carries any load with no share of it.
    """
    return float(np.var(forest.forwarded[0] / uploads))


def geometric_mean(values: Floats) -> float:
    """Return the geometric mean; 0 when one value is."""
    return math.exp(float(np.log(values).mean())) if values.min() > 0.0 else 0.0
