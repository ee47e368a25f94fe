"""The compiled matcher of tree patterns under numbers: what comes and goes are arrays of slots, never keys."""

from __future__ import annotations

import numpy as np

from distributary.algebra.filter import Filter
from distributary.matching.documents import DocumentArrays, Vocabulary
from distributary.matching.hints.compiled.groups import Slots
from distributary.matching.patterns import PatternMatcher
from distributary.matching.patterns.compiled.matching import mark
from distributary.matching.patterns.rebuilding import Rebuild

__all__ = ["SlotPatterns"]


class SlotPatterns(PatternMatcher[int]):
    """A `SlotMatcher`."""

    def __init__(self) -> None:
        super().__init__()
        #: Places in the index by slot, and slots by place.
        self._places = np.zeros(16, np.int32)
        self._slot_at = np.zeros(16, np.int32)
        #: By place: the last question that was about it. One node of the index may be the end of many patterns.
        self._asked = np.zeros(16, np.int64)
        self._questions = 0

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that documents are read with."""
        return self._index.encoder.vocabulary

    def add(self, key: int, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold a pattern under a slot."""
        super().add(key, filter)
        self._note(key, self._slots[key])

    def adopt(self, rebuild: Rebuild[int]) -> None:
        """Put a rebuild in the place of the index: every slot has another place there."""
        super().adopt(rebuild)
        for key, place in self._slots.items():
            self._note(key, place)

    def _note(self, key: int, place: int) -> None:
        while key >= len(self._places):
            self._places = np.append(self._places, self._places)
        while place >= len(self._slot_at):
            self._slot_at = np.append(self._slot_at, self._slot_at)
            self._asked = np.append(self._asked, self._asked)
        self._places[key], self._slot_at[place] = place, key

    def match_arrays(self, arrays: DocumentArrays) -> Slots:
        """Return the slots of the patterns that match."""
        return self._slot_at[self._match(arrays)]

    def match_slots(self, arrays: DocumentArrays, slots: Slots) -> Slots:
        """Return those of the slots whose patterns match: the fewer, the quicker."""
        places = self._places[slots]
        self._questions += 1
        self._asked[places] = self._questions
        work = self._workspace
        work.fit_index(self._index)
        work.mark_among(self._index)
        try:
            mark(self._index.address, work.address, places)
            found = self._match(arrays)
        finally:
            work.unmark()
        asked: Slots = found[self._asked[found] == self._questions]
        return self._slot_at[asked]
