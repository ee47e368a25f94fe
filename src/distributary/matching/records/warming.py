"""Loading the compiled code of the matcher of records: a fraction of a second, or, the first time, its compiling."""

from __future__ import annotations

import numpy as np

from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import ColumnType
from distributary.matching.records.columns import Column, Columns
from distributary.matching.records.compiled.plane import by_tile, search_plane
from distributary.matching.records.conjunctions import conjunctions_of_boxes
from distributary.matching.records.index import index_of
from distributary.matching.records.matcher import RecordMatcher
from distributary.matching.records.planes import mapped_spaces

__all__ = ["warm"]

_BOXES = 64


def warm() -> None:
    """Match a little of everything once, so that all compiled code is there."""
    matcher: RecordMatcher[int] = RecordMatcher()
    matcher.add(0, parse_where("x >= 0 and x <= 1 and n in (1, 2) and s < 'b'"))
    one = np.array([1], dtype=np.int64)
    columns = {
        "x": Column(ColumnType.DOUBLE, np.array([0.5])),
        "n": Column(ColumnType.INTEGER, one),
        "s": Column(ColumnType.STRING, np.array([97], dtype=np.uint8), offsets=np.array([0, 1])),
    }
    start, _ = matcher.match_columns(Columns(1, columns))
    assert start.tolist() == [0, 1]
    matcher.remove(0)
    _warm_planes()


def _warm_planes() -> None:
    places = np.arange(_BOXES)
    start, column = np.arange(_BOXES + 1) * 2, np.tile([0, 1], _BOXES)
    low = np.repeat(places, 2).astype(np.float64)
    index = index_of(conjunctions_of_boxes(("x", "y"), places, start, column, low, low + 0.5))
    (mapped,) = mapped_spaces(index)
    point = np.array([1.25])
    numbers, first, second = by_tile(mapped.plane, point, point)
    _, found = search_plane(mapped.plane, first, second, numbers)
    assert found.tolist() == [2]
