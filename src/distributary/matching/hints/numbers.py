"""Sets of numbers below a limit as few bytes: steps from one to the next, or a bit for each, whichever is shorter.

A step is one byte: how many numbers are left out before the next one of the set, where 255 leaves out 255 and names
none. So a set of few costs a byte for each, and one of many an eighth of a byte for each number below the limit.
"""

from __future__ import annotations

import numpy as np

from distributary.core.errors import InputError
from distributary.matching.hints.compiled.numbers import Numbers, pack_into, unpack_into

__all__ = ["Numbers", "no_set", "pack", "unpack"]


def pack(numbers: Numbers, limit: int) -> bytes:
    """Return the bytes of a set: ascending numbers below `limit`; the empty set is no bytes.

    >>> pack(np.array([0, 1, 300]), 1000).hex()
    '000000ff2b'
    """
    if not len(numbers):
        return b""
    packed = np.empty(2 + (limit + 7) // 8, np.uint8)
    return packed[: pack_into(numbers, limit, packed)].tobytes()


def unpack(packed: bytes, limit: int) -> Numbers:
    """Return the numbers, ascending and below `limit`; `InputError` for what is no such set.

    >>> unpack(bytes.fromhex("000000ff2b"), 1000).tolist()
    [0, 1, 300]
    """
    numbers = np.empty(min(limit, 8 * len(packed)), np.int64)
    count = unpack_into(np.frombuffer(packed, np.uint8), limit, numbers)
    if count < 0:
        raise no_set()
    return numbers[:count]


def no_set() -> InputError:
    """Return the error of bytes that are no set of numbers."""
    return InputError("is no set of numbers", field="hints")
