"""A live plan against recomputation, after every change of random sequences: a partition, its cost, its bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.algebra.box import Box
from distributary.algebra.filter import Statistics
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import UniformDensity
from distributary.core.results import Costs
from distributary.merging.cost import Pricing
from distributary.merging.live import LivePlan, rebuilt
from distributary.merging.partition import partition
from distributary.merging.problem import Member, MergeProblem
from distributary.merging.settings import MergeSettings

pytestmark = pytest.mark.slow

ENDS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda pair: (float(min(pair)), float(max(pair))))
BOXES = st.fixed_dictionaries({"x": ENDS, "y": ENDS}).map(Box.of)
#: A box to add, or which of the present members to remove.
CHANGES = st.lists(st.one_of(st.tuples(BOXES, st.sampled_from([None, 2.0])), st.integers(0, 30)), max_size=40)
SAMPLE = Sample([{"x": place % 13, "y": place * 5 % 13} for place in range(60)])
STATISTICS = st.sampled_from([UniformDensity(), SAMPLE])
PRICE = st.sampled_from([0.0, 0.5, 3.0, 20.0])
COSTS = st.builds(Costs, PRICE, PRICE, PRICE)


def problem(members: list[Member], costs: Costs, statistics: Statistics) -> Pricing:
    return Pricing(MergeProblem(tuple(members), "rectangle", costs, statistics))


def check(live: LivePlan, members: dict[str, Member], costs: Costs, statistics: Statistics) -> None:
    """See that a plan is a partition of the members with the cost that it says, never more than unmerged."""
    blocks = live.blocks()
    assert sorted(identity for block in blocks for identity in block) == sorted(members)
    assert len(live) == len(members)
    pricing = problem(list(members.values()), costs, statistics)
    place = {identity: number for number, identity in enumerate(members)}
    total = pricing.total(tuple(place[identity] for identity in block) for block in blocks)
    unmerged = pricing.total((number,) for number in range(len(members)))
    assert live.cost == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert live.unmerged_cost == pytest.approx(unmerged, rel=1e-9, abs=1e-9)
    assert live.cost <= live.unmerged_cost * (1 + 1e-9)
    assert live.lower_bound <= live.cost * (1 + 1e-9)


def change(
    live: LivePlan, members: dict[str, Member], number: int, wanted: tuple[Box, float | None] | int
) -> dict[str, Member]:
    """Make one change of a plan and of what it should hold."""
    if not isinstance(wanted, int):
        member = Member(f"n{number}", None, None, wanted[0], every=wanted[1])
        live.add(member)
        return {**members, member.id: member}
    if not members:
        return members
    gone = sorted(members)[wanted % len(members)]
    live.remove(gone)
    return {identity: member for identity, member in members.items() if identity != gone}


@given(st.lists(BOXES, max_size=25), CHANGES, COSTS, STATISTICS)
def test_a_live_plan_is_a_partition_with_its_cost_after_every_change(
    start: list[Box], changes: list[tuple[Box, float | None] | int], costs: Costs, statistics: Statistics
) -> None:
    members = {f"q{number}": Member(f"q{number}", None, None, box) for number, box in enumerate(start)}
    live = LivePlan(list(members.values()), statistics, MergeSettings(costs=costs))
    check(live, members, costs, statistics)
    for number, wanted in enumerate(changes):
        members = change(live, members, number, wanted)
        check(live, members, costs, statistics)


@given(st.lists(BOXES, min_size=1, max_size=6), CHANGES, COSTS, STATISTICS)
def test_the_lower_bound_of_a_live_plan_is_below_the_optimum(
    start: list[Box], changes: list[tuple[Box, float | None] | int], costs: Costs, statistics: Statistics
) -> None:
    members = {f"q{number}": Member(f"q{number}", None, None, box) for number, box in enumerate(start)}

    def optimum() -> float:
        pricing = problem(list(members.values()), costs, statistics)
        return pricing.total(partition(pricing)) if members else 0.0

    live = LivePlan(list(members.values()), statistics, MergeSettings(costs=costs), optimum())
    for number, wanted in enumerate(changes[:8]):
        if isinstance(wanted, int) or len(members) < 7:
            members = change(live, members, number, wanted)
        best = optimum()
        assert live.lower_bound <= best * (1 + 1e-9) + 1e-12
        assert live.cost <= best * (1 + live.drift_bound) * (1 + 1e-9) + 1e-12


@given(st.lists(BOXES, min_size=1, max_size=25), CHANGES, CHANGES, COSTS, STATISTICS)
def test_a_rebuild_takes_the_changes_since_its_snapshot_over(
    start: list[Box],
    before: list[tuple[Box, float | None] | int],
    since: list[tuple[Box, float | None] | int],
    costs: Costs,
    statistics: Statistics,
) -> None:
    members = {f"q{number}": Member(f"q{number}", None, None, box) for number, box in enumerate(start)}
    live = LivePlan(list(members.values()), statistics, MergeSettings(costs=costs))
    for number, wanted in enumerate(before):
        members = change(live, members, number, wanted)
    if not members:
        return
    fresh = rebuilt(live.snapshot())
    counted = live.changes
    for number, wanted in enumerate(since, start=100):
        members = change(live, members, number, wanted)
    counted, cost = live.changes - counted, live.cost
    adopted = live.adopt(fresh)
    assert live.changes == counted
    assert live.cost < cost if adopted else live.cost == cost
    check(live, members, costs, statistics)
    for number, wanted in enumerate(before, start=200):
        members = change(live, members, number, wanted)
        check(live, members, costs, statistics)
