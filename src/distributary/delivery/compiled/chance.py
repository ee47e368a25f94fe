"""The draws of `core.generator.Generator` in compiled code, its state in an array of one."""

from __future__ import annotations

from distributary.core import generator
from distributary.delivery.compiled.forest import Ints, compiled

__all__ = ["random"]

_step = compiled(generator.step)
_draw = compiled(generator.draw)


@compiled
def random(state: Ints) -> float:
    """Return a number in [0, 1) with 53 bits."""
    state[0] = _step(state[0])
    high = _draw(state[0]) >> 5
    state[0] = _step(state[0])
    return (high * 67108864.0 + (_draw(state[0]) >> 6)) / 9007199254740992.0
