"""Arranging conjunctions in spaces, compiled: grids over the codes of one or two columns.

A conjunction is kept in one space, that of its most selective columns, in a grid whose slots are about as wide as its
ranges: for each pair of columns there are several grids, each four times as coarse as the one before, per axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.matching.documents.compiled.memory import compiled
from distributary.matching.records.compiled.encoding import Bytes, Codes, Ints

__all__ = ["Spaces", "choose_columns", "classify", "fill_slots", "reorder"]

#: A column with more ranges than this is not paired with another one.
_RANGES_MAX = 4
#: A conjunction may lie in so many slots per axis and range.
_SLOTS_MAX = 8
#: Fewer conjunctions than this are not worth a grid of their own.
_FEW = 8


class Spaces(NamedTuple):
    """Grids and the conjunctions in them; column number `columns`, the one after the last, holds 0 for all records."""

    #: The spaces whose first column is c are `of_column[c] .. of_column[c + 1] - 1`.
    of_column: Codes
    second: Codes
    #: The conjunctions of space i are `space_start[i] .. space_start[i + 1] - 1`.
    space_start: Ints
    #: Of each space and axis: the lowest code, log2 of a slot's codes, the number of slots.
    base: Codes
    shift: Codes
    slots: Codes
    #: The number of each space's first slot.
    first_slot: Ints
    #: The entries of slot i are `entry_start[i] .. entry_start[i + 1] - 1`.
    entry_start: Ints
    #: Of each space: whether its entries decide; else each conjunction's rows are still to be looked at.
    decided: Bytes
    #: (lowest and highest code of the first column, of the second column, and who it is: in a space that decides the
    #: place of the filter x 2, else the conjunction)
    entries: Codes
    #: Of each conjunction: its rows, and where those end that an entry's ranges do not decide.
    row_start: Ints
    check_end: Ints
    rows: Codes
    #: The place of each conjunction's filter, and whether a match of it is in doubt.
    filter: Codes
    doubtful: Bytes


@compiled
def choose_columns(row_start: Ints, rows: Codes, sizes: Ints, best: Codes, next_best: Codes) -> None:
    """Write the two most selective columns of each conjunction that null does not satisfy; -1 where there is none.

    Selective is who holds the smallest share of the codes. A column with many ranges is only taken alone.
    """
    for conjunction in range(best.shape[0]):
        best[conjunction] = next_best[conjunction] = -1
        share, next_share, alone = 2.0, 2.0, False
        row, end = row_start[conjunction], row_start[conjunction + 1]
        while row < end:
            column, first, width = rows[row, 0] >> 2, row, 0
            while True:
                width += rows[row, 2] - rows[row, 1] + 1
                row += 1
                if rows[row - 1, 0] & 1 == 0:
                    break
            if rows[first, 1] == 0:
                continue
            mine, many = width / sizes[column], row - first > _RANGES_MAX
            if mine < share:
                if best[conjunction] >= 0 and not alone:
                    next_best[conjunction], next_share = best[conjunction], share
                best[conjunction], share, alone = column, mine, many
            elif mine < next_share and not many:
                next_best[conjunction], next_share = column, mine
        if alone:
            next_best[conjunction] = -1


@compiled
def _first_row(rows: Codes, row: int, end: int, column: int) -> int:
    """Return the first row of a column, or `end` when there is none."""
    while row < end and rows[row, 0] >> 2 != column:
        row += 1
    return row


@compiled
def _coarseness(rows: Codes, row: int, end: int, column: int, base: int, shift: int) -> int:
    """Return how many times an axis has to be made four times as coarse for the ranges of a column."""
    steps = 0
    while row < end and rows[row, 0] >> 2 == column:
        low, high = rows[row, 1] - base, rows[row, 2] - base
        while (high >> (shift + 2 * steps)) - (low >> (shift + 2 * steps)) >= _SLOTS_MAX:
            steps += 1
        row += 1
    return steps


@compiled
def _measure(row_start: Ints, rows: Codes, members: Ints, column: int, slots_log: int, axis: Codes) -> None:
    """Write the lowest code, the finest shift and the last slot offset in codes that a group has on one axis."""
    low, high = 0, 0
    for place in range(members.shape[0]):
        end = row_start[members[place] + 1]
        row = _first_row(rows, row_start[members[place]], end, column)
        while row < end and rows[row, 0] >> 2 == column:
            low = rows[row, 1] if high == 0 else min(low, rows[row, 1])
            high = max(high, rows[row, 2])
            row += 1
    shift = 0
    while (high - low) >> shift >= 1 << slots_log:
        shift += 1
    axis[0], axis[1], axis[2] = low, shift, high - low


@compiled
def classify(
    row_start: Ints, rows: Codes, order: Ints, group_start: Ints, columns: Codes, axes: Codes, grid: Codes
) -> None:
    """Write each group's axes, and for each conjunction how coarse its grid is: 16 x steps of one axis + of the other.

    Grids with few conjunctions are given up: those go to the coarsest one, which is a single slot.
    """
    population = np.empty(256, dtype=np.int64)
    for group in range(group_start.shape[0] - 1):
        members = order[group_start[group] : group_start[group + 1]]
        slots_log = 0
        while members.shape[0] >> (slots_log + 1) > 0:
            slots_log += 1
        first, second = columns[group, 0], columns[group, 1]
        alone = columns[group, 2] == 1
        _measure(row_start, rows, members, first, slots_log if alone else slots_log // 2, axes[group, 0])
        _measure(row_start, rows, members, second, 0 if alone else slots_log // 2, axes[group, 1])
        population[:] = 0
        for place in range(members.shape[0]):
            start, end = row_start[members[place]], row_start[members[place] + 1]
            steps = 0
            for axis in range(2):
                row = _first_row(rows, start, end, columns[group, axis])
                base, shift = axes[group, axis, 0], axes[group, axis, 1]
                steps = 16 * steps + _coarseness(rows, row, end, columns[group, axis], base, shift)
            grid[group_start[group] + place] = steps
            population[steps] += 1
        coarsest = 0
        for axis in range(2):
            steps = 0
            while axes[group, axis, 2] >> (axes[group, axis, 1] + 2 * steps) > 0:
                steps += 1
            coarsest = 16 * coarsest + steps
        for place in range(group_start[group], group_start[group + 1]):
            if population[grid[place]] < _FEW:
                grid[place] = coarsest


@compiled
def reorder(
    row_start: Ints, rows: Codes, order: Ints, access: Codes, new_start: Ints, check_end: Ints, new_rows: Codes
) -> None:
    """Write the rows in another order of the conjunctions, those of the columns in `access` last."""
    to = 0
    for place in range(order.shape[0]):
        start, end = row_start[order[place]], row_start[order[place] + 1]
        new_start[place] = to
        decided, rest = True, 0
        for turn in range(2):
            for row in range(start, end):
                column = rows[row, 0] >> 2
                last = column == access[place, 0] or column == access[place, 1]
                if last == (turn == 1):
                    new_rows[to] = rows[row]
                    to += 1
                    if last and rows[row, 0] & 3 != 0:
                        decided = False
            if turn == 0:
                rest = to
        check_end[place] = rest if decided else to
    new_start[order.shape[0]] = to


@compiled
def fill_slots(spaces: Spaces, first: Codes, cursor: Ints, filling: bool) -> None:
    """Count what comes into each slot, into `cursor`; or, `filling`, write the entries where `cursor` says."""
    rows = spaces.rows
    for space in range(first.shape[0]):
        base, shift, slots = spaces.base[space], spaces.shift[space], spaces.slots[space]
        for conjunction in range(spaces.space_start[space], spaces.space_start[space + 1]):
            start, end = spaces.row_start[conjunction], spaces.row_start[conjunction + 1]
            one = _first_row(rows, start, end, first[space])
            while True:
                low, high = (0, 0) if one == end else (rows[one, 1], rows[one, 2])
                other = _first_row(rows, start, end, spaces.second[space])
                while True:
                    low2, high2 = (0, 0) if other == end else (rows[other, 1], rows[other, 2])
                    for across in range((low - base[0]) >> shift[0], ((high - base[0]) >> shift[0]) + 1):
                        for along in range((low2 - base[1]) >> shift[1], ((high2 - base[1]) >> shift[1]) + 1):
                            slot = spaces.first_slot[space] + across * slots[1] + along
                            if filling:
                                entry = spaces.entries[cursor[slot]]
                                entry[0], entry[1], entry[2], entry[3] = low, high, low2, high2
                                entry[4] = spaces.filter[conjunction] * 2 if spaces.decided[space] else conjunction
                            cursor[slot] += 1
                    other += 1
                    if other >= end or rows[other, 0] >> 2 != spaces.second[space]:
                        break
                one += 1
                if one >= end or rows[one, 0] >> 2 != first[space]:
                    break
