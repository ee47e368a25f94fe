"""What is known of a stream's items, as sizes of filters: a uniform density, a sample of records, or equal blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.recordfilter import RecordFilter
from distributary.algebra.regions import regions_of
from distributary.algebra.volumes import union_volume
from distributary.core.errors import InputError
from distributary.core.values import Record

__all__ = ["BlockCount", "Sample", "UniformDensity"]

_Mask = npt.NDArray[np.bool_]


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


@dataclass
class Sample:
    """A sample of a stream's records: a filter's size is the share of the sample that it matches, times `total`.

    `total` is the size of the whole stream in whatever unit sizes have, by default the number of records given. Boxes
    and their unions are tested on whole columns at once (integers beyond 2**53 as doubles there, which is near enough
    for an estimate). Filters of anything but records are refused: a sample of records says nothing about them.
    """

    records: Sequence[Record]
    total: float | None = None
    #: Which records each filter matched, for the filters asked last.
    _masks: dict[Filter, _Mask] = field(default_factory=dict, init=False, repr=False, compare=False)
    #: The numbers of each column; NaN for what is not one.
    _columns: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False, compare=False)

    _MASKS_MAX = 4096

    def __post_init__(self) -> None:
        if not self.records:
            raise InputError("the sample holds no record", field="records")

    def size(self, filter: Filter) -> float:  # noqa: A002 - the paper's noun
        """Return the share of the sample that the filter matches, times the total."""
        return self._scaled(self.mask(filter))

    def overlap(self, first: Filter, second: Filter) -> float:
        """Return the share of the sample that both filters match, times the total."""
        return self._scaled(self.mask(first) & self.mask(second))

    def mask(self, filter: Filter) -> _Mask:  # noqa: A002 - the paper's noun
        """Return which records of the sample the filter matches."""
        known = self._masks.get(filter)
        if known is None:
            known = self._matched(filter)
            if len(self._masks) >= self._MASKS_MAX:
                self._masks.clear()
            self._masks[filter] = known
        return known

    def _matched(self, filter: Filter) -> _Mask:  # noqa: A002 - the paper's noun
        count = len(self.records)
        if isinstance(filter, Everything):
            return np.ones(count, dtype=np.bool_)
        if isinstance(filter, AnyOf):
            found = np.zeros(count, dtype=np.bool_)
            for member in filter.members:
                found |= self.mask(member)
            return found
        if isinstance(filter, Box):
            inside = np.ones(count, dtype=np.bool_)
            for name, low, high in filter.ranges:
                column = self._column(name)
                inside &= (column >= low) & (column <= high)
            return inside
        if not isinstance(filter, RecordFilter):
            kind = filter.text().kind
            raise InputError("a sample of records cannot measure filters of this kind", field=kind)
        return np.fromiter(map(filter.matches, self.records), dtype=np.bool_, count=count)

    def _column(self, name: str) -> npt.NDArray[np.float64]:
        known = self._columns.get(name)
        if known is None:
            values = (record.get(name) for record in self.records)
            known = np.fromiter((_as_double(value) for value in values), dtype=np.float64, count=len(self.records))
            self._columns[name] = known
        return known

    def _scaled(self, mask: _Mask) -> float:
        total = float(len(self.records)) if self.total is None else self.total
        return total * float(np.count_nonzero(mask)) / len(self.records)


def _as_double(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


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
