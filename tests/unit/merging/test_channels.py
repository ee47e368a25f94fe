"""Physical channels: the cost as defined, and small problems against brute force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging import Member, MergeSettings, plan
from distributary.merging.channels import Packing, channel_cost, packed_cost
from distributary.merging.cost import Pricing
from distributary.merging.none import none
from distributary.merging.problem import MergeProblem

COSTS = Costs(3.0, 0.5, 0.05)


def drawn(seed: int, count: int, streams: int = 1) -> list[Member]:
    draws = Generator(seed, "channels")
    found = []
    for number in range(count):
        low, high = draws.uniform(0, 20), draws.uniform(1, 12)
        stream = f"s{draws.below(streams)}"
        found.append(Member(f"q{number:03}", None, stream, Box.of({"x": (low, low + high)})))
    return found


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for blocks in partitions(rest):
        yield [[first], *blocks]
        for number in range(len(blocks)):
            yield [*blocks[:number], [first, *blocks[number]], *blocks[number + 1 :]]


def brute_force(members: Sequence[Member], channels: int, costs: Costs) -> float:
    """Every partition of the queries, and every way to put its blocks on the channels; by plain arithmetic."""
    bounds = [member.filter.bounds()["x"] for member in members]  # type: ignore[attr-defined]
    best = float("inf")
    for blocks in partitions(range(len(members))):
        if any(len({members[place].stream for place in block}) > 1 for block in blocks):
            continue
        sizes = [max(bounds[p][1] for p in block) - min(bounds[p][0] for p in block) for block in blocks]
        for placed in partitions(range(len(blocks))):
            if len(placed) > channels:
                continue
            cost = costs.K_M * len(blocks) + costs.K_T * sum(sizes)
            for channel in placed:
                carried = sum(sizes[number] for number in channel)
                for place in (place for number in channel for place in blocks[number]):
                    cost += costs.K_U * (carried - (bounds[place][1] - bounds[place][0]))
            best = min(best, cost)
    return best


@pytest.mark.parametrize("channels", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(5))
def test_small_problems_are_packed_at_the_least_cost(seed: int, channels: int) -> None:
    members = drawn(seed, 6, streams=2)
    made = plan(members, UniformDensity(), MergeSettings(costs=COSTS, channels=channels), lambda: 0.0, Generator(1))
    assert made.cost == pytest.approx(brute_force(members, channels, COSTS))
    assert made.optimal
    names = {channel.physical for channel in made.channels}
    assert None not in names
    assert len(names) <= channels


@pytest.mark.parametrize("seed", range(6))
def test_large_problems_end_near_the_best_packing_of_small_ones(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    members = drawn(seed, 8)
    settings = MergeSettings(costs=COSTS, channels=2)
    best = plan(members, UniformDensity(), settings, lambda: 0.0, Generator(1))
    monkeypatch.setattr("distributary.merging.channels.EXACT_MAX", 0)
    found = plan(members, UniformDensity(), settings, lambda: 0.0, Generator(1))
    assert not found.optimal
    assert best.cost - 1e-9 <= found.cost <= 1.1 * best.cost


def test_one_channel_for_each_merged_query_costs_what_the_plan_costs() -> None:
    members = drawn(3, 30)
    pricing = Pricing(MergeProblem(tuple(members), "rectangle", COSTS, UniformDensity()))
    alone = Packing(tuple((block,) for block in none(pricing)))
    assert packed_cost(pricing, alone) == pytest.approx(pricing.total(none(pricing)))
    assert channel_cost(pricing, [(0,), (1,)]) > pricing.total([(0,), (1,)])


def test_many_queries_are_packed_without_losing_one_and_cheaper_than_unmerged() -> None:
    members = drawn(4, 200, streams=3)
    made = plan(members, UniformDensity(), MergeSettings(costs=COSTS, channels=4), lambda: 0.0, Generator(1))
    assert sorted(name for channel in made.channels for name in channel.members) == [member.id for member in members]
    assert 1 < len({channel.physical for channel in made.channels}) <= 4
    assert made.cost < made.unmerged_cost
    assert made.lower_bound is None
