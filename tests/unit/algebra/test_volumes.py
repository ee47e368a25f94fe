from __future__ import annotations

from math import inf

import pytest

from distributary.algebra.box import Box
from distributary.algebra.volumes import union_volume
from distributary.core.generator import Generator


def box(**ranges: tuple[float, float]) -> Box:
    return Box.of(ranges)


def test_union_volume_counts_shared_parts_once() -> None:
    assert union_volume([]) == 0.0
    assert union_volume([box(x=(0, 2), y=(0, 1)), box(x=(0, 1), y=(0, 2)), box(x=(1, 2), y=(1, 2))]) == 4.0
    assert union_volume([box(x=(0, 2)), box(x=(1, 5)), box(x=(7, 8)), box(x=(0, 2))]) == 6.0


def test_union_volume_open_and_free_attributes_are_infinite() -> None:
    assert union_volume([box(x=(0, inf))]) == inf
    assert union_volume([box(x=(0, 1)), box(y=(0, 1))]) == inf
    assert union_volume([Box()]) == inf
    assert union_volume([box(x=(3, 3)), box(x=(0, 1), y=(0, 1))]) == 1.0


@pytest.mark.slow
def test_union_volume_of_hundreds_of_boxes_is_near_a_sampled_one() -> None:
    generator = Generator("volume")
    boxes = []
    for _ in range(300):
        corner = generator.uniform(0, 90), generator.uniform(0, 90)
        boxes.append(box(x=(corner[0], corner[0] + 10), y=(corner[1], corner[1] + 5)))
    points = [{"x": generator.uniform(0, 100), "y": generator.uniform(0, 100)} for _ in range(4000)]
    share = sum(any(one.matches(point) for one in boxes) for point in points) / len(points)
    assert union_volume(boxes) == pytest.approx(share * 10_000, rel=0.05)
