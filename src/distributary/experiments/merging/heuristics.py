"""What figures 11, 12 and 13 share: how far pair merging and directed search are from the optimum of few queries."""

from __future__ import annotations

import math
from collections.abc import Mapping

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, better
from distributary.experiments.queries import Workload
from distributary.experiments.study import Point

__all__ = ["ALGORITHMS", "DRAWS", "MEASURES", "POINTS", "QUERIES", "SAMPLES", "measure"]

#: The partition algorithm tries all plans, 4,213,597 of 12 queries; fewer than three are always solved.
QUERIES = range(3, 13)
ALGORITHMS = ("pair", "directed")
POINTS: tuple[Point, ...] = tuple({"queries": float(queries)} for queries in QUERIES)
#: For each algorithm: whether it found the optimum, its distance, and its distance where it did not.
MEASURES = tuple(f"{algorithm}_{what}" for algorithm in ALGORITHMS for what in ("optimal", "distance", "suboptimal"))
#: The three studies have the same samples.
DRAWS = "merging/optimality"
SAMPLES = 10_000


def measure(point: Point, seed: int) -> Mapping[str, float]:
    """Return how both heuristics do on one set of queries.

    The distance is the paper's: 0 at the optimum, 100 where nothing is saved; 0 too when there is nothing to save.
    """
    generator = Generator(seed)
    merging = Merging(Workload(int(point["queries"])), generator)
    optimum, unmerged = merging.cost("partition"), merging.cost("none")
    measured = {}
    for algorithm in ALGORITHMS:
        cost = merging.cost(algorithm)
        missed = better(optimum, cost)
        distance = 100.0 * (cost - optimum) / (unmerged - optimum) if missed else 0.0
        measured[f"{algorithm}_optimal"] = float(not missed)
        measured[f"{algorithm}_distance"] = distance
        measured[f"{algorithm}_suboptimal"] = distance if missed else math.nan
    return measured
