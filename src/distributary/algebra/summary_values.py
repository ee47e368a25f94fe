"""A bounded summary of the values of one label path: the frequent ones, and the range of the numbers. No histogram.

The frequent values are those of Misra and Gries ("Finding repeated elements", 1982) with k counters: every value that
makes up more than 1/(k + 1) of all is among them, and a count is too low by at most n/(k + 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from distributary.algebra.treepattern_values import Comparison, Operator, number_of

__all__ = ["ValueSummary"]

#: Counters, and the longest value that is looked at; longer ones are counted and no more.
_COUNTERS = 32
_LENGTH_MAX = 64


class ValueSummary(msgspec.Struct):
    """What is known of a multiset of strings; mutable, and merged with others of its kind."""

    #: All values, those that are numbers, and the least and greatest of these (null without any).
    count: int = 0
    numbers: int = 0
    low: float | None = None
    high: float | None = None
    frequent: dict[str, int] = msgspec.field(default_factory=dict)

    def add(self, value: str | None) -> None:
        """Take a value; `None` for one that is too long to be looked at."""
        self.count += 1
        if value is None or len(value) > _LENGTH_MAX:
            return
        number = number_of(value)
        if math.isfinite(number):
            self.numbers += 1
            self._widen(number, number)
        if value in self.frequent or len(self.frequent) < _COUNTERS:
            self.frequent[value] = self.frequent.get(value, 0) + 1
        else:
            self.frequent = {each: count - 1 for each, count in self.frequent.items() if count > 1}

    def merge(self, other: ValueSummary) -> None:
        """Take all that another has seen."""
        self.count += other.count
        self.numbers += other.numbers
        if other.low is not None and other.high is not None:
            self._widen(other.low, other.high)
        for value, count in other.frequent.items():
            self.frequent[value] = self.frequent.get(value, 0) + count
        if len(self.frequent) > _COUNTERS:
            # Subtracting the next count from all keeps the bound of the error (Agarwal et al., 2013).
            ranked = sorted(self.frequent.items(), key=lambda item: (-item[1], item[0]))
            excess = ranked[_COUNTERS][1]
            self.frequent = {value: count - excess for value, count in ranked[:_COUNTERS] if count > excess}

    def _widen(self, low: float, high: float) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def fraction(self, comparisons: Iterable[Comparison]) -> float:
        """Return the expected share of the values for which all comparisons hold.

        Frequent values are tested; the others are taken for numbers spread evenly over the range, or for strings that
        are each as rare as they can be, and the comparisons as independent.
        """
        wanted = tuple(comparisons)
        if not wanted:
            return 1.0
        if not self.count:
            return 0.0
        known = sum(self.frequent.values())
        share = sum(count for value, count in self.frequent.items() if all(each.holds(value) for each in wanted))
        rest = float(self.count - known)
        for each in wanted:
            rest *= self._rest(each)
        return min(1.0, (share + rest) / self.count)

    def _rest(self, wanted: Comparison) -> float:
        """Return the share of the values not among the frequent ones for which a comparison holds."""
        rare = 1.0 / (_COUNTERS + 1)
        if wanted.operator is Operator.EQUAL:
            return 0.0 if wanted.value in self.frequent else rare
        if wanted.operator is Operator.UNEQUAL:
            return 1.0 - rare
        if isinstance(wanted.value, str) or self.low is None or self.high is None:
            return 0.0
        known = sum(self.frequent.values())
        known_numbers = sum(count for value, count in self.frequent.items() if math.isfinite(number_of(value)))
        numeric = min(1.0, max(0, self.numbers - known_numbers) / max(1, self.count - known))
        if self.high == self.low:
            return numeric * wanted.holds_number(self.low)
        below = min(1.0, max(0.0, (wanted.value - self.low) / (self.high - self.low)))
        return numeric * (below if wanted.operator in {Operator.LESS, Operator.LESS_OR_EQUAL} else 1.0 - below)
