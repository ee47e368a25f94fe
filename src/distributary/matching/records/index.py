"""The index of some conjunctions: a pure function arranges them, and blocks of codes are searched in it.

An index never changes but for marks of who is gone. It may be built in any thread, and read by all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.matching.records.compiled.arranging import Spaces, choose_columns, classify, fill_slots, reorder
from distributary.matching.records.compiled.encoding import Bytes, Codes, Flags, Ints
from distributary.matching.records.conjunctions import Conjunctions

__all__ = ["Index", "index_of"]

#: A pair of columns that fewer conjunctions want is not worth a look for each record.
_PAIR_MIN = 16


@dataclass(frozen=True, slots=True)
class Index:
    """Conjunctions arranged in spaces."""

    #: The conjunctions, in the order of the spaces.
    conjunctions: Conjunctions
    spaces: Spaces
    #: The serials of the filters, ascending.
    serials: Ints
    #: By place in `serials`: 1 while the filter is held, 0 when it is gone. The one thing that changes.
    alive: Bytes


def index_of(conjunctions: Conjunctions) -> Index:
    """Return the index of conjunctions, in O(n log n); a function of its argument alone."""
    order, layout = _layout(conjunctions)
    row_start = np.empty(len(conjunctions) + 1, dtype=np.int64)
    check_end = np.empty(len(conjunctions), dtype=np.int64)
    rows = np.empty_like(conjunctions.rows)
    access = np.repeat(layout.columns, np.diff(layout.start), axis=0)
    reorder(conjunctions.start, conjunctions.rows, order, access, row_start, check_end, rows)
    owner, doubtful = conjunctions.owner[order], conjunctions.doubtful[order]
    serials, filters = np.unique(owner, return_inverse=True)
    slots = layout.slots[:, 0].astype(np.int64) * layout.slots[:, 1]
    spaces = Spaces(
        of_column=np.searchsorted(layout.columns[:, 0], np.arange(len(conjunctions.names) + 2)).astype(np.int32),
        second=np.ascontiguousarray(layout.columns[:, 1]),
        space_start=layout.start,
        base=layout.base,
        shift=layout.shift,
        slots=layout.slots,
        first_slot=np.cumsum(slots) - slots,
        entry_start=np.zeros(int(slots.sum()) + 1, dtype=np.int64),
        decided=_decided(row_start, check_end, doubtful, layout.start),
        entries=np.empty((0, 5), dtype=np.int32),
        row_start=row_start,
        check_end=check_end,
        rows=rows,
        filter=filters.astype(np.int32),
        doubtful=doubtful.view(np.uint8),
    )
    return Index(
        Conjunctions(conjunctions.names, conjunctions.scales, owner, doubtful, row_start, rows),
        _filled(spaces, np.ascontiguousarray(layout.columns[:, 0])),
        serials,
        np.ones(len(serials), dtype=np.uint8),
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The spaces: their columns, the first conjunction of each (and one past the last), and their grids by axis."""

    columns: Codes
    start: Ints
    base: Codes
    shift: Codes
    slots: Codes


def _layout(conjunctions: Conjunctions) -> tuple[Ints, _Layout]:
    """Return the conjunctions in the order of their spaces, and the spaces, ascending by their columns."""
    none, count = len(conjunctions.names), len(conjunctions)
    keys = _groups(conjunctions)
    order = np.argsort(keys, kind="stable")
    found, group_start = np.unique(keys[order], return_index=True)
    group_start = np.append(group_start, count)
    columns = np.stack([found // (none + 1), found % (none + 1)], axis=1).astype(np.int32)
    kinds = np.column_stack([columns, columns[:, 1] == none]).astype(np.int32)
    axes = np.empty((len(found), 2, 3), dtype=np.int32)
    steps = np.empty(count, dtype=np.int32)
    classify(conjunctions.start, conjunctions.rows, order, group_start, kinds, axes, steps)
    keys = np.repeat(np.arange(len(found)), np.diff(group_start)) * 256 + steps
    inner = np.argsort(keys, kind="stable")
    spaces, start = np.unique(keys[inner], return_index=True)
    group = spaces // 256
    coarser = np.stack([spaces // 16 % 16, spaces % 16], axis=1).astype(np.int32)
    shift = axes[group, :, 1] + 2 * coarser
    slots = (axes[group, :, 2] >> shift) + 1
    base = np.ascontiguousarray(axes[group, :, 0])
    return order[inner], _Layout(columns[group], np.append(start, count), base, shift, slots)


def _groups(conjunctions: Conjunctions) -> Ints:
    """Return for each conjunction the first of its columns x (columns + 1) + the second; `columns` stands for none."""
    none, count = len(conjunctions.names), len(conjunctions)
    sizes = np.array([scale.size for scale in conjunctions.scales], dtype=np.int64)
    best, next_best = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    choose_columns(conjunctions.start, conjunctions.rows, sizes, best, next_best)
    first = np.where(best < 0, none, best).astype(np.int64)
    second = np.where(next_best < 0, none, next_best).astype(np.int64)
    pairs = np.minimum(first, second) * (none + 1) + np.maximum(first, second)
    _, places, population = np.unique(pairs, return_inverse=True, return_counts=True)
    return np.where(population[places] >= _PAIR_MIN, pairs, first * (none + 1) + none)


def _filled(spaces: Spaces, first: Codes) -> Spaces:
    """Return the spaces with their entries."""
    counts = np.zeros_like(spaces.entry_start)
    fill_slots(spaces, first, counts, False)
    spaces.entry_start[1:] = np.cumsum(counts[:-1])
    filled = spaces._replace(entries=np.empty((int(spaces.entry_start[-1]), 5), dtype=np.int32))
    fill_slots(filled, first, spaces.entry_start.copy(), True)
    return filled


def _decided(row_start: Ints, check_end: Ints, doubtful: Flags, space_start: Ints) -> Bytes:
    """Return for each space whether its entries alone decide."""
    undecided = np.concatenate([[0], np.cumsum((check_end > row_start[:-1]) | doubtful)])
    decided: Flags = undecided[space_start[1:]] == undecided[space_start[:-1]]
    return decided.view(np.uint8)
