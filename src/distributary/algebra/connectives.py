"""And, or, not: the ways to make larger expressions out of smaller ones, in their one canonical shape."""

from __future__ import annotations

from collections.abc import Iterable

from distributary.algebra.expression import NEGATED, And, Atom, Expression, Or
from distributary.algebra.printing import printed

__all__ = ["conjunction", "disjunction", "negation"]


def conjunction(parts: Iterable[Expression]) -> Expression:
    """Return the conjunction of one or more parts: flat, without doubles, ascending by text."""
    flat = _flat(parts, And)
    return flat[0] if len(flat) == 1 else And(flat)


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Return the disjunction of one or more parts: flat, without doubles, ascending by text."""
    flat = _flat(parts, Or)
    return flat[0] if len(flat) == 1 else Or(flat)


def negation(expression: Expression) -> Expression:
    """Return the expression that is true where this one is false and unknown where this one is unknown."""
    if isinstance(expression, Atom):
        return Atom(expression.column, NEGATED[expression.operator], expression.literals)
    parts = [negation(part) for part in expression.parts]
    return disjunction(parts) if isinstance(expression, And) else conjunction(parts)


def _flat(parts: Iterable[Expression], kind: type[And] | type[Or]) -> tuple[Expression, ...]:
    found: dict[str, Expression] = {}
    for part in parts:
        for one in part.parts if isinstance(part, And | Or) and isinstance(part, kind) else (part,):
            found.setdefault(printed(one), one)
    return tuple(part for _, part in sorted(found.items(), key=lambda entry: entry[0]))
