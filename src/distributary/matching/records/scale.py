"""The scale of a column: where its values stand among all the cuts that filters make in it, as one small integer.

A filter's set of values then is a few ranges of codes, whatever sorts of values it speaks of, and testing a value is
comparing integers. Codes ascend: null, other values, integers too low for 64 bits, the numbers' positions (NaN in the
last), integers too high, false, true, the strings' positions, the instants' positions. A position is the number of
cuts at or below a value. A scale never changes; it knows nothing of filters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import ceil, floor, inf, isinf, nan, nextafter

import numpy as np

from distributary.algebra.intervals import Cut
from distributary.algebra.timestamps import microseconds_of
from distributary.matching.records.compiled.encoding import Bytes, Codes, Floats, Guide, Ints, guide_of

__all__ = ["INTEGER_MAX", "INTEGER_MIN", "NULL", "NUMBERS", "OTHER", "VAST_LOW", "Scale", "merge_scales", "thresholds"]

NULL, OTHER, VAST_LOW, NUMBERS = range(4)

INTEGER_MIN = -(2**63)
#: No cut is reached by this integer: it counts as too high, so that as a threshold it says "never".
INTEGER_MAX = 2**63 - 1


@dataclass(frozen=True)
class Scale:
    """The cuts of a column. Of each cut between numbers, the least double and the least integer that lie beyond."""

    #: Ascending; NaN, in the end, where no double lies beyond.
    doubles: Floats = field(default_factory=lambda: np.empty(0))
    #: Ascending, as many as `doubles`; `INTEGER_MAX` where no integer lies beyond.
    integers: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    instants: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    #: Each string is the least one beyond its cut.
    strings: tuple[str, ...] = ()

    @cached_property
    def highest_number(self) -> int:
        """The code of NaN, and of what else is beyond all cuts between numbers."""
        return NUMBERS + len(self.doubles)

    @cached_property
    def vast_high(self) -> int:
        """The code of integers that are too high for 64 bits."""
        return self.highest_number + 1

    @cached_property
    def false(self) -> int:
        """The code of false; that of true is the next."""
        return self.vast_high + 1

    @cached_property
    def first_string(self) -> int:
        """The code of strings before all cuts."""
        return self.false + 2

    @cached_property
    def first_instant(self) -> int:
        """The code of instants before all cuts."""
        return self.first_string + len(self.strings) + 1

    @cached_property
    def size(self) -> int:
        """How many codes there are."""
        return self.first_instant + len(self.instants) + 1

    @cached_property
    def double_guide(self) -> Guide:
        """Where doubles stand."""
        return guide_of(self.doubles[: np.count_nonzero(~np.isnan(self.doubles))])

    @cached_property
    def integer_guide(self) -> Guide:
        """Where integers stand."""
        return guide_of(self.integers[: np.searchsorted(self.integers, INTEGER_MAX)])

    @cached_property
    def instant_guide(self) -> Guide:
        """Where instants stand."""
        return guide_of(self.instants)

    @cached_property
    def string_cuts(self) -> tuple[Bytes, Ints]:
        """The cuts between strings in UTF-8, one after the other, and where each starts."""
        # A lone surrogate is in no item that was read, but a filter may hold one; so encoded it keeps its order.
        encoded = [text.encode("utf-8", "surrogatepass") for text in self.strings]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in encoded], out=offsets[1:])
        return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview, memoryview]:
        # Elements of a view are Python's numbers, which compare much faster than NumPy's, and nothing is copied.
        guides = (self.double_guide, self.integer_guide, self.instant_guide)
        double, integer, instant = (np.ascontiguousarray(guide.cuts).data for guide in guides)
        return double, integer, instant

    def __reduce__(self) -> tuple[type[Scale], tuple[Floats, Ints, Ints, tuple[str, ...]]]:
        return Scale, (self.doubles, self.integers, self.instants, self.strings)  # views do not travel

    def code(self, value: object) -> int:
        """Return the code of any value, in O(log cuts)."""
        if value is None:
            return NULL
        if isinstance(value, float):
            return self.highest_number if value != value else NUMBERS + bisect_right(self._views[0], value)
        if isinstance(value, bool):
            return self.false + value
        if isinstance(value, int):
            if INTEGER_MIN <= value < INTEGER_MAX:
                return NUMBERS + bisect_right(self._views[1], value)
            return VAST_LOW if value < 0 else self.vast_high
        if isinstance(value, str):
            return self.first_string + bisect_right(self.strings, value)
        if isinstance(value, datetime):
            return self.first_instant + bisect_right(self._views[2], microseconds_of(value))
        return OTHER


def thresholds(cut: Cut) -> tuple[float, int]:
    """Return the least double (else NaN) and the least integer (else `INTEGER_MAX`) beyond a cut between numbers.

    >>> thresholds((2**53, True)) == (2**53 + 2.0, 2**53 + 1), thresholds((0.5, False))
    (True, (0.5, 1))
    """
    place, after = cut
    assert not isinstance(place, str)
    if isinstance(place, float) and isinf(place):
        if place < 0:
            return (nextafter(-inf, 0.0) if after else -inf), INTEGER_MIN
        return (nan if after else inf), INTEGER_MAX
    integer = floor(place) + 1 if after else ceil(place)
    try:
        double = float(place)
    except OverflowError:
        double = inf if place > 0 else nextafter(-inf, 0.0)
    if double < place or (after and double == place):
        double = nextafter(double, inf)
    return double, min(max(integer, INTEGER_MIN), INTEGER_MAX)


def merge_scales(scales: Sequence[Scale]) -> tuple[Scale, list[tuple[Codes, Codes]]]:
    """Return the scale with the cuts of all, and for each scale the lowest and the highest new code of each old one."""
    numbers, number_places = _distinct_numbers(scales)
    instants, instant_places = _distinct([scale.instants for scale in scales])
    strings = sorted({text for scale in scales for text in scale.strings})
    place_of = {text: place for place, text in enumerate(strings)}
    merged = Scale(numbers[0], numbers[1], instants, tuple(strings))
    moves = []
    for scale, of_numbers, of_instants in zip(scales, number_places, instant_places, strict=True):
        of_strings = np.array([place_of[text] for text in scale.strings], dtype=np.int64)
        parts = [
            _fixed(0, NUMBERS),
            _moved(NUMBERS, of_numbers, len(merged.doubles)),
            _fixed(merged.vast_high, 3),
            _moved(merged.first_string, of_strings, len(merged.strings)),
            _moved(merged.first_instant, of_instants, len(merged.instants)),
        ]
        low, high = (np.concatenate([part[side] for part in parts]).astype(np.int32) for side in (0, 1))
        moves.append((low, high))
    return merged, moves


def _fixed(first: int, count: int) -> tuple[Ints, Ints]:
    codes = np.arange(first, first + count)
    return codes, codes


def _moved(first: int, places: Ints, cuts: int) -> tuple[Ints, Ints]:
    """Return the lowest and the highest new code of each old position; old cut i is new cut `places[i]`."""
    low, high = np.zeros(len(places) + 1, dtype=np.int64), np.full(len(places) + 1, cuts)
    low[1:], high[:-1] = places + 1, places
    return low + first, high + first


def _distinct(cuts: Sequence[Ints]) -> tuple[Ints, list[Ints]]:
    found, places = np.unique(np.concatenate(cuts), return_inverse=True)
    return found, np.split(places, np.cumsum([len(part) for part in cuts])[:-1])


def _distinct_numbers(scales: Sequence[Scale]) -> tuple[tuple[Floats, Ints], list[Ints]]:
    doubles = np.concatenate([scale.doubles for scale in scales])
    integers = np.concatenate([scale.integers for scale in scales])
    order = np.lexsort((integers, doubles))
    doubles, integers = doubles[order], integers[order]
    same = (doubles[1:] == doubles[:-1]) | (np.isnan(doubles[1:]) & np.isnan(doubles[:-1]))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = ~same | (integers[1:] != integers[:-1])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.cumsum(fresh) - 1
    return (doubles[fresh], integers[fresh]), np.split(places, np.cumsum([len(scale.doubles) for scale in scales])[:-1])
