"""Laws of merging that hold for all boxes: pieces fill them, and pair never costs more than none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging import PROCEDURES, Member, MergeSettings, plan
from distributary.merging.cells import pieces_of
from distributary.merging.compiled.descent import descend, merge_few
from distributary.merging.compiled.pair import merge_many
from distributary.merging.cost import Pricing
from distributary.merging.directed import descended
from distributary.merging.geometry import blocks_of, boxes_of, ranks_of
from distributary.merging.pair import plain_pair
from distributary.merging.problem import MergeProblem

pytestmark = pytest.mark.slow

ENDS = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda pair: (float(min(pair)), float(max(pair))))
BOXES = st.lists(
    st.fixed_dictionaries({"x": ENDS, "y": ENDS}, optional={"z": ENDS}).map(Box.of), min_size=1, max_size=5
)
PRICES = st.floats(0, 20)
#: Many without extent, and many that are equal.
BOXES_OF_TWO = st.lists(st.fixed_dictionaries({"x": ENDS, "y": ENDS}).map(Box.of), min_size=2, max_size=12)


@given(BOXES, st.sampled_from(sorted(PROCEDURES)), st.builds(Costs, PRICES, PRICES, PRICES))
def test_pair_never_costs_more_than_none(boxes: list[Box], procedure: str, costs: Costs) -> None:
    members = [Member(f"q{number}", None, None, box) for number, box in enumerate(boxes)]
    made = plan(members, UniformDensity(), MergeSettings("pair", procedure, costs), lambda: 0.0, Generator(1))
    assert made.cost <= made.unmerged_cost + 1e-9 * max(1.0, made.unmerged_cost)
    assert sorted(name for channel in made.channels for name in channel.members) == sorted(m.id for m in members)


@given(BOXES)
def test_pieces_fill_each_box_without_overlap(boxes: list[Box]) -> None:
    pieces = pieces_of(list(enumerate(boxes)))
    for number, box in enumerate(boxes):
        mine = [piece for owners, piece in pieces if number in owners]
        assert all(box.covers(piece) for piece in mine)
        assert math.isclose(sum(piece.volume() for piece in mine), box.volume(), abs_tol=1e-9)
    for place, (_, first) in enumerate(pieces):
        for _, second in pieces[place + 1 :]:
            shared = first.intersection(second)
            assert shared is None or first.attributes != second.attributes or shared.volume() == 0.0


SEEDS = st.integers(0, 1000)
WHOLE_COSTS = st.builds(Costs, *(st.integers(0, 4).map(float) for _ in range(3)))


@given(BOXES_OF_TWO, WHOLE_COSTS, SEEDS)
def test_compiled_pair_is_the_plain_one_ties_included(boxes: list[Box], costs: Costs, seed: int) -> None:
    """Whole edges and prices: all sums are exact, and so ties are ties everywhere."""
    pricing, stream = priced(boxes, costs, seed)
    arrays, ranks = boxes_of(pricing, stream), ranks_of(pricing, stream)
    assert arrays is not None
    plain = sorted(plain_pair(pricing, stream))
    assert sorted(blocks_of(stream, merge_few(arrays, ranks).blocks)) == plain
    assert sorted(blocks_of(stream, merge_many(arrays, ranks))) == plain


@given(BOXES_OF_TWO, WHOLE_COSTS, SEEDS, st.booleans())
def test_compiled_descent_is_the_plain_one_ties_included(
    boxes: list[Box], costs: Costs, seed: int, merges_first: bool
) -> None:
    pricing, stream = priced(boxes, costs, seed)
    arrays, ranks = boxes_of(pricing, stream), ranks_of(pricing, stream)
    assert arrays is not None
    start = np.array(Generator(seed, "start").integers(len(stream), len(stream)))
    found = descend(arrays, ranks, start[None, :], merges_first=merges_first, least=0.0)
    plain = descended(pricing, blocks_of(stream, start), merges_first=merges_first, least=0.0)
    assert sorted(blocks_of(stream, found.blocks)) == sorted(plain)
    assert found.cost == pricing.total(plain)


def priced(boxes: list[Box], costs: Costs, seed: int) -> tuple[Pricing, tuple[int, ...]]:
    names = [f"q{number}" for number in range(len(boxes))]
    Generator(seed, "names").shuffle(names)
    members = tuple(Member(name, None, None, box) for name, box in zip(names, boxes, strict=True))
    return Pricing(MergeProblem(members, "rectangle", costs, UniformDensity())), tuple(range(len(boxes)))
