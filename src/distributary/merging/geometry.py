"""From a stream's priced queries to arrays for the compiled algorithms, where queries are ranges and merge to boxes.

Everything else (unions, patterns, strings, queries on different columns) stays with the plain algorithms, which ask
`Pricing` for the cost of each block.
"""

from __future__ import annotations

from datetime import datetime
from math import inf, isnan, nextafter
from typing import Any

import numpy as np

from distributary.algebra.hull import Range
from distributary.algebra.intervals import Cut, Sort
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import UniformDensity
from distributary.algebra.stratified import StratifiedSample
from distributary.algebra.timestamps import microseconds_of
from distributary.merging.compiled.boxes import Boxes, Floats, Ints
from distributary.merging.cost import Block, Pricing

__all__ = ["blocks_of", "boxes_of", "greatest_double", "least_double", "neighbourhood_of", "ranks_of", "shape_of"]


def boxes_of(pricing: Pricing, stream: Block) -> Boxes | None:
    """Return the queries of a stream as arrays; `None` where their merged queries are not bounding boxes of ranges."""
    if pricing.problem.procedure != "rectangle":
        return None
    hulls = [pricing.queries[place].hull for place in stream]
    known = [hull.extents for hull in hulls if hull is not None]
    if len(known) < len(hulls):
        return None
    columns = [(column, extent.sort if isinstance(extent, Range) else None) for column, extent in known[0]]
    if any(sort is None for _, sort in columns):
        return None
    low, high = np.empty((len(stream), len(columns))), np.empty((len(stream), len(columns)))
    for row, extents in enumerate(known):
        if len(extents) != len(columns):
            return None
        for axis, ((column, extent), wanted) in enumerate(zip(extents, columns, strict=True)):
            if not isinstance(extent, Range) or (column, extent.sort) != wanted:
                return None
            low[row, axis], high[row, axis] = least_double(extent.low), greatest_double(extent.high)
    measured = _measured(pricing, columns, low, high)
    if measured is None:
        return None
    points, weights, density = measured
    costs = pricing.problem.costs
    return Boxes(
        low=low,
        high=high,
        size=np.array([pricing.queries[place].size for place in stream]),
        rate=np.array([pricing.queries[place].rate for place in stream]),
        points=points,
        weights=weights,
        density=density,
        K_M=float(costs.K_M),
        K_T=float(costs.K_T),
        K_U=float(costs.K_U),
    )


def shape_of(pricing: Pricing, place: int) -> str:
    """Return what a query restricts, as a text: only queries of one shape are boxes on the same columns."""
    hull = pricing.queries[place].hull
    if hull is None:
        return ""
    kinds = ((column, str(extent.sort) if isinstance(extent, Range) else "strings") for column, extent in hull.extents)
    return " ".join(f"{column!r}:{kind}" for column, kind in kinds)


def neighbourhood_of(pricing: Pricing, place: int) -> tuple[float, str, str]:
    """Return what sorts queries of one shape so that neighbours are likely to merge."""
    query = pricing.queries[place]
    first = query.hull.extents[0][1] if query.hull is not None else None
    low = least_double(first.low) if isinstance(first, Range) else 0.0
    return low, query.filter.text().text, pricing.problem.members[place].id


def least_double(cut: Cut | None) -> float:
    """Return the least double at or above a cut."""
    if cut is None:
        return -inf
    place = float(cut[0])
    return nextafter(place, inf) if cut[1] or place < _number(cut) else place


def greatest_double(cut: Cut | None) -> float:
    """Return the greatest double at or below a cut."""
    if cut is None:
        return inf
    place = float(cut[0])
    return nextafter(place, -inf) if not cut[1] or place > _number(cut) else place


def _number(cut: Cut) -> float:
    assert not isinstance(cut[0], str)
    return cut[0]


def _measured(
    pricing: Pricing, columns: list[tuple[str, Sort | None]], low: Floats, high: Floats
) -> tuple[Floats, Floats, float] | None:
    """Return the points that measure boxes with their sizes, or no points and the density."""
    statistics = pricing.problem.statistics
    if isinstance(statistics, UniformDensity):
        bounded = statistics.space is None and bool(np.isfinite(low).all() and np.isfinite(high).all())
        return (np.empty((0, len(columns))), np.empty(0), statistics.density) if bounded else None
    if isinstance(statistics, StratifiedSample):
        sample, weights = statistics.sample, statistics.weights()
    elif isinstance(statistics, Sample):
        sample, weights = statistics, np.full(len(statistics.records), statistics.weight())
    else:
        return None
    rows = [[_coordinate(record.get(column), sort) for column, sort in columns] for record in sample.records]
    points = np.array(rows).reshape(-1, len(columns))
    # A row that lacks one of the columns is in no box; a first one that is in none keeps the others from being none.
    here = ~np.isnan(points).any(axis=1)
    points = np.vstack([np.full((1, len(columns)), -inf), points[here]])
    points[0, -1] = np.nan
    order = np.argsort(points[:, 0], kind="stable")
    return points[order], np.concatenate([[0.0], weights[here]])[order], 0.0


def _coordinate(value: Any, sort: Sort | None) -> float:
    """Return where a value stands on its column's line, NaN for what is not on it; NaN itself is above all numbers."""
    if sort is Sort.INSTANT:
        return float(microseconds_of(value)) if isinstance(value, datetime) else float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return float("nan")
    return inf if isnan(value) else float(value)


def ranks_of(pricing: Pricing, stream: Block) -> Ints:
    """Return for each query of a stream its place when they are sorted by id."""
    ids = [pricing.problem.members[place].id for place in stream]
    ranks = np.empty(len(stream), dtype=np.int64)
    for rank, place in enumerate(sorted(range(len(ids)), key=ids.__getitem__)):
        ranks[place] = rank
    return ranks


def blocks_of(stream: Block, numbers: Ints) -> list[Block]:
    """Return the blocks of a stream from the number of each query's block."""
    found: dict[int, list[int]] = {}
    for place, number in zip(stream, numbers.tolist(), strict=True):
        found.setdefault(number, []).append(place)
    return [tuple(sorted(block)) for block in found.values()]
