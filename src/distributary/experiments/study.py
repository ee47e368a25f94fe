"""What a study of a figure is: points to sample, one sample, the paper's claims, the charts; all values, no Spark.

How samples are spread over a machine or a cluster is `running`'s; what becomes of the rows is `folder`'s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev
from typing import TypeAlias

from distributary.core.generator import seed_state

__all__ = ["Chart", "Claim", "Line", "Point", "Sampled", "Study", "falls", "rises", "seed_of"]

#: The parameters of a point by their names: texts or numbers, the same names and types at every point of a study.
Point: TypeAlias = Mapping[str, str | float]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper in our words, its figure, ours, and whether it holds."""

    claim: str
    paper: str
    ours: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A named line of a chart; places without a value are left out."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes."""

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A point with what was measured at it: for each measure, a value per sample; NaN where there is none."""

    point: Point
    measures: Mapping[str, Sequence[float]]

    def number(self, parameter: str) -> float:
        """Return a parameter that is a number."""
        return float(self.point[parameter])

    def values(self, measure: str) -> list[float]:
        """Return the values that are there."""
        return [value for value in self.measures[measure] if not math.isnan(value)]

    def mean(self, measure: str) -> float:
        """Return the mean of the values that are there; NaN when none is."""
        values = self.values(measure)
        return fmean(values) if values else math.nan

    def error(self, measure: str) -> float:
        """Return the standard error of the mean; 0 for a single value."""
        values = self.values(measure)
        return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Study:
    """A study of one figure."""

    #: `paper's part/what`, as commands name it.
    name: str
    #: What it shows, with the figure's number.
    title: str
    #: How many samples are drawn at each point by default.
    samples: int
    points: tuple[Point, ...]
    #: What `sample` returns, in this order.
    measures: tuple[str, ...]
    #: Measure one sample at a point from a seed; depends on nothing else.
    sample: Callable[[Point, int], Mapping[str, float]]
    #: Hold the paper's claims against all points' samples, which come in the order of `points`.
    claims: Callable[[Sequence[Sampled]], list[Claim]]
    charts: Callable[[Sequence[Sampled]], list[Chart]]
    #: Studies with the same draws have the same samples at equal points.
    draws: str


def seed_of(study: Study, point: Point, number: int, seed: int) -> int:
    """Return the seed of a sample; it depends on no other sample and not on where it runs."""
    parts = (part for name in sorted(point) for part in (name, repr(point[name])))
    return seed_state(seed, study.draws, *parts, number)


def rises(points: Sequence[Sampled], measure: str) -> bool:
    """Tell whether means grow from point to point, as far as chance lets one see it.

    The last is above the first by more than two standard errors, and none falls by more than that below the one
    before it.
    """
    return _climbs([(point.mean(measure), point.error(measure)) for point in points])


def falls(points: Sequence[Sampled], measure: str) -> bool:
    """Tell whether means shrink from point to point, in the sense of `rises`."""
    return _climbs([(-point.mean(measure), point.error(measure)) for point in points])


def _climbs(means: Sequence[tuple[float, float]]) -> bool:
    def above(later: tuple[float, float], earlier: tuple[float, float], times: float) -> bool:
        return later[0] - earlier[0] > times * math.hypot(later[1], earlier[1])

    # Where nothing is known a comparison is false, so that NaN proves nothing.
    return above(means[-1], means[0], 2) and all(
        later == earlier or above(later, earlier, -2) for earlier, later in pairwise(means)
    )
