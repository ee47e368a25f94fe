"""The routing table of a node: for each neighbour what it wants, aggregated, and which of them an item goes to.

It is the table of paper 002's routers. Between nodes of this software the aggregates are made below and travel up
(`broker`), so there the table of a neighbour is small already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from distributary.algebra.filter import Filter
from distributary.core.values import Content
from distributary.matching.matcher import Matcher
from distributary.matching.reference import ReferenceMatcher
from distributary.matching.routing.aggregate import Aggregate, Change
from distributary.matching.routing.limited import Limit, LimitedAggregate
from distributary.matching.routing.shares import ShapeShare, Share

__all__ = ["RoutingTable"]

Child = TypeVar("Child", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)


class RoutingTable(Generic[Child, Key]):
    """Children with their filters. Without a limit an item goes exactly to those who want it.

    Args:
        limit: How many filters each child may have; more are generalised, and then items may go to a child in vain.
        share: How much of the stream a filter selects; by default it is judged by its shape.
        matcher: Makes the matcher of the aggregated filters.
    """

    def __init__(
        self,
        limit: Limit | None = None,
        share: Share | None = None,
        matcher: Callable[[], Matcher[tuple[Child, Filter]]] = ReferenceMatcher,
    ) -> None:
        self._limit = limit
        self._share = share if share is not None else ShapeShare()
        self._children: dict[Child, Aggregate[Key] | LimitedAggregate[Key]] = {}
        self._matcher = matcher()
        #: How often an item went to a child that did not want it.
        self.false_positives = 0

    def __len__(self) -> int:
        """Return how many filters are matched for all children together."""
        return len(self._matcher)

    @property
    def children(self) -> tuple[Child, ...]:
        """The children that want anything, in the order in which they came."""
        return tuple(self._children)

    def filters(self, child: Child) -> tuple[Filter, ...]:
        """Return a child's aggregate."""
        return self._children[child].filters()

    def aggregating(self, child: Child, filter: Filter) -> Iterator[Key]:  # noqa: A002 - the paper's noun
        """Yield the keys of a child that one of its aggregated filters stands for."""
        return self._children[child].aggregating(filter)

    def add(self, child: Child, key: Key, filter: Filter) -> Change:  # noqa: A002
        """Let a child want a filter under a key of its own; return what its aggregate gained and lost."""
        aggregate = self._children.get(child)
        if aggregate is None:
            aggregate = Aggregate() if self._limit is None else LimitedAggregate(self._limit, self._share)
            self._children[child] = aggregate
        return self._follow(child, aggregate.add(key, filter))

    def remove(self, child: Child, key: Key) -> Change:
        """Let a child want a key's filter no more; an unknown one is a `KeyError`."""
        aggregate = self._children[child]
        change = self._follow(child, aggregate.remove(key))
        if not len(aggregate):
            del self._children[child]
        return change

    def remove_child(self, child: Child) -> None:
        """Forget a child with all its filters."""
        for each in self._children.pop(child).filters():
            self._matcher.remove((child, each))

    def match(self, item: Content) -> tuple[Child, ...]:
        """Return the children that the item goes to, in the order in which they came."""
        matched: dict[Child, list[Filter]] = {}
        for child, each in self._matcher.match(item):
            matched.setdefault(child, []).append(each)
        for child, filters in matched.items():
            aggregate = self._children[child]
            if isinstance(aggregate, LimitedAggregate) and not _wanted(aggregate, filters, item):
                self.false_positives += 1
        return tuple(child for child in self._children if child in matched)

    def _follow(self, child: Child, change: Change) -> Change:
        for each in change.lost:
            self._matcher.remove((child, each))
        for each in change.gained:
            self._matcher.add((child, each), each)
        return change


def _wanted(aggregate: LimitedAggregate[Key], filters: list[Filter], item: Content) -> bool:
    """Tell whether an item that the filters passed on let through is wanted by what they stand for."""
    if not all(aggregate.is_generalised(each) for each in filters):
        return True
    return any(member.matches(item) for each in filters for member in aggregate.standing_for(each))
