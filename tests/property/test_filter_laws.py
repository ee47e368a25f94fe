"""The laws of filters, over drawn boxes, predicates, block sets and unions of them."""

from __future__ import annotations

import math
import operator
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from distributary.algebra.anyof import any_of
from distributary.algebra.box import Box
from distributary.algebra.cells import cells_cover
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.hull import hull_of
from distributary.algebra.like import like_covers, like_test
from distributary.algebra.parse import filter_of
from distributary.algebra.predicate import Predicate
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.regions import regions_of
from distributary.algebra.statistics import UniformDensity
from distributary.algebra.volumes import union_volume
from distributary.core.errors import InputError
from distributary.core.values import Block, Record, Value
from distributary.testing import strategies as ours
from distributary.testing.strategies import Among, Between, Both, Compare, Condition, Either, IsNull, Like, Not

pytestmark = pytest.mark.slow

laws = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

predicates = ours.predicates().map(lambda drawn: drawn[1])
record_filters: st.SearchStrategy[Filter] = st.one_of(ours.boxes(("x", "y")), predicates, st.just(Everything()))
filters = st.one_of(record_filters, ours.blocks(), st.lists(record_filters, max_size=3).map(any_of))
items = st.one_of(ours.records(), ours.block_items())


# An evaluator of its own: Kleene's logic over the drawn tree, sharing nothing with the product but the tree's types.
def timestamp(text: str) -> datetime | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?", text, re.ASCII):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def compared(value: Value, literal: Value, name: str) -> bool | None:
    if isinstance(value, datetime) and isinstance(literal, str):
        literal = timestamp(literal)
    if isinstance(value, str) and isinstance(literal, datetime):
        value = timestamp(value)
    if value is None or literal is None:
        return None
    kinds = [
        bool if isinstance(v, bool) else float if isinstance(v, int | float) else type(v) for v in (value, literal)
    ]
    if kinds[0] is not kinds[1]:
        return None
    left, right = (
        (math.isnan(v), 0 if math.isnan(v) else v) if isinstance(v, float) else (False, v) for v in (value, literal)
    )
    tests: dict[str, Callable[..., bool]] = {
        "=": operator.eq,
        "==": operator.eq,
        "!=": operator.ne,
        "<>": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
    return tests[name](left, right)


def negated(truth: bool | None, yes: bool = True) -> bool | None:
    return truth if not yes or truth is None else not truth


def either(*truths: bool | None) -> bool | None:
    return True if True in truths else None if None in truths else False


MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def truth_of(condition: Condition, record: Record) -> bool | None:
    match condition:
        case Compare(column, name, literal, literal_first):
            name = MIRROR.get(name, name) if literal_first else name
            value = record.get(column)
            if name != "<=>":
                return compared(value, literal, name)
            return value is None if literal is None else compared(value, literal, "=") is True
        case Between(column, low, high, flag):
            ends = (compared(record.get(column), low, ">="), compared(record.get(column), high, "<="))
            return negated(negated(either(*map(negated, ends))), flag)
        case Among(column, literals, flag):
            return negated(either(*(compared(record.get(column), literal, "=") for literal in literals)), flag)
        case IsNull(column, flag):
            return (record.get(column) is None) is not flag
        case Like(column, pattern, flag):
            value = record.get(column)
            return (
                negated(re.fullmatch(regex(pattern), value, re.DOTALL) is not None, flag)
                if isinstance(value, str)
                else None
            )
        case Not(part):
            return negated(truth_of(part, record))
        case Both(left, right):
            return negated(either(negated(truth_of(left, record)), negated(truth_of(right, record))))
        case Either(left, right):
            return either(truth_of(left, record), truth_of(right, record))


def regex(pattern: str) -> str:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in parts)


@settings(laws, max_examples=400)
@given(ours.conditions(), st.lists(ours.records(), min_size=1, max_size=8))
@example(Not(Compare("x", "<", 1)), [{"x": float("nan")}])
@example(Not(Among("x", ("a", "2018-02-01"))), [{"x": datetime(2020, 1, 1, tzinfo=UTC)}])
@example(Not(Compare("x", "<=>", 1)), [{"x": "a"}, {}])
@example(Compare("x", "<", 2**53 + 1), [{"x": float(2**53)}])
def test_predicate_over_drawn_tree_answers_as_independent_evaluator(condition: Condition, drawn: list[Record]) -> None:
    predicate = parse_where(ours.where_text(condition))
    for record in drawn:
        expected = truth_of(condition, record)
        assert predicate.truth(record) is expected
        assert predicate.matches(record) is (expected is True)


