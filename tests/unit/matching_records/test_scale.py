"""A column's scale: which doubles and integers lie beyond a cut, and codes that keep the order of the cuts."""

from __future__ import annotations

import pickle
from math import inf, isnan, nan, nextafter

import numpy as np
import pytest

from distributary.algebra.intervals import Cut
from distributary.matching.records.compiled.encoding import encode_numbers, guide_of
from distributary.matching.records.scale import INTEGER_MAX, INTEGER_MIN, Scale, merge_scales, thresholds


@pytest.mark.parametrize(
    ("cut", "double", "integer"),
    [
        ((1, False), 1.0, 1),
        ((1, True), nextafter(1.0, inf), 2),
        ((0.5, True), nextafter(0.5, inf), 1),
        ((2**53 + 1, False), 2.0**53 + 2, 2**53 + 1),
        ((2**53 + 1, True), 2.0**53 + 2, 2**53 + 2),
        ((10**400, False), inf, INTEGER_MAX),
        ((-(10**400), True), nextafter(-inf, 0), INTEGER_MIN),
        ((-inf, False), -inf, INTEGER_MIN),
        ((-inf, True), nextafter(-inf, 0), INTEGER_MIN),
        ((inf, False), inf, INTEGER_MAX),
        ((inf, True), nan, INTEGER_MAX),
        ((2.0**63, False), 2.0**63, INTEGER_MAX),
    ],
)
def test_thresholds_are_the_least_values_beyond(cut: Cut, double: float, integer: int) -> None:
    found = thresholds(cut)
    assert found[0] == double or (isnan(found[0]) and isnan(double))
    assert found[1] == integer


def test_codes_of_columns_are_those_of_values_however_uneven_the_cuts() -> None:
    cuts = np.array([-1e300, -5.0, -1e-300, 0.0, 5e-324, 1.0, nextafter(1.0, 2.0), 2.0, 1e18, 1e300])
    scale = Scale(cuts, np.array([thresholds((cut, False))[1] for cut in cuts.tolist()]))
    values = np.array([*cuts, *np.nextafter(cuts, inf), *np.nextafter(cuts, -inf), inf, -inf, 0.0, -0.0, np.nan])
    codes = np.empty(len(values), dtype=np.int32)
    encode_numbers(values, np.empty(0, dtype=np.bool_), scale.double_guide, 3, scale.highest_number, codes)
    assert codes.tolist() == [scale.code(value) for value in values.tolist()]
    integers = np.array([-(2**63), -5, -6, 0, 1, 2, 10**18, 10**18 - 1, 2**63 - 2])
    codes = np.empty(len(integers), dtype=np.int32)
    encode_numbers(integers, np.empty(0, dtype=np.bool_), scale.integer_guide, 3, 0, codes)
    assert codes.tolist() == [scale.code(value) for value in integers.tolist()]
    assert guide_of(np.empty(0)).before.tolist() == [0, 0]


def test_merged_scales_move_every_old_code_to_the_range_of_its_values() -> None:
    first = Scale(np.array([1.0, 5.0, nan]), np.array([1, 5, INTEGER_MAX]), np.array([7]), ("b",))
    second = Scale(np.array([3.0, 5.0]), np.array([3, 5]), np.array([], dtype=np.int64), ("a", "b", "c"))
    merged, moves = merge_scales([first, second])
    assert merged.doubles[:3].tolist() == [1.0, 3.0, 5.0]
    assert merged.strings == ("a", "b", "c")
    for value in (None, object(), -(2**80), 2**80, 0, 1.0, 2, 3.5, 5, nan, inf, False, True, "", "a", "bb", "c"):
        for scale, (lowest, highest) in zip((first, second), moves, strict=True):
            old = scale.code(value)
            assert lowest[old] <= merged.code(value) <= highest[old]


def test_a_scale_travels_after_it_was_used() -> None:
    scale = Scale(np.array([1.0]), np.array([1]))
    assert pickle.loads(pickle.dumps(scale)).code(scale.code(1.5)) == scale.code(4)
