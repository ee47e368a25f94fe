"""Parsing `where`: tokens are checked by `predicate_tokens`, the tree is sqlglot's, and only what is known is taken.

Nothing is half-understood: a node of the tree that is not listed here is refused, and so is a listed one that carries
anything unexpected. Everything that comes out is an `InputError` of the field `where`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from math import isinf

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError

from distributary.algebra.connectives import conjunction, disjunction, negation
from distributary.algebra.expression import Atom, Expression, Literal, Operator, membership, number
from distributary.algebra.intervals import Sort
from distributary.algebra.like import like_tokens
from distributary.algebra.predicate import Predicate
from distributary.algebra.predicate_tokens import LENGTH_MAX, refusal, tokens_of
from distributary.algebra.predicate_types import typed
from distributary.algebra.timestamps import instant_of
from distributary.core.errors import InputError
from distributary.core.values import Schema

__all__ = ["parse_where"]

_COMPARISONS: dict[type[exp.Expr], Operator] = {
    exp.EQ: Operator.EQUAL,
    exp.NEQ: Operator.UNEQUAL,
    exp.LT: Operator.LESS,
    exp.LTE: Operator.AT_MOST,
    exp.GT: Operator.GREATER,
    exp.GTE: Operator.AT_LEAST,
    exp.NullSafeEQ: Operator.SAME,
}
#: The same comparison with its sides exchanged.
_MIRRORED = {
    Operator.LESS: Operator.GREATER,
    Operator.AT_MOST: Operator.AT_LEAST,
    Operator.GREATER: Operator.LESS,
    Operator.AT_LEAST: Operator.AT_MOST,
}


def parse_where(text: str, schema: Schema | None = None) -> Predicate:
    """Return the predicate that a `where` describes; anything outside the language is an `InputError`.

    With a schema, unknown columns and literals of another type than their column's are refused, strings compared with
    timestamp columns become timestamps, and whole numbers compared with double columns become doubles, as in Spark.

    >>> parse_where("not (mag < 4.0 or lat is null)").text().text
    'lat is not null and mag >= 4'
    """
    tokens = tokens_of(text)
    try:
        (tree,) = Spark().parser().parse_into(exp.Condition, tokens, text)
    except ParseError as error:
        raise _syntax_error(text, error) from None
    except (SqlglotError, RecursionError):
        raise refusal("is not understood") from None
    if tree is None:
        raise refusal("is not understood")
    expression = _expression(tree)
    try:
        predicate = Predicate(expression if schema is None else typed(expression, schema))
    except InputError as error:
        raise error.at(field="where") from None
    # The canonical text can be longer than what was written, and it must be readable too.
    if len(text) > LENGTH_MAX // 8 and len(predicate.text().text) > LENGTH_MAX:
        raise refusal(f"has more than {LENGTH_MAX:,} characters in its canonical form")
    return predicate


def _syntax_error(text: str, error: ParseError) -> InputError:
    found = error.errors[0] if error.errors else {}
    near = str(found.get("highlight") or "")
    start = len(str(found.get("start_context") or ""))
    if not near or not text.startswith(near, start) or start + len(near) >= len(text.rstrip()):
        return refusal("ends before it is complete, or has a word too many at the end")
    return refusal(f"{near[:40]!r} is not expected here", start)


def _expression(node: exp.Expr) -> Expression:
    """Return the expression of a boolean node."""
    node = _unwrapped(node)
    if isinstance(node, exp.And | exp.Or):
        parts = [_expression(part) for part in _spine(node, type(node))]
        return conjunction(parts) if isinstance(node, exp.And) else disjunction(parts)
    if isinstance(node, exp.Not):
        return negation(_expression(_only(node, "this")))
    operator = _COMPARISONS.get(type(node))
    if operator is not None:
        return _comparison(node, operator)
    if isinstance(node, exp.Between):
        column = _column(_only(node, "this", "low", "high"))
        low, high = _literal(node.args["low"]), _literal(node.args["high"])
        return conjunction([Atom(column, Operator.AT_LEAST, (low,)), Atom(column, Operator.AT_MOST, (high,))])
    if isinstance(node, exp.In):
        return _in(node)
    if isinstance(node, exp.Is):
        if not isinstance(node.expression, exp.Null):
            raise _refused(node, "is may be followed only by null or not null; write column = true")
        return Atom(_column(_only(node, "this", "expression")), Operator.NULL)
    if isinstance(node, exp.Like):
        return _like(node)
    if isinstance(node, exp.Column):
        raise _refused(node, "a column alone is no condition; compare it with a literal, such as column = true")
    raise _refused(node, f"{_kind(node)} is no condition of the language")


def _spine(node: exp.Expr, kind: type[exp.Expr]) -> Iterable[exp.Expr]:
    """Return the parts of `a and b and c ...`, which sqlglot nests to the left, without recursion."""
    parts = []
    while isinstance(node, kind):
        parts.append(node.expression)
        node = _only(node, "this", "expression")
    return [node, *reversed(parts)]


def _comparison(node: exp.Expr, operator: Operator) -> Expression:
    left, right = _unwrapped(_only(node, "this", "expression")), _unwrapped(node.expression)
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        raise _refused(node, "two columns are compared; a comparison takes a column and a literal")
    if isinstance(right, exp.Column):
        left, right, operator = right, left, _MIRRORED.get(operator, operator)
    return Atom(_column(left), operator, (_literal(right),))


def _in(node: exp.In) -> Expression:
    column = _column(_only(node, "this", "expressions"))
    literals = [_literal(member) for member in node.expressions]
    if not literals:
        raise _refused(node, "in needs a list of literals in brackets that is not empty")
    sorts = {literal.sort for literal in literals if literal.sort is not None}
    if len(sorts) > 1:
        names = " and ".join(sort.name.lower() for sort in sorted(sorts))
        raise _refused(node, f"the literals of one list differ in type: {names}")
    return membership(column, literals)


def _like(node: exp.Like) -> Expression:
    column = _column(_only(node, "this", "expression", "negate"))
    pattern = _literal(node.expression)
    if pattern.sort is not Sort.STRING:
        raise _refused(node, "the pattern of like must be a string")
    try:
        like_tokens(str(pattern.place))
    except InputError as error:
        raise _refused(node, error.reason) from None
    operator = Operator.NOT_LIKE if node.args.get("negate") else Operator.LIKE
    return Atom(column, operator, (pattern,))


def _column(node: exp.Expr) -> str:
    node = _unwrapped(node)
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        _only(node, "this")
        return str(node.this.this)
    raise _refused(node, f"{_kind(node)} stands where a column is expected; a comparison takes a column and a literal")


def _literal(node: exp.Expr) -> Literal:
    node = _unwrapped(node)
    if isinstance(node, exp.Null):
        return Literal()
    if isinstance(node, exp.Boolean):
        return Literal(Sort.BOOLEAN, int(node.this))
    if isinstance(node, exp.Literal):
        return Literal(Sort.STRING, str(node.this)) if node.is_string else _number(str(node.this))
    if type(node) is exp.Cast and isinstance(node.this, exp.Literal):
        # `timestamp '...'` and `date '...'` are casts to sqlglot; casts that are written so do not get here.
        text = str(node.this.this)
        if node.to.this is exp.DataType.Type.DATE and not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            raise _refused(node, f"{text[:40]!r} is not a date such as 2018-02-01")
        instant = instant_of(text)
        if instant is None:
            raise _refused(node, f"{text[:40]!r} is not a timestamp such as 2018-02-01 10:30:00Z")
        return Literal(Sort.INSTANT, instant)
    raise _refused(node, f"{_kind(node)} stands where a literal is expected; a comparison takes a column and a literal")


def _number(text: str) -> Literal:
    """Return a number as Spark reads it: with an exponent or D a double, otherwise exact as far as it is whole."""
    digits = text.upper().rstrip("LDB")
    suffix = text.upper()[len(digits) :]
    rounded = float(digits)
    if isinf(rounded):
        raise refusal(f"{text[:40]} is out of a double's range")
    if suffix == "L" and not digits.lstrip("+-").isdigit():
        raise refusal(f"{text[:40]} is not an integer")
    if suffix == "D" or "E" in digits or abs(rounded) >= 1e38:
        return number(rounded)
    exact = Decimal(digits)
    whole = exact.to_integral_value()
    return number(int(whole) if whole == exact else rounded)


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = _only(node, "this")
    return node


def _only(node: exp.Expr, *expected: str) -> exp.Expr:
    """Return `node.this`; raise when the node carries anything beside the expected parts."""
    unknown = [name for name, value in node.args.items() if name not in expected and value]
    if unknown:
        raise _refused(node, f"{unknown[0].replace('_', ' ')} is not part of the language here")
    this = node.this
    if not isinstance(this, exp.Expr):
        raise _refused(node, f"{_kind(node)} is incomplete")
    return this


def _refused(node: exp.Expr, reason: str) -> InputError:
    """Return the error, placed at the first column that the node names, the only nodes whose places sqlglot keeps."""
    starts = [start for column in node.find_all(exp.Identifier) if (start := column.meta.get("start")) is not None]
    return refusal(reason, min(starts, default=None))


def _kind(node: exp.Expr) -> str:
    """Return what a node is, in words."""
    if isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Cast):
        return "a literal (names are quoted with backticks)" if isinstance(node, exp.Literal) else "a literal"
    if isinstance(node, exp.Column):
        return "a column"
    if isinstance(node, exp.Predicate | exp.Connector | exp.Not):
        return "a condition"
    if isinstance(node, exp.Binary):
        return "arithmetic"
    return f"{type(node).__name__.lower()} (not part of the language)"
