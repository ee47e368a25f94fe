"""Figure 9: how many merged queries pair merging ends with, as each price in turn is scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, line, scaled
from distributary.experiments.queries import Workload
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study

__all__ = ["STUDY"]

_PRICES = ("K_M", "K_T", "K_U")
_FACTORS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0, 4.0)
_POINTS: tuple[Point, ...] = tuple({"price": price, "factor": factor} for price in _PRICES for factor in _FACTORS)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    generator = Generator(seed)
    costs = scaled(**{str(point["price"]): float(point["factor"])})
    merging = Merging(Workload(), generator, costs)
    return {"merged_queries": float(len(set(merging.blocks("pair").tolist())))}


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    at = {(point.point["price"], point.number("factor")): point.mean("merged_queries") for point in points}
    swings = {price: abs(at[price, 2.0] - at[price, 0.5]) for price in _PRICES}
    low, high = (abs(at["K_T", end] - at["K_T", start]) / (end - start) for start, end in ((0.1, 0.5), (2.0, 4.0)))
    return [
        Claim(
            "The number of merged queries reacts most to K_M.",
            "most sensitive to K_M",
            "from 0.5 to 2 times the base value it moves by "
            + ", ".join(f"{swing:.1f} ({price})" for price, swing in swings.items()),
            swings["K_M"] == max(swings.values()),
        ),
        Claim(
            "Where K_T is high, changing it has little influence.",
            "not a great influence",
            f"per base value of K_T: {high:.1f} from 2 to 4, {low:.1f} from 0.1 to 0.5",
            high < low / 2,
        ),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    return [
        Chart(
            f"{price} times a factor",
            "factor (1: figure 8)",
            "merged queries",
            (line(price, [point for point in points if point.point["price"] == price], "factor", "merged_queries"),),
        )
        for price in _PRICES
    ]


STUDY = Study(
    name="merging/sensitivity",
    title="Merged queries of pair merging as the prices change (paper 000, figure 9)",
    samples=10_000,
    points=_POINTS,
    measures=("merged_queries",),
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="merging/sensitivity",
)
