"""Figure 9: the variance of the delays that filters perceive, as link delays are scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.experiments.delivery.building import ALL, MEASURES, chart, measure
from distributary.experiments.delivery.workload import Workload
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study

__all__ = ["STUDY"]

_FACTORS = (1.0, 2.0, 4.0)
_POINTS: tuple[Point, ...] = tuple({"factor": factor} for factor in _FACTORS)
_SHOWN = ("brush", "chain", "unfas", "qasds")


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    return measure(Workload(delay_factor=float(point["factor"])), seed)


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    last = points[-1]
    order = sorted(_SHOWN, key=lambda name: last.mean(f"{name}_delay_variance"))
    apart = [
        abs(point.mean(f"{first}_delay_variance") / point.mean(f"{second}_delay_variance") - 1.0)
        for point in points
        for first, second in (("qasdg", "qasds"), ("unfag", "unfas"))
    ]
    return [
        Claim(
            "Figure 9: BRUSH has the least variance of delays, then QASDS, then UNFAS, and CHAIN the most.",
            "brush, qasds, unfas, chain",
            f"at factor {last.number('factor'):g}: "
            + ", ".join(f"{name} {last.mean(f'{name}_delay_variance'):.3g}" for name in order),
            all(
                sorted(_SHOWN, key=lambda name: point.mean(f"{name}_delay_variance"))
                == ["brush", "qasds", "unfas", "chain"]
                for point in points
            ),
        ),
        Claim(
            "Figure 9: the global variants have the same variances.",
            "same results",
            f"they differ by {min(apart):.0%} to {max(apart):.0%}",
            max(apart) < 0.2,
        ),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    x, y = ("factor", "delay factor"), ("delay_variance", "variance of delays (s²)")
    return [
        chart(points, "Figure 9", x, y, _SHOWN),
        chart(points, "Without CHAIN", x, y, [name for name in ALL if name != "chain"]),
    ]


STUDY = Study(
    name="delivery/link-delays",
    title="How even delays are as links are slower (paper 001, figure 9)",
    samples=100,
    points=_POINTS,
    measures=MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="delivery/link-delays",
)
