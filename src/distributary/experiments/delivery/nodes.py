"""Figures 7 and 8: quality and total bandwidth as fewer nodes have as many filters together."""

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

#: With 31 nodes every node has a filter on every stream.
_NODES = (31, 50, 100)
_POINTS: tuple[Point, ...] = tuple({"nodes": float(nodes)} for nodes in _NODES)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    return measure(Workload(nodes=int(point["nodes"])), seed)


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    best = max(points, key=advantage)
    above = [point.mean("qasdg_bandwidth") / point.mean("brush_bandwidth") - 1.0 for point in points]
    unfa = [point.mean("unfas_bandwidth") / point.mean("unfag_bandwidth") - 1.0 for point in points]
    return [
        Claim(
            "Figure 7: how far QASD is above the best competitor.",
            "up to 180 %",
            f"QASDG up to {advantage(best):.0%}, with {best.number('nodes'):.0f} nodes",
            advantage(best) > 1.44,
        ),
        Claim(
            "Figure 7: as with more bandwidth, quality grows with more nodes.",
            "closely parallel",
            f"QASDG {points[0].mean('qasdg_quality'):.3f} with {_NODES[0]} nodes, "
            f"{points[-1].mean('qasdg_quality'):.3f} with {_NODES[-1]}",
            rises(points, "qasdg_quality"),
        ),
        Claim(
            "Figure 8: QASD's total bandwidth is close to that of BRUSH, the least there is.",
            "close to the optimal",
            f"QASDG {min(above):.1%} to {max(above):.1%} above",
            max(above) < 0.1,
        ),
        Claim(
            "Figure 8: UNFAS needs slightly more bandwidth than UNFAG.",
            "slight increase",
            f"{min(unfa):.1%} to {max(unfa):.1%} more",
            min(unfa) > 0.0,
        ),
        better_than_qasdg(points, "nodes"),
        never_more_bandwidth(points),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    without_chain = [name for name in ALL if name != "chain"]
    return [
        chart(points, "Figure 7", ("nodes", "nodes"), ("quality", "quality"), ALL),
        chart(points, "Figure 8", ("nodes", "nodes"), ("bandwidth", "total bandwidth (MB/s)"), without_chain),
    ]


STUDY = Study(
    name="delivery/nodes",
    title="Delivery trees as there are more nodes (paper 001, figures 7 and 8)",
    samples=100,
    points=_POINTS,
    measures=MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="delivery/nodes",
)
