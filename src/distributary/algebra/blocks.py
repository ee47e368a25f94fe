"""`Blocks`: finite sets of numbered blocks, the filters of the delivery and overlay studies (papers 001 and 004)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.core.subscriptions import FilterText
from distributary.core.values import Block, Content

__all__ = ["Blocks"]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The `Block` items that belong to at least one of these blocks: those whose set of blocks meets this one.

    `covers` and `intersects` are complete among block sets. An item may belong to several blocks, so two disjoint sets
    that are not empty may still both match one item.

    >>> Blocks(frozenset({1, 2})).matches(Block(frozenset({2, 9})))
    True
    """

    blocks: frozenset[int]

    def matches(self, item: Content) -> bool:
        """Tell whether the item is in one of the blocks."""
        return isinstance(item, Block) and not self.blocks.isdisjoint(item.blocks)

    def covers(self, other: Filter) -> bool:
        """Tell whether every item that `other` matches is matched here."""
        if isinstance(other, Blocks):
            return other.blocks <= self.blocks
        return isinstance(other, AnyOf) and all(self.covers(member) for member in other.members)

    def intersects(self, other: Filter) -> bool:
        """Tell whether an item may be in a block of each."""
        if isinstance(other, Blocks):
            return bool(self.blocks and other.blocks)
        if isinstance(other, AnyOf):
            return any(self.intersects(member) for member in other.members)
        return bool(self.blocks) and isinstance(other, Everything)

    def union(self, other: Filter) -> Filter:
        """Return the union of the sets, or `AnyOf` with another kind."""
        if isinstance(other, Blocks):
            return Blocks(self.blocks | other.blocks)
        return any_of((self, other))

    def size(self, statistics: Statistics) -> float:
        """Return the expected size of the items in these blocks."""
        return statistics.size(self)

    def overlap(self, other: Filter, statistics: Statistics) -> float:
        """Return the expected size of the items that both match."""
        return statistics.overlap(self, other)

    def text(self) -> FilterText:
        """Return the numbers, ascending, as a JSON list."""
        return FilterText("blocks", json.dumps(sorted(self.blocks), separators=(",", ":")))
