"""The containment index: rows, the compiled look at many of them, and what looks alike."""

from __future__ import annotations

import pytest

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.treepattern import parse_xpath
from distributary.core.generator import Generator
from distributary.matching.routing import Aggregate
from distributary.matching.routing.candidates import Candidates
from distributary.matching.routing.outline import outline_of


def box_of(generator: Generator) -> Filter:
    x, y = generator.below(40), generator.below(40)
    return Box.of({"x": (x, x + generator.below(12)), "y": (y, y + generator.below(12))})


def pattern_of(generator: Generator) -> Filter:
    steps = [generator.choice(["/", "//"]) + generator.choice(["a", "b", "c", "d", "*"]) for _ in range(3)]
    return parse_xpath("".join(steps) + generator.choice(["", "[@k = 3]", "[@k > 3]", "[@s = 'u']"]))


@pytest.mark.slow
def test_compiled_look_at_many_rows_is_the_plain_one() -> None:
    for draw in (box_of, pattern_of):
        generator = Generator("rows")
        index: Candidates[int] = Candidates()
        outlines = {number: outline_of(draw(generator)) for number in range(400)}
        row_of = {number: index.add(number, outline) for number, outline in outlines.items()}
        for gone in range(0, 400, 3):
            row = row_of.pop(gone)
            moved = index.remove(row)
            if moved is not None:
                row_of[moved] = row
            del outlines[gone]
        assert len(index) == len(outlines)
        asked = [outline_of(draw(generator)) for _ in range(100)]
        wider = [set(index.wider(each)) for each in asked]
        narrower = [set(index.narrower(each)) for each in asked]
        assert any(wider)
        assert any(narrower)
        for each, above, below in zip(asked, wider, narrower, strict=True):
            assert above == {number for number, other in outlines.items() if other.may_cover(each)}
            assert below == {number for number, other in outlines.items() if each.may_cover(other)}


@pytest.mark.slow
def test_aggregate_of_many_filters_is_what_comparing_all_pairs_gives() -> None:
    generator = Generator("many")
    aggregate: Aggregate[int] = Aggregate()
    held = {number: box_of(generator) for number in range(600)}
    for number, each in held.items():
        aggregate.add(number, each)
    for gone in range(0, 600, 2):
        aggregate.remove(gone)
        del held[gone]
    distinct = set(held.values())
    expected = {each for each in distinct if not any(other.covers(each) for other in distinct if other != each)}
    assert len(expected) > 64
    assert set(aggregate.filters()) == expected


def test_everything_comes_and_goes_over_many_filters() -> None:
    generator = Generator("many")
    aggregate: Aggregate[object] = Aggregate()
    for number in range(300):
        aggregate.add(number, box_of(generator))
    before = set(aggregate.filters())
    change = aggregate.add("all", Everything())
    assert (set(change.lost), change.gained) == (before, (Everything(),))
    change = aggregate.remove("all")
    assert (set(change.gained), change.lost) == (before, (Everything(),))
    assert set(aggregate.filters()) == before


def test_nearest_are_those_of_the_same_shape_and_place() -> None:
    index: Candidates[str] = Candidates()
    for name, text in {"far": "x > 900 and x < 990", "near": "x > 12 and x < 19", "other": "s = 'u'"}.items():
        index.add(name, outline_of(parse_where(text)))
    assert index.nearest(outline_of(parse_where("x > 10 and x < 20")), 2) == ["near", "far"]


def test_filter_of_two_keys_stays_until_both_are_gone() -> None:
    aggregate: Aggregate[str] = Aggregate()
    aggregate.add("a", Box.of({"x": (0, 1)}))
    assert not aggregate.add("b", Box.of({"x": (0, 1)}))
    assert not aggregate.remove("a")
    assert aggregate.keys_of(Box.of({"x": (0, 1)})) == ("b",)
    assert aggregate.remove("b").lost == (Box.of({"x": (0, 1)}),)


def test_add_below_holds_only_what_is_covered() -> None:
    aggregate: Aggregate[str] = Aggregate()
    wide, narrow = Box.of({"x": (0, 9)}), Box.of({"x": (2, 3)})
    assert aggregate.add_below("narrow", narrow) is None
    assert "narrow" not in aggregate
    aggregate.add("wide", wide)
    assert aggregate.add_below("narrow", narrow) == wide
    assert aggregate.coverer(Box.of({"x": (1, 1)})) == wide
    assert aggregate.coverer(Box.of({"x": (1, 10)})) is None
    assert aggregate.remove("wide").gained == (narrow,)
