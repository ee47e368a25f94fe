"""Comparisons of a node's value with a literal, as XPath 1.0 has them, and what follows from several of them.

Not XPath 2.0: there is one number type (IEEE double), text that is no number is NaN, and order is of numbers only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import msgspec

__all__ = ["NEVER", "Comparison", "Operator", "comparison", "implied", "number_of", "satisfiable_together"]

# XPath 1.0, 4.4 (number) and 3.7 (Number): no plus sign, no exponent, only these four kinds of white space.
_NUMBER = re.compile(r"[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*")


class Operator(StrEnum):
    """The comparison operators, the node's value on the left."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="

    @property
    def mirrored(self) -> Operator:
        """The operator that says the same with its sides exchanged."""
        return Operator(self.value.translate(str.maketrans("<>", "><")))


_ORDER = frozenset({Operator.LESS, Operator.LESS_OR_EQUAL, Operator.GREATER, Operator.GREATER_OR_EQUAL})


def number_of(text: str) -> float:
    """Return the number that a string is (XPath 1.0, 4.4); NaN when it is none.

    >>> [number_of(text) for text in (" -5. ", ".5", "1e3", "+5", "")]
    [-5.0, 0.5, nan, nan, nan]
    """
    found = _NUMBER.fullmatch(text)
    return float(found[1]) if found else math.nan


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """A node's value compared with a literal: a number, or a string for `=` and `!=`; made by `comparison`."""

    operator: Operator
    value: float | str

    def holds(self, text: str) -> bool:
        """Tell whether it holds for a node with this string value.

        >>> Comparison(Operator.UNEQUAL, 5.0).holds("five"), Comparison(Operator.EQUAL, "5").holds("5.0")
        (True, False)
        """
        if isinstance(self.value, str):
            if self.operator in _ORDER:
                return False  # NEVER
            return (text == self.value) is (self.operator is Operator.EQUAL)
        return self.holds_number(number_of(text))

    def holds_number(self, number: float) -> bool:
        """Tell whether it holds for a node with this number; only for a comparison with a number."""
        assert not isinstance(self.value, str)
        match self.operator:
            case Operator.EQUAL:
                return number == self.value
            case Operator.UNEQUAL:
                return number != self.value
            case Operator.LESS:
                return number < self.value
            case Operator.LESS_OR_EQUAL:
                return number <= self.value
            case Operator.GREATER:
                return number > self.value
            case Operator.GREATER_OR_EQUAL:
                return number >= self.value

    def key(self) -> tuple[str, bool, float, str]:
        """Return what comparisons are sorted by."""
        if isinstance(self.value, str):
            return (self.operator.value, True, 0.0, self.value)
        return (self.operator.value, False, self.value, "")


#: What never holds: an order against a string that is no number.
NEVER = Comparison(Operator.LESS, "")


def comparison(operator: Operator, literal: float | str) -> Comparison:
    """Return the comparison in normal form: order compares numbers, and minus zero is zero.

    >>> comparison(Operator.LESS, " 5 ").value, comparison(Operator.LESS, "five") == NEVER
    (5.0, True)
    """
    if isinstance(literal, str):
        if operator not in _ORDER:
            return Comparison(operator, literal)
        literal = number_of(literal)
        if math.isnan(literal):
            return NEVER
    return Comparison(operator, literal + 0.0)


@dataclass(frozen=True, slots=True)
class _Range:
    """The numbers that comparisons with numbers leave, and whether they leave NaN."""

    low: float
    low_open: bool
    high: float
    high_open: bool
    nan: bool

    @property
    def empty(self) -> bool:
        return not self.nan and (self.low > self.high or (self.low == self.high and (self.low_open or self.high_open)))


def _range(comparisons: Iterable[Comparison]) -> _Range:
    low, low_open, high, high_open, nan = -math.inf, False, math.inf, False, True
    unequal: set[float] = set()
    for each in comparisons:
        if isinstance(each.value, str):
            continue
        if each.operator is Operator.UNEQUAL:
            unequal.add(each.value)
            continue
        nan = False
        if each.operator in {Operator.GREATER, Operator.GREATER_OR_EQUAL, Operator.EQUAL}:
            low, low_open = max((low, low_open), (each.value, each.operator is Operator.GREATER))
        if each.operator in {Operator.LESS, Operator.LESS_OR_EQUAL, Operator.EQUAL}:
            high, closed = min((high, not high_open), (each.value, each.operator is not Operator.LESS))
            high_open = not closed
    return _Range(low, low_open or low in unequal, high, high_open or high in unequal, nan)


def satisfiable_together(comparisons: tuple[Comparison, ...]) -> bool:
    """Tell whether one value can satisfy all; `True` when only the gaps between doubles rule it out."""
    if NEVER in comparisons:
        return False
    for each in comparisons:
        if each.operator is Operator.EQUAL and isinstance(each.value, str):
            return all(other.holds(each.value) for other in comparisons)
    return not _range(comparisons).empty


def implied(wanted: Comparison, given: tuple[Comparison, ...]) -> bool:
    """Tell whether every value that satisfies all of `given` satisfies `wanted`.

    Complete but for the gaps between doubles: every number has arbitrarily many spellings as a string.

    >>> implied(comparison(Operator.GREATER, 5.0), (comparison(Operator.GREATER, 7.0),))
    True
    """
    if wanted in given or not satisfiable_together(given):
        return True
    for each in given:
        if each.operator is Operator.EQUAL and isinstance(each.value, str):
            return wanted.holds(each.value)
    if wanted.operator is Operator.UNEQUAL:
        # The value differs from the literal when the literal itself cannot be the value.
        if isinstance(wanted.value, str):
            return not all(other.holds(wanted.value) for other in given)
        return not all(isinstance(each.value, str) or each.holds_number(wanted.value) for each in given)
    if isinstance(wanted.value, str):
        return False
    left = _range(given)
    if left.nan:
        return False
    match wanted.operator:
        case Operator.EQUAL:
            return left.low == left.high == wanted.value
        case Operator.LESS:
            return left.high < wanted.value or (left.high == wanted.value and left.high_open)
        case Operator.LESS_OR_EQUAL:
            return left.high <= wanted.value
        case Operator.GREATER:
            return left.low > wanted.value or (left.low == wanted.value and left.low_open)
        case _:
            return left.low >= wanted.value
