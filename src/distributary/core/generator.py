"""The seeded generator: integer state, the same draws in Python and, compiled, in numba.

A multiply-with-carry step of base 2**32 with a multiplier below 2**31, so that nothing leaves a signed 64-bit
integer; the output is mixed once more. PCG and SplitMix were rejected: their products need unsigned 64-bit
arithmetic, which numba turns into floats when it meets signed integers. Not for secrets.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

__all__ = ["START", "Generator", "absorb", "draw", "seed_state", "settle", "step"]

_T = TypeVar("_T")

#: The state before any part of a seed.
START = 0x1234567


def step(state: int) -> int:
    """Return the state after `state`; compiles in numba as it stands.

    For this multiplier a, a * 2**32 - 1 and a * 2**31 - 1 are both prime, so the period is near 2**62.
    """
    return 1791398085 * (state & 0xFFFFFFFF) + (state >> 32)


def draw(state: int) -> int:
    """Return the 32 bits that a state stands for; compiles in numba as it stands."""
    bits = (state ^ (state >> 32)) & 0xFFFFFFFF
    bits = ((bits ^ (bits >> 16)) * 73244475) & 0xFFFFFFFF
    bits = ((bits ^ (bits >> 15)) * 73244475) & 0xFFFFFFFF
    return bits ^ (bits >> 16)


def absorb(state: int, *parts: int | str) -> int:
    """Return what becomes of a state by parts of a seed, as their texts."""
    for part in parts:
        for byte in f"{part!r};".encode():
            state = step((state ^ byte) + 1)
    return state


def settle(state: int) -> int:
    """Return the state to draw from when all parts are absorbed; compiles in numba as it stands."""
    for _ in range(8):
        # `step`, which compiled code could not call from here.
        state = 1791398085 * (state & 0xFFFFFFFF) + (state >> 32)
    return state % (1791398085 * 4294967296 - 2) + 1


def seed_state(*parts: int | str) -> int:
    """Return a state from a seed and labels; other parts, another state, whatever the hash seed of the process."""
    return settle(absorb(START, *parts))


class Generator:
    """A stream of draws from a seed; `fork` gives independent ones by name, so that one draw more moves no other.

    >>> Generator(7).integers(3, 10) == Generator(7).integers(3, 10)
    True
    """

    def __init__(self, *seed: int | str) -> None:
        #: The parts that it was made of.
        self.seed = seed
        #: The whole state, one positive integer below 2**63.
        self.state = seed_state(*seed)

    def fork(self, *labels: int | str) -> Generator:
        """Return a generator of its own for `labels`, not dependent on what was drawn here."""
        return Generator(*self.seed, *labels)

    def bits(self) -> int:
        """Return 32 random bits."""
        self.state = step(self.state)
        return draw(self.state)

    def random(self) -> float:
        """Return a number in [0, 1) with 53 bits."""
        high = self.bits() >> 5
        low = self.bits() >> 6
        return (high * 67108864.0 + low) / 9007199254740992.0

    def uniform(self, low: float, high: float) -> float:
        """Return a number in [low, high)."""
        return low + (high - low) * self.random()

    def below(self, limit: int) -> int:
        """Return an integer in 0 .. limit - 1; `limit` is at least 1."""
        if limit < 1:
            raise ValueError(f"no integer below {limit}")
        return int(self.random() * limit) if limit > 1 else 0

    def integers(self, count: int, limit: int) -> list[int]:
        """Return `count` integers below `limit`."""
        return [self.below(limit) for _ in range(count)]

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> float:
        """Return a normal draw (Box and Muller; the second of a pair is dropped: the state stays one integer)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.random()))
        return mean + deviation * radius * math.cos(2.0 * math.pi * self.random())

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of `items`, which is not empty."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[_T]) -> None:
        """Put `items` in a random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[_T], count: int) -> list[_T]:
        """Return `count` different ones of `items` in random order; `count` is at most their number."""
        if count > len(items):
            raise ValueError(f"{count} of {len(items)} items")
        pool = list(items)
        for first in range(count):
            other = first + self.below(len(pool) - first)
            pool[first], pool[other] = pool[other], pool[first]
        return pool[:count]
