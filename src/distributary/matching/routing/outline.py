"""Outlines: what a filter must have to be covered by another one, in two words of bits and sixteen bounds.

Where `wide.covers(narrow)` holds, the features of `wide` are among those of `narrow`, and none of its bounds is above
the one of `narrow`. So an index of outlines finds the few filters worth comparing; the comparison itself is the
algebra's. Features and bounds share bits and places by their hashes, which lets some pairs through for nothing. An
outline that ruled out too much would only cost a filter that could have been left out, never an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import inf, isnan
from typing import NamedTuple
from zlib import crc32

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.cells import Cell, cells_of
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.intervals import Cut, Line
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, PatternNode, impossible
from distributary.algebra.treepattern_values import Comparison, Operator, number_of
from distributary.algebra.valuesets import ValueSet

__all__ = ["PLACES", "WORD", "Outline", "number_range", "outline_of"]

#: How many bounds an outline has: a lower and an upper one for each of eight hashes.
PLACES = 16
WORD = (1 << 64) - 1
_BITS = 128
_LARGEST = 3.4e38


class Outline(NamedTuple):
    """The features as bits of one number, and the bounds; an upper bound stands with its sign changed."""

    features: int
    bounds: tuple[float, ...]

    def may_cover(self, other: Outline) -> bool:
        """Tell whether a filter with this outline may cover one with the other."""
        return not self.features & ~other.features and all(
            mine <= theirs for mine, theirs in zip(self.bounds, other.bounds, strict=True)
        )


_FREE = (-inf,) * PLACES
_EVERYTHING = Outline(0, _FREE)


def outline_of(filter: Filter) -> Outline:  # noqa: A002 - the paper's noun
    """Return a filter's outline."""
    if isinstance(filter, TreePattern):
        return _of_pattern(filter.nodes)
    if isinstance(filter, Everything):
        return _EVERYTHING
    cells = cells_of(filter)
    if cells is not None:
        return _of_cells(cells)
    if isinstance(filter, AnyOf):
        return _of_members(filter.members)
    if isinstance(filter, Blocks):
        return _outline([_bit("blocks")], [("blocks", min(filter.blocks), max(filter.blocks))] if filter.blocks else [])
    # Too large for a normal form: compared with its like alone.
    return Outline(_bit("large"), _FREE)


@lru_cache(maxsize=1 << 16)
def _bit(kind: str, *parts: str | float) -> int:
    return 1 << crc32(repr((kind, *parts)).encode()) % _BITS


