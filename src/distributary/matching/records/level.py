"""A level: an index that is searched, and who has gone from it. A matcher has few, each smaller than the one before.

What a level answers is not sorted by record and may name a filter twice: `matcher` puts the levels' answers together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from distributary.core.values import Record
from distributary.matching.records.columns import Columns
from distributary.matching.records.compiled.encoding import Codes, Flags, Ints
from distributary.matching.records.compiled.plane import by_tile, search_plane
from distributary.matching.records.compiled.searching import named, search
from distributary.matching.records.conjunctions import Conjunctions, joined, kept
from distributary.matching.records.index import Index, index_of
from distributary.matching.records.planes import MappedSpace, mapped_spaces

__all__ = ["Level", "merged"]

#: Codes of a block, about as much as stays near the processor, and the fewest records for which spaces are visited.
_CODES_MAX = 1 << 17
_RECORDS_MIN = 8192
#: Fewer points than this are not worth the making of planes.
_POINTS_MIN = 1024
#: From so many entries and points on, points are brought into the order of the plane first.
_ENTRIES_FAR = 1 << 18
_POINTS_FAR = 1 << 15


class Level:
    """An index and the marks of who is gone."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._places = {name: place for place, name in enumerate(index.conjunctions.names)}
        #: How many of the filters are gone.
        self.dead = 0

    def __len__(self) -> int:
        """Return how many filters are in it, the gone ones too."""
        return len(self.index.serials)

    def remove(self, serial: int) -> bool:
        """Mark a filter as gone; tell whether it was here."""
        place = int(np.searchsorted(self.index.serials, serial))
        if place == len(self) or self.index.serials[place] != serial or not self.index.alive[place]:
            return False
        self.index.alive[place] = 0
        self.dead += 1
        return True

    def living(self) -> Conjunctions:
        """Return the conjunctions of who is not gone."""
        return kept(self.index.conjunctions, self.index.alive[self.index.spaces.filter].astype(np.bool_))

    @cached_property
    def _mapped(self) -> list[MappedSpace]:
        return mapped_spaces(self.index)

    def match(self, record: Record) -> Ints:
        """Return the matches of one record: serial x 2, + 1 where it is in doubt; in no order, some several times."""
        scales = self.index.conjunctions.scales
        codes = np.zeros((len(scales) + 1, 1), dtype=np.int32)
        if len(record) <= len(scales):
            for name, value in record.items():
                place = self._places.get(name)
                if place is not None:
                    codes[place, 0] = scales[place].code(value)
        else:
            for name, place in self._places.items():
                codes[place, 0] = scales[place].code(record.get(name))
        none = np.zeros(len(self.index.spaces.second), dtype=np.bool_)
        return self._named(*search(self.index.spaces, codes, none))[1]

    def match_columns(self, columns: Columns) -> list[tuple[Codes, Ints]]:
        """Return the matches of many records, part by part: the record and the match, as `match` has it."""
        skipped = np.zeros(len(self.index.spaces.second), dtype=np.bool_)
        found = []
        for mapped in self._mapped if len(columns) >= _POINTS_MIN else ():
            first, second = columns.doubles(mapped.first), columns.doubles(mapped.second)
            if first is not None and second is not None:
                skipped[mapped.space] = True
                many = len(mapped.plane.entries) >= _ENTRIES_FAR and len(columns) >= _POINTS_FAR
                numbers = np.empty(0, dtype=np.int32)
                if many:
                    numbers, first, second = by_tile(mapped.plane, first, second)
                found.append(self._named(*search_plane(mapped.plane, first, second, numbers)))
        if not skipped.all():
            found.extend(self._match_blocks(columns, skipped))
        return found

    def _match_blocks(self, columns: Columns, skipped: Flags) -> Iterator[tuple[Codes, Ints]]:
        scales = self.index.conjunctions.scales
        block = max(_CODES_MAX // (len(scales) + 1), _RECORDS_MIN)
        for start in range(0, len(columns), block):
            codes = np.zeros((len(scales) + 1, min(block, len(columns) - start)), dtype=np.int32)
            for name, column in columns.columns.items():
                place = self._places.get(name)
                if place is not None:
                    column.encode(scales[place], start, codes[place])
            where, what = search(self.index.spaces, codes, skipped)
            where += start
            yield self._named(where, what)

    def _named(self, where: Codes, what: Codes) -> tuple[Codes, Ints]:
        serials = self.index.serials
        if self.dead == 0 and serials[-1] - serials[0] == len(serials) - 1:
            return where, what + 2 * serials[0]
        return named(what, serials, self.index.alive, where)


def merged(parts: Sequence[Conjunctions]) -> Index:
    """Return the index of several parts. A function of its argument alone: it may run in any thread or process."""
    return index_of(joined(parts))
