"""Searching spaces with the codes of many records, compiled: who matches which, then sorted by record."""

from __future__ import annotations

import numpy as np

from distributary.matching.documents.compiled.memory import compiled
from distributary.matching.records.compiled.arranging import Spaces
from distributary.matching.records.compiled.encoding import Bytes, Codes, Flags, Ints

__all__ = ["gather", "named", "search"]


@compiled
def _outcome(rows: Codes, row: int, end: int, codes: Codes, record: int) -> int:
    """Tell whether a record satisfies rows: 0 no, 1 yes, 2 perhaps."""
    outcome = 1
    while row < end:
        mark = rows[row, 0]
        code = codes[mark >> 2, record]
        while True:
            held = rows[row, 1] <= code <= rows[row, 2]
            mark = rows[row, 0]
            row += 1
            if held or mark & 1 == 0:
                break
        if not held:
            return 0
        if mark & 2 != 0:
            outcome = 2
        while mark & 1 != 0:
            mark = rows[row, 0]
            row += 1
    return outcome


@compiled
def _slots(codes: Codes, codes2: Codes, listed: Codes, spaces: Spaces, space: int, found: Codes) -> int:
    """Write the place in the list of each listed record that is in one of a space's slots; return how many are."""
    base, base2 = spaces.base[space, 0], spaces.base[space, 1]
    shift, shift2 = spaces.shift[space, 0], spaces.shift[space, 1]
    slots, slots2 = spaces.slots[space, 0], spaces.slots[space, 1]
    count = 0
    for place in range(listed.shape[0]):
        record = listed[place]
        across, along = (codes[record] - base) >> shift, (codes2[record] - base2) >> shift2
        found[count, 0], found[count, 1] = record, across * slots2 + along
        # No branch: which records are inside is not foreseen.
        count += (across >= 0) & (across < slots) & (along >= 0) & (along < slots2)
    return count


@compiled
def search(spaces: Spaces, codes: Codes, skipped: Flags) -> tuple[Codes, Codes]:
    """Return the matches of a block of records: for each its record, and its filter's place x 2 + whether in doubt.

    `codes` has a row for each column and a last one of zeros; spaces that are `skipped` are not looked at. One space
    after the other meets all records, so that it is near the processor when they come. A filter may come up several
    times for a record.
    """
    where, what, count = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32), 0
    listed = np.empty(codes.shape[1], dtype=np.int32)
    inside = np.empty((codes.shape[1] + 1, 2), dtype=np.int32)
    entries, entry_start, rows = spaces.entries, spaces.entry_start, spaces.rows
    for column in range(codes.shape[0]):
        spaces_end = spaces.of_column[column + 1]
        if spaces.of_column[column] == spaces_end:
            continue
        present = 0
        for record in range(codes.shape[1]):
            listed[present] = record
            present += (column == codes.shape[0] - 1) | (codes[column, record] != 0)
        for space in range(spaces.of_column[column], spaces_end):
            if present == 0 or skipped[space]:
                continue
            mine, other = codes[column], codes[spaces.second[space]]
            found = _slots(mine, other, listed[:present], spaces, space, inside)
            for place in range(found):
                record, slot = inside[place, 0], spaces.first_slot[space] + inside[place, 1]
                first, end = entry_start[slot], entry_start[slot + 1]
                if count + end - first > where.shape[0]:
                    more = np.empty(where.shape[0] + end - first, dtype=np.int32)
                    where, what = np.concatenate((where, more)), np.concatenate((what, more))
                code, code2, begin = mine[record], other[record], count
                for entry in range(first, end):
                    where[count], what[count] = record, entries[entry, 4]
                    # No branch here either.
                    count += (
                        (entries[entry, 0] <= code)
                        & (code <= entries[entry, 1])
                        & (entries[entry, 2] <= code2)
                        & (code2 <= entries[entry, 3])
                    )
                if spaces.decided[space] == 0:
                    stop, count = count, begin
                    for place2 in range(begin, stop):
                        conjunction = what[place2]
                        start, stop2 = spaces.row_start[conjunction], spaces.check_end[conjunction]
                        outcome = _outcome(rows, start, stop2, codes, record)
                        if outcome > 0:
                            doubt = max(outcome - 1, spaces.doubtful[conjunction])
                            where[count], what[count] = record, spaces.filter[conjunction] * 2 + doubt
                            count += 1
    return where[:count], what[:count]


@compiled
def _sort(values: Ints) -> None:
    """Sort a few numbers that are often sorted already (Shell's way)."""
    gap = 1
    while gap < values.shape[0] // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, values.shape[0]):
            value, to = values[place], place
            while to >= gap and values[to - gap] > value:
                values[to] = values[to - gap]
                to -= gap
            values[to] = value
        gap //= 3


@compiled
def named(what: Codes, serials: Ints, alive: Bytes, where: Codes) -> tuple[Codes, Ints]:
    """Return the matches with the serials of the filters in place of their places, without those of who is gone."""
    kept_where, kept, count = np.empty_like(where), np.empty(what.shape[0], dtype=np.int64), 0
    for match in range(what.shape[0]):
        place = what[match] >> 1
        kept_where[count], kept[count] = where[match], serials[place] * 2 + (what[match] & 1)
        count += alive[place] != 0
    return kept_where[:count], kept[:count]


@compiled
def _by_record(where: Codes, what: Ints, start: Ints) -> Ints:
    """Write where each record's matches start, and return them in the order of the records."""
    ordered = True
    for match in range(where.shape[0]):
        start[where[match] + 1] += 1
        ordered &= match == 0 or where[match - 1] <= where[match]
    for record in range(start.shape[0] - 1):
        start[record + 1] += start[record]
    if ordered:
        return what
    found = np.empty_like(what)
    cursor = start.copy()
    for match in range(where.shape[0]):
        found[cursor[where[match]]] = what[match]
        cursor[where[match]] += 1
    return found


@compiled
def gather(where: Codes, what: Ints, records: int) -> tuple[Ints, Ints, Ints]:
    """Return the matches by record: where each record's start, the serials, ascending and each once, those in doubt.

    The last are places in the list of serials. A filter that one of its conjunctions is sure of is not in doubt.
    """
    start = np.zeros(records + 1, dtype=np.int64)
    matches = _by_record(where, what, start)
    serials, doubt = np.empty(where.shape[0], dtype=np.int64), np.empty(where.shape[0], dtype=np.int64)
    kept, doubts, begin = 0, 0, 0
    for record in range(records):
        end = start[record + 1]
        if end - begin > 1:
            _sort(matches[begin:end])
        last = -1
        for match in range(begin, end):
            value = matches[match]
            if value >> 1 != last:
                last = value >> 1
                if value & 1 == 1:
                    doubt[doubts] = kept
                    doubts += 1
                serials[kept] = last
                kept += 1
        begin = end
        start[record + 1] = kept
    return start, serials[:kept], doubt[:doubts]
