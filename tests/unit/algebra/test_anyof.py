from __future__ import annotations

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.core.values import Block


def box(low: float, high: float) -> Box:
    return Box.of({"x": (low, high)})


def test_any_of_single_member_is_that_member() -> None:
    assert any_of([box(0, 1), box(0, 1)]) == box(0, 1)


def test_any_of_drops_covered_members_and_flattens() -> None:
    inner = any_of([box(0, 5), box(7, 9)])
    assert any_of([box(1, 2), inner, box(8, 9)]) == AnyOf((box(0, 5), box(7, 9)))


def test_any_of_everything_absorbs_all_kinds() -> None:
    assert any_of([Blocks(frozenset({1})), box(0, 1), Everything()]) == Everything()


def test_any_of_order_of_arguments_does_not_matter() -> None:
    members: list[Filter] = [parse_where("a = 1"), box(0, 1), Blocks(frozenset({3}))]
    assert any_of(members) == any_of(reversed(members))
    assert any_of(members).text() == any_of(reversed(members)).text()


def test_any_of_nothing_matches_nothing_and_is_covered_by_all() -> None:
    nothing = any_of([])
    assert nothing == AnyOf()
    assert not nothing.matches({})
    assert box(0, 1).covers(nothing)
    assert not nothing.covers(box(0, 1))
    assert not nothing.intersects(Everything())
    assert nothing.union(box(0, 1)) == box(0, 1)


def test_any_of_very_many_members_are_kept_without_comparing_pairs() -> None:
    many = any_of([box(0, 1000), *(box(index, index + 0.5) for index in range(300))])
    assert isinstance(many, AnyOf)
    assert len(many.members) == 301


def test_covers_members_together_cover_a_box_and_a_predicate() -> None:
    union = any_of([box(0, 2), box(1, 4)])
    assert union.covers(box(0, 4))
    assert union.covers(parse_where("x > 0 and x <= 3"))
    assert not any_of([box(0, 1), box(2, 4)]).covers(box(0, 4))
    assert any_of([parse_where("x < 1"), parse_where("x >= 1"), parse_where("x is null")]).covers(box(0, 4))


def test_covers_each_member_of_the_other() -> None:
    wide = any_of([box(0, 9), Blocks(frozenset({1, 2}))])
    assert wide.covers(any_of([box(0, 1), box(3, 4), Blocks(frozenset({2}))]))
    assert not wide.covers(any_of([box(0, 1), Blocks(frozenset({3}))]))


def test_matches_any_kind_of_content() -> None:
    union = any_of([box(0, 1), Blocks(frozenset({4}))])
    assert union.matches({"x": 1})
    assert union.matches(Block(frozenset({4})))
    assert not union.matches({"x": 2})


def test_union_of_more_boxes_than_the_budget_is_answered_safely() -> None:
    # The diagonal leaves a number of pieces that doubles with each dimension and member.
    names = [f"d{index}" for index in range(16)]
    members = [Box.of({name: (0, 5) if name != free else (0, 4) for name in names}) for free in names]
    halves = [Box.of({name: (0, 5) if name != free else (4, 5) for name in names}) for free in names]
    assert not any_of(members[:-1]).covers(Box.of(dict.fromkeys(names, (0, 5))))
    assert any_of([*members, *halves]).covers(Box.of(dict.fromkeys(names, (0, 5))))
