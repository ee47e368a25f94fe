"""The reference matcher: one loop over all filters. Slow, plainly right, and the oracle of every faster one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from distributary.algebra.filter import Filter
from distributary.core.values import Content

__all__ = ["ReferenceMatcher"]

Key = TypeVar("Key", bound=Hashable)


class ReferenceMatcher(Generic[Key]):
    """Tests every filter on every item."""

    def __init__(self) -> None:
        #: Filters by key, in the order in which they were added.
        self._filters: dict[Key, Filter] = {}

    def __len__(self) -> int:
        """Return how many filters are held."""
        return len(self._filters)

    def add(self, key: Key, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold `filter` under `key`."""
        assert key not in self._filters, f"{key!r} is held already"
        self._filters[key] = filter

    def remove(self, key: Key) -> None:
        """Forget a key; one that is not held is a `KeyError`."""
        del self._filters[key]

    def match(self, item: Content) -> tuple[Key, ...]:
        """Return the keys of the matching filters, in the order in which they were added: O(filters)."""
        return tuple(key for key, wanted in self._filters.items() if wanted.matches(item))

    def match_batch(self, items: Iterable[Content]) -> list[tuple[Key, ...]]:
        """Return what `match` returns for each of the items."""
        return [self.match(item) for item in items]
