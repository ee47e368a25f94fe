from __future__ import annotations

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.core.values import Block


def blocks(*numbers: int) -> Blocks:
    return Blocks(frozenset(numbers))


def test_matches_item_in_one_of_the_blocks() -> None:
    assert blocks(1, 2).matches(Block(frozenset({2, 3})))
    assert not blocks(1, 2).matches(Block(frozenset({3})))
    assert not blocks(1, 2).matches(Block(frozenset()))
    assert not blocks().matches(Block(frozenset({1})))
    assert not blocks(1).matches({"x": 1})


def test_covers_is_inclusion() -> None:
    assert blocks(1, 2, 3).covers(blocks(1, 3))
    assert not blocks(1).covers(blocks(1, 3))
    assert not blocks(1).covers(Everything())
    assert blocks(1, 2).covers(AnyOf((blocks(1), blocks(2))))
    assert not blocks(1, 2).covers(AnyOf((blocks(1), Box())))


def test_intersects_disjoint_sets_may_share_an_item() -> None:
    assert blocks(1).intersects(blocks(2))
    assert not blocks().intersects(blocks(2))
    assert not blocks(1).intersects(Box())
    assert blocks(1).intersects(Everything())
    assert blocks(1).intersects(AnyOf((Box(), blocks(2))))
    assert not blocks().intersects(Everything())


def test_union_of_sets_is_a_set_and_with_other_kinds_any_of() -> None:
    assert blocks(1).union(blocks(2)) == blocks(1, 2)
    assert blocks(1).union(Everything()) == Everything()
    assert blocks(1).union(Box()) == AnyOf((blocks(1), Box()))


def test_text_is_ascending_json() -> None:
    assert blocks(10, 2, 1).text().text == "[1,2,10]"