TYPED = ours.conditions(
    columns=("x", "y"), literals=((-1, 0, 0.5, 1, 2, 2**53, 2**53 + 1, 1e300),), patterns=(), depth=3
)
NUMBERS = st.sampled_from((None, -1, 0, 0.5, 1, 2, 3, 2**53, 2**53 + 1, float(2**53), 1e300, -(2**62)))
TEXTUAL = ours.conditions(
    columns=("s",), literals=(("", "a", "ab", "it's", "\U0001f600", "\uffff"),), patterns=("a%", "%b", "_")
)
STRINGS = st.sampled_from((None, "", "a", "A", "ab", "it's", "\U0001f600", "\uffff", "é"))


def sqlite_rows(condition: Condition, rows: list[tuple[Value, Value, Value]]) -> list[bool | None]:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("pragma case_sensitive_like = on")
        connection.execute("create table t (x, y, s)")
        connection.executemany("insert into t values (?, ?, ?)", rows)
        text = ours.where_text(condition).replace("<=>", "is")
        answers = connection.execute(f"select ({text}) from t order by rowid").fetchall()
    connection.close()
    return [None if answer is None else bool(answer) for (answer,) in answers]


@laws
@given(TYPED | TEXTUAL, st.lists(st.tuples(NUMBERS, NUMBERS, STRINGS), min_size=1, max_size=8))
def test_predicate_over_typed_columns_answers_as_sqlite(
    condition: Condition, rows: list[tuple[Value, Value, Value]]
) -> None:
    predicate = parse_where(ours.where_text(condition))
    answers = [predicate.truth(dict(zip("xys", row, strict=True))) for row in rows]
    assert answers == sqlite_rows(condition, rows)


@laws
@given(predicates, st.lists(ours.records(), min_size=1, max_size=8))
def test_normal_form_holds_exactly_the_matching_records(predicate: Predicate, drawn: list[Record]) -> None:
    cells = predicate.cells()
    assume(cells is not None)
    for record in drawn:
        inside = any(all(values.contains(record.get(column)) for column, values in cell) for cell in cells or ())
        assert inside is predicate.matches(record)


@laws
@given(filters)
def test_text_of_a_filter_parses_to_the_filter(one: Filter) -> None:
    again = filter_of(one.text())
    assert again == one
    assert hash(again) == hash(one)
    assert again.text() == one.text()


@laws
@given(filters)
def test_covers_is_reflexive(one: Filter) -> None:
    assert one.covers(one)


@laws
@given(filters, filters, st.lists(items, min_size=1, max_size=10))
def test_covers_and_intersects_are_sound_for_drawn_items(
    first: Filter, second: Filter, drawn: list[Record | Block]
) -> None:
    for item in drawn:
        if first.covers(second):
            assert first.matches(item) >= second.matches(item)
        if not first.intersects(second):
            assert not (first.matches(item) and second.matches(item))
    assert first.intersects(second) == second.intersects(first)


@laws
@given(record_filters, record_filters, record_filters)
def test_covers_is_transitive_along_unions(first: Filter, second: Filter, third: Filter) -> None:
    two, three = first.union(second), first.union(second).union(third)
    assert two.covers(first)
    assert three.covers(two)
    assert three.covers(first)
    if first.covers(second) and second.covers(third) and not _incomplete(first, second, third):
        assert first.covers(third)


def _incomplete(*filters: Filter) -> bool:
    """Tell whether LIKE or timestamps in strings are involved, for which covers is only sound."""
    texts = [one.text().text for one in filters]
    return any(" like " in text or "timestamp " in text for text in texts)


@laws
@given(filters, filters, filters, st.lists(items, min_size=1, max_size=10))
def test_union_matches_exactly_what_either_matches(
    first: Filter, second: Filter, third: Filter, drawn: list[Record | Block]
) -> None:
    union = first.union(second)
    assert union.covers(first)
    assert union.covers(second)
    for item in drawn:
        assert union.matches(item) is (first.matches(item) or second.matches(item))
        assert union.union(third).matches(item) is first.union(second.union(third)).matches(item)
    assert any_of([first, second, third]) == any_of([first, second, third, second])


@laws
@given(st.lists(ours.boxes(some=False), min_size=1, max_size=4), ours.boxes(some=False))
def test_union_of_boxes_covers_a_box_exactly_when_its_grid_cells_are_covered(members: list[Box], box: Box) -> None:
    union = any_of(members)
    points = [{"x": x / 2, "y": y / 2} for x in range(-8, 17) for y in range(-8, 17)]  # corners and middles of cells
    inside = [point for point in points if box.matches(point)]
    assert union.covers(box) is all(union.matches(point) for point in inside)
    assert union.intersects(box) is any(union.matches(point) for point in inside)


@laws
@given(st.lists(ours.boxes(("x", "y", "z"), 0, 5, some=False), max_size=5))
def test_volume_of_a_union_is_the_count_of_its_grid_cells(members: list[Box]) -> None:
    cells = [(x, y, z) for x in range(5) for y in range(5) for z in range(5)]
    middles = [{"x": x + 0.5, "y": y + 0.5, "z": z + 0.5} for x, y, z in cells]
    count = sum(any(box.matches(middle) for box in members) for middle in middles)
    assert union_volume(members) == count
    assert UniformDensity(3.0).size(any_of(members)) == 3.0 * count


