"""What the studies of paper 000 share: plans for drawn queries, prices times factors, lines of means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.queries import BASE_COSTS, Workload, corners_of
from distributary.experiments.study import Line, Sampled
from distributary.merging.compiled.boxes import Boxes, Ints, plan_cost
from distributary.merging.compiled.descent import Descent, descend, merge_within
from distributary.merging.compiled.links import cluster_boxes
from distributary.merging.compiled.pair import merge_pairs
from distributary.merging.compiled.subsets import best_partition, subset_costs
from distributary.merging.directed import LEAST, starts_of

__all__ = ["STARTS", "Merging", "better", "line", "scaled"]

#: |J| of figure 8.
STARTS = 50
#: Costs are sums of floating-point numbers; plans whose costs differ by a smaller share are the same plan.
_SAME = 1e-9


class Merging:
    """What the planner's compiled algorithms make of drawn queries: rectangles on data of density 1.

    The plans are those of `merging.plan`; nothing is built of them.
    """

    def __init__(self, workload: Workload, generator: Generator, costs: Costs = BASE_COSTS) -> None:
        """Draw the queries; each algorithm has its own chance."""
        low, high = corners_of(workload, generator)
        self._generator = generator
        #: The queries, and their places among the ids: they are drawn in that order.
        self.boxes = Boxes(
            low=low,
            high=high,
            size=(high - low).prod(axis=1),
            rate=np.ones(len(low)),
            points=np.empty((0, low.shape[1])),
            weights=np.empty(0),
            density=1.0,
            K_M=float(costs.K_M),
            K_T=float(costs.K_T),
            K_U=float(costs.K_U),
        )
        self.ranks = np.arange(len(low))

    def blocks(self, algorithm: str, *, metric: str = "heuristic", starts: int = STARTS) -> Ints:
        """Return a plan as a number for the block of each query."""
        boxes, ranks = self.boxes, self.ranks
        match algorithm:
            case "none":
                return ranks
            case "pair":
                return merge_pairs(boxes, ranks)
            case "directed":
                return self.directed(metric, starts).blocks
            case "clustering":
                return merge_within(boxes, ranks, cluster_boxes(boxes, exact=metric == "exact")).blocks
            case "partition":
                return _numbers(best_partition(subset_costs(boxes)), len(ranks))
        raise ValueError(algorithm)

    def directed(self, metric: str, starts: int) -> Descent:
        """Return what directed search finds, and how much it did for that."""
        chance = self._generator.fork("directed", metric, "merging", "directed").fork(0)
        begun, least = starts_of(self.ranks, starts, chance), LEAST * plan_cost(self.boxes, self.ranks)
        return descend(self.boxes, self.ranks, begun, merges_first=True, least=least)

    def cost(self, algorithm: str, *, metric: str = "heuristic", starts: int = STARTS) -> float:
        """Return what a plan costs."""
        return plan_cost(self.boxes, self.blocks(algorithm, metric=metric, starts=starts))


def better(first: float, second: float) -> bool:
    """Tell whether the first cost is lower, beyond what rounding makes of equal ones."""
    return first < second - _SAME * max(1.0, abs(second))


def scaled(**factors: float) -> Costs:
    """Return the base prices times factors.

    >>> scaled(K_T=2.0)
    Costs(K_M=0.00365, K_T=6.5e-05, K_U=1.6e-06)
    """
    return Costs(
        K_M=BASE_COSTS.K_M * factors.get("K_M", 1.0),
        K_T=BASE_COSTS.K_T * factors.get("K_T", 1.0),
        K_U=BASE_COSTS.K_U * factors.get("K_U", 1.0),
    )


def line(name: str, points: Sequence[Sampled], x: str, measure: str) -> Line:
    """Return the line of a measure's means over a parameter, without the points that have no value."""
    there = [point for point in points if point.values(measure)]
    return Line(name, tuple(point.number(x) for point in there), tuple(point.mean(measure) for point in there))


def _numbers(subsets: Sequence[int], count: int) -> Ints:
    """Return the number of each query's subset."""
    return np.array(
        [next(number for number, each in enumerate(subsets) if each >> query & 1) for query in range(count)]
    )
