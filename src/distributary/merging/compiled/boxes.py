"""Queries as arrays, and what blocks of them cost when they merge into their bounding boxes.

A block is described by its bounding box, the size of its merged query, and three sums. Rates are how often a query is
answered: a merged query is sent at the highest rate of its members. With all rates 1 this is the paper's model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from distributary.core.kept_code import drop_outdated, package

__all__ = ["Boxes", "Floats", "Ints", "block_cost", "compiled", "cost_of_size", "inlined", "measure", "plan_cost"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

drop_outdated(package(__file__))

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function; what was compiled once is kept on disk."""
    made: Any = njit(cache=True, nogil=True)(function)
    return cast("_Function", made)


def inlined(function: _Function) -> _Function:
    """Compile a function into its caller: a call would count every array of a tuple, there and back."""
    made: Any = njit(inline="always")(function)
    return cast("_Function", made)


class Boxes(NamedTuple):
    """The queries of one stream, and what measures boxes.

    With `points`, a box has the size of the points in it; without, its volume times `density`.
    """

    low: Floats
    high: Floats
    #: The size of each query itself, which may be smaller than that of its box.
    size: Floats
    rate: Floats
    #: Ascending in the first column.
    points: Floats
    #: The size of each point.
    weights: Floats
    density: float
    K_M: float
    K_T: float
    K_U: float


@compiled
def measure(boxes: Boxes, low: Floats, high: Floats) -> float:
    """Return the size of a box."""
    dimensions = low.shape[0]
    if boxes.points.shape[0] == 0:
        volume = boxes.density
        for axis in range(dimensions):
            volume *= high[axis] - low[axis]
        return volume
    first = np.searchsorted(boxes.points[:, 0], low[0])
    total = 0.0
    for place in range(first, boxes.points.shape[0]):
        if boxes.points[place, 0] > high[0]:
            break
        inside = True
        for axis in range(1, dimensions):
            value = boxes.points[place, axis]
            if not (low[axis] <= value <= high[axis]):
                inside = False
                break
        if inside:
            total += boxes.weights[place]
    return total


@compiled
def cost_of_size(K_M: float, K_T: float, K_U: float, size: float, count: float, rate: float, wanted: float) -> float:
    """Return what a block costs: its merged query's size, its members, the highest rate, the members' rate x size."""
    return rate * (K_M + K_T * size) + K_U * max(0.0, count * rate * size - wanted)


@compiled
def block_cost(boxes: Boxes, size: float, count: float, rate: float, wanted: float) -> float:
    """Return the same at the prices of `boxes`."""
    return cost_of_size(boxes.K_M, boxes.K_T, boxes.K_U, size, count, rate, wanted)


@compiled
def plan_cost(boxes: Boxes, blocks: Ints) -> float:
    """Return what a plan costs that is given as a number, from 0, for the block of each query; there is one or more."""
    count, dimensions = boxes.low.shape
    room = blocks.max() + 1
    low, high = np.full((room, dimensions), np.inf), np.full((room, dimensions), -np.inf)
    members, rate, wanted, size = np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room)
    for query in range(count):
        block = blocks[query]
        for axis in range(dimensions):
            low[block, axis] = min(low[block, axis], boxes.low[query, axis])
            high[block, axis] = max(high[block, axis], boxes.high[query, axis])
        members[block] += 1
        rate[block] = max(rate[block], boxes.rate[query])
        wanted[block] += boxes.rate[query] * boxes.size[query]
        size[block] = boxes.size[query]
    cost = 0.0
    for block in range(room):
        if members[block] > 1:
            size[block] = measure(boxes, low[block], high[block])
        if members[block] > 0:
            cost += block_cost(boxes, size[block], members[block], rate[block], wanted[block])
    return cost
