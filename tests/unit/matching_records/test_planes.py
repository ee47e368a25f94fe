"""Many boxes over many points: grids over the values answer as grids over ranks do, and as comparing all does."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from distributary.algebra.predicate_parser import parse_where
from distributary.core.generator import Generator
from distributary.core.values import ColumnType
from distributary.matching.records import Column, Columns, RecordMatcher
from distributary.matching.records import level as level_module

Array = npt.NDArray[Any]


def uniform(generator: Generator, shape: tuple[int, ...]) -> Array:
    return np.array([generator.random() for _ in range(int(np.prod(shape)))]).reshape(shape)


def boxes_and_points(seed: int, boxes: int, points: int, skewed: bool = False) -> tuple[Array, Array, Array]:
    generator = Generator("planes", seed)
    low, width = uniform(generator, (boxes, 2)), uniform(generator, (boxes, 2)) * 0.1
    where = uniform(generator, (points, 2))
    if skewed:
        low, where, width = low**12, where**12, width * low**12
    # Some points lie on the corners of boxes, and others as near to them outside as a double can.
    high = low + width
    some = boxes // 2
    where[boxes : boxes + some, 0] = np.nextafter(high[:some, 0], np.inf)
    where[boxes : boxes + some, 1] = low[:some, 1]
    where[boxes + some : 2 * boxes, 0] = low[some:, 0]
    where[boxes + some : 2 * boxes, 1] = np.nextafter(high[some:, 1], np.inf)
    where[: boxes // 2], where[boxes // 2 : boxes] = low[: boxes // 2], high[boxes // 2 : boxes]
    return low, high, where


def matcher_of(low: Array, high: Array) -> RecordMatcher[int]:
    matcher: RecordMatcher[int] = RecordMatcher()
    boxes = len(low)
    start, column = np.arange(boxes + 1) * 2, np.tile([0, 1], boxes)
    matcher.add_boxes(range(boxes), ("y", "x"), start, column, low.ravel(), high.ravel())
    return matcher


def columns_of_points(where: Array, valid: Array | None = None) -> Columns:
    none = np.empty(0, dtype=np.bool_)
    columns = [
        Column(ColumnType.DOUBLE, np.ascontiguousarray(where[:, axis]), none if valid is None else valid)
        for axis in (0, 1)
    ]
    return Columns(len(where), {"y": columns[0], "x": columns[1]})


def answers(matcher: RecordMatcher[int], columns: Columns) -> list[list[int]]:
    start, serials = matcher.match_columns(columns)
    return [serials[start[row] : start[row + 1]].tolist() for row in range(len(columns))]


def compared(low: Array, high: Array, where: Array) -> list[list[int]]:
    return [np.flatnonzero(((low <= point) & (point <= high)).all(axis=1)).tolist() for point in where]


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("skewed", [False, True])
def test_matches_are_those_of_comparing_all(monkeypatch: pytest.MonkeyPatch, far: bool, skewed: bool) -> None:
    if far:
        monkeypatch.setattr(level_module, "_ENTRIES_FAR", 0)
        monkeypatch.setattr(level_module, "_POINTS_FAR", 0)
    low, high, where = boxes_and_points(1, 400, 1500, skewed)
    where[7, 0], where[8], where[9] = np.nan, np.inf, -np.inf
    expected = compared(low, high, where)
    matcher = matcher_of(low, high)
    assert answers(matcher, columns_of_points(where)) == expected
    monkeypatch.setattr(level_module, "_POINTS_MIN", 10**9)
    assert answers(matcher, columns_of_points(where)) == expected


def test_nulls_removed_boxes_and_other_filters_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high, where = boxes_and_points(2, 300, 1200)
    valid = np.arange(len(where)) % 5 != 0
    matcher = matcher_of(low, high)
    for gone in range(0, 100, 3):
        matcher.remove(gone)
    matcher.add(1000, parse_where("y > 0.5"))
    matcher.add(1001, parse_where("x is null"))
    matcher.settle()
    columns = columns_of_points(where, valid)
    expected = [
        [box for box in found if box >= 100 or box % 3] if there else []
        for found, there in zip(compared(low, high, where), valid, strict=True)
    ]
    for row, found in enumerate(expected):
        found += [300] if valid[row] and where[row, 0] > 0.5 else []
        found += [] if valid[row] else [301]
    assert answers(matcher, columns) == expected
    records = [columns.record(row) for row in range(0, 1200, 100)]
    assert [list(matcher.match(record)) for record in records] == [
        [{300: 1000, 301: 1001}.get(box, box) for box in found] for found in expected[::100]
    ]


def test_planes_are_used_for_even_boxes_and_not_for_crowded_ones() -> None:
    from distributary.matching.records.planes import mapped_spaces

    low, high, _ = boxes_and_points(3, 500, 1000)
    (level,) = matcher_of(low, high)._levels
    assert mapped_spaces(level.index)
    crowded = low.copy() * 1e-6
    crowded[0] = 1.0
    (level,) = matcher_of(crowded, crowded + 1e-6)._levels
    assert not mapped_spaces(level.index)
