"""Conjunctions as arrays: from the cells of filters, or from boxes in bulk, to ranges of codes on scales.

A conjunction wants, of each column that it names, a code in one of some ranges. Its rows are these ranges; a row tells
whether the next one is another range for the same column. What a range of codes cannot express (LIKE in the middle of
a string, strings read as timestamps, integers beyond 64 bits) is a *loose* range: it holds more than is wanted, and
who matches by it alone is to be tested by its filter. Nothing here is compiled, and nothing knows of grids.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from distributary.algebra.cells import Cell
from distributary.algebra.intervals import Cut, Line
from distributary.algebra.valuesets import ValueSet
from distributary.matching.records.compiled.encoding import Codes, Flags, Floats, Ints
from distributary.matching.records.scale import (
    INTEGER_MAX,
    INTEGER_MIN,
    NULL,
    NUMBERS,
    OTHER,
    VAST_LOW,
    Scale,
    merge_scales,
    thresholds,
)

__all__ = ["LOOSE", "MORE", "Conjunctions", "conjunctions_of_boxes", "conjunctions_of_cells", "joined", "kept"]

#: What a row's first number holds beside its column (the number is column * 4 + these): another range of the same
#: column follows; the range is loose.
MORE, LOOSE = 1, 2


@dataclass(frozen=True, slots=True)
class Conjunctions:
    """Conjunctions of ranges; a filter may own several."""

    names: tuple[str, ...]
    scales: tuple[Scale, ...]
    #: The serial of each conjunction's filter.
    owner: Ints
    #: Whether a match is to be tested by the filter whatever ranges it came by.
    doubtful: Flags
    #: The rows of conjunction i are `start[i] .. start[i + 1] - 1`; those of one column stand together.
    start: Ints
    #: (column * 4 + marks, lowest code, highest code)
    rows: Codes

    def __len__(self) -> int:
        """Return how many conjunctions there are."""
        return len(self.owner)


def conjunctions_of_cells(cells: Sequence[tuple[int, Cell, bool]]) -> Conjunctions:
    """Return the conjunctions of (serial, cell, whether it is doubtful), in O(n log n)."""
    sets: dict[str, list[ValueSet]] = {}
    for _, cell, _ in cells:
        for column, values in cell:
            sets.setdefault(column, []).append(values)
    names = tuple(sorted(sets))
    rulers = {name: (number, _Ruler(sets[name])) for number, name in enumerate(names)}
    rows: list[tuple[int, int, int]] = []
    start = [0]
    for _, cell, _ in cells:
        for column, values in cell:
            number, ruler = rulers[column]
            rows.extend(_rows(number, ruler.ranges(values)))
        start.append(len(rows))
    return Conjunctions(
        names,
        tuple(rulers[name][1].scale for name in names),
        np.array([serial for serial, _, _ in cells], dtype=np.int64),
        np.array([doubtful for _, _, doubtful in cells], dtype=np.bool_),
        np.array(start, dtype=np.int64),
        np.array(rows, dtype=np.int32).reshape(-1, 3),
    )


#: A lowest and a highest code, and whether the range is loose.
_Range = tuple[int, int, bool]


def _rows(column: int, ranges: list[_Range]) -> Iterable[tuple[int, int, int]]:
    last = len(ranges) - 1
    for place, (low, high, loose) in enumerate(ranges):
        yield column * 4 + MORE * (place < last) + LOOSE * loose, low, high


class _Ruler:
    """The cuts of one column as they are in the algebra, and the scale that they make."""

    def __init__(self, sets: Iterable[ValueSet]) -> None:
        numbers: set[Cut] = set()
        strings: set[Cut] = set()
        instants: set[Cut] = set()
        for values in sets:
            numbers.update(values.number.cuts)
            strings.update(values.string.order.cuts)
            instants.update(values.instant.cuts)
        places = sorted(numbers)
        beyond = [thresholds(cut) for cut in places]
        texts, times = sorted(strings), sorted(instants)
        # Cuts of discrete sorts are all before their places (`intervals`), so the place is the first value beyond.
        assert not any(after for _, after in (*texts, *times))
        self.scale = Scale(
            np.array([double for double, _ in beyond], dtype=np.float64),
            np.array([integer for _, integer in beyond], dtype=np.int64),
            np.array([place for place, _ in times], dtype=np.int64),
            tuple(str(place) for place, _ in texts),
        )
        self._numbers, self._strings, self._instants = places, texts, times

    def ranges(self, values: ValueSet) -> list[_Range]:
        """Return the ranges of codes of a set, ascending and apart; it may be empty."""
        scale = self.scale
        found: list[_Range] = [
            (code, code, False) for code, held in ((NULL, values.null), (OTHER, values.other)) if held
        ]
        found += self._number_ranges(values.number)
        found += [
            (scale.false + place, scale.false + place, False) for place in (0, 1) if values.boolean.contains(place)
        ]
        if not values.string.is_empty:
            loose = not values.string.only_order
            found += _line_ranges(values.string.order, self._strings, scale.first_string, loose)
        found += _line_ranges(values.instant, self._instants, scale.first_instant, False)
        return _merged(found)

    def _number_ranges(self, line: Line) -> list[_Range]:
        scale = self.scale
        found = _line_ranges(line, self._numbers, NUMBERS, False)
        low_cut = bool(line.cuts) and _place(line.cuts[0]) < INTEGER_MIN
        high_cut = bool(line.cuts) and _place(line.cuts[-1]) >= INTEGER_MAX
        # Among cuts that no 64-bit integer tells apart, the filter itself decides.
        if low_cut or line.inside:
            found.append((VAST_LOW, VAST_LOW, low_cut))
        if high_cut or line.inside != bool(len(line.cuts) % 2):
            found.append((scale.vast_high, scale.vast_high, high_cut))
        return found


def _place(cut: Cut) -> float:
    assert not isinstance(cut[0], str)
    return cut[0]


def _line_ranges(line: Line, cuts: Sequence[Cut], first: int, loose: bool) -> list[_Range]:
    found = []
    for low, high in line.intervals():
        start = 0 if low is None else bisect_left(cuts, low) + 1
        stop = len(cuts) if high is None else bisect_left(cuts, high)
        found.append((first + start, first + stop, loose))
    return found


def _merged(ranges: list[_Range]) -> list[_Range]:
    merged: list[_Range] = []
    for low, high, loose in sorted(ranges):
        if merged and merged[-1][1] == low - 1 and merged[-1][2] is loose:
            merged[-1] = (merged[-1][0], high, loose)
        else:
            merged.append((low, high, loose))
    return merged


def conjunctions_of_boxes(
    names: Sequence[str], serials: Ints, start: Ints, column: Ints, low: Floats, high: Floats
) -> Conjunctions:
    """Return the conjunctions of boxes: range i is closed, `low[i] .. high[i]` of the column `names[column[i]]`.

    The ranges of box j are `start[j] .. start[j + 1] - 1`, each of another column, and their ends are finite numbers
    within 64-bit integers.
    """
    assert np.all((low <= high) & (low > INTEGER_MIN) & (high < 2.0**62)), "ends are too far out"
    scales = []
    rows = np.empty((len(column), 3), dtype=np.int32)
    rows[:, 0] = column * 4
    by_column = np.argsort(column, kind="stable")
    bounds = np.searchsorted(column[by_column], np.arange(len(names) + 1))
    for number in range(len(names)):
        chosen = by_column[bounds[number] : bounds[number + 1]]
        lows, highs = low[chosen] + 0.0, high[chosen] + 0.0
        beyond = Scale(
            np.concatenate([lows, np.nextafter(highs, inf)]),
            np.concatenate([np.ceil(lows).astype(np.int64), np.floor(highs).astype(np.int64) + 1]),
        )
        scale, ((positions, _),) = merge_scales([beyond])
        # The lowest new code of old code `NUMBERS + i + 1` is the one just beyond old cut i.
        past = positions[NUMBERS + 1 : NUMBERS + 1 + 2 * len(lows)]
        rows[chosen, 1], rows[chosen, 2] = past[: len(lows)], past[len(lows) :] - 1
        scales.append(scale)
    doubtful = np.zeros(len(serials), dtype=np.bool_)
    return Conjunctions(tuple(names), tuple(scales), serials, doubtful, start, rows)


def joined(parts: Sequence[Conjunctions]) -> Conjunctions:
    """Return all conjunctions of some, on scales that have the cuts of all."""
    if len(parts) < 2:
        return parts[0] if parts else conjunctions_of_cells([])
    names = tuple(sorted({name for part in parts for name in part.names}))
    numbers = {name: number for number, name in enumerate(names)}
    scales: list[Scale] = []
    rows = [part.rows.copy() for part in parts]
    for part, copied in zip(parts, rows, strict=True):
        renamed = np.array([numbers[name] for name in part.names], dtype=np.int32)
        if len(copied):
            copied[:, 0] = renamed[part.rows[:, 0] >> 2] * 4 + (part.rows[:, 0] & 3)
    for name in names:
        having = [place for place, part in enumerate(parts) if name in part.names]
        merged, moves = merge_scales([parts[place].scales[parts[place].names.index(name)] for place in having])
        scales.append(merged)
        for place, (lowest, highest) in zip(having, moves, strict=True):
            chosen = np.flatnonzero(rows[place][:, 0] >> 2 == numbers[name])
            rows[place][chosen, 1] = lowest[parts[place].rows[chosen, 1]]
            rows[place][chosen, 2] = highest[parts[place].rows[chosen, 2]]
    ends = np.cumsum([0, *(len(part.rows) for part in parts)])
    starts = [part.start[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Conjunctions(
        names,
        tuple(scales),
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.doubtful for part in parts]),
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate(rows),
    )


def kept(conjunctions: Conjunctions, wanted: Flags) -> Conjunctions:
    """Return the conjunctions that are wanted, on the same scales."""
    if wanted.all():
        return conjunctions
    lengths = np.diff(conjunctions.start)
    return Conjunctions(
        conjunctions.names,
        conjunctions.scales,
        conjunctions.owner[wanted],
        conjunctions.doubtful[wanted],
        np.concatenate([[0], np.cumsum(lengths[wanted])]).astype(np.int64),
        conjunctions.rows[np.repeat(wanted, lengths)],
    )
