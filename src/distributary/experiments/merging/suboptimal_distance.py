"""Figure 13: the mean distance to the optimum of the runs that do not find it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from distributary.experiments.merging import heuristics
from distributary.experiments.merging.planning import line
from distributary.experiments.study import Chart, Claim, Sampled, Study, falls

__all__ = ["STUDY"]

#: Below this many runs that missed, their mean says nothing.
_RUNS_MIN = 10


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    pair = _known(points, "pair")
    directed = _known(points, "directed")
    return [
        Claim(
            "The distance of the runs in which pair merging misses the optimum falls with the number of queries.",
            "a clear decreasing trend",
            _told(pair, "pair"),
            len(pair) > 1 and falls(pair, "pair_suboptimal"),
        ),
        Claim(
            "That of directed search rises around 9 queries, where it stops being close to exhaustive.",
            "rises a bit around 9 queries",
            _told(directed, "directed"),
            _rises_around(directed, 9),
        ),
    ]


def _known(points: Sequence[Sampled], algorithm: str) -> list[Sampled]:
    return [point for point in points if len(point.values(f"{algorithm}_suboptimal")) >= _RUNS_MIN]


def _rises_around(points: Sequence[Sampled], queries: int) -> bool:
    """Tell whether some point next to `queries` is above the one before it."""
    means = [(point.number("queries"), point.mean("directed_suboptimal")) for point in points]
    return any(later[1] > earlier[1] for earlier, later in pairwise(means) if abs(later[0] - queries) <= 1)


def _told(points: Sequence[Sampled], algorithm: str) -> str:
    measure = f"{algorithm}_suboptimal"
    told = [
        f"{point.mean(measure):.2f} with {point.number('queries'):.0f} queries ({len(point.values(measure))} runs)"
        for point in points
    ]
    return ", ".join(told) or f"under {_RUNS_MIN} runs missed it everywhere"


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    lines = tuple(
        line(algorithm, _known(points, algorithm), "queries", f"{algorithm}_suboptimal")
        for algorithm in heuristics.ALGORITHMS
    )
    return [Chart("Runs that miss the optimum", "queries", "distance to the optimum (%)", lines)]


STUDY = Study(
    name="merging/suboptimal-distance",
    title="Distance of suboptimal runs to the optimum (paper 000, figure 13)",
    samples=heuristics.SAMPLES,
    points=heuristics.POINTS,
    measures=heuristics.MEASURES,
    sample=heuristics.measure,
    claims=_claims,
    charts=_charts,
    draws=heuristics.DRAWS,
)
