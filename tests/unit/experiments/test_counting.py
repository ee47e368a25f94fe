"""The plain counted algorithms against the planner's, and what they count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distributary.algebra.box import Box
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.catalogue import STUDIES
from distributary.experiments.merging.counting import Block, Search, clusters
from distributary.experiments.merging.planning import Merging, scaled
from distributary.experiments.merging.settings import SETTINGS, costs_of, workload_of
from distributary.experiments.queries import BASE_COSTS, Workload, boxes_of
from distributary.experiments.study import Point
from distributary.merging.compiled.descent import descend
from distributary.merging.directed import starts_of

APART = [Box.of({"x": (at, at + 1), "y": (0, 1)}) for at in (0.0, 1000.0, 2000.0, 3000.0)]
NEVER = Costs(K_M=0.0, K_T=1.0, K_U=1.0)


def total(blocks: list[Block]) -> float:
    return math.fsum(block.cost for block in blocks)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("queries", [3, 12, 40])
@pytest.mark.parametrize("dear", [1.0, 10.0])
def test_counted_algorithms_cost_what_the_planners_do(seed: int, queries: int, dear: float) -> None:
    generator, costs = Generator(seed), scaled(K_U=dear)
    merging = Merging(Workload(queries), generator, costs)
    boxes = boxes_of(Workload(queries), generator)
    pair = Search(boxes, costs).pair()
    assert total(pair) == pytest.approx(merging.cost("pair"))
    assert sorted(member for block in pair for member in block.members) == list(range(queries))
    for metric in ("heuristic", "exact"):
        search = Search(boxes, costs)
        found = [block for cluster in clusters(boxes, costs, metric) for block in search.pair(cluster)]
        assert total(found) == pytest.approx(merging.cost("clustering", metric=metric))
    for starts in (1, 2, 4):
        begun = starts_of(merging.ranks, starts, Generator(seed, "starts")).tolist()
        ended = descend(merging.boxes, merging.ranks, np.array(begun), merges_first=True, least=1e-12)
        search = Search(boxes, costs)
        assert total(search.directed(begun)) == pytest.approx(ended.cost)
        assert (search.evaluated, search.applied) == (ended.evaluated, ended.applied)
        assert ended.cost <= total(pair) + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_studys_counts_are_those_of_plain_loops(setting: str) -> None:
    point: Point = {"setting": setting, "queries": 40.0}
    seed = 11
    measured = STUDIES["merging/operations"].sample(point, seed)
    boxes, costs = boxes_of(workload_of(point), Generator(seed)), costs_of(point)
    search = Search(boxes, costs)
    search.pair()
    assert (search.evaluated, search.applied) == (measured["pair"], measured["pair_moves"])
    for metric, name in (("heuristic", "clustering"), ("exact", "clustering_exact")):
        search = Search(boxes, costs)
        found = clusters(boxes, costs, metric)
        for cluster in found:
            search.pair(cluster)
        assert (search.evaluated, len(found)) == (measured[name], measured[f"{name}_clusters"])
    assert measured["directed"] > 4 * measured["pair"]


def test_where_nothing_merges_pair_evaluates_each_pair_once() -> None:
    search = Search(APART, NEVER)
    assert len(search.pair()) == 4
    assert (search.evaluated, search.applied) == (4 * 3 // 2, 0)


def test_where_all_merges_pair_evaluates_the_new_pairs_of_each_step() -> None:
    search = Search([Box.of({"x": (0, 1), "y": (0, 1)})] * 5, BASE_COSTS)
    assert [block.members for block in search.pair()] == [(0, 1, 2, 3, 4)]
    assert (search.evaluated, search.applied) == (5 * 4 // 2 + 3 + 2 + 1, 4)


def test_directed_splits_what_started_together() -> None:
    search = Search(APART, NEVER)
    best = search.directed([[0, 1, 2, 3], [0, 0, 0, 0]])
    assert sorted(block.members for block in best) == [(0,), (1,), (2,), (3,)]
    # Two of the four are taken out of the whole one by one; the last split leaves two.
    assert search.applied == 3


@pytest.mark.parametrize(
    ("metric", "x", "together"),
    [("heuristic", 300.0, True), ("heuristic", 400.0, False), ("exact", 400.0, True), ("exact", 800.0, False)],
)
def test_clusters_keep_apart_what_the_metric_separates(metric: str, x: float, *, together: bool) -> None:
    boxes = [Box.of({"x": (at, at + 30), "y": (0, 30)}) for at in (0.0, x)]
    found = clusters(boxes, scaled(), metric)
    assert found == ([[0, 1]] if together else [[0], [1]])


def test_clusters_join_by_way_of_a_third_query() -> None:
    boxes = [Box.of({"x": (at, at + 30), "y": (0, 30)}) for at in (0.0, 500.0, 250.0)]
    assert clusters([boxes[0], boxes[1]], scaled(), "heuristic") == [[0], [1]]
    assert clusters(boxes, scaled(), "heuristic") == [[0, 1, 2]]


@pytest.mark.parametrize("metric", ["heuristic", "exact"])
def test_clusters_keep_a_small_query_out_of_the_large_one_around_it_where_it_would_receive_too_much(
    metric: str,
) -> None:
    boxes = [Box.of({"x": (0, side), "y": (0, side)}) for side in (100.0, 10.0)]
    # 1.6e-6 * (10,000 - 100) of irrelevant size is dearer than a merged query of its own, 0.00365 + 3.25e-5 * 100.
    assert clusters(boxes, scaled(), metric) == [[0], [1]]
    assert clusters(boxes, scaled(K_U=0.1), metric) == [[0, 1]]
