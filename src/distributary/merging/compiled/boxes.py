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

__all__ = ["Boxes", "Floats", "Ints", "block_cost", "compiled", "measure"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function; what was compiled once is kept on disk."""
    made: Any = njit(cache=True, nogil=True)(function)
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
def block_cost(boxes: Boxes, size: float, count: float, rate: float, wanted: float) -> float:
    """Return what a block costs: its merged query's size, its members, the highest rate, the members' rate x size."""
    return rate * (boxes.K_M + boxes.K_T * size) + boxes.K_U * max(0.0, count * rate * size - wanted)
