"""Figure 11: how often pair merging and directed search find the optimum."""

from __future__ import annotations

from collections.abc import Sequence

from distributary.experiments.merging import heuristics
from distributary.experiments.merging.planning import line
from distributary.experiments.study import Chart, Claim, Sampled, Study, falls

__all__ = ["STUDY"]


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    claims = [
        Claim(
            f"The more queries, the less often {algorithm} finds the optimum.",
            "decreases with the number of queries",
            f"{points[0].mean(f'{algorithm}_optimal'):.1%} with {points[0].number('queries'):.0f} queries, "
            f"{points[-1].mean(f'{algorithm}_optimal'):.1%} with {points[-1].number('queries'):.0f}",
            falls(points, f"{algorithm}_optimal"),
        )
        for algorithm in heuristics.ALGORITHMS
    ]
    gaps = [point.mean("directed_optimal") - point.mean("pair_optimal") for point in points]
    claims.append(
        Claim(
            "Directed search finds the optimum more often than pair merging.",
            "more often",
            f"by {min(gaps):.1%} to {max(gaps):.1%}",
            min(gaps) >= 0 and max(gaps) > 0,
        )
    )
    return claims


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    lines = tuple(line(algorithm, points, "queries", f"{algorithm}_optimal") for algorithm in heuristics.ALGORITHMS)
    return [Chart("Optimum found", "queries", "share of the runs", lines)]


STUDY = Study(
    name="merging/optimality",
    title="Runs that find the optimum (paper 000, figure 11)",
    samples=heuristics.SAMPLES,
    points=heuristics.POINTS,
    measures=heuristics.MEASURES,
    sample=heuristics.measure,
    claims=_claims,
    charts=_charts,
    draws=heuristics.DRAWS,
)
