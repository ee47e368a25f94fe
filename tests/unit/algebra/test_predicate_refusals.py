"""Every construct outside the language is refused with its reason, and its place where there is one."""

from __future__ import annotations

import pytest

from distributary.algebra.predicate_parser import parse_where
from distributary.core.errors import InputError
from distributary.core.values import ColumnType

SCHEMA = {
    "i": ColumnType.INTEGER,
    "d": ColumnType.DOUBLE,
    "b": ColumnType.BOOLEAN,
    "s": ColumnType.STRING,
    "t": ColumnType.TIMESTAMP,
}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        (";", "is empty"),
        ("a = 1; drop table x", "at character 6: text after ; is refused: a filter is one expression"),
        ("a = 1;;b = 1", "at character 6: text after ; is refused: a filter is one expression"),
        ("a = 1 -- and b = 2", "at character 5: comments are not part of the language"),
        ("a /* x */ = 1", "at character 1: comments are not part of the language"),
        ("a = 'open", "a quote is not closed, or a character is none of SQL's"),
        ("`a = 1", "a quote is not closed, or a character is none of SQL's"),
        ("mag >", "ends before it is complete, or has a word too many at the end"),
        ("a = 1 and", "ends before it is complete, or has a word too many at the end"),
        ("((a = 1)", "ends before it is complete, or has a word too many at the end"),
        ("a = 1 2", "ends before it is complete, or has a word too many at the end"),
        ("a = 1 and and b = 2", "at character 11: 'and' is not expected here"),
        ("drop table x", "at character 1: 'drop' is not expected here"),
        ("mag ~ 3", "at character 5: arithmetic is not part of the language: ~"),
        ("a + b > 3", "at character 3: arithmetic is not part of the language: +"),
        ("a -1 > 3", "at character 3: arithmetic is not part of the language: -"),
        ("-a > 3", "at character 1: arithmetic is not part of the language: -"),
        ("a > - - 3", "at character 5: arithmetic is not part of the language: -"),
        ("a || 'x' = 'y'", "at character 3: arithmetic is not part of the language: ||"),
        ("a div 2 = 1", "at character 1: arithmetic stands where a column is expected"),
        ("abs(a) > 3", "at character 1: functions are not part of the language: abs("),
        ("`f` (a) > 3", "at character 1: functions are not part of the language: `f`("),
        ("cast(a as int) = 1", "at character 1: functions are not part of the language: cast("),
        ("exists(select 1)", "at character 1: functions are not part of the language: exists("),
        ("a like any ('x', 'y')", "at character 8: functions are not part of the language: any("),
        ("a::int = 1", "at character 2: :: is not part of the language"),
        ("a[0] = 1", "at character 2: [ is not part of the language"),
        ("x.y = 1", "at character 2: names with dots need backticks"),
        ("a = ?", "at character 5: ? is not part of the language"),
        ("a = :x", "at character 5: : is not part of the language"),
        ("a && b", "at character 3: && is not part of the language"),
        ("! a = 1", "at character 1: write not, or != between a column and a literal"),
        ("a in (select 1)", "at character 7: SELECT is not part of the language"),
        ("case when a = 1 then true end", "at character 1: CASE is not part of the language"),
        ("a is distinct from 1", "at character 6: DISTINCT is not part of the language"),
        ("a is unknown", "at character 6: UNKNOWN is not part of the language"),
        ("a isnull", "at character 3: ISNULL is not part of the language"),
        ("a not null", "at character 3: write is not null"),
        ("not null", "at character 1: write is not null"),
        ("a between symmetric 1 and 2", "at character 11: SYMMETRIC is not part of the language"),
        ("a = interval 1 day", "at character 5: INTERVAL is not part of the language"),
        ("a rlike 'x'", "at character 3: rlike before a string is not part of the language"),
        ("a like 'x' escape '/'", "at character 12: escape before a string is not part of the language"),
        ("a = timestamp_ntz '2018-01-01'", "at character 5: timestamp_ntz before a string is not part"),
        ("a = x'1F'", "at character 5: x'1F' is not part of the language"),
        ("a = r'x'", "at character 5: r'x' is not part of the language"),
        ("a = 'x' 'y'", "at character 9: two strings side by side"),
        ("a = '\\ud800'", "\\ud800 is not a character"),
        ("a = 0x1F", "at character 5: 0x1F is not a number of the language"),
        ("a = 1_000", "at character 5: 1_000 is not a number of the language"),
        ("a = 1F", "at character 5: 1F is not a number of the language"),
        ("a = 1.5L", "1.5L is not an integer"),
        ("a = 1e400", "1e400 is out of a double's range"),
        ("a = timestamp 'now'", "'now' is not a timestamp such as 2018-02-01 10:30:00Z"),
        ("a = date '2018-02-30'", "'2018-02-30' is not a timestamp"),
        ("a = date '2018-02-01 10:00'", "'2018-02-01 10:00' is not a date such as 2018-02-01"),
        ("1 = 1", "a literal (names are quoted with backticks) stands where a column is expected"),
        ('"mag" > 3', "a literal (names are quoted with backticks) stands where a column is expected"),
        ("a = b", "at character 1: two columns are compared; a comparison takes a column and a literal"),
        ("a < b < 3", "at character 1: a condition stands where a column is expected"),
        ("(a = 1) is null", "at character 2: a condition stands where a column is expected"),
        ("a = 1 = true", "at character 1: a condition stands where a column is expected"),
        ("(a, b) = (1, 2)", "at character 2: tuple (not part of the language) stands where a column"),
        ("true", "a literal is no condition of the language"),
        ("a", "at character 1: a column alone is no condition; compare it with a literal, such as column = true"),
        ("a = 1 and not b", "at character 15: a column alone is no condition"),
        ("a is true", "at character 1: is may be followed only by null or not null; write column = true"),
        ("a in ()", "at character 1: in needs a list of literals in brackets that is not empty"),
        ("a in 1", "at character 1: field is not part of the language here"),
        ("a in (1, 'x')", "at character 1: the literals of one list differ in type: number and string"),
        ("a in (b)", "at character 7: a column stands where a literal is expected"),
        ("a like 5", "at character 1: the pattern of like must be a string"),
        ("a like b", "at character 8: a column stands where a literal is expected"),
        ("'a' like a", "stands where a column is expected"),
        ("a like 'x\\\\'", "at character 1: in the pattern 'x\\\\' a backslash ends the pattern"),
        ("a between 1 and 2 and 3", "a literal (names are quoted with backticks) is no condition of the language"),
        ("a between b and 3", "at character 11: a column stands where a literal is expected"),
        ("(" * 21 + "a = 1" + ")" * 21, "at character 21: brackets and not nest deeper than 20 levels"),
        ("(" * 10_000 + "a = 1" + ")" * 10_000, "at character 21: brackets and not nest deeper than 20 levels"),
        ("not " * 10_000 + "a = 1", "at character 81: brackets and not nest deeper than 20 levels"),
        ("a = '" + "x" * 70_000 + "'", "is longer than 65,536 characters"),
        ("a\0 = 1", "is not part of the language"),
    ],
)
def test_text_outside_the_language_is_refused_with_reason_and_place(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_where(text)
    assert caught.value.field == "where"
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("depth > 3", "unknown column 'depth' (names are case-sensitive; the columns are i, d, b, s, t)"),
        ("I > 3", "unknown column 'I'"),
        ("i = 1 or nope is null", "unknown column 'nope'"),
        ("i = 'a'", "column 'i' is of type integer, but is compared with a string"),
        ("d = true", "column 'd' is of type double, but is compared with a boolean"),
        ("b = 1", "column 'b' is of type boolean, but is compared with a number"),
        ("s = 1", "column 's' is of type string, but is compared with a number"),
        ("s > timestamp '2018-02-01'", "column 's' is of type string, but is compared with a timestamp"),
        ("t > 5", "column 't' is of type timestamp, but is compared with a number"),
        ("t > 'yesterday'", "'yesterday' is no timestamp, but column 't' is of type timestamp"),
        ("i like '1%'", "like needs a string column; 'i' is of type integer"),
        ("i in (1, 'a')", "the literals of one list differ in type"),
    ],
)
def test_text_against_a_schema_that_disagrees_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_where(text, SCHEMA)
    assert caught.value.field == "where"
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("t > '2018-02-01'", "t > timestamp '2018-02-01T00:00:00Z'"),
        ("t in ('2018-02-01', '2018-02-01T00:00Z')", "t = timestamp '2018-02-01T00:00:00Z'"),
        ("d < 9007199254740993", "d < 9007199254740992"),
        ("i < 9007199254740993", "i < 9007199254740993"),
        ("d in (1, 2.5) and i not in (2.5, null)", "d in (1, 2.5) and i not in (2.5, null)"),
        ("s = null or s like 'a%' and b <=> true", "b <=> true and s like 'a%' or s = null"),
    ],
)
def test_literals_take_the_types_of_the_schema(text: str, canonical: str) -> None:
    assert parse_where(text, SCHEMA).text().text == canonical
