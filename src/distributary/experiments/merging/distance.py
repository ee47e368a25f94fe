"""Figure 12: the mean distance of pair merging and directed search to the optimum, over all runs."""

from __future__ import annotations

from collections.abc import Sequence

from distributary.experiments.merging import heuristics
from distributary.experiments.merging.planning import line
from distributary.experiments.study import Chart, Claim, Sampled, Study, rises

__all__ = ["STUDY"]

#: "Directed search has distances equal to zero for |Q| <= 7."
_NEARLY_EXHAUSTIVE = 7


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    few = [point for point in points if point.number("queries") <= _NEARLY_EXHAUSTIVE]
    farthest = max((max(point.values("directed_distance"), default=0.0) for point in few), default=0.0)
    runs = sum(len(point.values("directed_distance")) for point in few)
    missed = sum(sum(1 for distance in point.values("directed_distance") if distance) for point in few)
    claims = [
        Claim(
            f"Directed search is at distance 0 for up to {_NEARLY_EXHAUSTIVE} queries.",
            "0",
            f"{missed} of {runs} runs are not at 0, the farthest at {farthest:.3g}",
            runs > 0 and not missed,
        )
    ]
    for algorithm in heuristics.ALGORITHMS:
        measure = f"{algorithm}_distance"
        claims.append(
            Claim(
                f"The distance of {algorithm} grows with the number of queries.",
                "grows",
                f"{points[0].mean(measure):.3f} with {points[0].number('queries'):.0f} queries, "
                f"{points[-1].mean(measure):.3f} with {points[-1].number('queries'):.0f}",
                rises(points, measure),
            )
        )
    farther = sum(sum(directed > pair for directed, pair in _both_distances(point)) for point in points)
    claims.append(
        Claim(
            "Directed search is never farther from the optimum than pair merging.",
            "always lower or equal",
            f"farther in {farther} of {sum(len(_both_distances(point)) for point in points)} runs",
            not farther,
        )
    )
    last = points[-1]
    claims.append(
        Claim(
            "Distances stay small.",
            "the deviation is very small",
            ", ".join(f"{name} {last.mean(f'{name}_distance'):.2f} %" for name in heuristics.ALGORITHMS)
            + f" of what merging saves, with {last.number('queries'):.0f} queries",
            all(last.mean(f"{name}_distance") < 5.0 for name in heuristics.ALGORITHMS),
        )
    )
    return claims


def _both_distances(point: Sampled) -> list[tuple[float, float]]:
    return list(zip(point.measures["directed_distance"], point.measures["pair_distance"], strict=True))


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    lines = tuple(line(algorithm, points, "queries", f"{algorithm}_distance") for algorithm in heuristics.ALGORITHMS)
    return [Chart("All runs", "queries", "distance to the optimum (%)", lines)]


STUDY = Study(
    name="merging/distance",
    title="Distance to the optimum (paper 000, figure 12)",
    samples=heuristics.SAMPLES,
    points=heuristics.POINTS,
    measures=heuristics.MEASURES,
    sample=heuristics.measure,
    claims=_claims,
    charts=_charts,
    draws=heuristics.DRAWS,
)
