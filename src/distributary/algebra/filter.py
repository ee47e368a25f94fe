"""What every filter can do. The kinds are boxes, predicates, tree patterns, block sets, `Everything` and `AnyOf`.

Filters are frozen and hashable. Mixed kinds compare soundly: what cannot be decided is answered on the safe side,
which is `False` for `covers` and `True` for `intersects`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from distributary.core.subscriptions import FilterText
from distributary.core.values import Content

__all__ = ["Filter", "Statistics"]


class Statistics(Protocol):
    """What is known of the items of a stream: how much of it a filter selects."""

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the expected size of the items that `filter` matches."""
        ...

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the expected size of the items that both filters match."""
        ...


@runtime_checkable
class Filter(Protocol):
    """What is wanted of a stream."""

    def matches(self, item: Content) -> bool:
        """Tell whether the item is wanted; content of another kind than the filter's never is."""
        ...

    def covers(self, other: Filter) -> bool:
        """Tell whether every item that `other` matches is matched here; `False` may mean unknown."""
        ...

    def intersects(self, other: Filter) -> bool:
        """Tell whether some item may match both; only `False` is a proof."""
        ...

    def union(self, other: Filter) -> Filter:
        """Return a filter that matches exactly what either matches."""
        ...

    def size(self, statistics: Statistics) -> float:
        """Return the expected size of the matching items."""
        ...

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the expected size of the items that both match."""
        ...

    def text(self) -> FilterText:
        """Return the canonical text; parsing it gives an equal filter."""
        ...
