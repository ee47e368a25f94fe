"""Drawing the queries of a workload, each from a state of its own."""

from __future__ import annotations

import math

import numpy as np

from distributary.merging.compiled.boxes import Floats, Ints, compiled
from distributary.merging.compiled.chance import normal, uniform

__all__ = ["draw_queries"]


@compiled
def draw_queries(
    states: Ints,
    centres: Floats,
    clustered: int,
    spread: float,
    side: float,
    shortest: float,
    longest: float,
    draws_max: int,
) -> tuple[Floats, Floats, bool]:
    """Return the lower and upper corners of a query for each state, and whether all lie inside.

    A query is drawn until it lies inside: its size too, else large ones would be pushed away from the edges alone. The
    first `clustered` ones are dealt round robin to the centres.
    """
    low, high = np.empty((len(states), 2)), np.empty((len(states), 2))
    for query in range(len(states)):
        state = states[query : query + 1].copy()
        inside = False
        for _ in range(draws_max):
            if query < clustered:
                distance, direction = normal(state, 0.0, spread), uniform(state, 0.0, 2 * math.pi)
                x = centres[query % len(centres), 0] + distance * math.cos(direction)
                y = centres[query % len(centres), 1] + distance * math.sin(direction)
            else:
                x, y = uniform(state, 0.0, side), uniform(state, 0.0, side)
            right, top = x + uniform(state, shortest, longest), y + uniform(state, shortest, longest)
            inside = x >= 0 and y >= 0 and right <= side and top <= side
            if inside:
                low[query, 0], low[query, 1], high[query, 0], high[query, 1] = x, y, right, top
                break
        if not inside:
            return low, high, False
    return low, high, True
