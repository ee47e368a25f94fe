"""What a router with hints needs of a matcher: to read once, and to match all filters or some of them.

`slot_patterns` has it for tree patterns.
"""

from __future__ import annotations

from typing import Protocol

from distributary.algebra.filter import Filter
from distributary.matching.documents.layout import DocumentArrays
from distributary.matching.documents.vocabulary import Vocabulary
from distributary.matching.hints.compiled.groups import Slots

__all__ = ["SlotMatcher"]


class SlotMatcher(Protocol):
    """Filters under small numbers."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that documents are read with."""
        ...

    def add(self, key: int, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold a filter."""
        ...

    def remove(self, key: int) -> None:
        """Forget a filter."""
        ...

    def read(self, body: bytes) -> DocumentArrays:
        """Return a document's arrays; raises what `algebra.xml.parse_xml` raises. They are good until the next."""
        ...

    def match_arrays(self, arrays: DocumentArrays) -> Slots:
        """Return the slots of the filters that match."""
        ...

    def match_slots(self, arrays: DocumentArrays, slots: Slots) -> Slots:
        """Return those of the slots whose filters match."""
        ...
