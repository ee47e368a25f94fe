"""What the two ends of a link agree on: numbered filters, data patterns and names, all under one version.

The lower end makes it and sends it up; the upper end matches the filters and speaks of them by number. A number is
never used again, so a header of an older version is right about the numbers that it had; its filters that are gone
have nothing below them any more. The version is a digest of the whole history, so that two tables with one version
are one table, whoever made them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from types import MappingProxyType

from distributary.algebra.filter import Filter
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Kind
from distributary.matching.hints.requirements import name_patterns_of, pattern_of_name

__all__ = ["PATTERNS_MAX", "HintTable", "Numbering", "names_for", "patterns_for"]

#: So many data patterns have a bit in the masks of `requirements`.
PATTERNS_MAX = 128
#: Headers of older versions than these are not understood: documents that were on their way for so long are few.
_VERSIONS_MAX = 64


@dataclass(frozen=True, slots=True)
class HintTable:
    """One version, as the upper end of a link needs it."""

    version: int
    #: How many numbers were given so far.
    size: int
    #: The aggregated filters by their numbers, ascending; the most valuable to know of came first.
    filters: Mapping[int, Filter]
    #: What to look for in documents, by place.
    patterns: tuple[TreePattern, ...]
    #: What label paths are written in, by place.
    names: tuple[str, ...]
    #: The filters whose binding may decide what hangs below them, those first below which there is most to decide.
    bindable: tuple[int, ...] = ()


def patterns_for(below: Iterable[TreePattern], filters: Iterable[Filter]) -> tuple[TreePattern, ...]:
    """Return the data patterns of a router: those of the tables below it, and the names that most of its filters need.

    Names because finding out whether they occur costs next to nothing; the more filters need one, the more its absence
    rules out.
    """
    counts = Counter(name for wanted in filters for name in name_patterns_of(wanted))
    names = sorted(counts, key=lambda each: (-counts[each], each))
    chosen = dict.fromkeys([*below, *(pattern_of_name(*each) for each in names[:PATTERNS_MAX])])
    return tuple(chosen)[:PATTERNS_MAX]


def names_for(filters: Iterable[Filter]) -> tuple[str, ...]:
    """Return the names of elements in filters: what label paths are written in."""
    found = {name for wanted in filters for kind, name in name_patterns_of(wanted) if kind is Kind.ELEMENT}
    return tuple(sorted(found))


class Numbering:
    """The lower end's side: gives numbers to aggregated filters, and knows the sizes of earlier versions."""

    def __init__(self, patterns: Iterable[TreePattern], names: Iterable[str]) -> None:
        self.patterns = tuple(patterns)
        self.names = tuple(names)
        assert len(self.patterns) <= PATTERNS_MAX, len(self.patterns)
        self.size = 0
        self.number_of: dict[Filter, int] = {}
        digest = blake2b(digest_size=8)
        for text in (*(repr(pattern.text()) for pattern in self.patterns), *self.names):
            digest.update(text.encode() + b"\n")
        self.version = int.from_bytes(digest.digest(), "big")
        #: How many numbers there were at each version that headers may still speak of, oldest first.
        self._sizes: dict[int, int] = {}
        self._publish()

    def change(self, gained: Iterable[Filter], lost: Iterable[Filter]) -> None:
        """Number the gained filters and forget the lost ones: a new version."""
        digest = blake2b(self.version.to_bytes(8, "big"), digest_size=8)
        for each in lost:
            digest.update(b"-%d" % self.number_of.pop(each))
        for each in gained:
            assert each not in self.number_of, each
            self.number_of[each] = self.size
            digest.update(f"+{each.text()!r}".encode())
            self.size += 1
        self.version = int.from_bytes(digest.digest(), "big")
        self._publish()

    def size_at(self, version: int) -> int | None:
        """Return how many numbers there were at a version; None for one that is unknown or too old."""
        return self._sizes.get(version)

    def table(self, bindable: Iterable[int] = ()) -> HintTable:
        """Return this version for the upper end: O(filters)."""
        filters = {number: each for each, number in self.number_of.items()}
        return HintTable(self.version, self.size, MappingProxyType(filters), self.patterns, self.names, tuple(bindable))

    def _publish(self) -> None:
        self._sizes[self.version] = self.size
        if len(self._sizes) > _VERSIONS_MAX:
            del self._sizes[next(iter(self._sizes))]
