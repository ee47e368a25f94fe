"""How much of a stream a filter selects, from 0 to 1: measured where there are statistics, else judged by its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf, prod
from typing import TypeAlias

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.cells import Cell, cells_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.intervals import Cut
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode
from distributary.algebra.treepattern_values import Operator
from distributary.algebra.valuesets import ValueSet

__all__ = ["ShapeShare", "Share", "measured_share"]

#: Returns the share of a stream's items that a filter selects.
Share: TypeAlias = Callable[[Filter], float]

#: What a test is taken to leave over, without statistics.
_EQUAL, _ORDER, _OTHER = 0.1, 0.4, 0.95
_CHILD, _DESCENDANT = 0.15, 0.25
_LEAST = 1e-6


def measured_share(statistics: Statistics) -> Share:
    """Return the shares that statistics know: of sampled records, of a summary of documents, of a density."""
    whole = statistics.size(Everything())

    def share(filter: Filter) -> float:  # noqa: A002 - the paper's noun
        return min(1.0, statistics.size(filter) / whole) if whole else 1.0

    return share


class ShapeShare:
    """Judges by shape: each name, value and range divides. Ranges are compared with the widest one seen so far."""

    def __init__(self) -> None:
        #: The lowest and highest end of each column's ranges.
        self._space: dict[str, tuple[float, float]] = {}

    def __call__(self, filter: Filter) -> float:  # noqa: A002
        """Return the judged share; more of a filter, more of the share, as long as no wider range comes."""
        if isinstance(filter, TreePattern):
            return max(_LEAST, prod(_node_share(node) for node in filter.nodes))
        cells = cells_of(filter)
        if cells is not None:
            self._look_at(cells)
            return min(1.0, sum(self._cell_share(cell) for cell in cells))
        if isinstance(filter, AnyOf):
            return min(1.0, sum(self(member) for member in filter.members))
        if isinstance(filter, Blocks):
            return len(filter.blocks) / (1.0 + max(filter.blocks, default=0))
        return 1.0 if isinstance(filter, Everything) else 0.5

    def _look_at(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            for column, values in cell:
                low, high = self._space.get(column, (inf, -inf))
                ends = [end for end in _ends(values) if abs(end) < inf]
                self._space[column] = min([low, *ends]), max([high, *ends])

    def _cell_share(self, cell: Cell) -> float:
        return max(_LEAST, prod(self._column_share(column, values) for column, values in cell))

    def _column_share(self, column: str, values: ValueSet) -> float:
        if not values.only_numbers:
            members = values.string.order.strings()
            return min(1.0, _EQUAL * len(members)) if members is not None and values.instant.is_empty else _ORDER
        low, high = self._space[column]
        if low >= high:
            return _EQUAL
        width = sum(min(end, high) - max(start, low) for start, end in _pairs(values))
        return min(1.0, max(1e-3, width / (high - low)))


def _pairs(values: ValueSet) -> list[tuple[float, float]]:
    return [(_end(low, -inf), _end(high, inf)) for low, high in values.number.intervals()]


def _ends(values: ValueSet) -> list[float]:
    return [end for pair in _pairs(values) for end in pair]


def _end(cut: Cut | None, outside: float) -> float:
    if cut is None:
        return outside
    assert not isinstance(cut[0], str)
    return float(cut[0])


def _node_share(node: PatternNode) -> float:
    if node.kind is Kind.DOCUMENT:
        share = 1.0
    elif node.name == "*":
        share = _OTHER
    else:
        share = _CHILD if node.axis is Axis.CHILD else _DESCENDANT
    for comparison in node.comparisons:
        if comparison.operator is Operator.EQUAL:
            share *= _EQUAL
        else:
            share *= _OTHER if comparison.operator is Operator.UNEQUAL else _ORDER
    return share
