"""What every matcher does: hold filters under keys and tell which of them want an item.

The keys come back in the order in which they were added. `reference` is the oracle; every faster matcher gives the
same answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol, TypeVar

from distributary.algebra.filter import Filter
from distributary.core.values import Content

__all__ = ["Matcher"]

Key = TypeVar("Key", bound=Hashable)


class Matcher(Protocol[Key]):
    """A set of filters, each under a key of its own."""

    def add(self, key: Key, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold `filter` under `key`; a key that is held already is an assertion error."""
        ...

    def remove(self, key: Key) -> None:
        """Forget a key; one that is not held is a `KeyError`."""
        ...

    def match(self, item: Content) -> tuple[Key, ...]:
        """Return the keys of the filters that match, in the order in which they were added."""
        ...

    def match_batch(self, items: Iterable[Content]) -> list[tuple[Key, ...]]:
        """Return what `match` returns for each of the items."""
        ...

    def __len__(self) -> int:
        """Return how many filters are held."""
        ...
