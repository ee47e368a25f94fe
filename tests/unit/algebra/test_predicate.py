from __future__ import annotations

import pickle
from datetime import UTC, datetime
from math import inf, nan
from typing import Any

import pytest

from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import Block, Opaque

NOON = datetime(2018, 2, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value", "truth"),
    [
        ("x >= 4", 4, True),
        ("x >= 4", 4.0, True),
        ("x >= 4", 3.9, False),
        ("x >= 4", None, None),
        ("x >= 4", "5", None),
        ("x >= 4", True, None),
        ("x > 4", nan, True),
        ("x > 1e300", inf, True),
        ("x between 0 and 5", nan, False),
        ("x != 3", None, None),
        ("x <> 3", nan, True),
        ("4 <= x", 5, True),
        ("4 <=> x", None, False),
        ("x <=> null", None, True),
        ("x <=> null", 0, False),
        ("not x <=> 4", "a", True),
        ("x = null", None, None),
        ("x = null", 1, None),
        ("not (x = null)", 1, None),
        ("x in (1, null)", 1, True),
        ("x in (1, null)", 2, None),
        ("x not in (1, null)", 1, False),
        ("x not in (1, null)", 2, None),
        ("x not in (1, 2)", 3, True),
        ("x between null and 0", 5, False),
        ("x between null and 5", 3, None),
        ("x is null", None, True),
        ("x is null", nan, False),
        ("x is not null", "a", True),
        ("x = 9007199254740993", 9007199254740992, False),
        ("x < 9007199254740993", 9007199254740992.0, True),
        ("x = 9007199254740993.0", 9007199254740993, True),
        ("x = 9007199254740993D", 9007199254740992, True),
        ("x = -0.0", 0, True),
        ("x = true", True, True),
        ("x = true", 1, None),
        ("x > false", True, True),
        ("x = 'it''s'", "it's", True),
        ("x = 'it\\'s'", "it's", True),
        ('x = "a""b"', 'a"b', True),
        ("x = '\\u0041\\n\\t\\\\'", "A\n\t\\", True),
        ("x = '\\101\\q'", "Aq", True),
        ("x < 'b'", "a", True),
        ("x < 'b'", "B", True),
        ("x < '\U0001f600'", "\uffff", True),
        ("x < 'b'", 1, None),
        ("x like 'a%'", "abc", True),
        ("x not like 'a%'", "abc", False),
        ("x like 'a%'", 5, None),
        ("x not like 'a%'", None, None),
        ("x = timestamp '2018-02-01 12:00:00'", NOON, True),
        ("x = timestamp '2018-02-01 13:00:00+01:00'", NOON, True),
        ("x > date '2018-02-01'", NOON, True),
        ("x > '2018-02-01'", NOON, True),
        ("x > 'yesterday'", NOON, None),
        ("x = timestamp '2018-02-01 12:00:00'", "2018-02-01T12:00Z", True),
        ("x = timestamp '2018-02-01 12:00:00'", "noon", None),
        ("x > '2018-02-01'", "2018-02-01 12:00", True),
        ("x = timestamp '2018-02-01 12:00:00'", NOON.replace(tzinfo=None), True),
        ("x not in ('a', '2018-02-01')", NOON, None),
        ("x is not null", [1], True),
        ("x = 1", [1], None),
    ],
)
def test_truth_of_one_test_is_spark_sqls(text: str, value: Any, truth: bool | None) -> None:
    predicate = parse_where(text)
    assert predicate.truth({"x": value}) is truth
    assert predicate.matches({"x": value}) is (truth is True)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("t = 1 and n = 1", None),
        ("f = 1 and n = 1", False),
        ("t = 1 or n = 1", True),
        ("f = 1 or n = 1", None),
        ("not n = 1", None),
        ("not (f = 1 and n = 1)", True),
        ("t = 1 or f = 1 and f = 1", True),
        ("(t = 1 or f = 1) and f = 1", False),
        ("not f = 1 and t = 1", True),
        ("NOT f = 1 AND t = 1", True),
        ("t = 1 and missing is null", True),
        ("t == 1", True),
        ("T = 1", None),
    ],
)
def test_truth_of_connectives_is_kleenes(text: str, truth: bool | None) -> None:
    assert parse_where(text).truth({"t": 1, "f": 0, "n": None}) is truth


