from __future__ import annotations

from math import inf, nan

import pytest

from distributary.algebra.intervals import Cut, Line, Place, Sort, between, points, strings_from


def test_between_open_and_closed_ends_hold_their_edges_accordingly() -> None:
    half_open = between(Sort.NUMBER, (1, True), (2, False))
    assert [half_open.contains(place) for place in (1, 1.5, 2)] == [False, True, False]
    closed = between(Sort.NUMBER, (1, False), (2, True))
    assert [closed.contains(place) for place in (0.9, 1, 2, 2.1)] == [False, True, True, False]


def test_number_line_nan_is_above_infinity() -> None:
    assert between(Sort.NUMBER, (inf, True)).contains(nan)
    assert not between(Sort.NUMBER, (inf, True)).contains(inf)
    assert not between(Sort.NUMBER, high=(inf, True)).contains(nan)


@pytest.mark.parametrize(
    ("sort", "low", "high"),
    [
        (Sort.NUMBER, (2, False), (1, True)),
        (Sort.NUMBER, (1, True), (1, True)),
        (Sort.STRING, ("a", True), ("a\0", False)),
        (Sort.STRING, None, ("", False)),
        (Sort.BOOLEAN, (1, True), None),
        (Sort.BOOLEAN, None, (0, False)),
        (Sort.INSTANT, (5, True), (6, False)),
        (Sort.NUMBER, None, (-inf, False)),
    ],
)
def test_between_without_members_is_the_empty_set(sort: Sort, low: Cut | None, high: Cut | None) -> None:
    assert between(sort, low, high) == Line(False)


@pytest.mark.parametrize(
    ("sort", "low", "high"),
    [
        (Sort.STRING, ("", False), None),
        (Sort.BOOLEAN, (0, False), (1, True)),
        (Sort.NUMBER, (-inf, False), None),
    ],
)
def test_between_with_all_members_is_the_whole_line(sort: Sort, low: Cut | None, high: Cut | None) -> None:
    assert between(sort, low, high) == Line(True)


def test_between_same_discrete_set_written_twice_is_one_object() -> None:
    assert between(Sort.INSTANT, (4, True), (7, True)) == between(Sort.INSTANT, (5, False), (8, False))


def test_points_of_both_booleans_are_the_whole_line() -> None:
    assert points(Sort.BOOLEAN, [1, 0]).is_all


def test_points_of_neighbouring_instants_are_one_interval() -> None:
    assert points(Sort.INSTANT, [3, 4]).intervals() == (((3, False), (5, False)),)


def test_points_hold_exactly_their_members() -> None:
    line = points(Sort.NUMBER, [1, 1.0, 3, 2.5])
    tried: tuple[Place, ...] = (0, 1, 2, 2.5, 3, 4)
    assert [line.contains(place) for place in tried] == [False, True, False, True, True, False]


def test_strings_of_a_finite_set_are_listed_and_of_an_interval_are_not() -> None:
    assert points(Sort.STRING, ["b", "", "a"]).strings() == ("", "a", "b")
    assert Line(False).strings() == ()
    assert between(Sort.STRING, ("a", False), ("b", False)).strings() is None
    assert Line(True).strings() is None


def test_strings_from_prefix_hold_all_that_start_with_it() -> None:
    line = strings_from("ab")
    tried = ("a", "ab", "ab\U0010ffff\U0010ffff", "ac")
    assert [line.contains(text) for text in tried] == [False, True, True, False]
    assert strings_from("").is_all
    assert strings_from("a\U0010ffff").contains("a\U0010ffffz")
    assert strings_from("\U0010ffff").contains("\U0010ffff\U0010ffff")


def test_covers_needs_every_place() -> None:
    wide = between(Sort.NUMBER, (0, False), (2, True)).union(between(Sort.NUMBER, (2, True), (5, True)))
    assert wide == between(Sort.NUMBER, (0, False), (5, True))
    gap = between(Sort.NUMBER, (0, False), (2, False)).union(between(Sort.NUMBER, (2, True), (5, True)))
    assert not gap.covers(wide)
    assert wide.covers(gap)
    assert gap.complement().intersection(wide) == points(Sort.NUMBER, [2])
