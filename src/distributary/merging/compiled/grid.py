"""A spatial index of boxes that come and go: one grid for each size class, a class doubles the widths of the one below.

It knows boxes by their numbers only. What is near is read ring by ring: the cells around a box at a distance of so many
cells, from which the middle of whatever lies further out is known to be away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import Floats, Ints, compiled

__all__ = ["CLASSES", "Grid", "insert", "make_grid", "remove", "ring_of", "step_of"]

CLASSES = 24


class Grid(NamedTuple):
    """Where blocks are: chains of one cell's blocks, on one or two axes."""

    axes: Ints
    #: Of the lowest class: the least coordinate, the width of a cell, and the number of cells on each axis.
    origin: Floats
    width: Floats
    cells: Ints
    #: Where the cells of each class begin in `head`.
    start: Ints
    head: Ints
    after: Ints
    before: Ints
    level: Ints
    cell: Ints
    #: By class: how many blocks there are, and the greatest size that one ever had.
    population: Ints
    largest: Floats


@compiled
def _coordinate(low: float, high: float) -> float:
    """Return the middle of a range, or an end of one that is open."""
    if np.isinf(low):
        return 0.0 if np.isinf(high) else high
    return low if np.isinf(high) else low + (high - low) / 2


@compiled
def _cells_of(grid: Grid, level: int, axis: int) -> int:
    return max(1, (grid.cells[axis] + (1 << level) - 1) >> level)


@compiled
def _place(grid: Grid, level: int, axis: int, value: float) -> int:
    width = grid.width[axis] * (1 << level)
    last = _cells_of(grid, level, axis) - 1
    place = np.floor((value - grid.origin[axis]) / width)
    if place <= 0.0:
        return 0
    return last if place >= last else int(place)


@compiled
def insert(grid: Grid, low: Floats, high: Floats, size: float, block: int) -> None:
    """Put a box with its size into the grid."""
    level = 0
    for axis in range(grid.axes.shape[0]):
        extent = high[grid.axes[axis]] - low[grid.axes[axis]]
        while level < CLASSES - 1 and extent > grid.width[axis] * (1 << level):
            level += 1
    cell = 0
    for axis in range(grid.axes.shape[0]):
        middle = _coordinate(low[grid.axes[axis]], high[grid.axes[axis]])
        cell = cell * _cells_of(grid, level, axis) + _place(grid, level, axis, middle)
    cell += grid.start[level]
    first = grid.head[cell]
    grid.after[block] = first
    grid.before[block] = -1
    if first >= 0:
        grid.before[first] = block
    grid.head[cell] = block
    grid.cell[block] = cell
    grid.level[block] = level
    grid.population[level] += 1
    grid.largest[level] = max(grid.largest[level], size)


@compiled
def remove(grid: Grid, block: int) -> None:
    """Take a box out."""
    before, after = grid.before[block], grid.after[block]
    if before >= 0:
        grid.after[before] = after
    else:
        grid.head[grid.cell[block]] = after
    if after >= 0:
        grid.before[after] = before
    grid.population[grid.level[block]] -= 1


@compiled
def step_of(grid: Grid, level: int, axis: int, ring: int) -> float:
    """Return how far from a box, on one axis at least, the middles in a ring and beyond it are."""
    return max(0, ring - 1) * grid.width[axis] * (1 << level)


@compiled
def ring_of(grid: Grid, level: int, ring: int, low: Floats, high: Floats, found: Ints) -> int:
    """Put the boxes of a class that are in a ring around a box into `found`; return their number, -1 past the end."""
    axes = grid.axes.shape[0]
    rows = _cells_of(grid, level, 0)
    columns = _cells_of(grid, level, 1) if axes > 1 else 1
    first_row = _place(grid, level, 0, low[grid.axes[0]]) - ring
    last_row = _place(grid, level, 0, high[grid.axes[0]]) + ring
    first_column = _place(grid, level, 1, low[grid.axes[1]]) - ring if axes > 1 else 0
    last_column = _place(grid, level, 1, high[grid.axes[1]]) + ring if axes > 1 else 0
    outside = first_column < 0 and last_column >= columns if axes > 1 else ring > 0
    if ring > 0 and first_row < 0 and last_row >= rows and outside:
        return -1
    count = 0
    for row in range(max(0, first_row), min(rows - 1, last_row) + 1):
        whole = ring == 0 or row in (first_row, last_row)
        column = max(0, first_column)
        while column <= min(columns - 1, last_column):
            if not whole and column != first_column and column != last_column:
                # The inside of the ring has been read before.
                column = last_column
                continue
            block = grid.head[grid.start[level] + row * columns + column]
            while block >= 0:
                found[count] = block
                count += 1
                block = grid.after[block]
            column += 1
    return count


def make_grid(box_low: Floats, box_high: Floats, room: int) -> Grid:
    """Return an empty grid for boxes like these; its cells are about as wide, but no more than there are boxes.

    `room` is the number of boxes that it can hold.
    """
    count, dimensions = box_low.shape
    low = np.where(np.isfinite(box_low), box_low, np.nan)
    high = np.where(np.isfinite(box_high), box_high, np.nan)
    spans, widths, origins = np.zeros(dimensions), np.ones(dimensions), np.zeros(dimensions)
    for axis in range(dimensions):
        ends = np.concatenate([low[:, axis], high[:, axis]])
        ends = ends[~np.isnan(ends)]
        extents = (high - low)[:, axis]
        extents = extents[extents > 0]
        if len(ends):
            origins[axis], spans[axis] = ends.min(), ends.max() - ends.min()
        if len(extents):
            widths[axis] = np.median(extents)
    # The axes on which the boxes spread most, measured in boxes.
    axes = np.argsort(-(spans / widths), kind="stable")[: min(2, dimensions)].astype(np.int64)
    most = max(1.0, np.ceil(count ** (1.0 / len(axes))))
    width = np.maximum(widths[axes], np.maximum(spans[axes], 1e-300) / most)
    cells = np.maximum(1, np.ceil(spans[axes] / width)).astype(np.int64)
    start, total = np.zeros(CLASSES, dtype=np.int64), 0
    for level in range(CLASSES):
        start[level] = total
        total += int(np.prod([max(1, (int(each) + (1 << level) - 1) >> level) for each in cells]))
    return Grid(
        axes=axes,
        origin=origins[axes],
        width=width,
        cells=cells,
        start=start,
        head=np.full(total, -1, dtype=np.int64),
        after=np.full(room, -1, dtype=np.int64),
        before=np.full(room, -1, dtype=np.int64),
        level=np.zeros(room, dtype=np.int64),
        cell=np.zeros(room, dtype=np.int64),
        population=np.zeros(CLASSES, dtype=np.int64),
        largest=np.zeros(CLASSES),
    )
