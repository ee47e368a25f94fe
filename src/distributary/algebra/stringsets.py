"""Sets of strings: an interval set in code point order, a reading as timestamp and LIKE patterns, all at once.

The three restrict a string in ways that no order reconciles, so a `StringSet` is their conjunction. Conjunction is
exact; the complement is several such sets; `covers` and `is_empty` are sound, and complete where only the order
restricts (comparisons, `in`, and LIKE with a literal start or none of the wildcards).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from distributary.algebra.intervals import Line, Sort, points, strings_from
from distributary.algebra.like import like_covers, like_prefix, like_test
from distributary.algebra.timestamps import instant_of

__all__ = ["ALL_STRINGS", "NO_STRINGS", "StringSet", "strings_in", "strings_like", "strings_read_as"]

_ALL = Line(True)
_NONE = Line(False)


@dataclass(frozen=True, slots=True)
class StringSet:
    """The strings in `order` whose reading as a timestamp is allowed and that pass every test."""

    order: Line
    #: The instants that a string may be the ISO text of.
    read: Line = _ALL
    #: Whether strings that are no timestamps are in the set.
    unreadable: bool = True
    #: LIKE patterns with whether they must match, ascending.
    tests: tuple[tuple[str, bool], ...] = ()

    @property
    def only_order(self) -> bool:
        """Whether nothing but the order restricts."""
        return self.unreadable and self.read.is_all and not self.tests

    @property
    def is_all(self) -> bool:
        """Whether every string is in the set."""
        return self.order.is_all and self.only_order

    @property
    def is_empty(self) -> bool:
        """Whether no string is in the set, as far as can be told."""
        if self.order.is_empty or (self.read.is_empty and not self.unreadable):
            return True
        wanted = [pattern for pattern, positive in self.tests if positive]
        refused = [pattern for pattern, positive in self.tests if not positive]
        return any(like_covers(wide, narrow) for wide in refused for narrow in wanted)

    def contains(self, text: str) -> bool:
        """Tell whether the string is in the set."""
        return self.order.contains(text) and self._readable(text) and self._passes(text)

    def _readable(self, text: str) -> bool:
        if self.unreadable and self.read.is_all:
            return True
        instant = instant_of(text)
        return self.unreadable if instant is None else self.read.contains(instant)

    def _passes(self, text: str) -> bool:
        return all(like_test(pattern)(text) is positive for pattern, positive in self.tests)

    def intersection(self, other: StringSet) -> StringSet:
        """Return the strings that are in both sets."""
        both = StringSet(
            self.order.intersection(other.order),
            self.read.intersection(other.read),
            self.unreadable and other.unreadable,
            tuple(sorted({*self.tests, *other.tests})),
        )
        # The members of a finite set are simply tried, so that finite sets stay exact.
        members = None if both.only_order else both.order.strings()
        if members is None:
            return both
        return strings_in(points(Sort.STRING, (text for text in members if both.contains(text))))

    def complement(self) -> tuple[StringSet, ...]:
        """Return disjoint sets that together hold exactly the strings that are not in this one."""
        parts = [StringSet(self.order.complement())]
        if not (self.unreadable and self.read.is_all):
            parts.append(StringSet(self.order, self.read.complement(), not self.unreadable))
        for index, (pattern, positive) in enumerate(self.tests):
            tests = (*self.tests[:index], (pattern, not positive))
            parts.append(StringSet(self.order, self.read, self.unreadable, tuple(sorted(tests))))
        return tuple(part for part in parts if not part.is_empty)

    def covers(self, other: StringSet) -> bool:
        """Tell whether every string of `other` is in the set; sound."""
        members = other.order.strings()
        if members is not None:
            return all(self.contains(text) for text in members if other.contains(text))
        return (
            self.order.covers(other.order)
            and self.read.covers(other.read)
            and self.unreadable >= other.unreadable
            and all(_implied(pattern, positive, other.tests) for pattern, positive in self.tests)
        )

    def tester(self) -> Callable[[str], bool]:
        """Return the quickest way to ask `contains`."""
        if self.order.is_all and self.unreadable and self.read.is_all and len(self.tests) == 1:
            ((pattern, positive),) = self.tests
            matches = like_test(pattern)
            return matches if positive else lambda text: not matches(text)
        return self.contains


def _implied(pattern: str, positive: bool, tests: tuple[tuple[str, bool], ...]) -> bool:
    if positive:
        return any(other and like_covers(pattern, narrow) for narrow, other in tests)
    return any(not other and like_covers(wide, pattern) for wide, other in tests)


ALL_STRINGS = StringSet(_ALL)
NO_STRINGS = StringSet(_NONE)


def strings_in(order: Line) -> StringSet:
    """Return the strings of an interval set."""
    return StringSet(order)


def strings_read_as(instants: Line, unreadable: bool = False) -> StringSet:
    """Return the strings that are ISO texts of the instants, and those that are no timestamps where wanted."""
    return StringSet(_ALL, instants, unreadable)


def strings_like(pattern: str, positive: bool = True) -> StringSet:
    """Return the strings that a LIKE pattern matches, or those that it does not."""
    prefix, rest = like_prefix(pattern)
    order = points(Sort.STRING, [prefix]) if not rest else strings_from(prefix)
    if rest != "?":
        return StringSet(order if positive else order.complement())
    # The literal start is implied by the test; said again as an interval, it lets disjoint sets be seen.
    return StringSet(order if positive else _ALL, tests=((pattern, positive),))
