"""The best partition of few queries, by dynamic programming over all subsets: 3^n steps, where the paper takes n^n."""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, block_cost, compiled, measure

__all__ = ["best_partition", "subset_costs"]


@compiled
def subset_costs(boxes: Boxes) -> Floats:
    """Return what each subset costs as a block; bit i of its number stands for query i."""
    count, dimensions = boxes.low.shape
    costs = np.zeros(1 << count)
    low, high = np.empty(dimensions), np.empty(dimensions)
    for subset in range(1, 1 << count):
        members, rate, wanted, size = 0, 0.0, 0.0, 0.0
        for query in range(count):
            if not subset >> query & 1:
                continue
            for axis in range(dimensions):
                low[axis] = boxes.low[query, axis] if members == 0 else min(low[axis], boxes.low[query, axis])
                high[axis] = boxes.high[query, axis] if members == 0 else max(high[axis], boxes.high[query, axis])
            members += 1
            rate = max(rate, boxes.rate[query])
            wanted += boxes.rate[query] * boxes.size[query]
            size = boxes.size[query]
        if members > 1:
            size = measure(boxes, low, high)
        costs[subset] = block_cost(boxes, size, members, rate, wanted)
    return costs


@compiled
def _best(costs: Floats) -> Ints:
    """Return for each subset the block of its lowest member in its best partition."""
    best = np.zeros(costs.shape[0])
    chosen = np.zeros(costs.shape[0], dtype=np.int64)
    for subset in range(1, costs.shape[0]):
        lowest = subset & -subset
        rest = subset ^ lowest
        part = rest
        best[subset] = np.inf
        while True:
            cost = costs[part | lowest] + best[rest ^ part]
            if cost < best[subset]:
                best[subset], chosen[subset] = cost, part | lowest
            if part == 0:
                break
            part = (part - 1) & rest
    return chosen


def best_partition(costs: Floats) -> list[int]:
    """Return the blocks of the best partition of all, as subsets."""
    chosen = _best(costs)
    blocks = []
    left = len(costs) - 1
    while left:
        block = int(chosen[left])
        blocks.append(block)
        left ^= block
    return blocks
