"""`Everything`: the filter of a subscriber that names no filter; it matches every item of whatever kind."""

from __future__ import annotations

from dataclasses import dataclass

from distributary.algebra.filter import Filter, Statistics
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["Everything"]


@dataclass(frozen=True, slots=True)
class Everything:
    """The filter that matches every item: records, documents, blocks and opaque files."""

    def matches(self, item: Content) -> bool:
        """Return `True`."""
        return True

    def covers(self, other: Filter) -> bool:
        """Return `True`: complete."""
        return True

    def intersects(self, other: Filter) -> bool:
        """Tell whether `other` may match anything, which it knows best."""
        return isinstance(other, Everything) or other.intersects(self)

    def union(self, other: Filter) -> Filter:
        """Return the filter itself."""
        return self

    def size(self, statistics: Statistics) -> float:
        """Return the size of the whole stream."""
        return statistics.size(self)

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the size of what `other` matches."""
        return statistics.overlap(self, other)

    def text(self) -> FilterText:
        """Return the canonical text."""
        return FilterText("all")
