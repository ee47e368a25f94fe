"""How large a merged box becomes at least when it reaches out to a ring of the index, and what that saves at most."""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.blocks import Blocks
from distributary.merging.compiled.boxes import Boxes, Floats, compiled, measure
from distributary.merging.compiled.grid import Grid, step_of

__all__ = ["profit_beyond", "reach_size"]


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


@compiled
def profit_beyond(
    boxes: Boxes, grid: Grid, blocks: Blocks, block: int, level: int, ring: int, low: Floats, high: Floats
) -> float:
    """Return a bound on the profit with any partner of a class in a ring and beyond it."""
    size = blocks.size[block]
    least = max(size, reach_size(boxes, grid, blocks.low[block], blocks.high[block], level, ring, low, high))
    rate, count = blocks.rate[block], blocks.members[block]
    bound = rate * (boxes.K_M + boxes.K_T * size) + boxes.K_U * count * rate * (size - least)
    return bound + min(0.0, boxes.K_T * rate * (grid.largest[level] - least))
