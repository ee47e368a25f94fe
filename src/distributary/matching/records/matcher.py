"""The matcher of records: an index of codes for all predicates and boxes at once, in levels, so that they may change.

New filters are young: tested one by one until they are enough for a level. A level is merged with those that are not
much larger than it, so there are few. Removing marks; who is gone goes when a level is merged. It is exact: the index
answers with what matches and with what may match, and the latter is tested by the filter itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from distributary.algebra.anyof import AnyOf
from distributary.algebra.cells import Cell, cells_of
from distributary.algebra.filter import Filter
from distributary.algebra.predicate import Predicate
from distributary.core.values import Content, Record
from distributary.matching.records.columns import Columns, columns_of
from distributary.matching.records.compiled.encoding import Floats, Ints
from distributary.matching.records.compiled.searching import gather
from distributary.matching.records.conjunctions import (
    LOOSE,
    Conjunctions,
    conjunctions_of_boxes,
    conjunctions_of_cells,
)
from distributary.matching.records.level import Level, merged
from distributary.matching.records.necessary import necessary_cells
from distributary.matching.records.rebuild import Fresh, Snapshot

__all__ = ["RecordMatcher"]

Key = TypeVar("Key", bound=Hashable)

#: So many filters are tested one by one, or so many records by one, before they make a level.
_YOUNG_MAX = 64
_TESTED_MAX = 64
#: A level is merged with the next larger one unless that is more than so many times as large, and not small.
_RATIO = 2
_SMALL = 256
#: A predicate without a normal form is looked for in at most so many cells.
_NEEDED_MAX = 32
#: Fewer records than this are matched one by one.
_BATCH_MIN = 8


class RecordMatcher(Generic[Key]):
    """Predicates, boxes and unions of them under keys; other filters are taken too, and tested one by one.

    Args:
        merged_max: A level with more filters than this is only merged with others by `adopt`; so nothing that is
            called while items wait takes long. Without it, all merging is done when it is due.

    One thread at a time may use it; after `settle`, and until the next change, any number may match. It may be forked.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> matcher: RecordMatcher[str] = RecordMatcher()
    >>> matcher.add("strong", parse_where("mag >= 4"))
    >>> matcher.add("near", parse_where("lat between 30 and 42 or place is null"))
    >>> matcher.match({"mag": 4.5, "lat": 35, "place": "Ridgecrest"})
    ('strong', 'near')
    """

    def __init__(self, merged_max: int | None = None) -> None:
        self._merged_max = merged_max
        self._serial_of: dict[Key, int] = {}
        self._key_of: dict[int, Key] = {}
        #: The serial of the next filter: ascending in the order of adding.
        self._next = 0
        #: Filters that are in no level yet.
        self._young: dict[int, Filter] = {}
        #: How many records were tested by them one by one.
        self._tested = 0
        #: Filters that no level can hold.
        self._plain: dict[int, Filter] = {}
        #: Filters in levels, of which a match may be in doubt.
        self._doubtful: dict[int, Filter] = {}
        #: Descending in size, each with other filters.
        self._levels: list[Level] = []

    def __len__(self) -> int:
        """Return how many filters are held."""
        return len(self._serial_of)

    @property
    def levels(self) -> tuple[int, ...]:
        """How many filters each level holds, with those that are gone."""
        return tuple(len(level) for level in self._levels)

    def add(self, key: Key, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold `filter` under `key`."""
        self._young[self._numbered(key)] = filter

    def add_boxes(
        self, keys: Sequence[Key], names: Sequence[str], start: Ints, column: Ints, low: Floats, high: Floats
    ) -> None:
        """Hold many boxes at once, without an object for each.

        The ranges of box j are `start[j] .. start[j + 1] - 1`, each of another column; range i is `low[i]` to
        `high[i]`, both included, of the column `names[column[i]]`; its ends are finite and below 2**62.
        """
        serials = np.array([self._numbered(key) for key in keys], dtype=np.int64)
        self.settle()
        self._include(conjunctions_of_boxes(names, serials, start, column, low, high))

    def remove(self, key: Key) -> None:
        """Forget a key; one that is not held is a `KeyError`. O(levels x log n)."""
        serial = self._serial_of.pop(key)
        del self._key_of[serial]
        if self._young.pop(serial, None) is None and self._plain.pop(serial, None) is None:
            self._doubtful.pop(serial, None)
            gone = [level for level in self._levels if level.remove(serial)]
            # A filter that can match nothing is in no level.
            for level in gone:
                if level.dead * 2 > len(level) and not self._is_large(len(level)):
                    self._levels.remove(level)
                    self._include(level.living())

    def match(self, item: Content) -> tuple[Key, ...]:
        """Return the keys of the matching filters, in the order in which they were added."""
        self._tested += bool(self._young)
        if len(self._young) > _YOUNG_MAX or self._tested > _TESTED_MAX:
            self.settle()
        found = self._one_by_one(item)
        if isinstance(item, Mapping):
            for level in self._levels:
                for match in level.match(item).tolist():
                    serial = match >> 1
                    if not match & 1 or serial in found or self._doubtful[serial].matches(item):
                        found.add(serial)
        return tuple(map(self._key_of.__getitem__, sorted(found)))

    def match_batch(self, items: Iterable[Content]) -> list[tuple[Key, ...]]:
        """Return what `match` returns for each of the items; quicker than one by one for many records."""
        held = list(items)
        records = [item for item in held if isinstance(item, Mapping)]
        if len(records) < _BATCH_MIN or len(records) < len(held):
            return [self.match(item) for item in held]
        self.settle()
        columns = columns_of(records, self._indexed_columns())
        start, serials = self._matched(columns, records)
        keys = list(map(self._key_of.__getitem__, serials.tolist()))
        ends = start.tolist()
        return [tuple(keys[ends[row] : ends[row + 1]]) for row in range(len(records))]

    def match_columns(self, columns: Columns) -> tuple[Ints, Ints]:
        """Return the matches of records in columns: where each record's start, and their serials, ascending in each.

        A serial tells a filter by how many were added before it; `keys_of` has the keys.
        """
        self.settle()
        return self._matched(columns, _Rows(columns))

    def columns(self) -> tuple[str, ...] | None:
        """Return the columns that the filters look at, ascending; `None` where some may look at any."""
        self.settle()
        if self._plain or any(level.index.conjunctions.doubtful.any() for level in self._levels):
            return None
        return self._indexed_columns()

    def keys_of(self, serials: Iterable[int]) -> tuple[Key, ...]:
        """Return the keys that serials stand for."""
        return tuple(self._key_of[int(serial)] for serial in serials)

    def settle(self) -> None:
        """Bring all young filters into a level: what is done anyway, at last when there are many or much is matched."""
        self._tested = 0
        if not self._young:
            return
        young, self._young = self._young, {}
        cells: list[tuple[int, Cell, bool]] = []
        for serial, wanted in young.items():
            certain, found = _cells(wanted)
            if found is None:
                self._plain[serial] = wanted
            else:
                cells.extend((serial, cell, not certain) for cell in found)
        conjunctions = conjunctions_of_cells(cells)
        loose = np.concatenate([[0], np.cumsum(conjunctions.rows[:, 0] & LOOSE != 0)])
        doubt = conjunctions.doubtful | (loose[conjunctions.start[1:]] > loose[conjunctions.start[:-1]])
        for serial in conjunctions.owner[doubt].tolist():
            self._doubtful[serial] = young[serial]
        self._include(conjunctions)

    def snapshot(self) -> Snapshot:
        """Return what `rebuilt` makes one index of, in this thread or another."""
        self.settle()
        levels = tuple(self._levels)
        return Snapshot(tuple(level.living() for level in levels), levels)

    def adopt(self, fresh: Fresh) -> None:
        """Use what was rebuilt; what came and went in between stays so. An outdated one is dropped."""
        if not fresh.levels or not all(level in self._levels for level in fresh.levels):
            return
        level = Level(fresh.index)
        for serial in fresh.index.serials.tolist():
            if serial not in self._key_of:
                level.remove(serial)
        self._levels = [each for each in self._levels if each not in fresh.levels]
        self._put(level)

    def _indexed_columns(self) -> tuple[str, ...]:
        return tuple(sorted({name for level in self._levels for name in level.index.conjunctions.names}))

    def _numbered(self, key: Key) -> int:
        assert key not in self._serial_of, f"{key!r} is held already"
        serial, self._next = self._next, self._next + 1
        self._serial_of[key] = serial
        self._key_of[serial] = key
        return serial

    def _is_large(self, filters: int) -> bool:
        return self._merged_max is not None and filters > self._merged_max

    def _include(self, conjunctions: Conjunctions) -> None:
        """Make a level of conjunctions, and of the levels that are not much larger."""
        if not len(conjunctions):
            return
        parts, total = [conjunctions], len(conjunctions)
        while self._levels:
            last = len(self._levels[-1])
            if last > max(_RATIO * total, _SMALL) or self._is_large(last):
                break
            parts.insert(0, self._levels.pop().living())
            total += len(parts[0])
        self._put(Level(merged(parts)))

    def _put(self, level: Level) -> None:
        if len(level):
            self._levels = sorted([*self._levels, level], key=len, reverse=True)

    def _one_by_one(self, item: Content) -> set[int]:
        return {
            serial
            for filters in (self._plain, self._young)
            for serial, wanted in filters.items()
            if wanted.matches(item)
        }

    def _matched(self, columns: Columns, records: Sequence[Record]) -> tuple[Ints, Ints]:
        """Return the matches of records by the levels and by what no level can hold."""
        found = [part for level in self._levels for part in level.match_columns(columns)]
        for serial, wanted in self._plain.items():
            chosen = [row for row, record in enumerate(records) if wanted.matches(record)]
            found.append((np.array(chosen, dtype=np.int32), np.full(len(chosen), serial * 2, dtype=np.int64)))
        if not found:
            return np.zeros(len(columns) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
        where, what = (np.concatenate([part[side] for part in found]) for side in (0, 1))
        start, serials, doubts = gather(where, what, len(columns))
        rows = np.searchsorted(start, doubts, side="right") - 1
        wrong = [
            doubt
            for doubt, row in zip(doubts.tolist(), rows.tolist(), strict=True)
            if not self._doubtful[int(serials[doubt])].matches(records[row])
        ]
        if wrong:
            serials = np.delete(serials, wrong)
            start = start - np.searchsorted(wrong, start)
        return start, serials


class _Rows(Sequence[Record]):
    """The records of columns, each made when it is asked for; the last one is kept, as it is often asked for again."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._last: tuple[int, Record] = (-1, {})

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, row: int) -> Record:  # type: ignore[override]
        if row != self._last[0]:
            self._last = (row, self._columns.record(row))
        return self._last[1]

    def __iter__(self) -> Iterator[Record]:
        return (self[row] for row in range(len(self)))


def _cells(wanted: Filter) -> tuple[bool, Sequence[Cell] | None]:
    """Return whether a filter's cells are all that it is, and the cells; `None` when it has none of use."""
    cells = cells_of(wanted)
    if cells is not None:
        return True, cells
    members = wanted.members if isinstance(wanted, AnyOf) else (wanted,)
    found: list[Cell] = []
    for member in members:
        needed = necessary_cells(member.expression, _NEEDED_MAX) if isinstance(member, Predicate) else cells_of(member)
        if needed is None:
            return False, None
        found.extend(needed)
    return False, found
