"""How large a merged box must become at least when it reaches out to a ring of the index."""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, compiled, measure
from distributary.merging.compiled.grid import Grid, step_of

__all__ = ["reach_size"]


@compiled
def reach_size(
    boxes: Boxes,
    grid: Grid,
    low: Floats,
    high: Floats,
    level: int,
    ring: int,
    reach_low: Floats,
    reach_high: Floats,
) -> float:
    """Return the least size of a box around this one and anything in a ring or beyond it; the last two are room."""
    if ring < 2:
        return 0.0
    least = np.inf
    for axis in range(grid.axes.shape[0]):
        step = step_of(grid, level, axis, ring)
        for side in range(2):
            reach_low[:] = low
            reach_high[:] = high
            if side == 0:
                reach_low[grid.axes[axis]] -= step
            else:
                reach_high[grid.axes[axis]] += step
            least = min(least, measure(boxes, reach_low, reach_high))
    return least
