"""The meaning of one test: the set of values for which it is true. Everything else is built on this.

A test is unknown, which is not true, for null and for values of another sort than its literal's. A string literal also
compares with timestamps when it can be read as one, and a timestamp literal with strings that can.
"""

from __future__ import annotations

from collections.abc import Sequence

from distributary.algebra.expression import Atom, Literal, Operator
from distributary.algebra.intervals import Line, Place, Sort, between, points
from distributary.algebra.stringsets import strings_in, strings_like, strings_read_as
from distributary.algebra.timestamps import instant_of
from distributary.algebra.valuesets import NOTHING, NULL, ValueSet

__all__ = ["accepted"]

_NONE = Line(False)


def accepted(atom: Atom) -> ValueSet:
    """Return the values for which the test is true."""
    operator, literals = atom.operator, atom.literals
    if operator is Operator.NULL:
        return NULL
    if operator is Operator.NOT_NULL:
        return _complement(NULL)
    if operator is Operator.LIKE or operator is Operator.NOT_LIKE:
        return ValueSet(string=strings_like(str(literals[0].place), operator is Operator.LIKE))
    if operator is Operator.SAME:
        return NULL if literals[0].sort is None else _equal(literals)
    if operator is Operator.DIFFERENT:
        return _complement(NULL if literals[0].sort is None else _equal(literals))
    if operator is Operator.EQUAL or operator is Operator.IN:
        return _equal([literal for literal in literals if literal.sort is not None])
    if any(literal.sort is None for literal in literals):
        return NOTHING  # `x <> null` and `x not in (1, null)` are never true
    if operator is Operator.UNEQUAL or operator is Operator.NOT_IN:
        return _unequal(literals)
    return _ordered(operator, literals[0])


def _equal(literals: Sequence[Literal]) -> ValueSet:
    """Return the values that equal one of the literals, which are all of one sort."""
    if not literals:
        return NOTHING
    sort, places = literals[0].sort, [literal.place for literal in literals]
    if sort is Sort.STRING:
        read = points(Sort.INSTANT, (instant for instant in map(_read, places) if instant is not None))
        return ValueSet(string=strings_in(points(Sort.STRING, places)), instant=read)
    assert sort is not None
    return _of_sort(sort, points(sort, places))


def _unequal(literals: Sequence[Literal]) -> ValueSet:
    """Return the values that differ from all the literals and compare with each of them."""
    sort, places = literals[0].sort, [literal.place for literal in literals]
    if sort is Sort.STRING:
        read = [_read(place) for place in places]
        known = [instant for instant in read if instant is not None]
        instants = points(Sort.INSTANT, known).complement() if len(known) == len(read) else _NONE
        return ValueSet(string=strings_in(points(Sort.STRING, places).complement()), instant=instants)
    assert sort is not None
    return _of_sort(sort, points(sort, places).complement())


def _ordered(operator: Operator, literal: Literal) -> ValueSet:
    sort = literal.sort
    assert sort is not None
    if sort is Sort.STRING:
        instant = _read(literal.place)
        instants = _NONE if instant is None else _half(operator, Sort.INSTANT, instant)
        return ValueSet(string=strings_in(_half(operator, sort, literal.place)), instant=instants)
    return _of_sort(sort, _half(operator, sort, literal.place))


def _half(operator: Operator, sort: Sort, place: Place) -> Line:
    if operator is Operator.LESS:
        return between(sort, high=(place, False))
    if operator is Operator.AT_MOST:
        return between(sort, high=(place, True))
    if operator is Operator.GREATER:
        return between(sort, low=(place, True))
    return between(sort, low=(place, False))


def _of_sort(sort: Sort, line: Line) -> ValueSet:
    if sort is Sort.NUMBER:
        return ValueSet(number=line)
    if sort is Sort.BOOLEAN:
        return ValueSet(boolean=line)
    return ValueSet(string=strings_read_as(line), instant=line)


def _complement(values: ValueSet) -> ValueSet:
    """Return the complement of a set whose strings are restricted in one way only, which is a single set then."""
    parts = values.complement()
    assert len(parts) == 1
    return parts[0]


def _read(place: Place) -> int | None:
    return instant_of(str(place))
