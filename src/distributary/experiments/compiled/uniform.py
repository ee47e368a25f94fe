"""Many uniform draws at once, those that `core.generator.Generator` would make one by one."""

from __future__ import annotations

import numpy as np

from distributary.delivery.compiled.chance import random
from distributary.delivery.compiled.forest import Floats, Ints, compiled

__all__ = ["uniforms"]


@compiled
def uniforms(state: Ints, low: float, high: float, count: int) -> Floats:
    """Return so many numbers in [low, high), and leave the state behind them."""
    made = np.empty(count)
    for place in range(count):
        made[place] = low + (high - low) * random(state)
    return made
