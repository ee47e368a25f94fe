"""Boxes of doubles in a plane, compiled: a grid over the values themselves, for many points at once.

It does what `searching` does for a space of two columns, without codes: a point costs a few multiplications and a look
at the boxes of one slot. Boxes that lie too unevenly for such a grid are not for it (see `planes`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.matching.documents.compiled.memory import compiled
from distributary.matching.records.compiled.encoding import Codes, Floats, Ints

__all__ = ["Plane", "by_tile", "deal", "search_plane"]

#: Tiles per axis: the points of a tile come together, as the boxes of a tile stay near the processor.
_TILES_LOG = 6


class Plane(NamedTuple):
    """A grid of boxes; values outside are dealt to the slots at its border."""

    #: Of each axis: where slot 0 starts, slots per unit, the number of slots.
    origin: Floats
    scale: Floats
    slots: Ints
    #: The entries of slot i are `start[i] .. start[i + 1] - 1`; an entry is a box.
    start: Codes
    entries: Codes
    #: Of each box: the first axis' least double inside and the least one beyond, then the other axis'.
    ends: Floats
    #: Of each box: the place of its filter x 2.
    filter: Codes


@compiled
def _slot(value: float, origin: float, scale: float, slots: int) -> int:
    # Never decreases with the value, so a box's slots are all those between its ends' slots; NaN comes to slot 0.
    place = (value - origin) * scale
    if not place > 0.0:
        return 0
    return slots - 1 if place >= slots else int(place)


@compiled
def deal(plane: Plane, cursor: Codes, filling: bool) -> None:
    """Count the boxes of each slot, into `cursor`; or, `filling`, write them where `cursor` says."""
    for box in range(plane.ends.shape[0]):
        first = _slot(plane.ends[box, 0], plane.origin[0], plane.scale[0], plane.slots[0])
        last = _slot(plane.ends[box, 1], plane.origin[0], plane.scale[0], plane.slots[0])
        low = _slot(plane.ends[box, 2], plane.origin[1], plane.scale[1], plane.slots[1])
        high = _slot(plane.ends[box, 3], plane.origin[1], plane.scale[1], plane.slots[1])
        for across in range(first, last + 1):
            for slot in range(across * plane.slots[1] + low, across * plane.slots[1] + high + 1):
                if filling:
                    plane.entries[cursor[slot]] = box
                cursor[slot] += 1


@compiled
def by_tile(plane: Plane, first: Floats, second: Floats) -> tuple[Codes, Floats, Floats]:
    """Return the points tile by tile: their numbers and their values."""
    shift = np.zeros(2, dtype=np.int64)
    for axis in range(2):
        while plane.slots[axis] >> shift[axis] > 1 << _TILES_LOG:
            shift[axis] += 1
    tiles = np.empty(first.shape[0], dtype=np.uint16)
    start = np.zeros(((1 << _TILES_LOG) + 1) << _TILES_LOG, dtype=np.int64)
    for point in range(first.shape[0]):
        across = _slot(first[point], plane.origin[0], plane.scale[0], plane.slots[0]) >> shift[0]
        along = _slot(second[point], plane.origin[1], plane.scale[1], plane.slots[1]) >> shift[1]
        tiles[point] = (across << _TILES_LOG) + along
        start[tiles[point] + 1] += 1
    for tile in range(start.shape[0] - 1):
        start[tile + 1] += start[tile]
    order = np.empty(first.shape[0], dtype=np.int32)
    sorted1, sorted2 = np.empty_like(first), np.empty_like(second)
    for point in range(first.shape[0]):
        to = start[tiles[point]]
        start[tiles[point]] = to + 1
        order[to], sorted1[to], sorted2[to] = point, first[point], second[point]
    return order, sorted1, sorted2


@compiled
def search_plane(plane: Plane, first: Floats, second: Floats, numbers: Codes) -> tuple[Codes, Codes]:
    """Return the matches of points: for each the point's number, and its filter's place x 2. NaN is in no box.

    Without `numbers`, points have their places as numbers.
    """
    room = first.shape[0] + 1024
    where, what, count = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32), 0
    start, entries, ends, filters = plane.start, plane.entries, plane.ends, plane.filter
    origin, origin2, scale, scale2 = plane.origin[0], plane.origin[1], plane.scale[0], plane.scale[1]
    slots, slots2 = plane.slots[0], plane.slots[1]
    for place in range(first.shape[0]):
        point = numbers[place] if numbers.shape[0] > 0 else place
        value, value2 = first[place], second[place]
        slot = _slot(value, origin, scale, slots) * slots2 + _slot(value2, origin2, scale2, slots2)
        begin, end = start[slot], start[slot + 1]
        if count + end - begin > where.shape[0]:
            more = np.empty(room + end - begin, dtype=np.int32)
            where, what = np.concatenate((where, more)), np.concatenate((what, more))
        for entry in range(begin, end):
            box = entries[entry]
            where[count], what[count] = point, filters[box]
            # No branch: whether a point is inside is not foreseen.
            count += (
                (ends[box, 0] <= value) & (value < ends[box, 1]) & (ends[box, 2] <= value2) & (value2 < ends[box, 3])
            )
    return where[:count], what[:count]
