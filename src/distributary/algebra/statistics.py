"""What may be known of a stream without looking at it, as sizes of filters: a uniform density, or equal blocks."""

from __future__ import annotations

from dataclasses import dataclass

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.regions import regions_of
from distributary.algebra.volumes import union_volume
from distributary.core.errors import InputError

__all__ = ["BlockCount", "UniformDensity"]


@dataclass(frozen=True, slots=True)
class UniformDensity:
    """Items spread evenly: the size of a filter is the volume of its boxes times the density.

    Without `space` a box is measured in the dimensions of its own attributes, and what is open at an end is infinite.
    With it, everything is cut to that box and measured in it. Filters that are not made of numeric ranges have no
    volume: asking for their size is an `InputError`.

    >>> UniformDensity(2.0).size(Box.of({"x": (0, 3), "y": (0, 2)}))
    12.0
    """

    density: float = 1.0
    space: Box | None = None

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the volume times the density; exact for unions."""
        boxes = self._boxes(filter)
        volume = boxes[0].volume() if len(boxes) == 1 else union_volume(boxes)
        return self.density * volume if volume else 0.0

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the volume of the intersection times the density; exact for unions."""
        pairs = ((one, other) for one in self._boxes(first) for other in self._boxes(second))
        shared = [box for one, other in pairs if (box := one.intersection(other)) is not None]
        volume = union_volume(shared)
        return self.density * volume if volume else 0.0

    def _boxes(self, filter: Filter) -> list[Box]:  # noqa: A002 - the paper's noun
        boxes = regions_of(filter)
        if boxes is None:
            text = filter.text()
            raise InputError(
                f"{text.text[:80]!r} is not made of numeric ranges, so it has no volume; its size needs a profile",
                field=text.kind,
            )
        if self.space is None:
            return list(boxes)
        return [inside for box in boxes if (inside := box.intersection(self.space)) is not None]


@dataclass(frozen=True, slots=True)
class BlockCount:
    """A stream of `blocks` equal blocks of total size `total`, each item in one block (paper 001's streams).

    >>> BlockCount(10, total=75_000.0).size(Blocks(frozenset({0, 3, 4})))
    22500.0
    """

    blocks: int
    #: The size of the whole stream; by default each block weighs 1.
    total: float | None = None

    def __post_init__(self) -> None:
        if self.blocks < 1:
            raise InputError("must be at least 1", field="blocks")

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the number of the filter's blocks times a block's size."""
        return len(self._members(filter)) * self._unit()

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the number of shared blocks times a block's size."""
        return len(self._members(first) & self._members(second)) * self._unit()

    def _unit(self) -> float:
        return 1.0 if self.total is None else self.total / self.blocks

    def _members(self, filter: Filter) -> frozenset[int]:  # noqa: A002 - the paper's noun
        if isinstance(filter, Everything):
            return frozenset(range(self.blocks))
        if isinstance(filter, AnyOf):
            return frozenset().union(*map(self._members, filter.members))
        if isinstance(filter, Blocks):
            return frozenset(block for block in filter.blocks if 0 <= block < self.blocks)
        raise InputError("only sets of blocks are measured in blocks", field=filter.text().kind)
