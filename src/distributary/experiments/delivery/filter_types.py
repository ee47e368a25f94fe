"""Figures 11 and 12: quality and total bandwidth as the filters of a stream are of more types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.experiments.delivery.building import (
    ALL,
    MEASURES,
    advantage,
    better_than_qasdg,
    chart,
    measure,
    never_more_bandwidth,
)
from distributary.experiments.delivery.workload import Workload
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, falls

__all__ = ["STUDY"]

_TYPES = (1, 2, 3, 5, 10)
_POINTS: tuple[Point, ...] = tuple({"types": float(types)} for types in _TYPES)
#: What we take for "around": so many percentage points.
_AROUND = 0.2


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    return measure(Workload(filter_types=int(point["types"])), seed)


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    at = {point.number("types"): point for point in points}
    best = max(points, key=advantage)
    few = max(at[types].mean("qasdg_bandwidth") / at[types].mean("brush_bandwidth") - 1.0 for types in (1, 2, 3))
    unfa = max(point.mean("qasdg_bandwidth") / point.mean("unfas_bandwidth") - 1.0 for point in points)
    ten = at[10].mean("qasdg_bandwidth") / at[10].mean("brush_bandwidth") - 1.0
    return [
        Claim(
            "Figure 11: quality falls with the number of types.",
            "degrades",
            f"QASDG {points[0].mean('qasdg_quality'):.3f} with 1, {points[-1].mean('qasdg_quality'):.3f} "
            f"with {_TYPES[-1]}",
            falls(points, "qasdg_quality"),
        ),
        Claim(
            "Figure 11: QASDG's advantage over the best competitor.",
            "up to around 200 %, around 30 % with 10 types",
            f"up to {advantage(best):.0%} with {best.number('types'):.0f}, {advantage(at[10]):.0%} with 10",
            abs(advantage(best) - 2.0) < 2 * _AROUND and abs(advantage(at[10]) - 0.3) < _AROUND,
        ),
        Claim(
            "Figure 11: QASDS's advantage over the best competitor.",
            "10 % with 1 type, around 100 % with 2",
            f"{advantage(at[1], 'qasds'):.0%} with 1, {advantage(at[2], 'qasds'):.0%} with 2",
            abs(advantage(at[1], "qasds") - 0.1) < _AROUND and abs(advantage(at[2], "qasds") - 1.0) < 2 * _AROUND,
        ),
        Claim(
            "Figure 12: up to 3 types QASD needs no more bandwidth than BRUSH.",
            "minimal",
            f"QASDG at most {few:.1%} more",
            few < 0.02,
        ),
        Claim(
            "Figure 12: QASD never needs more bandwidth than UNFA.",
            "do not exceed",
            f"QASDG at most {unfa:.1%} more than UNFAS",
            unfa <= 0.0,
        ),
        Claim(
            "Figure 12: with 10 types QASD is near the least bandwidth.",
            "within 5 %",
            f"QASDG {ten:.1%} above",
            ten < 0.05,
        ),
        better_than_qasdg(points, "types"),
        never_more_bandwidth(points),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    without_chain = [name for name in ALL if name != "chain"]
    x = ("types", "filter types of a stream")
    return [
        chart(points, "Figure 11", x, ("quality", "quality"), ALL),
        chart(points, "Figure 12", x, ("bandwidth", "total bandwidth (MB/s)"), without_chain),
    ]


STUDY = Study(
    name="delivery/filter-types",
    title="Delivery trees as filters have less in common (paper 001, figures 11 and 12)",
    samples=100,
    points=_POINTS,
    measures=MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="delivery/filter-types",
)
