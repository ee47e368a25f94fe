from __future__ import annotations

from typing import Any

import pytest

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.parse import filter_of, filter_of_subscription
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError
from distributary.core.subscriptions import FilterText, subscription_of
from distributary.core.values import ColumnType

SCHEMA = {"x": ColumnType.DOUBLE, "s": ColumnType.STRING}


@pytest.mark.parametrize(
    "one",
    [
        Everything(),
        Box.of({"x": (0, 1), "größe": (-1.5, float("inf"))}),
        Box.of({"x": (float("-inf"), float("inf"))}),
        Box(),
        parse_where("x > 1.5 or s like 'a%'"),
        Blocks(frozenset({3, 1})),
        parse_xpath("//p:a[@b='x']", {"p": "urn:p"}),
        any_of([]),
        any_of(
            [Blocks(frozenset({1})), parse_where("x = 1"), parse_xpath("//p:a", {"p": "urn:p"}), Box.of({"x": (0, 1)})]
        ),
    ],
)
def test_filter_of_text_gives_the_filter_again(one: Filter) -> None:
    assert filter_of(one.text()) == one
    assert isinstance(one, Filter)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FilterText("nonsense", "x"), "filter: 'nonsense' is not a kind of filter"),
        (FilterText("box", "{"), "box: is not JSON"),
        (FilterText("box", "[" * 100_000), "box: is not JSON"),
        (FilterText("box", "[]"), "box: is not a JSON object"),
        (FilterText("box", '{"x": [1]}'), r"x: is not a pair of numbers \[low, high\]"),
        (FilterText("box", '{"x": [null, "a"]}'), r"x: is not a pair of numbers"),
        (FilterText("box", '{"x": [3, 1]}'), "x: is inverted: 3 > 1"),
        (FilterText("box", '{"x": [NaN, 1]}'), "x: has an end that is not a number"),
        (FilterText("blocks", '["1"]'), "blocks: is not a JSON list of integers"),
        (FilterText("blocks", "[true]"), "blocks: is not a JSON list of integers"),
        (FilterText("any", "{}"), "any: is not a JSON list of filters"),
        (FilterText("any", '[["all"]]'), "any: has a member that is not"),
        (FilterText("any", '[["all", "", [["a"]]]]'), "any: has a member that is not"),
        (FilterText("where", "x >"), "where: "),
        (FilterText("xpath", "//["), "xpath: "),
    ],
)
def test_filter_of_bad_text_is_an_input_error(text: FilterText, message: str) -> None:
    with pytest.raises(InputError, match=message):
        filter_of(text)


def test_filter_of_unions_nested_too_deep_are_refused() -> None:
    text = FilterText("all")
    for _ in range(6):
        text = FilterText("any", f'[["{text.kind}", {_quoted(text.text)}, []]]')
    with pytest.raises(InputError, match="'any' is not a kind of filter"):
        filter_of(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"where": "x > 1"}, parse_where("x > 1")),
        ({"box": {"x": [0, 1]}}, Box.of({"x": (0, 1)})),
        ({"xpath": "//p:a", "namespaces": {"p": "urn:p"}}, parse_xpath("//p:a", {"p": "urn:p"})),
        ({}, Everything()),
    ],
)
def test_filter_of_subscription_is_what_it_asks_for(row: dict[str, Any], expected: Filter) -> None:
    subscription = subscription_of({"id": "s1", **row})
    assert filter_of_subscription(subscription) == expected
    assert filter_of_subscription(subscription, SCHEMA) == expected


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"where": "x >"}, "s1: where: ends before it is complete"),
        (
            {"where": "depth > 3"},
            r"s1: where: unknown column 'depth' \(names are case-sensitive; the columns are x, s\)",
        ),
        ({"where": ""}, "s1: where: is empty"),
        ({"xpath": "//a["}, "s1: xpath: "),
        ({"box": {"x": [5, 1]}}, "s1: x: is inverted: 5 > 1"),
        ({"box": {}}, "s1: box: names no column"),
        ({"box": {"y": [0, 1]}}, "s1: box: unknown column 'y'"),
        ({"box": {"s": [0, 1]}}, "s1: s: column 's' is of type string, but a box needs numbers"),
    ],
)
def test_filter_of_subscription_error_names_subscription_and_field(row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        filter_of_subscription(subscription_of({"id": "s1", **row}), SCHEMA)
