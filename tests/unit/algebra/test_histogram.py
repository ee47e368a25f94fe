from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.algebra.anyof import any_of
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.histogram import Histogram, Numbers, Splits, split
from distributary.algebra.predicate_parser import parse_where
from distributary.core.errors import InputError
from distributary.core.values import Record

Row = tuple[float | None, float | None]
VALUES = st.one_of(st.none(), st.sampled_from([nan, inf, -inf]), st.integers(-4, 4).map(float))
ROWS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=40)


def numbers(rows: Sequence[Row]) -> Numbers:
    return np.array([[nan if value is None else value for value in row] for row in rows], dtype=np.float64)


def counted(rows: Sequence[Row], splits: Splits) -> Histogram:
    """Count and measure every leaf by the plainest loops."""
    leaves = splits.leaves_of(numbers(rows))
    count = 2**splits.depth
    low, high = np.full((count, 2), inf), np.full((count, 2), -inf)
    nulls, lost = np.zeros((count, 2), dtype=np.int64), np.zeros((count, 2), dtype=np.int64)
    for leaf, row in zip(leaves, rows, strict=True):
        for place, value in enumerate(row):
            if value is None:
                nulls[leaf, place] += 1
            elif value != value:
                lost[leaf, place] += 1
            else:
                low[leaf, place] = min(low[leaf, place], value)
                high[leaf, place] = max(high[leaf, place], value)
    return Histogram(("x", "y"), np.bincount(leaves, minlength=count), low, high, nulls, lost)


def leaf_of(splits: Splits, row: Row) -> int:
    node = 1
    for _ in range(splits.depth):
        value, threshold = row[splits.columns[node - 1]], splits.thresholds[node - 1]
        right = value is not None and threshold is not None and value >= threshold
        node = 2 * node + right
    return node - int(2**splits.depth)


def record(row: Row) -> Record:
    return dict(zip(("x", "y"), row, strict=True))


@given(ROWS, ROWS)
def test_leaves_are_those_of_a_walk_and_none_is_without_a_row_of_the_sample(
    sample: list[Row], others: list[Row]
) -> None:
    splits = split(numbers(sample), leaf_rows=2)
    assert splits.leaves_of(numbers(others)).tolist() == [leaf_of(splits, row) for row in others]
    assert {*splits.leaves_of(numbers(others))} <= {*splits.leaves_of(numbers(sample))}


@given(
    ROWS,
    ROWS,
    st.sampled_from(
        [
            Everything(),
            Box(),
            Box.of({"x": (-1, 2)}),
            Box.of({"x": (-inf, 1), "y": (0, inf)}),
            Box.of({"z": (0, 1)}),
            any_of([Box.of({"x": (-4, -1), "y": (-4, 0)}), Box.of({"x": (-1, 4)})]),
            any_of([]),
            *(
                parse_where(text)
                for text in (
                    "x > 1 and y is null",
                    "x is not null",
                    "x <> 2 or y in (1, 3)",
                    "not (x < 2)",
                    "x > 1 and x < 1",
                    "x between 0 and 2 and s = 'a'",
                    "s like '%a%' or x >= 0",
                )
            ),
        ]
    ),
)
def test_reach_is_certain_of_full_leaves_and_of_empty_ones(sample: list[Row], rows: list[Row], tried: Filter) -> None:
    splits = split(numbers(sample), leaf_rows=2)
    whole, part = counted(rows, splits).reach(tried)
    for leaf, row in zip(splits.leaves_of(numbers(rows)), rows, strict=True):
        matched = tried.matches(record(row))
        assert matched or not whole[leaf]
        assert part[leaf] or not matched


def test_split_of_a_grid_gives_leaves_of_equal_depth_in_both_columns() -> None:
    grid = [(float(x), float(y)) for x in range(16) for y in range(16)]
    splits = split(numbers(grid), leaf_rows=16)
    assert {*splits.columns} == {0, 1}
    assert np.bincount(splits.leaves_of(numbers(grid))).tolist() == [16] * 16
    whole, part = counted(grid, splits).reach(Box.of({"x": (4, 11), "y": (0, 7)}))
    assert whole.sum() == part.sum() == 4


def test_split_of_equal_values_or_no_columns_has_one_leaf_with_rows() -> None:
    assert {*split(numbers([(1.0, None)] * 20), leaf_rows=2).leaves_of(numbers([(5.0, 7.0), (0.0, nan)]))} == {0}
    assert split(np.empty((20, 0)), leaf_rows=2) == Splits()
    assert Splits().leaves_of(np.empty((3, 0))).tolist() == [0, 0, 0]


def test_split_parts_null_and_nan_from_equal_numbers() -> None:
    splits = split(numbers([(5.0, None)] * 8 + [(None, None)] * 8 + [(nan, 1.0)] * 8), leaf_rows=8)
    assert splits.leaves_of(numbers([(5.0, None), (None, None), (nan, 1.0)])).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("x between 1 and 3", [True, False, False], [True, True, False]),
        ("x > 1", [False, True, False], [True, True, True]),
        ("x >= 1", [True, True, False], [True, True, True]),
        ("x < 3", [False, False, False], [True, False, False]),
        ("x <= 3", [True, False, False], [True, True, False]),
        ("x > 3", [False, False, False], [False, True, True]),
        ("x = 3", [False, False, False], [True, True, False]),
        ("x <> 2", [False, True, False], [True, True, True]),
        ("x is null", [False, False, False], [False, False, True]),
        ("not (x <=> 1)", [False, True, True], [True, True, True]),
        # Full only in two cells together, which is not looked for.
        ("x is null or x > 9", [False, False, False], [False, False, True]),
        ("x is not null", [True, True, False], [True, True, True]),
    ],
)
def test_reach_of_closed_and_open_ends(text: str, whole: list[bool], part: list[bool]) -> None:
    # Leaves of [1, 3], of [3, 5], and of two nulls and two NaN.
    low, high = np.array([[1.0], [3.0], [inf]]), np.array([[3.0], [5.0], [-inf]])
    lost = np.array([[0], [0], [2]])
    made = Histogram(("x",), np.array([4, 4, 4]), low, high, lost, lost)
    found = made.reach(parse_where(text))
    assert [each.tolist() for each in found] == [whole, part]


def test_histogram_whose_parts_disagree_is_refused() -> None:
    rows, ends, none = np.array([2]), np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64)
    with pytest.raises(InputError, match="histogram: its leaves and columns do not agree"):
        Histogram(("x", "y"), rows, ends, ends, none, none)
    with pytest.raises(InputError, match="histogram: names a column twice"):
        Histogram(("x", "x"), rows, *(np.zeros((1, 2)),) * 2, *(np.zeros((1, 2), dtype=np.int64),) * 2)
    with pytest.raises(InputError, match="histogram: has counts that cannot be"):
        Histogram(("x",), rows, ends, ends, none + 3, none)
