"""Sets of a column's values: for each sort of value the part that is wanted, and whether null is.

A column of a stream without a schema may hold any sort, and a value of the wrong sort is null to a comparison; so the
sorts are kept apart, which also makes the sets closed under negation. It knows nothing of operators (see `atoms`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import inf

from distributary.algebra.intervals import Cut, Line
from distributary.algebra.stringsets import ALL_STRINGS, NO_STRINGS, StringSet
from distributary.algebra.timestamps import microseconds_of

__all__ = ["ANYTHING", "NOTHING", "NULL", "ValueSet", "numbers"]

_ALL = Line(True)
_NONE = Line(False)


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of values; each sort has its own part. `other` stands for all values that no sort knows (nested ones)."""

    null: bool = False
    other: bool = False
    number: Line = _NONE
    boolean: Line = _NONE
    string: StringSet = NO_STRINGS
    instant: Line = _NONE

    @property
    def is_empty(self) -> bool:
        """Whether no value is in the set, as far as can be told."""
        return not (self.null or self.other) and all(
            part.is_empty for part in (self.number, self.boolean, self.string, self.instant)
        )

    @property
    def is_all(self) -> bool:
        """Whether every value is in the set."""
        return (
            self.null
            and self.other
            and all(part.is_all for part in (self.number, self.boolean, self.string, self.instant))
        )

    @property
    def only_numbers(self) -> bool:
        """Whether nothing but numbers is in the set."""
        return not (self.null or self.other) and all(
            part.is_empty for part in (self.boolean, self.string, self.instant)
        )

    def contains(self, value: object) -> bool:
        """Tell whether the value is in the set."""
        if value is None:
            return self.null
        if isinstance(value, bool):  # before the numbers: a bool is an int to Python
            return self.boolean.contains(int(value))
        if isinstance(value, int | float):
            return self.number.contains(value)
        if isinstance(value, str):
            return self.string.contains(value)
        if isinstance(value, datetime):
            return self.instant.contains(microseconds_of(value))
        return self.other

    def intersection(self, other: ValueSet) -> ValueSet:
        """Return the values that are in both sets."""
        return ValueSet(
            self.null and other.null,
            self.other and other.other,
            self.number.intersection(other.number),
            self.boolean.intersection(other.boolean),
            self.string.intersection(other.string),
            self.instant.intersection(other.instant),
        )

    def complement(self) -> tuple[ValueSet, ...]:
        """Return disjoint sets that together hold exactly the values that are not in this one."""
        strings = self.string.complement()
        first = ValueSet(
            not self.null,
            not self.other,
            self.number.complement(),
            self.boolean.complement(),
            strings[0] if strings else NO_STRINGS,
            self.instant.complement(),
        )
        parts = (first, *(ValueSet(string=part) for part in strings[1:]))
        return tuple(part for part in parts if not part.is_empty)

    def covers(self, other: ValueSet) -> bool:
        """Tell whether every value of `other` is in the set; sound, complete but for the strings' limits."""
        return (
            self.null >= other.null
            and self.other >= other.other
            and self.number.covers(other.number)
            and self.boolean.covers(other.boolean)
            and self.string.covers(other.string)
            and self.instant.covers(other.instant)
        )

    def tester(self) -> Callable[[object], bool]:
        """Return the quickest way to ask `contains`: one look at the value's type, then one comparison."""
        number, boolean, instant = _tester(self.number), self.boolean.contains, self.instant.contains
        tests: dict[type, Callable[..., bool]] = {
            float: number,
            int: number,
            bool: lambda value: boolean(int(value)),
            str: self.string.tester() if not self.string.is_empty else lambda value: False,
            datetime: lambda value: instant(microseconds_of(value)),
            type(None): lambda value: self.null,
        }
        find, general = tests.get, self.contains
        # Subclasses, such as NumPy's doubles, go the general way.
        return lambda value: find(type(value), general)(value)


def _tester(line: Line) -> Callable[[float], bool]:
    """Return the membership test of a set of numbers, by its shape; `not place < x` lets NaN pass."""
    if not line.cuts:
        return lambda place: line.inside
    if len(line.cuts) > 2 or (line.inside and len(line.cuts) == 2):
        return line.contains
    ((low, high),) = line.intervals()
    start, after = (-inf, False) if low is None else (_number(low), low[1])
    if high is None:
        return (lambda place: not place <= start) if after else (lambda place: not place < start)
    stop, closed = _number(high), high[1]
    if after:
        return (lambda place: start < place <= stop) if closed else (lambda place: start < place < stop)
    return (lambda place: start <= place <= stop) if closed else (lambda place: start <= place < stop)


def _number(cut: Cut) -> float:
    assert not isinstance(cut[0], str)
    return cut[0]


ANYTHING = ValueSet(True, True, _ALL, _ALL, ALL_STRINGS, _ALL)
NOTHING = ValueSet()
NULL = ValueSet(null=True)


def numbers(line: Line) -> ValueSet:
    """Return a set of numbers alone."""
    return ValueSet(number=line)
