"""A rebuild of the index: from a copy, so that it can run in another thread while patterns come, go and match."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from distributary.matching.patterns import layout
from distributary.matching.patterns.compiled.relocation import relocate
from distributary.matching.patterns.index import PatternIndex

__all__ = ["Rebuild"]

Key = TypeVar("Key", bound=Hashable)

#: Room for what comes next, as a part of what is there.
_SLACK = 8


class Rebuild(Generic[Key]):
    """One rebuild: made of a copy, run once, and adopted by the matcher that it was begun by."""

    def __init__(self, index: PatternIndex, keys: Sequence[Key], slots: Mapping[Key, int]) -> None:
        self._old = index.copy()
        self._encoder = index.encoder
        self._all_keys = list(keys)
        self._held = np.fromiter(slots.values(), dtype=np.int32, count=len(slots))
        #: The slots that there were: later ones came since.
        self.slots_used = index.slots_used
        self._result: tuple[PatternIndex, list[Key], dict[Key, int]] | None = None

    def run(self) -> None:
        """Build the index anew, mostly without the interpreter's lock; nothing but this object is touched."""
        old, counts = self._old, self._old.context
        nodes, terms = int(counts[layout.NODES_USED]), int(counts[layout.TERMS_USED])
        live_nodes, live_terms = nodes - int(counts[layout.NODES_DEAD]), terms - int(counts[layout.TERMS_DEAD])
        new = PatternIndex(
            replace(self._encoder, constants={}),
            nodes=live_nodes + live_nodes // _SLACK,
            terms=live_terms + live_terms // _SLACK,
            slots=len(self._held) + len(self._held) // _SLACK,
        )
        constants = self._move_constants(new)
        relocate(
            old.address,
            new.address,
            self._held,
            np.full(nodes, -1, dtype=np.int32),
            np.empty(nodes, dtype=np.int32),
            np.full(terms, -1, dtype=np.int32),
            constants,
            np.empty((nodes, 2), dtype=np.int64),
        )
        new.longest, new.placed = old.longest, live_nodes
        keys = [self._all_keys[slot] for slot in self._held.tolist()]
        self._result = new, keys, {key: slot for slot, key in enumerate(keys)}

    def _move_constants(self, new: PatternIndex) -> npt.NDArray[np.int32]:
        """Give the literals that are still compared with new numbers, and return these by the old ones."""
        old = self._old
        terms = old.arrays["terms"][: old.used("terms")]
        compared = terms[terms[:, layout.KIND] == layout.COMPARE]
        kept = np.zeros(max(1, len(old.encoder.constants)), dtype=np.bool_)
        kept[compared[compared[:, layout.FIRST] != layout.NEVER, layout.SECOND]] = True
        values = compress(old.encoder.constants, kept.tolist())
        new.encoder.constants.update((value, number) for number, value in enumerate(values))
        new.append_constants()
        moved: npt.NDArray[np.int32] = np.maximum(np.cumsum(kept) - 1, 0).astype(np.int32)
        return moved

    def result(self) -> tuple[PatternIndex, list[Key], dict[Key, int]]:
        """Return the new index, the keys by slot and the slots by key; it must have run."""
        assert self._result is not None, "the rebuild has not run"
        return self._result
