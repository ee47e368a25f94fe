"""The seeded generator in compiled code: the draws of `core.generator.Generator`, its state in an array of one."""

from __future__ import annotations

import math

import numpy as np

from distributary.core import generator
from distributary.core.generator import Generator
from distributary.merging.compiled.boxes import Ints, compiled

__all__ = ["below", "fork_states", "normal", "random", "uniform"]

step = compiled(generator.step)
_draw = compiled(generator.draw)
_settle = compiled(generator.settle)


@compiled
def random(state: Ints) -> float:
    """Return a number in [0, 1) with 53 bits."""
    state[0] = step(state[0])
    high = _draw(state[0]) >> 5
    state[0] = step(state[0])
    return (high * 67108864.0 + (_draw(state[0]) >> 6)) / 9007199254740992.0


@compiled
def below(state: Ints, limit: int) -> int:
    """Return an integer in 0 .. limit - 1."""
    return int(random(state) * limit) if limit > 1 else 0


@compiled
def uniform(state: Ints, low: float, high: float) -> float:
    """Return a number in [low, high)."""
    return low + (high - low) * random(state)


@compiled
def normal(state: Ints, mean: float, deviation: float) -> float:
    """Return a normal draw."""
    radius = math.sqrt(-2.0 * math.log(1.0 - random(state)))
    return mean + deviation * radius * math.cos(2.0 * math.pi * random(state))


def fork_states(parent: Generator, label: str, numbers: range) -> Ints:
    """Return the states of `parent.fork(label, number)` for all numbers; what they have in common is computed once."""
    absorbed = generator.absorb(generator.START, *parent.seed, label)
    made: Ints = _forked(absorbed, numbers.start, len(numbers))
    return made


@compiled
def _forked(parent: int, start: int, count: int) -> Ints:
    """Return what `seed_state` makes of so many numbers after the parts that it has made `parent` of."""
    states = np.empty(count, dtype=np.int64)
    for place in range(count):
        number, power = start + place, 1
        while number // power >= 10:
            power *= 10
        state = parent
        while power > 0:
            state = step((state ^ (48 + number // power % 10)) + 1)
            power //= 10
        states[place] = _settle(step((state ^ 59) + 1))
    return states
