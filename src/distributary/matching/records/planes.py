"""Which spaces of an index are boxes of doubles in a plane, evenly enough for a grid over the values themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.matching.records.compiled.encoding import Codes, Floats, Ints
from distributary.matching.records.compiled.plane import Plane, deal
from distributary.matching.records.index import Index
from distributary.matching.records.scale import NUMBERS, Scale

__all__ = ["MappedSpace", "mapped_spaces"]

#: Fewer boxes gain nothing.
_BOXES_MIN = 64
#: Entries per box, and boxes in the slot of an entry, beyond which the grid is left to ranks, which adapt.
_ENTRIES_MAX = 16
_CROWD_MAX = 32


@dataclass(frozen=True, slots=True)
class MappedSpace:
    """A space that a plane can answer for, where both columns are doubles."""

    space: int
    first: str
    second: str
    plane: Plane


def mapped_spaces(index: Index) -> list[MappedSpace]:
    """Return the planes of an index, in O(n log n)."""
    spaces, names = index.spaces, index.conjunctions.names
    first = np.repeat(np.arange(len(names) + 1), np.diff(spaces.of_column))
    found = []
    for space in np.flatnonzero(spaces.decided):
        start, stop = spaces.space_start[space], spaces.space_start[space + 1]
        columns = (int(first[space]), int(spaces.second[space]))
        if stop - start < _BOXES_MIN or columns[1] == len(names):
            continue
        # The entries decide, so each conjunction has one row of each column and no other.
        rows = spaces.rows[spaces.row_start[start] : spaces.row_start[stop]]
        ends = np.empty((stop - start, 4))
        for axis, column in enumerate(columns):
            low_high = _ends(rows[rows[:, 0] >> 2 == column], index.conjunctions.scales[column])
            if low_high is None:
                break
            ends[:, 2 * axis], ends[:, 2 * axis + 1] = low_high
        else:
            plane = _plane(ends, spaces.filter[start:stop])
            if plane is not None:
                found.append(MappedSpace(int(space), names[columns[0]], names[columns[1]], plane))
    return found


def _ends(rows: Codes, scale: Scale) -> tuple[Floats, Floats] | None:
    """Return the least doubles inside and beyond ranges, or `None` where one is open or not of numbers."""
    low, high = rows[:, 1] - NUMBERS - 1, rows[:, 2] - NUMBERS
    if low.min() < 0 or high.max() >= len(scale.doubles):
        return None
    ends = scale.doubles[low], scale.doubles[high]
    return ends if np.isfinite(ends).all() else None


def _plane(ends: Floats, filters: Codes) -> Plane | None:
    origin, top = ends[:, [0, 2]].min(axis=0), ends[:, [1, 3]].max(axis=0)
    with np.errstate(over="ignore"):
        extent = top - origin
    side = max(int(len(ends) ** 0.5), 1)
    slots = np.array([side, side], dtype=np.int64)
    scale = slots / np.where((extent > 0) & np.isfinite(extent), extent, np.inf)
    # Boxes that lie near each other are kept near each other.
    places = np.clip((ends[:, [0, 2]] - origin) * scale, 0, side - 1).astype(np.int64)
    by_place = np.argsort(places[:, 0] * side + places[:, 1], kind="stable")
    plane = Plane(
        origin,
        scale,
        slots,
        np.zeros(side * side + 1, dtype=np.int32),
        np.empty(0, dtype=np.int32),
        np.ascontiguousarray(ends[by_place]),
        filters[by_place] * np.int32(2),
    )
    return _dealt(plane)


def _dealt(plane: Plane) -> Plane | None:
    boxes = len(plane.ends)
    spans = [_spans(plane, axis) for axis in (0, 1)]
    if int((spans[0] * spans[1]).sum()) > _ENTRIES_MAX * boxes:
        return None
    counts = np.zeros_like(plane.start)
    deal(plane, counts, False)
    if int((counts.astype(np.int64) ** 2).sum()) > _CROWD_MAX * int(counts.sum()):
        return None
    plane.start[1:] = np.cumsum(counts[:-1])
    filled = plane._replace(entries=np.empty(int(plane.start[-1]), dtype=np.int32))
    deal(filled, plane.start.copy(), True)
    return filled


def _spans(plane: Plane, axis: int) -> Ints:
    """Return about how many slots each box spans on an axis."""
    width = plane.ends[:, 2 * axis + 1] - plane.ends[:, 2 * axis]
    spans: Ints = (width * plane.scale[axis]).astype(np.int64) + 2
    return spans
