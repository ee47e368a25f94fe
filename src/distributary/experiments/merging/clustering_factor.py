"""Figure 16: the total cost with and without pair merging, as more of the queries lie in clusters.

Beside the base value of df, which spreads clusters over most of the database, smaller ones are studied: what merging
saves depends on how dense clusters are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, line
from distributary.experiments.queries import Workload
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, rises

__all__ = ["STUDY"]

#: df; the base value first.
_SPREADS = (100.0, 50.0, 25.0)
_POINTS: tuple[Point, ...] = tuple(
    {"spread": spread, "clustered": tenth / 10} for spread in _SPREADS for tenth in range(11)
)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    generator = Generator(seed)
    workload = Workload(clustered=float(point["clustered"]), spread=float(point["spread"]))
    merging = Merging(workload, generator)
    unmerged, merged = merging.cost("none"), merging.cost("pair")
    return {"unmerged": unmerged, "merged": merged, "saved": unmerged - merged}


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    base = _of_spread(points, _SPREADS[0])
    alone, together = base[0], base[-1]
    return [
        Claim(
            "Merging saves even when no query is clustered.",
            "savings at cf = 0",
            f"{alone.mean('saved'):.3f} ± {alone.error('saved'):.3f} of {alone.mean('unmerged'):.3f}",
            alone.mean("saved") > 2 * alone.error("saved"),
        ),
        Claim(
            "The savings grow with the share of clustered queries.",
            "grow with cf",
            f"{alone.mean('saved'):.3f} at 0, {together.mean('saved'):.3f} at 1",
            rises(base, "saved"),
        ),
        Claim(
            "With 100 queries one to two dollars are saved.",
            "1 to 2",
            "; ".join(_range(_of_spread(points, spread), spread) for spread in _SPREADS),
            all(1.0 <= point.mean("saved") <= 2.0 for point in base),
        ),
    ]


def _of_spread(points: Sequence[Sampled], spread: float) -> list[Sampled]:
    return [point for point in points if point.number("spread") == spread]


def _range(points: Sequence[Sampled], spread: float) -> str:
    means = [point.mean("saved") for point in points]
    return f"{means[0]:.2f} at cf = 0 to {means[-1]:.2f} at cf = 1 (df = {spread:.0f})"


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    return [
        Chart(
            f"df = {spread:.0f}",
            "share of clustered queries (cf)",
            "total cost",
            (
                line("not merged", _of_spread(points, spread), "clustered", "unmerged"),
                line("pair merging", _of_spread(points, spread), "clustered", "merged"),
            ),
        )
        for spread in _SPREADS
    ]


STUDY = Study(
    name="merging/clustering-factor",
    title="Total cost before and after pair merging (paper 000, figure 16)",
    samples=10_000,
    points=_POINTS,
    measures=("unmerged", "merged", "saved"),
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="merging/clustering-factor",
)
