"""What boxes and predicates share: comparing through their normal forms, and measuring. Not a filter by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.cells import Cell, cells_cover, cells_meet, cells_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["RecordFilter"]


class RecordFilter(ABC):
    """A filter that matches records and nothing else."""

    __slots__ = ()

    @abstractmethod
    def matches(self, item: Content) -> bool:
        """Tell whether the item is wanted."""

    @abstractmethod
    def cells(self) -> tuple[Cell, ...] | None:
        """Return the cells whose union the filter is, or `None` when it has no normal form of bounded size."""

    @abstractmethod
    def text(self) -> FilterText:
        """Return the canonical text."""

    def covers(self, other: Filter) -> bool:
        """Tell whether every item that `other` matches is matched here.

        Complete where both have a normal form, within the limits that `cells.cells_cover` names.
        """
        if self == other:
            return True
        mine, theirs = self.cells(), cells_of(other)
        if mine is not None and theirs is not None:
            return cells_cover(mine, theirs)
        return isinstance(other, AnyOf) and all(self.covers(member) for member in other.members)

    def intersects(self, other: Filter) -> bool:
        """Tell whether some record may match both; complete where both have a normal form."""
        if isinstance(other, AnyOf):
            return any(self.intersects(member) for member in other.members)
        mine, theirs = self.cells(), cells_of(other)
        if mine is not None and theirs is not None:
            return cells_meet(mine, theirs)
        if isinstance(other, Everything):
            return mine != ()
        return isinstance(other, RecordFilter) and mine != () and theirs != ()

    def union(self, other: Filter) -> Filter:
        """Return a filter that matches exactly what either matches."""
        return any_of((self, other))

    def size(self, statistics: Statistics) -> float:
        """Return the expected size of the matching records."""
        return statistics.size(self)

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the expected size of the records that both match."""
        return statistics.overlap(self, other)
