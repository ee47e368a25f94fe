"""Searches: triage, annealing and the optimum, against each other and against all trees tried plainly."""

from __future__ import annotations

import itertools

import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import DeliveryResult
from distributary.delivery.model import measure
from distributary.delivery.planner import ALGORITHMS, plan
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.validity import broken_conditions
from distributary.experiments.delivery.workload import Workload, draw_problem

TINY = Workload(nodes=5, streams=2, filters_per_stream=3, bandwidth_factor=0.3)
SMALL = Workload(nodes=20, streams=5, filters_per_stream=8, bandwidth_factor=0.5)


def solved(problem: DeliveryProblem, algorithm: str, seed: int = 1) -> DeliveryResult:
    return plan(problem, algorithm, Generator(seed))


def best_of_all(problem: DeliveryProblem) -> float:
    """The best quality of all valid trees, each measured by itself."""
    sources = {stream.id: stream.source for stream in problem.streams}
    choices = [
        [sources[wanted.stream], *(other.node for other in problem.filters if other.stream == wanted.stream)]
        for wanted in problem.filters
    ]
    best = 0.0
    for parents in itertools.product(*choices):
        trees: dict[str, dict[str, str]] = {stream: {} for stream in sources}
        for wanted, parent in zip(problem.filters, parents, strict=True):
            trees[wanted.stream][wanted.node] = parent
        if not broken_conditions(problem, trees):
            best = max(best, measure(problem, trees).quality)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_optimal_is_the_best_of_all_trees(seed: int) -> None:
    problem = draw_problem(TINY, Generator(seed, "tiny"))
    made = solved(problem, "optimal")
    assert made.optimal
    assert made.quality == pytest.approx(best_of_all(problem), rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_better_than_optimal(seed: int) -> None:
    problem = draw_problem(TINY, Generator(seed, "few"))
    best = solved(problem, "optimal").quality
    found = {name: solved(problem, name).quality for name in ALGORITHMS}
    assert max(found.values()) <= best * (1 + 1e-9)
    assert min(found.values()) < best * 0.99, "the problem is too easy"


def test_optimal_refuses_what_is_too_large_and_names_the_limit() -> None:
    with pytest.raises(InputError, match=r"at most 2,000,000 sets of trees, and this has"):
        solved(draw_problem(SMALL, Generator(1)), "optimal")


@pytest.mark.parametrize("seed", range(3))
def test_triage_is_better_than_qasdg_and_needs_no_more_bandwidth(seed: int) -> None:
    problem = draw_problem(SMALL, Generator(seed, "small"))
    ours, theirs = solved(problem, "triage"), solved(problem, "qasdg")
    assert ours.quality > theirs.quality * 1.05
    assert ours.total_bandwidth <= theirs.total_bandwidth * (1 + 1e-9)
    assert ours.rounds > theirs.rounds


@pytest.mark.slow
def test_annealing_is_no_worse_than_where_it_starts_and_depends_on_its_seed_only() -> None:
    problem = draw_problem(SMALL, Generator(5, "small"))
    one, again, other = (solved(problem, "annealing", seed) for seed in (1, 1, 2))
    assert one == again
    assert one.trees != other.trees
    assert min(one.quality, other.quality) > solved(problem, "qasdg").quality