@lru_cache(maxsize=1 << 14)
def _place(kind: str, name: str) -> int:
    return crc32(f"{kind} {name}".encode()) % (PLACES // 2)


def _outline(bits: Iterable[int], ranges: Iterable[tuple[str, float, float]]) -> Outline:
    """Return an outline from bits and ranges by name; of ranges that share a place the tightest ends count."""
    features, bounds = 0, list(_FREE)
    for bit in bits:
        features |= bit
    for name, low, high in ranges:
        place = 2 * _place("range", name)
        bounds[place] = max(bounds[place], _bounded(low))
        bounds[place + 1] = max(bounds[place + 1], _bounded(-high))
    return Outline(features, tuple(bounds))


def _equal(name: str, text: str) -> tuple[str, float, float]:
    """Return a range that only the same text has, as far as its hash tells."""
    place = float(crc32(text.encode("utf-8", "surrogatepass")) % (1 << 24))
    return (f"{name} as text", place, place)


def _bounded(value: float) -> float:
    """Return a bound that fits in 32 bits; rounding keeps the order, and infinity must stay apart from large ones."""
    if value in {inf, -inf}:
        return float(value)
    return float(max(-_LARGEST, min(_LARGEST, value)))


def _of_members(members: Iterable[Filter]) -> Outline:
    """Return what all members have: one that covers the union covers each, and one of them must cover what it does."""
    features, bounds = (1 << _BITS) - 1, (inf,) * PLACES
    for outline in map(outline_of, members):
        features &= outline.features
        bounds = tuple(map(min, bounds, outline.bounds))
    return Outline(features, bounds)


# Tree patterns.


def _of_pattern(nodes: tuple[PatternNode, ...]) -> Outline:
    if impossible(nodes):
        return _outline([_bit("document"), _bit("never")], [])
    bits, ranges = [_bit("document")], []
    for node in nodes:
        if node.name.endswith("*"):
            continue
        bits.append(_bit("node", node.kind.value, node.name))
        if node.axis is Axis.CHILD and node.parent >= 0 and not nodes[node.parent].name.endswith("*"):
            bits.append(_bit("step", nodes[node.parent].name, node.kind.value, node.name))
        if node.comparisons:
            bits += _value_bits(node)
            low, high = number_range(node.comparisons)
            ranges.append((node.name, low, high))
            ranges += [_equal(node.name, text) for text in _texts(node.comparisons)]
    return _outline(bits, ranges)


def _value_bits(node: PatternNode) -> Iterator[int]:
    """Yield the features of a node's comparisons; whatever implies them has them too."""
    kind, name = node.kind.value, node.name
    if _texts(node.comparisons):
        yield _bit("text", kind, name)
    low, high = number_range(node.comparisons)
    if low > -inf:
        yield _bit("low", kind, name)
    if high < inf:
        yield _bit("high", kind, name)
    if low == high:
        yield _bit("number", kind, name, low)


def _texts(comparisons: tuple[Comparison, ...]) -> list[str]:
    return [each.value for each in comparisons if each.operator is Operator.EQUAL and isinstance(each.value, str)]


def number_range(comparisons: tuple[Comparison, ...]) -> tuple[float, float]:
    """Return the numbers between which a value lies that satisfies all; a string that is a number is one."""
    low, high = -inf, inf
    for each in comparisons:
        value = number_of(each.value) if isinstance(each.value, str) else each.value
        if isnan(value):
            continue
        if each.operator in {Operator.EQUAL, Operator.GREATER, Operator.GREATER_OR_EQUAL}:
            low = max(low, value)
        if each.operator in {Operator.EQUAL, Operator.LESS, Operator.LESS_OR_EQUAL}:
            high = min(high, value)
    # Adding 0.0 turns -0.0 into 0.0, which is the same number.
    return low + 0.0, high + 0.0


# Records.


def _of_cells(cells: tuple[Cell, ...]) -> Outline:
    """Return what holds for every record of every cell, column by column."""
    if not cells:
        return _outline([_bit("record"), _bit("never")], [])
    columns: dict[str, list[ValueSet]] = {}
    for cell in cells:
        for column, values in cell:
            columns.setdefault(column, []).append(values)
    bits, ranges = [_bit("record")], []
    for column, sets in columns.items():
        if len(sets) < len(cells):
            continue  # some cell leaves it free
        if not any(values.null for values in sets):
            bits.append(_bit("value", column))
        if all(values.only_numbers for values in sets):
            low, high = _hull([values.number for values in sets])
            bits += _range_bits(column, low, high)
            ranges.append((column, low, high))
        elif all(_only_strings(values) for values in sets):
            bits.append(_bit("strings", column))
            only = _only_member(sets)
            if only is not None:
                ranges.append(_equal(column, only))
    return _outline(bits, ranges)


def _range_bits(column: str, low: float, high: float) -> Iterator[int]:
    yield _bit("numbers", column)
    if low > -inf:
        yield _bit("low", column)
    if high < inf:
        yield _bit("high", column)
    if low == high:
        yield _bit("number", column, low)


def _hull(lines: Iterable[Line]) -> tuple[float, float]:
    low, high = inf, -inf
    for line in lines:
        intervals = line.intervals()
        low = min(low, _end(intervals[0][0], -inf))
        high = max(high, _end(intervals[-1][1], inf))
    return low, high


def _end(cut: Cut | None, outside: float) -> float:
    if cut is None:
        return outside
    assert not isinstance(cut[0], str)
    return float(cut[0])


def _only_strings(values: ValueSet) -> bool:
    return not (values.null or values.other) and all(
        part.is_empty for part in (values.number, values.boolean, values.instant)
    )


def _only_member(sets: Iterable[ValueSet]) -> str | None:
    """Return the one string that is in the sets; None when there are others."""
    texts: set[str] = set()
    for values in sets:
        members = values.string.order.strings()
        if members is None:
            return None
        texts.update(members)
    return texts.pop() if len(texts) == 1 else None
