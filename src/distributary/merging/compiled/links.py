"""Clusters of boxes: those that a metric does not separate are linked, and linked ones are in one cluster."""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Ints, compiled, measure
from distributary.merging.compiled.grid import CLASSES, Grid, insert, make_grid, ring_of
from distributary.merging.compiled.reach import reach_size

__all__ = ["cluster_boxes", "link_many"]


#: Up to so many queries are compared pair by pair.
_FEW = 300


@compiled
def _root(parent: Ints, query: int) -> int:
    while parent[query] != query:
        parent[query] = parent[parent[query]]
        query = parent[query]
    return query


@compiled
def _linked(boxes: Boxes, exact: bool, first: int, second: int, merged: float) -> bool:
    """Tell whether the metric leaves two queries together; see `merging.metrics` for its meaning."""
    rate = max(boxes.rate[first], boxes.rate[second])
    one, other = boxes.rate[first] * boxes.size[first], boxes.rate[second] * boxes.size[second]
    if not exact:
        best = boxes.K_M * min(boxes.rate[first], boxes.rate[second]) + boxes.K_T * min(one, other)
        return best - boxes.K_U * (2 * rate * merged - one - other) >= 0.0
    for query in (first, second):
        wanted = boxes.rate[query] * boxes.size[query]
        if boxes.K_U * (rate * merged - wanted) > boxes.rate[query] * boxes.K_M + boxes.K_T * wanted:
            return False
    return True


@compiled
def _cluster(boxes: Boxes, grid: Grid, exact: bool) -> Ints:
    count, dimensions = boxes.low.shape
    low, high = np.empty(dimensions), np.empty(dimensions)
    near = np.empty(count, dtype=np.int64)
    parent = np.arange(count)
    for query in range(count):
        # Neither metric links to a merged box that is larger.
        limit = np.inf
        if boxes.K_U > 0.0:
            limit = boxes.size[query] + (boxes.K_M + boxes.K_T * boxes.size[query]) / boxes.K_U
            limit *= 1.0 + 1e-9
        for level in range(CLASSES):
            ring = 0
            while grid.population[level] > 0:
                if reach_size(boxes, grid, boxes.low[query], boxes.high[query], level, ring, low, high) > limit:
                    break
                found = ring_of(grid, level, ring, boxes.low[query], boxes.high[query], near)
                if found < 0:
                    break
                for other in near[:found]:
                    mine, theirs = _root(parent, query), _root(parent, other)
                    if mine == theirs:
                        continue
                    for axis in range(dimensions):
                        low[axis] = min(boxes.low[query, axis], boxes.low[other, axis])
                        high[axis] = max(boxes.high[query, axis], boxes.high[other, axis])
                    if _linked(boxes, exact, query, other, measure(boxes, low, high)):
                        parent[max(mine, theirs)] = min(mine, theirs)
                ring += 1
        insert(grid, boxes.low[query], boxes.high[query], boxes.size[query], query)
    for query in range(count):
        parent[query] = _root(parent, query)
    return parent


@compiled
def _cluster_few(boxes: Boxes, exact: bool) -> Ints:
    """Return the same clusters from all pairs of queries, without the index."""
    count, dimensions = boxes.low.shape
    low, high = np.empty(dimensions), np.empty(dimensions)
    parent = np.arange(count)
    for query in range(count):
        for other in range(query):
            mine, theirs = _root(parent, query), _root(parent, other)
            if mine == theirs:
                continue
            for axis in range(dimensions):
                low[axis] = min(boxes.low[query, axis], boxes.low[other, axis])
                high[axis] = max(boxes.high[query, axis], boxes.high[other, axis])
            if _linked(boxes, exact, query, other, measure(boxes, low, high)):
                parent[max(mine, theirs)] = min(mine, theirs)
    for query in range(count):
        parent[query] = _root(parent, query)
    return parent


def cluster_boxes(boxes: Boxes, *, exact: bool) -> Ints:
    """Return for each query the number of its cluster."""
    if len(boxes.size) > _FEW:
        return link_many(boxes, exact=exact)
    clusters: Ints = _cluster_few(boxes, exact)
    return clusters


def link_many(boxes: Boxes, *, exact: bool) -> Ints:
    """Return the same for many queries."""
    clusters: Ints = _cluster(boxes, make_grid(boxes.low, boxes.high, len(boxes.size)), exact)
    return clusters
