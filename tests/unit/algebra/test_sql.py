from __future__ import annotations

from math import inf

import pytest

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.sql import spark_sql
from distributary.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("mag >= 4", "`mag` >= 4"),
        ("mag >= 4.5", "`mag` >= 4.5D"),
        (
            "mag > 1e-7 and (`a``b` <=> null or s = 'it''s\\\\')",
            "(`a``b` <=> null or `s` = 'it\\'s\\\\') and `mag` > 1e-07D",
        ),
        ("x = 9007199254740992.0", "`x` = 9007199254740992"),
        ("x = 1e300", "`x` = 1e+300D"),
        ("t > '2018-02-01'", "`t` > '2018-02-01'"),
        ("t > date '2018-02-01'", "`t` > timestamp '2018-02-01T00:00:00Z'"),
        ("not s like 'a\\\\_%'", "`s` not like 'a\\\\_%'"),
        ("b = true", "`b` = true"),
        ("not x <=> 5", "not `x` <=> 5"),
        ("x in (0.5, 9007199254740993)", "`x` = 0.5D or `x` = 9007199254740993"),
        ("x not in (0.5, 9007199254740992)", "`x` <> 0.5D and `x` <> 9007199254740992"),
        ("x in (0.5, 2)", "`x` in (0.5D, 2)"),
        ("a = 1 and x in (0.5, 9007199254740993)", "`a` = 1 and (`x` = 0.5D or `x` = 9007199254740993)"),
    ],
)
def test_spark_sql_of_predicate(text: str, sql: str) -> None:
    assert spark_sql(parse_where(text)) == sql


def test_spark_sql_of_box_leaves_out_nan() -> None:
    assert spark_sql(Box.of({"x": (0, 1.5)})) == "`x` >= 0 and `x` <= 1.5D"
    assert spark_sql(Box.of({"x": (0, inf)})) == "`x` >= 0 and `x` <= double('Infinity')"
    assert spark_sql(Box.of({"x": (-inf, 3)})) == "`x` <= 3"


def test_spark_sql_of_unions_and_everything() -> None:
    union = any_of([Box.of({"x": (0, 1)}), parse_where("a = 1 or b = 2")])
    assert spark_sql(union) == "(`x` >= 0 and `x` <= 1) or (`a` = 1 or `b` = 2)"
    assert spark_sql(Everything()) == "true"
    assert spark_sql(Box()) == "true"
    assert spark_sql(any_of([])) == "false"


def test_spark_sql_of_other_kinds_is_refused() -> None:
    with pytest.raises(InputError, match="filter: a filter of kind blocks is no condition on records"):
        spark_sql(any_of([Blocks(frozenset({1})), Box()]))
