from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.queries import BASE_COSTS, Workload, boxes_of, corners_of, members_of


def corners(workload: Workload, seed: int) -> list[tuple[float, float]]:
    return [(box.bounds()["x"][0], box.bounds()["y"][0]) for box in boxes_of(workload, Generator(seed))]


def test_base_values_are_those_of_figure_8() -> None:
    assert Costs(K_M=365e-5, K_T=3.25e-5, K_U=0.16e-5) == BASE_COSTS
    assert (Workload().queries, Workload().centres, Workload().side) == (100, 3, 400.0)
    assert [Workload(queries).side for queries in (12, 13)] == [100.0, 400.0]


@pytest.mark.parametrize("workload", [Workload(), Workload(12), Workload(1), Workload(40, clustered=0.0, region=50.0)])
def test_queries_are_as_many_as_asked_inside_the_database_and_sized_in_range(workload: Workload) -> None:
    boxes = boxes_of(workload, Generator(3))
    assert len(boxes) == workload.queries
    for box in boxes:
        for low, high in box.bounds().values():
            assert 0 <= low < high <= workload.side
            assert 20 <= high - low <= 40 + 1e-9


def plain(workload: Workload, generator: Generator) -> list[tuple[float, float, float, float]]:
    """Draw the queries as section 7.1 says, one after another."""
    chance = generator.fork("centres")
    centres = [(chance.uniform(0, workload.side), chance.uniform(0, workload.side)) for _ in range(workload.centres)]
    found = []
    for number in range(workload.queries):
        draws = generator.fork("query", number)
        while True:
            if number < int(workload.clustered * workload.queries):
                distance, direction = draws.normal(0, workload.spread), draws.uniform(0, 2 * math.pi)
                centre = centres[number % len(centres)]
                x, y = centre[0] + distance * math.cos(direction), centre[1] + distance * math.sin(direction)
            else:
                x, y = draws.uniform(0, workload.side), draws.uniform(0, workload.side)
            right, top = x + draws.uniform(*workload.sides), y + draws.uniform(*workload.sides)
            if x >= 0 and y >= 0 and right <= workload.side and top <= workload.side:
                found.append((x, y, right, top))
                break
    return found


@pytest.mark.parametrize("workload", [Workload(), Workload(12), Workload(30, 0.5, 0.5, 10.0, 200.0, (1.0, 5.0))])
def test_compiled_draws_are_the_plain_ones(workload: Workload) -> None:
    for seed in range(5):
        low, high = corners_of(workload, Generator(seed, "some", -3))
        assert np.hstack([low, high]) == pytest.approx(
            np.array(plain(workload, Generator(seed, "some", -3))), rel=1e-12
        )


def test_members_have_ids_in_order_and_one_stream() -> None:
    members = members_of(Workload(1001), Generator(1))
    assert [member.id for member in members] == sorted(member.id for member in members)
    assert {(member.stream, member.client) for member in members} == {(None, None)}


@pytest.mark.parametrize(("share", "centres"), [(0.3, 3), (0.25, 4), (1.0, 1), (3.0, 1)])
def test_without_spread_clustered_queries_are_dealt_to_the_centres_round_robin(share: float, centres: int) -> None:
    workload = Workload(60, clustered=0.5, cluster_share=share, spread=0.0, region=1e6)
    found = corners(workload, 5)
    clustered, alone = found[:30], found[30:]
    assert clustered == [clustered[number % centres] for number in range(30)]
    assert len(set(clustered)) == centres
    assert len(set(alone)) == 30


@pytest.mark.parametrize(("clustered", "count"), [(0.0, 0), (0.80, 8), (0.79, 7), (1.0, 10)])
def test_the_clustered_share_is_cut_to_whole_queries(clustered: float, count: int) -> None:
    workload = Workload(10, clustered=clustered, cluster_share=1.0, spread=0.0, region=1e6)
    found = corners(workload, 8)
    assert len(set(found)) == 10 - max(0, count - 1)


def test_distances_are_normal_with_the_spread_as_deviation() -> None:
    found = corners(Workload(4000, clustered=1.0, cluster_share=1.0, spread=100.0, region=1e6), 2)
    x = sum(one for one, _ in found) / len(found)
    y = sum(other for _, other in found) / len(found)
    square = sum((one - x) ** 2 + (other - y) ** 2 for one, other in found) / len(found)
    assert 0.9 * 100.0**2 < square < 1.1 * 100.0**2
    # All directions: as much of it along one axis as along the other.
    assert sum((one - x) ** 2 for one, _ in found) / len(found) == pytest.approx(square / 2, rel=0.1)


def test_one_more_query_moves_no_other() -> None:
    assert (
        boxes_of(Workload(30, clustered=1.0), Generator(4)) == boxes_of(Workload(31, clustered=1.0), Generator(4))[:30]
    )


def test_parameters_that_allow_no_query_are_refused() -> None:
    with pytest.raises(InputError, match="inside the database"):
        boxes_of(Workload(1, region=10.0), Generator(1))


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes_under_two_hash_seeds() -> None:
    code = (
        "from distributary.core.generator import Generator; from distributary.experiments.queries import *; "
        "print(boxes_of(Workload(20), Generator(9, 'queries')))"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert made[0] == made[1] == f"{boxes_of(Workload(20), Generator(9, 'queries'))}\n"
    assert boxes_of(Workload(20), Generator(10, "queries")) != boxes_of(Workload(20), Generator(9, "queries"))
