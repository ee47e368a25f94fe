from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.hull import hull_of
from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import Record
from distributary.testing.strategies import boxes, predicates, records


def joined(*filters: Filter) -> str:
    first, *rest = [hull_of(each) for each in filters]
    assert first is not None
    for hull in rest:
        assert hull is not None
        first = first.join(hull)
    return first.filter().text().text


@pytest.mark.parametrize(
    ("where", "hull"),
    [
        ("x >= 1 and x < 3 or x > 5 and x <= 7", '{"x":[1.0,7.0]}'),
        ("x > 1 and y < 2", "x > 1 and y < 2"),
        ("x >= 4 or y = 2 and x > 9", "x >= 4"),
        ("place = 'a' and x in (1, 5)", "place = 'a' and x <= 5 and x >= 1"),
        ("place in ('b', 'a') or place = 'c'", "place in ('a', 'b', 'c')"),
        ("x = 9007199254740993", '{"x":[9007199254740992.0,9007199254740994.0]}'),
        (
            "at >= timestamp '2020-01-01' and at < timestamp '2020-01-02' and x <> 3",
            "at < timestamp '2020-01-02T00:00:00Z' and at >= timestamp '2020-01-01T00:00:00Z'",
        ),
    ],
)
def test_hull_is_the_smallest_range_of_each_column_that_all_restrict(where: str, hull: str) -> None:
    assert joined(parse_where(where)) == hull


@pytest.mark.parametrize(
    "where", ["place like 'a%'", "x is null", "not x <=> 3", "x = 1 or y = 1", "flag = true", "x = 1 and x = 2"]
)
def test_filter_that_no_range_bounds_has_no_hull(where: str) -> None:
    assert hull_of(parse_where(where)) is None
    assert hull_of(Everything()) is None


def test_hull_of_several_leaves_free_what_one_leaves_free() -> None:
    assert joined(Box.of({"x": (0, 1), "y": (0, 1)}), Box.of({"x": (4, 5), "z": (0, 1)})) == '{"x":[0.0,5.0]}'
    assert joined(parse_where("place = 'a' and x = 1"), Box.of({"x": (4, 5)})) == '{"x":[1.0,5.0]}'
    assert joined(parse_where("place = 'a'"), parse_where("place = 'b'")) == "place in ('a', 'b')"
    assert joined(parse_where("x = 1"), parse_where("y = 1")) == "{}"


def test_hull_with_an_open_end_holds_not_a_number() -> None:
    first, second = hull_of(parse_where("x >= 3")), hull_of(Box.of({"x": (0, 1)}))
    assert first is not None
    assert second is not None
    hull = first.join(second).filter()
    assert [hull.matches({"x": value}) for value in (nan, inf, 0, -1, None)] == [True, True, True, False, False]


FILTERS = boxes() | predicates().map(lambda written: written[1])


@given(FILTERS, FILTERS, records())
def test_hull_holds_what_either_filter_matches(first: Filter, second: Filter, record: Record) -> None:
    hulls = [hull_of(first), hull_of(second)]
    for one, hull in zip((first, second), hulls, strict=True):
        if hull is not None and one.matches(record):
            assert hull.filter().matches(record)
    if hulls[0] is not None and hulls[1] is not None and (first.matches(record) or second.matches(record)):
        assert hulls[0].join(hulls[1]).filter().matches(record)
        assert hulls[0].join(hulls[1]) == hulls[1].join(hulls[0])


def test_hull_of_boxes_is_the_smallest_box_on_the_columns_that_all_have() -> None:
    first = Box.of({"x": (0, 1), "y": (0, 1)})
    assert joined(first, Box.of({"x": (5, 6), "y": (-1, 0)})) == Box.of({"x": (0, 6), "y": (-1, 1)}).text().text
    assert joined(first, Box.of({"x": (5, 6)})) == Box.of({"x": (0, 6)}).text().text
    assert joined(Box.of({"x": (0, 1)}), Box.of({"y": (0, 1)})) == Box().text().text
