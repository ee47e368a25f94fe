"""Figure 10: how often directed search finds a cheaper plan than pair merging, as it has more starts.

The paper does not say how many queries it drew; both of its databases are studied, the small one with 12 queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import STARTS, Merging, better, line
from distributary.experiments.queries import Workload
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study, rises

__all__ = ["STUDY"]

_QUERIES = (12, 100)
_STARTS = (1, 2, 5, 10, 20, STARTS, 100)
_POINTS: tuple[Point, ...] = tuple(
    {"queries": float(queries), "starts": float(starts)} for queries in _QUERIES for starts in _STARTS
)
#: "In about 20% of the cases": what we take for about.
_ABOUT = (0.10, 0.30)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    generator = Generator(seed)
    merging = Merging(Workload(int(point["queries"])), generator)
    pair, directed = merging.cost("pair"), merging.cost("directed", starts=int(point["starts"]))
    return {
        "better": float(better(directed, pair)),
        "worse": float(better(pair, directed)),
        "gain": (pair - directed) / pair,
    }


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    claims = []
    for queries in _QUERIES:
        ours = [point for point in points if point.number("queries") == queries]
        fifty = next(point for point in ours if point.number("starts") == STARTS)
        share, error = fifty.mean("better"), fifty.error("better")
        claims += [
            Claim(
                f"With {STARTS} starts directed search beats pair merging in about a fifth of the runs "
                f"({queries} queries).",
                "about 20 %",
                f"{share:.1%} ± {error:.1%}",
                _ABOUT[0] <= share <= _ABOUT[1],
            ),
            Claim(
                f"The more starts, the more often directed search is better ({queries} queries).",
                "grows with the number of starts",
                f"{ours[0].mean('better'):.1%} with {_STARTS[0]}, {ours[-1].mean('better'):.1%} with {_STARTS[-1]}",
                rises(ours, "better"),
            ),
        ]
    worse = sum(sum(point.values("worse")) for point in points)
    runs = sum(len(point.values("worse")) for point in points)
    claims.append(
        Claim("Pair merging never finds a better plan.", "never", f"{worse:.0f} of {runs} runs", runs > 0 and not worse)
    )
    return claims


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    lines = [
        line(f"{queries} queries", [each for each in points if each.number("queries") == queries], "starts", "better")
        for queries in _QUERIES
    ]
    return [Chart("Directed search cheaper than pair merging", "starts |J|", "share of the runs", tuple(lines))]


STUDY = Study(
    name="merging/directed",
    title="Directed search against pair merging (paper 000, figure 10)",
    samples=10_000,
    points=_POINTS,
    measures=("better", "worse", "gain"),
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="merging/directed",
)
