from __future__ import annotations

from distributary.algebra.box import Box
from distributary.merging.cells import pieces_of


def box(**ranges: tuple[float, float]) -> Box:
    return Box.of(ranges)


def test_pieces_of_three_dimensions_fill_the_boxes() -> None:
    first, second = box(x=(0, 2), y=(0, 2), z=(0, 2)), box(x=(1, 3), y=(1, 3), z=(1, 3))
    volumes: dict[tuple[int, ...], float] = {}
    for owners, piece in pieces_of([(0, first), (1, second)]):
        volumes[owners] = volumes.get(owners, 0.0) + piece.volume()
    assert volumes == {(0,): 7.0, (0, 1): 1.0, (1,): 7.0}


def test_pieces_of_boxes_that_only_touch_do_not_share() -> None:
    pieces = pieces_of([(0, box(x=(0, 1))), (1, box(x=(1, 2)))])
    assert [owners for owners, _ in pieces] == [(0,), (1,)]


def test_a_box_without_volume_has_no_piece() -> None:
    assert pieces_of([(0, box(x=(0, 2), y=(1, 1)))]) == []
    assert pieces_of([(0, box(x=(0, 2))), (1, box(x=(1, 1)))]) == [((0,), box(x=(0, 2)))]


def test_boxes_of_one_owner_are_joined() -> None:
    assert pieces_of([(4, box(x=(0, 2))), (4, box(x=(2, 5)))]) == [((4,), box(x=(0, 5)))]


def test_boxes_on_different_attributes_are_never_compared() -> None:
    pieces = pieces_of([(0, box(x=(0, 2))), (1, box(y=(0, 2)))])
    assert pieces == [((0,), box(x=(0, 2))), ((1,), box(y=(0, 2)))]


def test_open_ends_make_open_pieces() -> None:
    inf = float("inf")
    assert pieces_of([(0, box(x=(0, inf))), (1, box(x=(5, inf)))]) == [((0,), box(x=(0, 5))), ((0, 1), box(x=(5, inf)))]
