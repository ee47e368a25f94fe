"""An optimum with its proof: split by the exact metric, then each cluster by the means that it allows.

Small clusters are partitioned exhaustively, boxes on up to three columns go through branch and price. What is left
(large clusters of `polygon` and `cover`, or of queries that are no boxes) gets the best heuristic plan and a bound: all
that somebody wants is sent at least once, by at least one query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import fsum

from distributary.algebra.anyof import any_of
from distributary.core.generator import Generator
from distributary.merging.branching import Bounded, branch_and_price_of
from distributary.merging.clustering import clusters
from distributary.merging.cost import Block, Pricing
from distributary.merging.directed import directed_of
from distributary.merging.geometry import boxes_of
from distributary.merging.pair import pair_of
from distributary.merging.partition import best_blocks

__all__ = ["exact"]

#: Larger clusters of boxes are quicker by branch and price, larger ones of anything else take too long.
_BOXES_PARTITION_MAX = 10
_PARTITION_MAX = 14
_AXES_MAX = 3
#: Starts of the directed search that a proof begins with, and the cluster above which pair merging must do.
_STARTS = 5
_DIRECTED_MAX = 400


def exact(
    pricing: Pricing,
    generator: Generator,
    clock: Callable[[], float],
    time_limit: float | None,
) -> tuple[list[Block], float]:
    """Return the best blocks found, and a lower bound on the cost of every plan."""
    deadline = None if time_limit is None else clock() + time_limit
    parts = [
        _solved(pricing, cluster, generator, clock, deadline)
        for stream in pricing.problem.streams()
        for cluster in clusters(pricing, stream, "exact")
    ]
    return [block for part in parts for block in part.blocks], fsum(part.lower_bound for part in parts)


def _solved(
    pricing: Pricing, cluster: Block, generator: Generator, clock: Callable[[], float], deadline: float | None
) -> Bounded:
    boxes = boxes_of(pricing, cluster)
    if len(cluster) <= (_BOXES_PARTITION_MAX if boxes is not None else _PARTITION_MAX):
        blocks = best_blocks(pricing, cluster)
        cost = pricing.total(blocks)
        return Bounded(blocks, cost, cost)
    start = _started(pricing, cluster, generator)
    if boxes is None or boxes.low.shape[1] > _AXES_MAX:
        return Bounded(start, pricing.total(start), _least(pricing, cluster))
    found = branch_and_price_of(pricing, cluster, boxes, start, clock, deadline)
    return replace(found, lower_bound=max(found.lower_bound, min(found.cost, _least(pricing, cluster))))


def _started(pricing: Pricing, cluster: Block, generator: Generator) -> list[Block]:
    if len(cluster) > _DIRECTED_MAX:
        return pair_of(pricing, cluster)
    return directed_of(pricing, cluster, _STARTS, generator)


def _least(pricing: Pricing, cluster: Block) -> float:
    """Return what every plan of a cluster costs at least: one query, and everything that is wanted sent once."""
    costs, queries = pricing.problem.costs, [pricing.queries[place] for place in cluster]
    size = pricing.problem.statistics.size(any_of((query.filter for query in queries), absorb=False))
    return min(query.rate for query in queries) * (costs.K_M + costs.K_T * size)
