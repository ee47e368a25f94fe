"""What studies take from the planner's parts is what whole plans have."""

from __future__ import annotations

import pytest

from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.experiments.merging.planning import Merging, better, scaled
from distributary.experiments.queries import Workload, members_of
from distributary.merging import MergeSettings, plan
from distributary.merging.geometry import blocks_of


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("algorithm", "metric", "starts"),
    [
        ("none", "heuristic", 50),
        ("pair", "heuristic", 50),
        ("directed", "heuristic", 20),
        ("clustering", "heuristic", 50),
        ("clustering", "exact", 50),
        ("partition", "heuristic", 50),
    ],
)
def test_costs_and_blocks_are_those_of_the_planners_plans(seed: int, algorithm: str, metric: str, starts: int) -> None:
    generator, costs = Generator(seed), scaled(K_U=4.0)
    members = members_of(Workload(10), generator)
    merging = Merging(Workload(10), generator, costs)
    settings = MergeSettings(algorithm=algorithm, procedure="rectangle", costs=costs, metric=metric, starts=starts)
    whole = plan(members, UniformDensity(1.0), settings, lambda: 0.0, generator.fork(algorithm, metric))
    assert merging.cost(algorithm, metric=metric, starts=starts) == pytest.approx(whole.cost, rel=1e-12)
    assert merging.cost("none") == pytest.approx(whole.unmerged_cost, rel=1e-12)
    blocks = blocks_of(tuple(range(10)), merging.blocks(algorithm, metric=metric, starts=starts))
    found = [tuple(members[place].id for place in block) for block in sorted(blocks)]
    assert found == [channel.members for channel in whole.channels]


def test_better_is_more_than_rounding() -> None:
    assert better(1.0, 2.0)
    assert not better(2.0, 1.0)
    assert not better(1.0, 1.0 + 1e-12)
