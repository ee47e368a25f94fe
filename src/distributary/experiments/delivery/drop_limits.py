"""Figure 13: quality as filters tolerate more drops, at half the bandwidth."""

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
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, rises

__all__ = ["STUDY"]

_LIMITS = (0.1, 0.3, 0.5)
_POINTS: tuple[Point, ...] = tuple({"drop": limit} for limit in _LIMITS)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    return measure(Workload(bandwidth_factor=0.5, drops=(0.0, float(point["drop"]))), seed)


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    first, last = advantage(points[0]), advantage(points[-1])
    return [
        Claim(
            "Figure 13: quality grows with what filters tolerate.",
            "increases",
            f"QASDG {points[0].mean('qasdg_quality'):.3f} to {points[-1].mean('qasdg_quality'):.3f}",
            rises(points, "qasdg_quality"),
        ),
        Claim(
            "Figure 13: QASD's advantage over its best competitor shrinks in percent.",
            "from 150 % to 75 %",
            f"QASDG from {first:.0%} to {last:.0%}",
            abs(first - 1.5) < 0.3 and abs(last - 0.75) < 0.3,
        ),
        better_than_qasdg(points, "drop"),
        never_more_bandwidth(points),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    return [chart(points, "Figure 13", ("drop", "greatest drop limit"), ("quality", "quality"), ALL)]


STUDY = Study(
    name="delivery/drop-limits",
    title="Delivery trees as filters tolerate more drops (paper 001, figure 13)",
    samples=100,
    points=_POINTS,
    measures=MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="delivery/drop-limits",
)
