"""What the studies of paper 000 share: plans for drawn queries, prices times factors, lines of means."""

from __future__ import annotations

from collections.abc import Sequence

from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.queries import BASE_COSTS
from distributary.experiments.study import Line, Sampled
from distributary.merging import ALGORITHMS, Member, MergeSettings
from distributary.merging.cost import Block, Pricing
from distributary.merging.problem import MergeProblem

__all__ = ["STARTS", "Merging", "better", "line", "scaled"]

#: |J| of figure 8.
STARTS = 50
#: Costs are sums of floating-point numbers; plans whose costs differ by a smaller share are the same plan.
_SAME = 1e-9


class Merging:
    """What the planner's algorithms make of drawn queries: priced once for all, and no channels are built."""

    def __init__(self, members: Sequence[Member], generator: Generator, costs: Costs = BASE_COSTS) -> None:
        """Price queries that merge into bounding boxes on data of density 1; each algorithm has its own chance."""
        self._pricing = Pricing(MergeProblem(tuple(members), "rectangle", costs, UniformDensity(1.0)))
        self._generator = generator

    def blocks(self, algorithm: str, *, metric: str = "heuristic", starts: int = STARTS) -> Sequence[Block]:
        """Return the blocks of a plan."""
        settings = MergeSettings(algorithm=algorithm, metric=metric, starts=starts)
        chance = self._generator.fork(algorithm, metric, "merging", algorithm)
        return ALGORITHMS[algorithm](self._pricing, settings, chance, _no_clock).blocks

    def cost(self, algorithm: str, *, metric: str = "heuristic", starts: int = STARTS) -> float:
        """Return what a plan costs."""
        return self._pricing.total(self.blocks(algorithm, metric=metric, starts=starts))


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


def _no_clock() -> float:
    return 0.0
