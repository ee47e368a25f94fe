"""The three settings of figures 14 and 15: the base values, a larger K_U, a larger database.

At the base values the heuristic metric keeps nearly all queries in one cluster, so that nothing of
what the paper says of clustering could show there; the two others spread the queries over many.
"""

from __future__ import annotations

from collections.abc import Sequence

from distributary.core.results import Costs
from distributary.experiments.merging.planning import scaled
from distributary.experiments.queries import Workload
from distributary.experiments.study import Point, Sampled

__all__ = ["BASE", "POINTS", "SETTINGS", "costs_of", "of_setting", "workload_of"]

BASE = "base values"
_LARGER_PRICE, _LARGER_REGION = "K_U x 10", "database 1600 x 1600"
SETTINGS = (BASE, _LARGER_PRICE, _LARGER_REGION)
_QUERIES = (20, 40, 60, 80, 100)
POINTS: tuple[Point, ...] = tuple(
    {"setting": setting, "queries": float(queries)} for setting in SETTINGS for queries in _QUERIES
)


def workload_of(point: Point) -> Workload:
    """Return what queries are drawn at a point."""
    return Workload(int(point["queries"]), region=1600.0 if point["setting"] == _LARGER_REGION else 400.0)


def costs_of(point: Point) -> Costs:
    """Return the prices at a point."""
    return scaled(K_U=10.0) if point["setting"] == _LARGER_PRICE else scaled()


def of_setting(points: Sequence[Sampled], setting: str) -> list[Sampled]:
    """Return the points of one setting."""
    return [point for point in points if point.point["setting"] == setting]
