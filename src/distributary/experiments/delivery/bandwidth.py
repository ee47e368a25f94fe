"""Figures 4, 5, 6 and 10 and Table 3: quality, total bandwidth, fairness and rounds as all bandwidths are scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from distributary.experiments.delivery.building import (
    ALL,
    MEASURES,
    OTHERS,
    advantage,
    best_other,
    chart,
    measure,
    never_more_bandwidth,
)
from distributary.experiments.delivery.workload import Workload
from distributary.experiments.merging.planning import line
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, falls

__all__ = ["STUDY"]

_SCARCE = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_AMPLE = (1.5, 2.0, 4.0, 8.0, 16.0, 32.0)
_POINTS: tuple[Point, ...] = tuple({"factor": factor} for factor in (*_SCARCE, *_AMPLE))
_FACTORS_TEXT = ", ".join(f"{factor:g}" for factor in _SCARCE)
#: Table 3, at the factors that are not left out.
_ROUNDS_S = (1.41, 1.42, 1.28, 1.14, 1.07, 1.04)
_ROUNDS_G = (1.31, 1.33, 1.23, 1.10, 1.05, 1.03)
#: What we take for "about": the share by which a figure may differ.
_ABOUT = 0.2
#: As good as perfect.
_PERFECT = 0.99


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    return measure(Workload(bandwidth_factor=float(point["factor"])), seed)


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    scarce, ample = points[: len(_SCARCE)], points[len(_SCARCE) - 1 :]
    one = scarce[-1]
    return [
        *_of_quality(scarce, one),
        *_of_ample_bandwidth(ample),
        *_of_bandwidth(points, scarce, one),
        *_of_fairness(scarce, one),
        *_of_rounds(scarce),
        *_of_ours(points),
    ]


def _of_quality(scarce: Sequence[Sampled], one: Sampled) -> list[Claim]:
    quality = one.mean("qasdg_quality")
    best = max(scarce, key=advantage)
    behind = [1.0 - point.mean("qasds_quality") / point.mean("qasdg_quality") for point in scarce]
    worst = min(scarce, key=lambda point: min(advantage(point), advantage(point, "qasds")))
    unfa = [point.mean("unfas_quality") / point.mean("unfag_quality") for point in scarce]
    first, last = (point.mean("unfas_quality") / point.mean("chain_quality") for point in (scarce[0], one))
    return [
        Claim(
            "Figure 4: the quality of QASDG at factor 1.",
            "0.35 at best",
            f"{quality:.3f} ± {one.error('qasdg_quality'):.3f}",
            abs(quality / 0.35 - 1.0) < _ABOUT,
        ),
        Claim(
            "Figure 4: how far QASDG is above the best alternative.",
            "up to 180 %",
            f"up to {advantage(best):.0%}, at factor {best.number('factor'):g}",
            advantage(best) > 1.8 * (1 - _ABOUT),
        ),
        Claim(
            "Figure 4: QASD is better than all others.",
            "at all factors",
            f"at least {min(advantage(worst), advantage(worst, 'qasds')):.0%} above, "
            f"at factor {worst.number('factor'):g}",
            min(advantage(worst), advantage(worst, "qasds")) > 0.0,
        ),
        Claim(
            "Figure 4: QASDS is little worse than QASDG.",
            "around 5 %",
            f"{min(behind):.1%} to {max(behind):.1%} worse",
            min(behind) >= -0.01 and max(behind) <= 0.10,
        ),
        Claim(
            "Figure 4: UNFAG is slightly worse than UNFAS.",
            "slightly worse",
            f"UNFAS is {min(unfa) - 1:.1%} to {max(unfa) - 1:.1%} above",
            min(unfa) >= 1.0,
        ),
        Claim(
            "Figure 4: UNFAS is slightly above CHAIN, which catches up at factor 1.",
            "the lines meet at 1",
            f"UNFAS is {first - 1:.1%} above at factor 0.1, {last - 1:.1%} at factor 1",
            first > 1.0 and abs(last - 1.0) < 0.1,
        ),
    ]


def _of_ample_bandwidth(ample: Sequence[Sampled]) -> list[Claim]:
    most = ample[-1]
    reached = {name: _first_perfect(ample, name) for name in ALL}
    sooner = all(reached["qasdg"] < reached[name] for name in OTHERS)
    return [
        Claim(
            "Figure 10: the best quality of CHAIN, for all the bandwidth there is.",
            "0.9",
            f"{most.mean('chain_quality'):.3f} at factor {most.number('factor'):g}",
            abs(most.mean("chain_quality") - 0.9) < 0.05,
        ),
        Claim(
            "Figure 10: UNFAS reaches the optimum.",
            "1",
            f"{most.mean('unfas_quality'):.4f} at factor {most.number('factor'):g}",
            most.mean("unfas_quality") > _PERFECT,
        ),
        Claim(
            f"Figure 10: QASD reaches a quality of 1 (here {_PERFECT}) before the others.",
            "before other alternatives",
            ", ".join(f"{name} {reached[name]:g}" for name in ALL),
            sooner,
        ),
    ]


def _first_perfect(points: Sequence[Sampled], name: str) -> float:
    there = [point.number("factor") for point in points if point.mean(f"{name}_quality") > _PERFECT]
    return min(there, default=float("inf"))


def _of_bandwidth(points: Sequence[Sampled], scarce: Sequence[Sampled], one: Sampled) -> list[Claim]:
    least, most, ours = (scarce[0].mean(f"{name}_bandwidth") for name in ("brush", "chain", "qasdg"))
    bounds = all(
        point.mean("brush_bandwidth") <= point.mean(f"{name}_bandwidth") + 1e-9
        and point.mean(f"{name}_bandwidth") <= point.mean("chain_bandwidth") + 1e-9
        for point in points
        for name in ALL
    )
    between = (ours - least) / (most - least)
    end = one.mean("qasdg_bandwidth") / one.mean("brush_bandwidth") - 1.0
    return [
        Claim(
            "Figure 5: BRUSH and CHAIN need the least and the most bandwidth.",
            "lower and upper bound",
            f"{least:.1f} and {most:.1f} MB/s",
            bounds,
        ),
        Claim(
            "Figure 5: QASD starts between BRUSH and CHAIN.",
            "in the middle",
            f"QASDG at {between:.0%} of the way at factor 0.1",
            0.2 < between < 0.8,
        ),
        Claim(
            "Figure 5: QASD comes down to BRUSH as the factor reaches 1.",
            "the lower limit",
            f"QASDG {end:.1%} above it at factor 1; "
            + ", ".join(
                f"{point.mean('qasdg_bandwidth') / point.mean('brush_bandwidth') - 1:.1%} at {point.number('factor'):g}"
                for point in points[len(scarce) : len(scarce) + 3]
            ),
            falls(scarce, "qasdg_bandwidth") and end < 0.02,
        ),
    ]


def _of_fairness(scarce: Sequence[Sampled], one: Sampled) -> list[Claim]:
    names = ("brush", "chain", "unfas", "unfag", "qasds", "qasdg")
    order = sorted(names, key=lambda name: one.mean(f"{name}_fairness"))
    return [
        Claim(
            "Figure 6: QASD is the fairest, then CHAIN, then UNFA, then BRUSH.",
            "at all factors",
            "at factor 1: " + ", ".join(f"{name} {one.mean(f'{name}_fairness'):.2f}" for name in order),
            all(
                max(point.mean(f"{name}_fairness") for name in better)
                < min(point.mean(f"{name}_fairness") for name in worse)
                for point in scarce
                for better, worse in pairwise((("qasds", "qasdg"), ("chain",), ("unfas", "unfag"), ("brush",)))
            ),
        ),
        Claim(
            "Figure 6: more bandwidth makes all fairer.",
            "improves for all algorithms",
            f"QASDG {scarce[0].mean('qasdg_fairness'):.1f} at 0.1, {one.mean('qasdg_fairness'):.2f} at 1",
            all(falls(scarce, f"{name}_fairness") for name in names),
        ),
    ]


def _of_rounds(scarce: Sequence[Sampled]) -> list[Claim]:
    claims = []
    for name, paper in (("qasds", _ROUNDS_S), ("qasdg", _ROUNDS_G)):
        ours = [point.mean(f"{name}_rounds") for point in scarce]
        claims.append(
            Claim(
                f"Table 3: rounds of {name.upper()} for a join, at factors {_FACTORS_TEXT}.",
                " ".join(f"{each:.2f}" for each in paper),
                " ".join(f"{each:.2f}" for each in ours),
                all(abs(mine - theirs) < 0.1 for mine, theirs in zip(ours, paper, strict=True)),
            )
        )
    source, everywhere = ([point.mean(f"{name}_rounds") for point in scarce] for name in ("qasds", "qasdg"))
    claims.append(
        Claim(
            "Table 3: QASDG needs slightly fewer rounds than QASDS.",
            "by up to 0.1",
            f"by {min(s - g for s, g in zip(source, everywhere, strict=True)):.2f} "
            f"to {max(s - g for s, g in zip(source, everywhere, strict=True)):.2f}",
            all(g <= s for s, g in zip(source, everywhere, strict=True)),
        )
    )
    return claims


def _of_ours(points: Sequence[Sampled]) -> list[Claim]:
    gains = [point.mean("triage_quality") / point.mean("qasdg_quality") - 1.0 for point in points]
    best = max(points, key=lambda point: point.mean("triage_quality") / best_other(point))
    return [
        Claim(
            "Ours: TRIAGE has a better quality than QASDG, and never less.",
            "(not in the paper)",
            f"{min(gains):.1%} to {max(gains):.0%} better; {best.mean('triage_quality') / best_other(best) - 1:.0%} "
            f"above the best of BRUSH, CHAIN and UNFA at factor {best.number('factor'):g}",
            min(gains) >= 0.0 and max(gains) > 0.1,
        ),
        never_more_bandwidth(points),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    scarce = points[: len(_SCARCE)]
    x = ("factor", "bandwidth factor")
    rounds = tuple(line(name, scarce, "factor", f"{name}_rounds") for name in ("qasds", "qasdg"))
    return [
        chart(scarce, "Figure 4", x, ("quality", "quality"), ALL),
        chart(scarce, "Figure 5", x, ("bandwidth", "total bandwidth (MB/s)"), ALL),
        chart(scarce, "Figure 6 (without BRUSH)", x, ("fairness", "variance of load / upload"), ALL[1:]),
        chart(points, "Figure 10", x, ("quality", "quality"), ALL),
        Chart("Table 3", x[1], "rounds of a join", rounds),
    ]


STUDY = Study(
    name="delivery/bandwidth",
    title="Delivery trees as bandwidths are scaled (paper 001, figures 4, 5, 6 and 10, table 3)",
    samples=100,
    points=_POINTS,
    measures=MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="delivery/bandwidth",
)
