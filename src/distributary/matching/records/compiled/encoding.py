"""From a column's values to codes: how many cuts of the column's scale lie at or below each value.

A guide table tells where to look: values are dealt to equal buckets by an arithmetic that never decreases, so that a
value's place is among the cuts of its own bucket, whatever rounding did to it; the cuts themselves decide.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.matching.documents.compiled.memory import compiled

__all__ = ["Bytes", "Codes", "Flags", "Floats", "Guide", "Ints", "encode_numbers", "encode_strings", "guide_of"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]

#: Buckets are at most so many, and at most one a cut.
_BUCKETS_MAX = 1 << 22


class Guide(NamedTuple):
    """Cuts, ascending, and for each bucket how many cuts lie in the buckets before it."""

    cuts: Any
    before: Codes
    origin: float
    scale: float


def guide_of(cuts: Floats | Ints) -> Guide:
    """Return the guide to some cuts."""
    buckets = min(max(len(cuts), 1), _BUCKETS_MAX)
    origin = scale = 0.0
    if len(cuts) > 1:
        with np.errstate(over="ignore"):
            finite = cuts[np.isfinite(cuts)].astype(np.float64)
            if len(finite) > 1 and 0 < finite[-1] - finite[0] < np.inf:
                origin, scale = float(finite[0]), buckets / float(finite[-1] - finite[0])
    before = np.zeros(buckets + 1, dtype=np.int32)
    _count(cuts, origin, scale, before)
    return Guide(cuts, before, origin, scale)


@compiled
def _bucket(value: float, origin: float, scale: float, last: int) -> int:
    place = (value - origin) * scale
    if not place > 0.0:
        return 0
    return last if place >= last else int(place)


@compiled
def _count(cuts: Any, origin: float, scale: float, before: Codes) -> None:
    last = before.shape[0] - 2
    for cut in cuts:
        before[_bucket(float(cut), origin, scale, last) + 1] += 1
    for bucket in range(last + 1):
        before[bucket + 1] += before[bucket]


@compiled
def encode_numbers(values: Any, valid: Flags, guide: Guide, base: int, highest: int, out: Codes) -> None:
    """Write the codes of numbers: `base` + the cuts at or below, `highest` for NaN, 0 where `valid` is false.

    Without elements, `valid` stands for no nulls.
    """
    cuts, before = guide.cuts, guide.before
    last = before.shape[0] - 2
    for row in range(out.shape[0]):
        value = values[row]
        if valid.shape[0] > 0 and not valid[row]:
            out[row] = 0
        elif value != value:
            out[row] = highest
        else:
            bucket = _bucket(float(value), guide.origin, guide.scale, last)
            low, high = before[bucket], before[bucket + 1]
            while low < high:
                middle = (low + high) >> 1
                if cuts[middle] <= value:
                    low = middle + 1
                else:
                    high = middle
            out[row] = base + low


@compiled
def encode_strings(
    text: Bytes, offsets: Ints, valid: Flags, cut_text: Bytes, cut_offsets: Ints, base: int, out: Codes
) -> None:
    """Write the codes of UTF-8 strings, whose bytes are ordered as their code points are."""
    cuts = cut_offsets.shape[0] - 1
    for row in range(out.shape[0]):
        if valid.shape[0] > 0 and not valid[row]:
            out[row] = 0
            continue
        start, length = offsets[row], offsets[row + 1] - offsets[row]
        low, high = 0, cuts
        while low < high:
            middle = (low + high) >> 1
            cut, size = cut_offsets[middle], cut_offsets[middle + 1] - cut_offsets[middle]
            place, common = 0, min(size, length)
            while place < common and cut_text[cut + place] == text[start + place]:
                place += 1
            below = size <= length if place == common else cut_text[cut + place] < text[start + place]
            if below:
                low = middle + 1
            else:
                high = middle
        out[row] = base + low
