"""Filters of records as Spark SQL: what the pipeline evaluates on every item must be what `matches` says here.

The text is a boolean expression that is true exactly for the matching rows (false or null for the others), provided
that Spark resolves names case-sensitively, its session's time zone is UTC, and predicates were parsed with the
schema: Spark casts where types disagree, which a schema rules out.
"""

from __future__ import annotations

from math import inf, isinf

from distributary.algebra.anyof import AnyOf
from distributary.algebra.box import Box
from distributary.algebra.connectives import conjunction, disjunction, negation
from distributary.algebra.everything import Everything
from distributary.algebra.expression import And, Expression, Literal, Operator, Or, membership, number
from distributary.algebra.filter import Filter
from distributary.algebra.predicate import Predicate
from distributary.algebra.printing import column_text, literal_text, printed
from distributary.core.errors import InputError

__all__ = ["spark_sql"]

# From here on, several integers are one double to Spark.
_ROUNDED_MIN = 2**53


def spark_sql(filter: Filter) -> str:  # noqa: A002 - the paper's noun
    """Return the Spark SQL expression of a filter of records; any other filter is an `InputError`.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> spark_sql(parse_where("mag > 4.5 and net in ('ci', 'us')"))
    "`mag` > 4.5D and `net` in ('ci', 'us')"
    """
    if isinstance(filter, Everything):
        return "true"
    if isinstance(filter, Predicate):
        return printed(_apart(filter.expression), spark=True)
    if isinstance(filter, Box):
        return " and ".join(_range_text(*ends) for ends in filter.ranges) or "true"
    if isinstance(filter, AnyOf):
        return " or ".join(f"({spark_sql(member)})" for member in filter.members) or "false"
    raise InputError(f"a filter of kind {filter.text().kind} is no condition on records", field="filter")


def _range_text(attribute: str, low: float, high: float) -> str:
    column = column_text(attribute, spark=True)
    # NaN is above every number to Spark, so an open end still needs its bound.
    upper = "double('Infinity')" if high == inf else _end_text(high)
    if isinf(low):
        return f"{column} <= {upper}" if low < 0 else f"{column} = {upper}"
    return f"{column} >= {_end_text(low)} and {column} <= {upper}"


def _end_text(end: float) -> str:
    return "double('-Infinity')" if end == -inf else literal_text(number(end), spark=True)


def _apart(expression: Expression) -> Expression:
    """Take doubles out of lists with large integers: Spark compares a whole list in one type, which would round."""
    if isinstance(expression, And):
        return conjunction(_apart(part) for part in expression.parts)
    if isinstance(expression, Or):
        return disjunction(_apart(part) for part in expression.parts)
    if expression.operator not in {Operator.IN, Operator.NOT_IN}:
        return expression
    large = [literal for literal in expression.literals if _is_large(literal)]
    rest = [literal for literal in expression.literals if not _is_large(literal)]
    if not large or not any(isinstance(literal.place, float) for literal in rest):
        return expression
    apart = disjunction([membership(expression.column, large), membership(expression.column, rest)])
    return apart if expression.operator is Operator.IN else negation(apart)


def _is_large(literal: Literal) -> bool:
    return isinstance(literal.place, int) and abs(literal.place) >= _ROUNDED_MIN
