"""Figure 15: how many candidate merges and splits each algorithm evaluates.

The paper measures running time "by the number of merge/split operations" and does not define them; here an operation
is a candidate that is evaluated (`counting`). The distances between queries, of which clustering computes one for each
pair of queries, are no merges and are not counted. Directed search has few starts here, so that its line is near the
others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, line
from distributary.experiments.merging.settings import BASE, POINTS, SETTINGS, costs_of, of_setting, workload_of
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study
from distributary.merging.compiled.descent import merge_few, merge_within
from distributary.merging.compiled.links import cluster_boxes

__all__ = ["DIRECTED_STARTS", "STUDY"]

DIRECTED_STARTS = 5
_METRICS = ("heuristic", "exact")
_LINES = ("pair", "directed", "clustering", "clustering_exact")
#: Half the operations or fewer are "much faster".
_MUCH = 0.5
#: A power up to this is taken for quadratic.
_QUADRATIC = 2.2


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    merging = Merging(workload_of(point), Generator(seed), costs_of(point))
    boxes, ranks = merging.boxes, merging.ranks
    searches = {"pair": merge_few(boxes, ranks), "directed": merging.directed("heuristic", DIRECTED_STARTS)}
    counts = {}
    for metric, name in zip(_METRICS, _LINES[2:], strict=True):
        clusters = cluster_boxes(boxes, exact=metric == "exact")
        searches[name] = merge_within(boxes, ranks, clusters)
        counts[f"{name}_clusters"] = float(len(set(clusters.tolist())))
    moves = {f"{name}_moves": float(searches[name].applied) for name in ("pair", "directed")}
    return {name: float(searches[name].evaluated) for name in _LINES} | counts | moves


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    claims = []
    for setting in SETTINGS:
        last = of_setting(points, setting)[-1]
        share = last.mean("clustering") / last.mean("pair")
        claims.append(
            Claim(
                f"Clustering is much faster than pair merging with many queries ({setting}).",
                "much faster",
                f"{last.mean('clustering'):.0f} operations, pair merging {last.mean('pair'):.0f} ({share:.0%}); "
                f"{last.mean('clustering_clusters'):.1f} clusters of {last.number('queries'):.0f} queries",
                share <= _MUCH,
            )
        )
    first, last = of_setting(points, BASE)[0], of_setting(points, BASE)[-1]
    queries = int(last.number("queries"))
    most, bound = max(last.values("pair"), default=math.nan), queries**2 + sum(range(queries - 1))
    growth = math.log(last.mean("directed") / first.mean("directed"), queries / first.number("queries"))
    claims += [
        Claim(
            "With its profit table, pair merging evaluates its costs at most |Q|^2 + the sum of i - 1 times.",
            f"{bound} for {queries} queries (section 6.2)",
            f"{last.mean('pair'):.0f} on average, at most {most:.0f}",
            most <= bound,
        ),
        Claim(
            "Directed search takes a time that is on average quadratic in the number of queries.",
            "O(|Q|^2)",
            f"the power {growth:.2f} of |Q| from {first.number('queries'):.0f} to {queries} queries",
            growth <= _QUADRATIC,
        ),
    ]
    return claims


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    return [
        Chart(
            setting,
            "queries",
            "candidates evaluated",
            tuple(line(name, of_setting(points, setting), "queries", name) for name in _LINES),
        )
        for setting in SETTINGS
    ]


STUDY = Study(
    name="merging/operations",
    title=f"Merge and split operations; directed with {DIRECTED_STARTS} starts (paper 000, figure 15)",
    samples=10_000,
    points=POINTS,
    measures=(*_LINES, "clustering_clusters", "clustering_exact_clusters", "pair_moves", "directed_moves"),
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="merging/operations",
)
