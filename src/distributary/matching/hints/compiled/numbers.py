"""The loops of `hints.numbers`: sets of numbers into bytes and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from distributary.core.kept_code import drop_outdated, package

__all__ = ["BITS", "STEPS", "Bytes", "Numbers", "compiled", "pack_into", "unpack_into"]

Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]

drop_outdated(package(__file__))

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: The first byte: how the set is written.
STEPS, BITS = 0, 1
#: A byte that leaves out as many and names no number.
_SKIP = 255


def compiled(function: _Function) -> _Function:
    """Compile a function; what was compiled once is kept on disk."""
    made: Any = njit(cache=True, nogil=True)(function)
    return cast("_Function", made)


@compiled
def pack_into(numbers: Numbers, limit: int, packed: Bytes) -> int:
    """Write a set that is not empty and return its length; there is room for a bit for each number, and two bytes."""
    bits = 1 + (limit + 7) // 8
    packed[0] = STEPS
    length, after = 1, 0
    for number in numbers:
        left_out = number - after
        while left_out >= _SKIP and length < bits:
            packed[length] = _SKIP
            left_out -= _SKIP
            length += 1
        if length >= bits:
            break
        packed[length] = left_out
        length += 1
        after = number + 1
    else:
        return length
    packed[:bits] = 0
    packed[0] = BITS
    for number in numbers:
        packed[1 + (number >> 3)] |= np.uint8(128 >> (number & 7))
    return bits


@compiled
def unpack_into(packed: Bytes, limit: int, numbers: Numbers) -> int:
    """Write the numbers of a set and return how many there are; -1 for what is no set of numbers below the limit.

    There is room for as many as the limit.
    """
    count = 0
    if packed.shape[0] == 0:
        return 0
    if packed[0] == STEPS:
        number = -1
        for place in range(1, packed.shape[0]):
            step = int(packed[place])
            if step == _SKIP:
                number += _SKIP
                continue
            number += step + 1
            if number >= limit:
                return -1
            numbers[count] = number
            count += 1
        return -1 if count == 0 or packed[packed.shape[0] - 1] == _SKIP else count
    if packed[0] != BITS or packed.shape[0] != 1 + (limit + 7) // 8:
        return -1
    for place in range(1, packed.shape[0]):
        bits = int(packed[place])
        for bit in range(8):
            if bits & (128 >> bit):
                number = 8 * (place - 1) + bit
                if number >= limit:
                    return -1
                numbers[count] = number
                count += 1
    return count if count else -1
