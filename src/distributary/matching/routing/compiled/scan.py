"""The one loop of the containment index: which rows may cover an outline, or be covered by it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from distributary.matching.documents.compiled.memory import compiled

__all__ = ["scan_narrower", "scan_wider"]

Words: TypeAlias = NDArray[np.uint64]
Bounds: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int32]


@compiled
def scan_wider(words: Words, bounds: Bounds, count: int, word: Words, bound: Bounds, found: Rows) -> int:
    """Write the rows that may cover the outline to `found`; return how many they are."""
    size = 0
    first, second = ~word[0], ~word[1]
    for row in range(count):
        if (words[row, 0] & first) | (words[row, 1] & second):
            continue
        above = False
        for place in range(bound.shape[0]):
            above |= bounds[row, place] > bound[place]
        if not above:
            found[size] = row
            size += 1
    return size


@compiled
def scan_narrower(words: Words, bounds: Bounds, count: int, word: Words, bound: Bounds, found: Rows) -> int:
    """Write the rows that the outline may cover to `found`; return how many they are."""
    size = 0
    first, second = word[0], word[1]
    for row in range(count):
        if (first & ~words[row, 0]) | (second & ~words[row, 1]):
            continue
        below = False
        for place in range(bound.shape[0]):
            below |= bounds[row, place] < bound[place]
        if not below:
            found[size] = row
            size += 1
    return size
