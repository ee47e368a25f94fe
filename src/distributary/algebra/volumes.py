"""The exact measure of unions of boxes, in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isinf

import numpy as np
import numpy.typing as npt

from distributary.algebra.box import Box

__all__ = ["union_volume"]

_Corners = npt.NDArray[np.float64]


def union_volume(boxes: Sequence[Box]) -> float:
    """Return the volume of the union of boxes: what several of them share is counted once.

    The space has the attributes of all boxes; in one that a box leaves free, it is infinitely long. The boxes are cut
    into slabs at their edges, one dimension after the other: at most O(n^(d-1) · n log n) for n boxes in d
    dimensions, and far less where they lie apart.

    >>> union_volume([Box.of({"x": (0, 2), "y": (0, 2)}), Box.of({"x": (1, 3), "y": (1, 3)})])
    7.0
    """
    attributes = sorted({name for box in boxes for name in box.attributes})
    if not attributes:
        return inf if boxes else 0.0
    spans = [[box.bounds().get(name, (-inf, inf)) for name in attributes] for box in boxes]
    solid = [span for span in spans if all(low < high for low, high in span)]
    if not solid:
        return 0.0
    if any(isinf(end) for span in solid for ends in span for end in ends):
        return inf
    corners = np.unique(np.array(solid, dtype=np.float64), axis=0)
    return _measure(corners)


def _measure(corners: _Corners) -> float:
    """Return the measure of boxes given as an array (box, dimension, end)."""
    if len(corners) == 1:
        return float(np.prod(corners[0, :, 1] - corners[0, :, 0]))
    if corners.shape[1] == 1:
        return _length(corners[:, 0, :])
    edges = np.unique(corners[:, 0, :])
    total = 0.0
    for left, right in pairwise(edges):
        inside = corners[(corners[:, 0, 0] <= left) & (corners[:, 0, 1] >= right)]
        if len(inside):
            total += float(right - left) * _measure(inside[:, 1:, :])
    return total


def _length(ends: _Corners) -> float:
    """Return the length of a union of intervals."""
    ordered = ends[np.argsort(ends[:, 0], kind="stable")]
    reached = np.maximum.accumulate(ordered[:, 1])
    starts = np.maximum(ordered[1:, 0], reached[:-1])
    return float(ordered[0, 1] - ordered[0, 0] + np.maximum(ordered[1:, 1] - starts, 0.0).sum())
