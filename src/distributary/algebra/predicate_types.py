"""Types of a predicate against a schema: unknown columns and disagreeing literals are refused, the rest is adapted."""

from __future__ import annotations

from dataclasses import replace

from distributary.algebra.connectives import conjunction, disjunction, negation
from distributary.algebra.expression import And, Atom, Expression, Literal, Operator, Or, membership, number
from distributary.algebra.intervals import Sort
from distributary.algebra.predicate_tokens import refusal
from distributary.algebra.timestamps import instant_of
from distributary.core.errors import InputError
from distributary.core.values import ColumnType, Schema

__all__ = ["check_column", "check_numeric", "typed"]

_SORTS = {
    ColumnType.INTEGER: Sort.NUMBER,
    ColumnType.DOUBLE: Sort.NUMBER,
    ColumnType.BOOLEAN: Sort.BOOLEAN,
    ColumnType.TIMESTAMP: Sort.INSTANT,
    ColumnType.STRING: Sort.STRING,
}


def check_column(column: str, schema: Schema) -> ColumnType:
    """Return the column's type; a column that the schema lacks is refused by name."""
    kind = schema.get(column)
    if kind is None:
        known = ", ".join(list(schema)[:20]) or "none"
        raise InputError(f"unknown column {column!r} (names are case-sensitive; the columns are {known})")
    return kind


def check_numeric(column: str, schema: Schema) -> None:
    """Raise unless the column is known and holds numbers, as a box needs."""
    kind = check_column(column, schema)
    if _SORTS[kind] is not Sort.NUMBER:
        raise InputError(f"column {column!r} is of type {kind}, but a box needs numbers", field=column)


def typed(expression: Expression, schema: Schema) -> Expression:
    """Return the expression with its literals as the schema's types have them; disagreement is an `InputError`."""
    if isinstance(expression, And):
        return conjunction(typed(part, schema) for part in expression.parts)
    if isinstance(expression, Or):
        return disjunction(typed(part, schema) for part in expression.parts)
    kind = check_column(expression.column, schema)
    if expression.operator in {Operator.LIKE, Operator.NOT_LIKE} and kind is not ColumnType.STRING:
        raise refusal(f"like needs a string column; {expression.column!r} is of type {kind}")
    literals = tuple(_adapted(expression, literal, kind) for literal in expression.literals)
    if expression.operator is Operator.IN:
        return membership(expression.column, literals)
    if expression.operator is Operator.NOT_IN:
        return negation(membership(expression.column, literals))
    return replace(expression, literals=literals)


def _adapted(atom: Atom, literal: Literal, kind: ColumnType) -> Literal:
    sort, place = literal.sort, literal.place
    if kind is ColumnType.TIMESTAMP and isinstance(place, str):
        instant = instant_of(place)
        if instant is None:
            raise refusal(f"{place[:40]!r} is no timestamp, but column {atom.column!r} is of type {kind}")
        return Literal(Sort.INSTANT, instant)
    if sort is not None and sort is not _SORTS[kind]:
        name = "timestamp" if sort is Sort.INSTANT else sort.name.lower()
        raise refusal(f"column {atom.column!r} is of type {kind}, but is compared with a {name}")
    if kind is ColumnType.DOUBLE and isinstance(place, int) and sort is not None:
        return number(float(place))  # as Spark does; changes only integers beyond 2**53
    return literal
