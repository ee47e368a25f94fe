"""The text of expressions: canonical, or exactly as Spark must be told. Nothing is parsed here.

The two differ in literals only: people read `mag >= 4.5`, Spark gets `4.5D`. Spark takes a plain `4.5` for a decimal,
and its decimals lose digits where scales differ widely.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot.dialects.spark import Spark

from distributary.algebra.expression import And, Atom, Expression, Literal, Operator, Or
from distributary.algebra.intervals import Sort
from distributary.algebra.timestamps import instant_text

__all__ = ["NOT_NAMES", "column_text", "literal_text", "printed", "string_text"]

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0", "\x1a": "\\Z", "\b": "\\b"}

#: Words that are no names without backticks, in capitals: our own, and those that begin what the language has not.
NOT_NAMES = frozenset(
    {
        *(
            "AND",
            "ANY",
            "BETWEEN",
            "CASE",
            "CAST",
            "DISTINCT",
            "ELSE",
            "END",
            "ESCAPE",
            "EXISTS",
            "FALSE",
            "ILIKE",
            "IN",
        ),
        *("INTERVAL", "IS", "ISNULL", "LIKE", "NOT", "NOTNULL", "NULL", "OR", "REGEXP", "RLIKE", "SELECT", "SIMILAR"),
        *("SOME", "SYMMETRIC", "THEN", "TRUE", "TRY_CAST", "UNKNOWN", "WHEN", "XOR"),
    }
)


@lru_cache(maxsize=4096)
def column_text(column: str, spark: bool = False) -> str:
    """Return a column's name, in backticks unless it is a plain word that SQL does not use (for Spark, always)."""
    plain = _SIMPLE.fullmatch(column) and column.upper() not in NOT_NAMES | Spark.Tokenizer.KEYWORDS.keys()
    return column if plain and not spark else f"`{column.replace('`', '``')}`"


def string_text(text: str) -> str:
    r"""Return a string literal as Spark's default parser reads it back.

    >>> print(string_text("it's 50\\%"))
    'it\'s 50\\%'
    """
    return f"'{''.join(_ESCAPES.get(character, character) for character in text)}'"


def literal_text(literal: Literal, spark: bool = False) -> str:
    """Return a literal's text; parsing it gives the literal."""
    place = literal.place
    if literal.sort is None:
        return "null"
    if literal.sort is Sort.BOOLEAN:
        return "true" if place else "false"
    if literal.sort is Sort.INSTANT:
        return f"timestamp {string_text(instant_text(int(place)))}"
    if isinstance(place, str):
        return string_text(place)
    return f"{place!r}D" if spark and isinstance(place, float) else repr(place)


def printed(expression: Expression, spark: bool = False) -> str:
    """Return the text of an expression, with brackets only where the grammar needs them."""
    if isinstance(expression, Or):
        return " or ".join(printed(part, spark) for part in expression.parts)
    if isinstance(expression, And):
        texts = (printed(part, spark) for part in expression.parts)
        return " and ".join(
            f"({text})" if isinstance(part, Or) else text for part, text in zip(expression.parts, texts, strict=True)
        )
    return _atom_text(expression, spark)


def _atom_text(atom: Atom, spark: bool) -> str:
    column = column_text(atom.column, spark)
    literals = [literal_text(literal, spark) for literal in atom.literals]
    if not literals:
        return f"{column} {atom.operator}"
    if atom.operator in {Operator.IN, Operator.NOT_IN}:
        return f"{column} {atom.operator} ({', '.join(literals)})"
    if atom.operator is Operator.DIFFERENT:
        return f"not {column} <=> {literals[0]}"
    return f"{column} {atom.operator} {literals[0]}"
