"""Hypothesis strategies for filters of records and blocks: few names and values, so that things meet often.

A `Condition` is a drawn syntax tree, kept apart from the product's own, so that a test can evaluate it by itself and
compare. The strategies of documents and tree patterns stand in `documents`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from hypothesis import strategies as st

from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.predicate import Predicate
from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import Block, Record, Value

__all__ = [
    "Among",
    "Between",
    "Both",
    "Compare",
    "Condition",
    "Either",
    "IsNull",
    "Like",
    "Not",
    "block_items",
    "blocks",
    "boxes",
    "conditions",
    "predicates",
    "records",
    "where_text",
]

NUMBERS: tuple[int | float, ...] = (-1, 0, 0.5, 1, 1.5, 2, 2**53, 2**53 + 1, float(2**53), 1e300, 1e-7)
STRINGS = (
    "",
    "a",
    "ab",
    "a%b",
    "a_b",
    "b",
    "it's",
    "a\\b",
    "2018-02-01",
    "2018-02-01 12:00:00+01:00",
    "\U0001f600",
    "\n",
)
PATTERNS = ("", "%", "a%", "a%%", "%b", "_b", "a_b", "a\\_b", "a\\%b", "ab", "%a%b", "a\\\\b", "_")
TIMES = (
    datetime(2018, 2, 1, tzinfo=UTC),
    datetime(2018, 2, 1, 11, tzinfo=UTC),
    datetime(2017, 5, 4, 3, 2, 1, 500, UTC),
)
COMPARISONS = ("=", "==", "!=", "<>", "<", "<=", ">", ">=", "<=>")


@dataclass(frozen=True, slots=True)
class Compare:
    """`column operator literal`, or with the sides exchanged."""

    column: str
    operator: str
    literal: Value
    literal_first: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """`column [not] between low and high`."""

    column: str
    low: Value
    high: Value
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Among:
    """`column [not] in (literals)`."""

    column: str
    literals: tuple[Value, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """`column is [not] null`."""

    column: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """`column [not] like pattern`."""

    column: str
    pattern: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """`not (part)`."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """`(left) and (right)`."""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Either:
    """`(left) or (right)`."""

    left: Condition
    right: Condition


Condition: TypeAlias = Compare | Between | Among | IsNull | Like | Not | Both | Either


def literal_text(value: Value) -> str:
    """Return a literal as a person would write it."""
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "true", False: "False"}[value]
    if isinstance(value, datetime):
        return f"timestamp '{value.isoformat(sep=' ')}'"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "''")
        return f"'{escaped}'"
    return repr(value)


def where_text(condition: Condition) -> str:
    """Return a condition as the text of a `where`."""
    match condition:
        case Compare(column, operator, literal, literal_first):
            left, right = f"`{column}`", literal_text(literal)
            return f"{right} {operator} {left}" if literal_first else f"{left} {operator} {right}"
        case Between(column, low, high, negated):
            return f"{column} {_not(negated)}between {literal_text(low)} and {literal_text(high)}"
        case Among(column, literals, negated):
            return f"{column} {_not(negated)}in ({', '.join(map(literal_text, literals))})"
        case IsNull(column, negated):
            return f"{column} is {_not(negated)}null"
        case Like(column, pattern, negated):
            return f"{column} {_not(negated)}like {literal_text(pattern)}"
        case Not(part):
            return f"not ({where_text(part)})"
        case Both(left, right):
            return " and ".join(_bracketed(part, Either) for part in (left, right))
        case Either(left, right):
            return f"{where_text(left)} or {where_text(right)}"


def _bracketed(part: Condition, weaker: type) -> str:
    return f"({where_text(part)})" if isinstance(part, weaker) else where_text(part)


def _not(negated: bool) -> str:
    return "not " if negated else ""


def conditions(
    columns: tuple[str, ...] = ("x", "y", "s"),
    literals: tuple[tuple[Value, ...], ...] = (NUMBERS, STRINGS, (True, False), TIMES),
    patterns: tuple[str, ...] = PATTERNS,
    depth: int = 3,
) -> st.SearchStrategy[Condition]:
    """Return conditions over a few columns; each list draws its literals from one of the groups."""
    names, flags = st.sampled_from(columns), st.booleans()
    group = st.sampled_from(literals)
    literal: st.SearchStrategy[Value] = group.flatmap(st.sampled_from) | st.none()
    lists: st.SearchStrategy[tuple[Value, ...]] = group.flatmap(
        lambda members: st.lists(st.sampled_from((*members, None)), min_size=1, max_size=4).map(tuple)
    )
    leaves: st.SearchStrategy[Condition] = st.one_of(
        st.builds(Compare, names, st.sampled_from(COMPARISONS), literal, flags),
        st.builds(Compare, names, st.sampled_from(COMPARISONS), group.flatmap(st.sampled_from), flags),
        st.builds(Between, names, literal, literal, flags),
        st.builds(Among, names, lists, flags),
        st.builds(IsNull, names, flags),
        *([st.builds(Like, names, st.sampled_from(patterns), flags)] if patterns else []),
    )
    tree = leaves
    for _ in range(depth):
        tree = leaves | st.builds(Both, tree, tree) | st.builds(Either, tree, tree) | st.builds(Not, tree)
    return tree


def predicates(depth: int = 3) -> st.SearchStrategy[tuple[str, Predicate]]:
    """Return texts with the predicates that they are parsed to."""
    return conditions(depth=depth).map(where_text).map(lambda text: (text, parse_where(text)))


def records(columns: tuple[str, ...] = ("x", "y", "s")) -> st.SearchStrategy[Record]:
    """Return records whose fields hold anything: the predicates' own values, neighbours, NaN, null, or are missing."""
    numbers = (*NUMBERS, -0.0, 3, 2**53 + 2, -(2**63), float("nan"), float("inf"), float("-inf"))
    values: st.SearchStrategy[Value] = st.one_of(
        st.sampled_from(numbers),
        st.sampled_from((*STRINGS, "ac", "a%", "2018-02-01T11:00:00Z", "2018-02-30", "\uffff")),
        st.sampled_from((True, False, None)),
        st.sampled_from((*TIMES, datetime(2020, 1, 1, tzinfo=UTC))),
        st.floats(),
        st.text(max_size=3),
    )
    return st.dictionaries(st.sampled_from(columns), values, max_size=len(columns))


def boxes(
    attributes: tuple[str, ...] = ("x", "y"), low: int = -4, high: int = 8, some: bool = True
) -> st.SearchStrategy[Box]:
    """Return boxes with whole ends in low .. high; with `some`, attributes may be left free (not all of them)."""
    ends = st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda pair: (min(pair), max(pair)))
    ranges = st.fixed_dictionaries(dict.fromkeys(attributes, ends))
    if some:
        ranges = st.dictionaries(st.sampled_from(attributes), ends, min_size=1)
    return ranges.map(Box.from_ranges)


def blocks(count: int = 10) -> st.SearchStrategy[Blocks]:
    """Return sets of blocks below `count`, the empty one among them."""
    return st.frozensets(st.integers(0, count - 1)).map(Blocks)


def block_items(count: int = 10) -> st.SearchStrategy[Block]:
    """Return items that belong to some of the blocks below `count`."""
    return st.frozensets(st.integers(0, count - 1)).map(Block)
