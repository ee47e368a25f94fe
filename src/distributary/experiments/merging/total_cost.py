"""Figure 14: the total cost of no merging, pair merging, directed search and clustering with pair merging inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, line
from distributary.experiments.merging.settings import BASE, POINTS, SETTINGS, costs_of, of_setting, workload_of
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, rises

__all__ = ["STUDY"]

#: "Very close", "close": by how much one cost may be above the other.
_VERY_CLOSE, _CLOSE = 0.02, 0.05
_LINES = ("none", "pair", "directed", "clustering", "clustering_exact")


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    generator = Generator(seed)
    merging = Merging(workload_of(point), generator, costs_of(point))
    unmerged, pair = merging.cost("none"), merging.cost("pair")
    return {
        "none": unmerged,
        "pair": pair,
        "directed": merging.cost("directed"),
        "clustering": merging.cost("clustering", metric="heuristic"),
        "clustering_exact": merging.cost("clustering", metric="exact"),
        "saved": unmerged - pair,
    }


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    base = of_setting(points, BASE)
    claims = [
        Claim(
            "The costs of pair merging and directed search are very close.",
            "one line in the figure",
            f"pair is at most {_most_above(base, 'pair', 'directed'):.2%} above",
            _most_above(base, "pair", "directed") < _VERY_CLOSE,
        )
    ]
    for setting in SETTINGS:
        above = _most_above(of_setting(points, setting), "clustering", "pair")
        claims.append(
            Claim(
                f"Clustering with the heuristic metric costs little more than pair merging ({setting}).",
                "close to the other algorithms",
                f"at most {above:.2%} above",
                above < _CLOSE,
            )
        )
    claims.append(
        Claim(
            "The more queries, the more merging saves.",
            "savings grow with the number of queries",
            f"{base[0].mean('saved'):.3f} with {base[0].number('queries'):.0f} queries, "
            f"{base[-1].mean('saved'):.3f} with {base[-1].number('queries'):.0f}",
            rises(base, "saved"),
        )
    )
    return claims


def _most_above(points: Sequence[Sampled], first: str, second: str) -> float:
    return max(point.mean(first) / point.mean(second) - 1.0 for point in points)


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    return [
        Chart(
            setting,
            "queries",
            "total cost",
            tuple(line(name, of_setting(points, setting), "queries", name) for name in _LINES),
        )
        for setting in SETTINGS
    ]


STUDY = Study(
    name="merging/total-cost",
    title="Total cost after merging (paper 000, figure 14)",
    samples=10_000,
    points=POINTS,
    measures=(*_LINES, "saved"),
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="merging/total-cost",
)
