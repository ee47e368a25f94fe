from __future__ import annotations

from math import inf

import pytest

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.regions import regions_of


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("x > 1 and x <= 3 and y < 2", [{"x": (1, 3), "y": (-inf, 2)}]),
        ("x <> 5", [{"x": (-inf, 5)}, {"x": (5, inf)}]),
        ("not (x < 1 or x > 2)", [{"x": (1, 2)}]),
        ("x in (1, 2)", [{"x": (1, 1)}, {"x": (2, 2)}]),
        ("x > 3 and x < 1", []),
        ("x = null", []),
        ("x < 1 and s = 'a' and s = 'b'", []),
    ],
)
def test_regions_of_numeric_predicate_are_closed_boxes(text: str, ranges: list[dict[str, tuple[float, float]]]) -> None:
    assert regions_of(parse_where(text)) == tuple(Box.of(one) for one in ranges)


@pytest.mark.parametrize(
    "text", ["s = 'a'", "x > 1 and s like 'a%'", "x is null", "x is not null", "b = true", "t > timestamp '2018-02-01'"]
)
def test_regions_of_other_predicates_are_none(text: str) -> None:
    assert regions_of(parse_where(text)) is None


def test_regions_of_other_kinds() -> None:
    first, second = Box.of({"x": (0, 1)}), Box.of({"y": (0, 1)})
    assert regions_of(first) == (first,)
    assert regions_of(Everything()) == (Box(),)
    assert regions_of(any_of([first, second, parse_where("x = 5")])) == (first, second, Box.of({"x": (5, 5)}))
    assert regions_of(any_of([first, parse_where("s = 'a'")])) is None
    assert regions_of(Blocks(frozenset({1}))) is None
    assert regions_of(any_of([])) == ()


def test_regions_of_too_many_boxes_are_none() -> None:
    numbers = ", ".join(map(str, range(40)))
    assert regions_of(parse_where(f"x in ({numbers}) and y in ({numbers})")) is None
