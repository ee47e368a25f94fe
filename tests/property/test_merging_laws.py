"""Laws of merging that hold for all boxes: pieces fill them, and pair never costs more than none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging import PROCEDURES, Member, MergeSettings, plan
from distributary.merging.cells import pieces_of

pytestmark = pytest.mark.slow

ENDS = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda pair: (float(min(pair)), float(max(pair))))
BOXES = st.lists(
    st.fixed_dictionaries({"x": ENDS, "y": ENDS}, optional={"z": ENDS}).map(Box.of), min_size=1, max_size=5
)
PRICES = st.floats(0, 20)


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
