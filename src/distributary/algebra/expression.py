"""The abstract syntax of predicates: comparisons of one column with literals, joined by and / or, without `not`.

Negation is pushed into the operators where an expression is made: in Kleene's three-valued logic, which SQL has, De
Morgan's laws hold and each operator has an exact opposite (NaN included, since Spark orders it above all numbers). So
an expression is true exactly when the two-valued reading of it is, with each test false where SQL says unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import isinf
from typing import TypeAlias

from distributary.algebra.intervals import Place, Sort

__all__ = ["NEGATED", "And", "Atom", "Expression", "Literal", "Operator", "Or", "membership", "number"]


class Operator(StrEnum):
    """What a column is asked; each has its opposite in `NEGATED`."""

    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    AT_LEAST = ">="
    GREATER = ">"
    AT_MOST = "<="
    SAME = "<=>"
    DIFFERENT = "not <=>"
    IN = "in"
    NOT_IN = "not in"
    NULL = "is null"
    NOT_NULL = "is not null"
    LIKE = "like"
    NOT_LIKE = "not like"


_OPPOSITES = tuple(zip(list(Operator)[::2], list(Operator)[1::2], strict=True))

#: true where the operator is false, false where it is true, unknown where it is unknown
NEGATED: dict[Operator, Operator] = {
    **dict(_OPPOSITES),
    **{opposite: operator for operator, opposite in _OPPOSITES},
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; null has neither sort nor place. Instants are microseconds since 1970, booleans 0 and 1."""

    sort: Sort | None = None
    place: Place = 0


@dataclass(frozen=True, slots=True)
class Atom:
    """One test of one column; `literals` has one member for comparisons and LIKE, none for the null tests."""

    column: str
    operator: Operator
    literals: tuple[Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction of two or more parts, none of them a conjunction, ascending by text."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction of two or more parts, none of them a disjunction, ascending by text."""

    parts: tuple[Expression, ...]


Expression: TypeAlias = Atom | And | Or

# Spark's decimals end here; up to here a whole number is printed and compared digit by digit.
_WHOLE_MAX = 10**38


def number(value: float) -> Literal:
    """Return the literal of a finite number in its one form: whole numbers below 10**38 are integers.

    >>> number(4.0) == number(4), number(4.5).place
    (True, 4.5)
    """
    if abs(value) >= _WHOLE_MAX:
        value = float(value)
        assert not isinf(value)
    elif value == int(value):
        value = int(value)
    return Literal(Sort.NUMBER, value)


def membership(column: str, literals: Iterable[Literal]) -> Atom:
    """Return `column in (literals)` in its one form: ascending, each once, null last, and `=` for a single one.

    The literals are one or more, and of one sort but for null.
    """
    ordered = tuple(sorted(dict.fromkeys(literals), key=lambda literal: (literal.sort is None, literal.place)))
    return Atom(column, Operator.EQUAL if len(ordered) == 1 else Operator.IN, ordered)