def test_matches_content_of_another_kind_is_false() -> None:
    predicate = parse_where("x is null or x is not null")
    assert predicate.matches({})
    assert not predicate.matches(Block(frozenset({1})))
    assert not predicate.matches(Opaque("text/plain"))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("b=2 AND a==1", "a = 1 and b = 2"),
        ("not (a < 1 or b is null)", "a >= 1 and b is not null"),
        ("a in (3, 1.0, 3, null)", "a in (1, 3, null)"),
        ("a in (1)", "a = 1"),
        ("a != 1.50", "a <> 1.5"),
        ("a between 1 and 2", "a <= 2 and a >= 1"),
        ("(a = 1 or b = 1) and c = 1 and c = 1", "(a = 1 or b = 1) and c = 1"),
        ("`a b` = 1 and `select` = 1 and `date` = 1", "`a b` = 1 and `date` = 1 and `select` = 1"),
        ("order = 1 and größe = 2", "`größe` = 2 and order = 1"),
        ("a = 1;", "a = 1"),
        ("((a)) = ((1))", "a = 1"),
        ("a > - 1 and a < +.5 and b = 1. and c = -1e3", "a < 0.5 and a > -1 and b = 1 and c = -1000"),
        ("a = 100000000000000000000000000000000000000000", "a = 1e+41"),
        ("a = 5L and b = 1.5BD and c = 2.5d", "a = 5 and b = 1.5 and c = 2.5"),
    ],
)
def test_text_is_canonical_and_parses_to_the_same(text: str, canonical: str) -> None:
    predicate = parse_where(text)
    assert predicate.text().text == canonical
    assert parse_where(canonical) == predicate


def test_literals_of_different_types_on_one_column_stay_apart() -> None:
    predicate = parse_where("x = 1 or x = true or x = '1'")
    assert [predicate.matches({"x": value}) for value in (1, True, "1", 2)] == [True, True, True, False]
    assert predicate.text().text == "x = '1' or x = 1 or x = true"


@pytest.mark.parametrize(
    ("wide", "narrow", "covers"),
    [
        ("x > 1", "x >= 2", True),
        ("x >= 2", "x > 1", False),
        ("x > 1 or x < 1", "x <> 1", True),
        ("x <> 1", "x > 1 or x < 1", True),
        ("x is not null", "x = 'a'", True),
        ("x is not null", "x < 2 or x > 1", True),
        ("x <= 5 or x > 5 or x is null", "x = 7", True),
        ("x like 'a%'", "x in ('ab', 'ac')", True),
        ("x like 'a%'", "x >= 'a' and x < 'b'", True),
        ("x like '%b%'", "x like '%ab%'", True),
        ("x like '%b%'", "x = 'abc'", True),
        ("x not like '%b%'", "x = 'ac'", True),
        ("not x like '%b%'", "not x like '%'", True),
        ("b = true or b = false", "b is not null", False),
        ("b = true or b = false", "b > false or b < true", True),
        ("t > timestamp '2018-01-01'", "t > timestamp '2018-01-02'", True),
        ("a = 1", "a = 1 and b = 2", True),
        ("a = 1 and b = 2", "a = 1", False),
        ("a = 1", "a = 1 and a = 2", True),
        ("x > 1", "x > null", True),
    ],
)
def test_covers_decides_containment(wide: str, narrow: str, covers: bool) -> None:
    assert parse_where(wide).covers(parse_where(narrow)) is covers


@pytest.mark.parametrize(
    ("first", "second", "meet"),
    [
        ("x > 1", "x < 1", False),
        ("x >= 1", "x <= 1", True),
        ("x = 1", "x = 'a'", False),
        ("x = 1", "y = 'a'", True),
        ("x like 'a%'", "x like 'b%'", False),
        ("x like 'a_'", "x = 'abc'", False),
        ("x like '%a'", "x not like '%a'", False),
        ("x is null", "x > 1", False),
        ("x > 'a'", "x < 'a\\0'", False),
    ],
)
def test_intersects_finds_what_excludes_each_other(first: str, second: str, meet: bool) -> None:
    assert parse_where(first).intersects(parse_where(second)) is meet


@pytest.mark.slow
def test_predicate_too_large_for_a_normal_form_stays_exact_and_sound() -> None:
    text = " and ".join(f"(a{index} = 1 or b{index} = 1)" for index in range(12))
    large, part = parse_where(text), parse_where("a0 = 1 or b0 = 1")
    assert large.cells() is None
    assert large.matches({f"a{index}": 1 for index in range(12)})
    assert not large.matches({f"a{index}": 1 for index in range(11)})
    assert large.covers(parse_where(text))
    assert part.covers(large)
    assert not large.covers(part)
    assert parse_where(f"{text} or z = 1").covers(large)
    assert large.intersects(part)
    assert large.intersects(Everything())
    assert not large.covers(Everything())


def test_columns_are_listed_once() -> None:
    assert parse_where("b = 1 and (a > 2 or b < 7)").columns() == ("a", "b")


def test_predicate_travels_by_pickle() -> None:
    predicate = parse_where("x > 1")
    assert predicate.matches({"x": 2})
    again = pickle.loads(pickle.dumps(predicate))
    assert again == predicate
    assert again.matches({"x": 2})


@pytest.mark.slow
def test_long_lists_and_chains_within_the_limit_are_read() -> None:
    many = parse_where(f"x in ({', '.join(map(str, range(2000)))})")
    assert many.matches({"x": 1999})
    chain = parse_where(" or ".join(f"x = {index}" for index in range(250)))
    assert chain.matches({"x": 249})
    assert many.covers(chain)
