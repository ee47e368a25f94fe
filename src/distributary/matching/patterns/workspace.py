"""What one thread needs to match documents: rows, frames, memos. All of it belongs to the thread, the index does not.

Memory is bounded whatever the documents: rows take a bit for each element; what is remembered of terms and names has a
pool of a fixed size, and when that is full all of it is forgotten and found again where it is needed. Rows of children
and descendants, which grow with the square of the document, are kept for documents of at most 255 elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from distributary.matching.documents.layout import DocumentArrays, Longs
from distributary.matching.patterns import layout
from distributary.matching.patterns.compiled.walk import FRAME_FIELDS, FRAME_ROWS
from distributary.matching.patterns.index import PatternIndex

__all__ = ["POOL_BYTES", "Workspace"]

#: The largest pool of rows.
POOL_BYTES = 64 << 20
_POOL_LEAST = 1 << 20
#: Rows that the pool has room for in any case.
_ROWS_LEAST = 16
_NARROW_ELEMENTS = 256


class Workspace:
    """Arrays that grow with the index and the documents; never used by two threads at once."""

    def __init__(self, pool_bytes: int = POOL_BYTES) -> None:
        self.context: Longs = np.zeros(layout.WORKSPACE_LENGTH, dtype=np.int64)
        self.address = int(self.context.ctypes.data)
        self._pool_bytes = pool_bytes
        #: The arrays by the place of their address in the context.
        self._arrays: dict[int, npt.NDArray[Any]] = {}
        #: How large the index was, and the document, that there is room for.
        self._index_size = (-1, -1, -1, -1, -1, -1)
        self._tests = 0
        self._terms = 0
        self._frames = 0
        self._nesting = 0
        self.fit_document_size(255, 512, 512)

    def _put(self, place: int, length: int, dtype: type[np.generic], *, clear: bool = False) -> None:
        array: npt.NDArray[Any] = np.zeros(length, dtype=dtype) if clear else np.empty(length, dtype=dtype)
        self._arrays[place] = array
        self.context[place] = array.ctypes.data

    def fit_index(self, index: PatternIndex) -> None:
        """Make room for what the index holds now."""
        context = index.context
        size = (
            len(index.arrays["edges"]),
            index.encoder.numbers,
            len(index.arrays["terms"]),
            len(index.arrays["slots"]),
            int(context[layout.DEPTH]),
            index.longest,
        )
        if size == self._index_size:
            return
        nodes, names, terms, slots, depth, longest = self._index_size = size
        if names > self.context[layout.NAMES_ROOM]:
            room = max(64, 1 << names.bit_length())
            self.context[layout.NAMES_ROOM] = room
            self._tests = 2 * room
            self._put(layout.MEMO_TESTS, self._tests, np.int64, clear=True)
            self._put(layout.TEST_FIRST, self._tests, np.int64, clear=True)
            self._put(layout.ATTRIBUTE_FIRST, room, np.int64, clear=True)
        if terms > self._terms:
            self._terms = terms
            self._put(layout.MEMO_TERMS, terms, np.int64, clear=True)
        if layout.AGENDA not in self._arrays or nodes > len(self._arrays[layout.AGENDA]):
            # Below each node on one way down no node is twice on the agenda.
            self._put(layout.AGENDA, nodes, np.int32)
        words = (slots + 63) // 64
        if layout.OUT not in self._arrays or words > len(self._arrays[layout.OUT]):
            self._put(layout.OUT, words, np.int64, clear=True)
        self._frames, self._nesting = max(self._frames, depth + 2), max(self._nesting, longest + 2)
        self._fit_rows(int(self.context[layout.WORDS_ROOM]))

    def fit_document(self, document: DocumentArrays) -> None:
        """Make room for a document."""
        self.fit_document_size(document.elements, document.attributes, document.text_nodes)

    def fit_document_size(self, elements: int, attributes: int, text_nodes: int) -> None:
        """Make room for documents of this size."""
        context = self.context
        rooms = context[[layout.ELEMENTS_ROOM, layout.ATTRIBUTES_ROOM, layout.TEXT_NODES_ROOM]].tolist()
        wanted = (elements + 1, attributes, text_nodes)
        if all(need <= room for need, room in zip(wanted, rooms, strict=True)):
            return
        elements_room, attributes_room, text_nodes_room = (
            max(room, 1 << (need - 1).bit_length()) if need else room for need, room in zip(wanted, rooms, strict=True)
        )
        context[layout.ELEMENTS_ROOM], context[layout.ATTRIBUTES_ROOM] = elements_room, attributes_room
        context[layout.TEXT_NODES_ROOM] = text_nodes_room
        self._put(layout.NEARBY, 2 * elements_room, np.int64)
        for place in (layout.ELEMENT_NEXT, layout.TEXT_FIRST):
            self._put(place, elements_room, np.int32)
        for place in (layout.ATTRIBUTE_NEXT, layout.ATTRIBUTE_OWNER):
            self._put(place, attributes_room, np.int32)
        self._put(layout.TEXT_NEXT, text_nodes_room, np.int32)
        values = elements_room + attributes_room + text_nodes_room
        self._put(layout.VALUES_KNOWN, values, np.int64, clear=True)
        self._put(layout.VALUES_NUMBER, values, np.float64)
        self._put(layout.UNDECIDED, values, np.int32)
        self._fit_rows(max(4, (elements_room + 63) // 64))

    def _fit_rows(self, words: int) -> None:
        context = self.context
        context[layout.WORDS_ROOM] = words
        self._put(layout.FRAMES, self._frames * (FRAME_FIELDS + FRAME_ROWS * words), np.int64)
        self._put(layout.STACK, self._nesting * (2 + words), np.int64)
        if layout.CHILD_ROWS not in self._arrays:
            for place in (layout.CHILD_ROWS, layout.DESCENDANT_ROWS):
                self._put(place, _NARROW_ELEMENTS * _NARROW_ELEMENTS // 64, np.int64)
        wanted = max(_POOL_LEAST, 8 * words * (self._terms + self._tests))
        length = max(8 * words * _ROWS_LEAST, min(self._pool_bytes, wanted))
        if layout.POOL not in self._arrays or length > self._arrays[layout.POOL].nbytes:
            self._put(layout.POOL, length // 8, np.int64)
            context[layout.POOL_BYTES] = length
        # Rows that were noted may be where none is any more.
        context[layout.GENERATION] += 1

    def mark_among(self, index: PatternIndex) -> None:
        """Make room for marks on the nodes of the index, and take a new mark."""
        nodes = len(index.arrays["edges"])
        if layout.MARKED not in self._arrays or nodes > len(self._arrays[layout.MARKED]):
            self._put(layout.MARKED, nodes, np.int64, clear=True)
            for place in (layout.MARKED_FIRST, layout.MARKED_NEXT):
                self._put(place, nodes, np.int32)
        self._marks += 1
        self.context[layout.MARK] = self._marks

    def unmark(self) -> None:
        """Match among all again."""
        self.context[layout.MARK] = 0

    #: How often marks were taken.
    _marks = 0

    def undecided(self) -> list[int]:
        """Return the values whose numbers are asked for."""
        found: list[int] = self._arrays[layout.UNDECIDED][: self.context[layout.UNDECIDED_COUNT]].tolist()
        return found

    def decide(self, value: int, number: float) -> None:
        """Tell the number of a value."""
        self._arrays[layout.VALUES_NUMBER][value] = number
