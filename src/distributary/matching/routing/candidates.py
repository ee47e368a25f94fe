"""The containment index: of many filters, those that may cover a given one or be covered by it. It compares none."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from distributary.matching.routing.outline import PLACES, WORD, Outline

__all__ = ["Candidates"]

_Entry = TypeVar("_Entry")

#: Up to so many rows are simply tried, so that a small node never loads compiled code.
_FEW = 64
_ROWS_FIRST = 256


class Candidates(Generic[_Entry]):
    """Entries with their outlines, in rows without gaps. A look at all of them costs about a nanosecond a row."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._outlines: list[Outline] = []
        self._words = np.empty((_ROWS_FIRST, 2), np.uint64)
        self._bounds = np.empty((_ROWS_FIRST, PLACES), np.float32)
        self._found = np.empty(_ROWS_FIRST, np.int32)

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries)

    def add(self, entry: _Entry, outline: Outline) -> int:
        """Add an entry; return its row, which is its own until one is removed."""
        row = len(self._entries)
        if row == len(self._found):
            self._words = np.concatenate([self._words, np.empty_like(self._words)])
            self._bounds = np.concatenate([self._bounds, np.empty_like(self._bounds)])
            self._found = np.empty(2 * row, np.int32)
        self._words[row] = _words(outline)
        self._bounds[row] = outline.bounds
        self._entries.append(entry)
        self._outlines.append(outline)
        return row

    def remove(self, row: int) -> _Entry | None:
        """Remove a row; the last entry takes its place and is returned, but for the removed one itself."""
        last = self._entries.pop()
        outline = self._outlines.pop()
        end = len(self._entries)
        if row == end:
            return None
        self._entries[row], self._outlines[row] = last, outline
        self._words[row], self._bounds[row] = self._words[end], self._bounds[end]
        return last

    def wider(self, outline: Outline) -> list[_Entry]:
        """Return the entries that may cover a filter of this outline."""
        if len(self._entries) <= _FEW:
            pairs = zip(self._entries, self._outlines, strict=True)
            return [entry for entry, other in pairs if other.may_cover(outline)]
        from distributary.matching.routing.compiled.scan import scan_wider

        bounds = np.array(outline.bounds, np.float32)
        size = scan_wider(self._words, self._bounds, len(self._entries), _words(outline), bounds, self._found)
        return [self._entries[row] for row in self._found[:size].tolist()]

    def narrower(self, outline: Outline) -> list[_Entry]:
        """Return the entries that a filter of this outline may cover."""
        if len(self._entries) <= _FEW:
            pairs = zip(self._entries, self._outlines, strict=True)
            return [entry for entry, other in pairs if outline.may_cover(other)]
        from distributary.matching.routing.compiled.scan import scan_narrower

        bounds = np.array(outline.bounds, np.float32)
        size = scan_narrower(self._words, self._bounds, len(self._entries), _words(outline), bounds, self._found)
        return [self._entries[row] for row in self._found[:size].tolist()]

    def nearest(self, outline: Outline, count: int) -> list[_Entry]:
        """Return entries that look most like an outline: many features in common, ends close together. O(rows)."""
        size = len(self._entries)
        words, bounds = self._words[:size], self._bounds[:size]
        mine = _words(outline)
        shared = np.bitwise_count(words & mine).sum(axis=1, dtype=np.float64)
        apart = np.bitwise_count(words ^ mine).sum(axis=1, dtype=np.float64)
        own = np.array(outline.bounds, np.float32)
        known = np.isfinite(bounds) & np.isfinite(own)
        ours, theirs = np.where(known, bounds, 0.0), np.where(known, own, 0.0)
        distance = (np.abs(ours - theirs) / (1.0 + np.abs(ours) + np.abs(theirs))).sum(axis=1)
        order = np.argsort(apart / 2 - shared + distance, kind="stable")[:count]
        return [self._entries[row] for row in order.tolist()]


def _words(outline: Outline) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([outline.features & WORD, outline.features >> 64], np.uint64)