@laws
@given(ours.boxes(some=False), ours.boxes(some=False), ours.boxes(some=False))
def test_overlap_is_the_size_of_both_less_that_of_the_union(first: Box, second: Box, third: Box) -> None:
    statistics = UniformDensity()
    other = second.union(third)
    shared = first.overlap(other, statistics)
    assert shared == first.size(statistics) + other.size(statistics) - first.union(other).size(statistics)
    assert shared == other.overlap(first, statistics)
    hulls = hull_of(first), hull_of(second)
    if hulls[0] is not None and hulls[1] is not None:
        assert statistics.size(hulls[0].join(hulls[1]).filter()) >= first.union(second).size(statistics)


@laws
@given(
    ours.conditions(columns=("x", "y"), literals=((0, 1, 2.5, 3, 5),), patterns=()), st.lists(ours.records(("x", "y")))
)
def test_regions_hold_every_matching_number(condition: Condition, drawn: list[Record]) -> None:
    predicate = parse_where(ours.where_text(condition))
    regions = regions_of(predicate)
    assume(regions is not None)
    for record in drawn:
        if predicate.matches(record) and not any(value != value for value in record.values()):
            assert any(region.matches(record) for region in regions or ())


@laws
@given(st.sampled_from(ours.PATTERNS), st.sampled_from(ours.PATTERNS), st.text("ab_%\\", max_size=5))
def test_pattern_that_covers_another_matches_all_its_texts(wide: str, narrow: str, text: str) -> None:
    assert like_test(wide)(text) is (re.fullmatch(regex(wide), text, re.DOTALL) is not None)
    if like_covers(wide, narrow):
        assert like_test(wide)(text) >= like_test(narrow)(text)


@laws
@given(predicates, predicates)
def test_cells_that_cover_each_other_are_equal_sets(first: Predicate, second: Predicate) -> None:
    mine, theirs = first.cells(), second.cells()
    assume(mine is not None and theirs is not None)
    assert mine is not None
    assert theirs is not None
    both = (*mine, *theirs)
    assert cells_cover(both, mine)
    assert first.covers(second) == cells_cover(mine, theirs)


COMPLETE = ours.conditions(("x", "y"), ((0, 1, 2), ("", "a", "b"), (True, False)), ("a%", "b", "%"), depth=2)
# One value of every kind that conditions over these literals can tell apart.
CRITICAL: tuple[Value, ...] = (
    *(None, False, True, -1, 0, 0.5, 1, 1.5, 2, 2.5, math.nan, datetime(2018, 1, 1, tzinfo=UTC)),
    *("", "\0", "A", "a", "a\0", "az", "b", "b\0", "c"),
)


@laws
@given(COMPLETE, COMPLETE, COMPLETE)
def test_covers_and_intersects_decide_exactly_for_comparisons(
    wide: Condition, other: Condition, narrow: Condition
) -> None:
    union, single = any_of([_parsed(wide), _parsed(other)]), _parsed(narrow)
    points: list[Record] = [{"x": x, "y": y} for x in CRITICAL for y in CRITICAL]
    inside = [point for point in points if single.matches(point)]
    assert union.covers(single) is all(union.matches(point) for point in inside)
    assert union.intersects(single) is any(union.matches(point) for point in inside)


def _parsed(condition: Condition) -> Predicate:
    return parse_where(ours.where_text(condition))


WORDS = (
    *(
        "a",
        "b",
        "`c d`",
        "'x'",
        "1",
        "-",
        "2.5",
        "=",
        "<",
        "<=>",
        "and",
        "or",
        "not",
        "(",
        ")",
        "in",
        "between",
        "is",
        ",",
    ),
    *(
        "null",
        "like",
        "true",
        "timestamp",
        "date",
        "'2018-01-01'",
        "case",
        "cast",
        "select",
        ";",
        ".",
        "*",
        "::",
        "interval",
    ),
    *(
        "exists",
        "any",
        "[",
        "{",
        "@",
        "?",
        ":",
        "--",
        "/*",
        "distinct",
        "from",
        "end",
        "as",
        "over",
        "'",
        "\\",
        "\0",
        "1L",
        "0x1",
    ),
)


@settings(laws, max_examples=500)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_a_predicate_or_an_input_error(text: str) -> None:
    outcome: Predicate | InputError
    try:
        outcome = parse_where(text)
    except InputError as error:
        outcome = error
    if isinstance(outcome, Predicate):
        assert parse_where(outcome.text().text) == outcome
    else:
        assert outcome.field == "where"
        assert outcome.reason
