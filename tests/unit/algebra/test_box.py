from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.core.errors import InputError
from distributary.core.values import Block, Opaque


def box(**ranges: tuple[float, float]) -> Box:
    return Box.of(ranges)


@pytest.mark.parametrize("value", [0, 2, 1.5, 0.0])
def test_matches_number_within_closed_range(value: float) -> None:
    assert box(x=(0, 2)).matches({"x": value, "y": "anything"})


@pytest.mark.parametrize("value", [-1, 2.0000001, None, nan, True, False, "1", inf])
def test_matches_refuses_what_is_no_number_in_the_range(value: Any) -> None:
    assert not box(x=(0, 2)).matches({"x": value})


def test_matches_missing_attribute_or_other_content_is_false() -> None:
    assert not box(x=(0, 2)).matches({})
    assert not box(x=(0, 2)).matches(Block(frozenset({1})))
    assert not Box().matches(Opaque("text/plain"))
    assert Box().matches({})


def test_matches_large_integer_is_not_rounded() -> None:
    assert not box(x=(0, 2**53)).matches({"x": 2**53 + 1})
    assert box(x=(0, 2**53)).matches({"x": 2**53})


def test_open_end_takes_infinity_and_not_nan() -> None:
    assert box(x=(0, inf)).matches({"x": inf})
    assert not box(x=(-inf, inf)).matches({"x": nan})


@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ((5, 1), "is inverted: 5 > 1 (a box over the antimeridian is two subscriptions)"),
        ((170, -170), "is inverted: 170 > -170 (a box over the antimeridian is two subscriptions)"),
        ((0, nan), "has an end that is not a number (NaN)"),
        ((nan, 0), "has an end that is not a number (NaN)"),
        ((0, inf), "has an infinite end; use where for a range that is open"),
        ((-(10**400), 0), "has an infinite end; use where for a range that is open"),
        ((0,), "is not a pair of numbers [low, high]"),
        ((0, True), "is not a pair of numbers [low, high]"),
        (("0", 1), "is not a pair of numbers [low, high]"),
        ((None, 1), "is not a pair of numbers [low, high]"),
    ],
)
def test_from_ranges_bad_range_is_refused_with_its_attribute(ends: Any, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        Box.from_ranges({"a": (0, 1), "x": ends})
    assert (caught.value.field, caught.value.reason) == ("x", reason)


def test_from_ranges_without_attributes_is_refused() -> None:
    with pytest.raises(InputError, match="box: names no column"):
        Box.from_ranges({})


def test_equal_boxes_are_one_whatever_the_order_and_zero_sign() -> None:
    first, second = Box.from_ranges({"x": (-0.0, 1), "a": (2, 3)}), Box.from_ranges({"a": (2.0, 3), "x": (0, 1)})
    assert first == second
    assert hash(first) == hash(second)
    assert first.text() == second.text()
    assert first.attributes == ("a", "x")


def test_text_open_ends_are_null() -> None:
    assert json.loads(box(x=(-inf, 3), y=(1, inf)).text().text) == {"x": [None, 3.0], "y": [1.0, None]}
    assert box(x=(-inf, 3)).region() == {"x": (None, 3.0)}


def test_volume_is_the_product_of_widths() -> None:
    assert box(x=(0, 3), y=(-1, 1)).volume() == 6.0
    assert box(x=(1, 1), y=(0, inf)).volume() == 0.0
    assert box(x=(0, inf)).volume() == inf
    assert Box().volume() == inf


def test_intersection_touching_boxes_meet_in_volume_zero_and_disjoint_do_not() -> None:
    touching = box(x=(0, 1)).intersection(box(x=(1, 2), y=(0, 9)))
    assert touching == box(x=(1, 1), y=(0, 9))
    assert box(x=(0, 1)).intersection(box(x=(1.5, 2))) is None


def test_covers_between_boxes_and_with_other_kinds() -> None:
    assert box(x=(0, 9)).covers(box(x=(1, 2), y=(0, 1)))
    assert not box(x=(0, 9), y=(0, 1)).covers(box(x=(1, 2)))
    assert box(x=(0, 9)).covers(parse_where("x > 0 and x < 9 and s = 'a'"))
    assert not box(x=(0, 9)).covers(parse_where("x >= 0"))
    assert parse_where("x is not null").covers(box(x=(0, 9)))
    assert not box(x=(0, inf)).covers(parse_where("x >= 0"))  # NaN
    assert not Box().covers(Everything())
    assert Everything().covers(Box())


def test_intersects_is_closed_at_the_ends() -> None:
    assert box(x=(0, 1)).intersects(box(x=(1, 2)))
    assert not box(x=(0, 1)).intersects(parse_where("x > 1"))
    assert not box(x=(0, 1)).intersects(parse_where("x = 'a'"))
    assert box(x=(0, 1)).intersects(Everything())
