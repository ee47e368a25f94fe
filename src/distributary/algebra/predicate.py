"""`Predicate`: a Spark SQL boolean expression over a record's columns, in SQL's three-valued logic.

The language is the interface's `where`: comparisons of a column with literals, joined by and, or, not. It has no
arithmetic, functions or casts, and never more than one column in a comparison, which is what makes the algebra exact.
Parsing is `predicate_parser`'s; the values that satisfy one test are `atoms`'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from distributary.algebra.cells import Cell
from distributary.algebra.connectives import negation
from distributary.algebra.expression import And, Atom, Expression, Or
from distributary.algebra.filter import Filter
from distributary.algebra.normalform import cells_of_expression, test_of_expression
from distributary.algebra.printing import printed
from distributary.algebra.recordfilter import RecordFilter
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content, Record

__all__ = ["Predicate"]


@dataclass(frozen=True)
class Predicate(RecordFilter):
    """The records for which an expression is true: not those for which it is false or unknown.

    A missing key is null, a value of another type than the literal's is null to that comparison. Numbers compare
    exactly, integers with doubles too; NaN equals itself and is above every number; strings compare by code point.

    `covers` and `intersects` are complete for comparisons, `in`, null tests and LIKE with a literal start (`abc%`),
    with numbers taken as the real line (`x > 1 and x < 2` is not seen to be empty on integers) and up to 256 cells in
    the normal form. Other LIKE patterns, and strings compared with timestamps, are sound; so are larger predicates.
    """

    expression: Expression

    @cached_property
    def _test(self) -> Callable[[Record], bool]:
        return test_of_expression(self.expression)

    @cached_property
    def _opposite(self) -> Callable[[Record], bool]:
        return test_of_expression(negation(self.expression))

    @cached_property
    def _cells(self) -> tuple[Cell, ...] | None:
        return cells_of_expression(self.expression)

    @cached_property
    def _text(self) -> FilterText:
        return FilterText("where", printed(self.expression))

    def __reduce__(self) -> tuple[type[Predicate], tuple[Expression]]:
        return Predicate, (self.expression,)  # the compiled tests are functions, which do not travel

    def matches(self, item: Content) -> bool:
        """Tell whether the item is a record for which the predicate is true."""
        return isinstance(item, Mapping) and self._test(item)

    def truth(self, record: Record) -> bool | None:
        """Return SQL's answer: true, false or, as `None`, unknown."""
        return True if self._test(record) else False if self._opposite(record) else None

    def cells(self) -> tuple[Cell, ...] | None:
        """Return the normal form: cells whose union is the predicate; `None` when they would be more than 256."""
        return self._cells

    def columns(self) -> tuple[str, ...]:
        """Return the columns that the predicate looks at, ascending."""
        return tuple(sorted(_columns(self.expression)))

    def covers(self, other: Filter) -> bool:
        """Tell whether every record that `other` matches is matched here; see the class for what is complete."""
        if RecordFilter.covers(self, other):
            return True
        if isinstance(other, Predicate) and (self._cells is None or other._cells is None):
            return _follows(self.expression, other.expression)
        return False

    def text(self) -> FilterText:
        """Return the canonical expression: negations pushed in, parts sorted, numbers in one form."""
        return self._text


def _columns(expression: Expression) -> set[str]:
    if isinstance(expression, Atom):
        return {expression.column}
    return set().union(*(_columns(part) for part in expression.parts))


def _follows(wide: Expression, narrow: Expression) -> bool:
    """Tell whether `narrow` implies `wide` by their shapes alone; for predicates too large for a normal form."""
    if wide == narrow:
        return True
    if isinstance(narrow, Or):
        return all(_follows(wide, part) for part in narrow.parts)
    if isinstance(wide, And):
        return all(_follows(part, narrow) for part in wide.parts)
    if isinstance(wide, Or):
        return any(_follows(part, narrow) for part in wide.parts) or _part_follows(wide, narrow)
    return _part_follows(wide, narrow)


def _part_follows(wide: Expression, narrow: Expression) -> bool:
    return isinstance(narrow, And) and any(_follows(wide, part) for part in narrow.parts)
