"""Containment, intersection and union of tree patterns, case by case; the laws are in tests/property."""

from __future__ import annotations

import pytest

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.everything import Everything
from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.treepattern_values import Comparison, Operator, comparison, implied, satisfiable_together


def _covers(wide: str, narrow: str) -> bool:
    namespaces = {"p": "urn:p"}
    return parse_xpath(wide, namespaces).covers(parse_xpath(narrow, namespaces))


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("/", "//a"),
        ("//*//*", "/a/b"),
        ("//a", "/a"),
        ("//a", "/b/a[c]"),
        ("/a//c", "/a/b/c"),
        ("/a[b]", "/a[b and c]/d"),
        ("/a[b][b/c]", "/a/b/c"),
        ("/a/*", "/a//b"),
        ("/a/*/*", "/a//b/@c and /a/b//c"),
        ("/a//*/b", "/a/*//b"),
        ("/a/*//b", "/a//*/b"),
        ("/a//*//b", "/a//c/b"),
        ("//a//*/@b", "//a/c/@b"),
        ("//p:*", "//p:a"),
        ("//*/@*", "//a/@p:b"),
        ("//a//@b", "//a/@b"),
        ("//a//@b", "//a//c/@b"),
        ("//a//text()", "//a/text()[. = 5]"),
        ("//a[@b]", "//a[@b = 'x']"),
        ("//a[@b > 5]", "//a[@b > 7]"),
        ("//a[@b > 5]", "//a[@b = 7]"),
        ("//a[@b > 5]", "//a[@b = '7']"),
        ("//a[@b != 5]", "//a[@b > 5]"),
        ("//a[@b != 5]", "//a[@b = 'red']"),
        ("//a[@b != 'red']", "//a[@b = 5]"),
        ("//a[@b >= 5]", "//a[@b > 4 and @b = 5.5]"),
        ("//a[@b > 5 and @b < 9]", "//a[@b > 6][@b < 8]"),
        ("//a[b > 5]", "//a[b > 6 and b < 3]"),
        ("//a[b > 5][b < 5]", "//a[b > 6 and b < 3]"),
        ("//nothing", "//a[@b < 3 and @b > 5]"),
        ("//nothing", "/a and /b"),
        ("//nothing", "/a/@b/c"),
        ("/a[b]/c", "/a[b] and /a[c]"),
        ("/a/b", "/*[b] and /a"),
    ],
)
def test_covers_what_is_contained(wide: str, narrow: str) -> None:
    assert _covers(wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ("//a", "/"),
        ("/a", "//a"),
        ("/a/b", "/a//b"),
        ("/a/b[c]/d", "/a[b/c]/b/d"),
        ("/a/*/b", "/a//c/b"),
        ("/a/*/b", "/a/b"),
        ("/a//*/b", "/a//b"),
        ("/a/*/*", "/a//b"),
        ("/a/*", "/a/@b"),
        ("//a/@b", "//a//@b"),
        ("//p:a", "//a"),
        ("//a", "//p:a"),
        ("//p:*", "//*[a]"),
        ("//a[@b = 5]", "//a[@b = '7']"),
        ("//a[@b = '5']", "//a[@b = 5]"),
        ("//a[@b = 5]", "//a[@b >= 5]"),
        ("//a[@b > 7]", "//a[@b > 5]"),
        ("//a[@b < 5]", "//a[@b != 5]"),
        ("//a[@b]", "//a"),
        # Every number is at most infinity, and text that is no number is not.
        ("//a[@b <= 1" + "0" * 400 + "]", "//a[@b != 5]"),
        # Two children may be two elements, so what holds for one of each says nothing of one for both.
        ("//a[b[. > 3][. < 9]]", "//a[b > 3 and b < 9]"),
        ("//a[@*[. > 3][. < 9]]", "//a[@* > 3 and @* < 9]"),
        ("//nothing", "//a[b < 3 and b > 5]"),
        ("//nothing", "//a and //b"),
        ("//a[text() = 'x']", "//a[. = 'x']"),
    ],
)
def test_covers_not_what_is_not_contained(wide: str, narrow: str) -> None:
    assert not _covers(wide, narrow)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("/a", "/b", False),
        ("/a", "//b", True),
        ("/a", "/*/b", True),
        ("/a[@x = 5]", "/a[@x = 6]", False),
        ("/a[@x = 5]", "/a[@x = '5']", True),
        ("/a[@x = 5]", "/a[@x = 'red']", False),
        ("/a[@x > 5]", "/*[@x < 5]", False),
        ("/a[@x > 5]", "/*[@x <= 5]", False),
        ("/a[@x >= 5]", "/*[@x <= 5]", True),
        ("//a[@x > 5]", "//a[@x < 5]", True),
        ("/a/b[@x > 5]", "/a/b[@x < 5]", True),
        ("/a[. = 'x']", "/a[. = 'y']", False),
        ("/a[@x = 'x']", "/a[@x != 'x']", False),
        ("//a[@x > 9 and @x < 3]", "//a", False),
        ("//a[@x < 'red']", "//a", False),
        ("/@a", "/", False),
    ],
)
def test_intersects_is_false_only_when_no_document_matches_both(first: str, second: str, expected: bool) -> None:
    one, other = parse_xpath(first), parse_xpath(second)
    assert one.intersects(other) is expected
    assert other.intersects(one) is expected


def test_union_keeps_what_is_not_covered() -> None:
    wide, narrow, other = (parse_xpath(text) for text in ("//a", "/a/b", "//c"))
    assert wide.union(narrow) == wide
    both = wide.union(other)
    assert isinstance(both, AnyOf)
    assert both.covers(wide)
    assert both.covers(narrow)
    assert not wide.covers(both)
    assert parse_xpath("/").covers(both)


def test_filters_of_other_kinds_are_never_covered_nor_met() -> None:
    anything, nothing = parse_xpath("/"), parse_xpath("/a and /b")
    assert not anything.covers(Everything())
    assert Everything().covers(anything)
    assert anything.intersects(Everything())
    assert not nothing.intersects(Everything())
    assert not anything.covers(Blocks(frozenset({1})))
    assert not anything.intersects(Blocks(frozenset({1})))
    assert not anything.intersects(AnyOf((Blocks(frozenset({1})),)))
    assert anything.intersects(AnyOf((Blocks(frozenset({1})), parse_xpath("//b"))))


class _Sizes:
    """Statistics that know the length of a text."""

    def size(self, filter: object) -> float:  # noqa: A002
        assert isinstance(filter, TreePattern)
        return float(len(filter.text().text))

    def overlap(self, first: object, second: object) -> float:
        return self.size(first) + self.size(second)


def test_size_and_overlap_ask_the_statistics() -> None:
    assert parse_xpath("//a").size(_Sizes()) == 3.0
    assert parse_xpath("//a").overlap(parse_xpath("//b"), _Sizes()) == 6.0


def test_implied_agrees_with_trying_values() -> None:
    """Implication and contradiction against all values around the literals: what is claimed must hold."""
    literals: list[float | str] = [1.0, 2.0, "1", "red"]
    values = ["", "red", "green", "0", "1", " 1", "1.0", "1.5", "2", "2.5", "3"]
    drawn = sorted({comparison(operator, literal) for operator in Operator for literal in literals}, key=Comparison.key)
    for first in drawn:
        for second in drawn:
            given = (first, second)
            holding = [value for value in values if all(each.holds(value) for each in given)]
            assert satisfiable_together(given) == bool(holding), given
            for wanted in drawn:
                assert implied(wanted, given) == all(wanted.holds(value) for value in holding), (wanted, given)
