"""The studies of paper 001: what is drawn, what a sample measures, and that claims can fail."""

from __future__ import annotations

import numpy as np
import pytest

from distributary.core.generator import Generator
from distributary.delivery.network import network_of
from distributary.delivery.planner import plan
from distributary.experiments.catalogue import STUDIES
from distributary.experiments.delivery.building import ALL, MEASURES, advantage, measure, never_more_bandwidth
from distributary.experiments.delivery.workload import Drawn, Workload
from distributary.experiments.study import Sampled, Study

SMALL = Workload(nodes=12, streams=3, filters_per_stream=5, bandwidth_factor=0.5)
OURS = {name: study for name, study in STUDIES.items() if name.startswith("delivery/")}


@pytest.mark.parametrize("same_delay", [None, 0.1])
def test_the_network_that_is_drawn_is_that_of_the_problem(same_delay: float | None) -> None:
    drawn = Drawn(Workload(nodes=12, streams=3, filters_per_stream=5, same_delay=same_delay), Generator(3))
    ours, read = drawn.network(), network_of(drawn.problem())
    for name, value in ours.forest._asdict().items():
        if name != "work":
            assert np.array_equal(value, getattr(read.forest, name)), name
    for name, value in ours.qualities._asdict().items():
        assert np.array_equal(value, getattr(read.qualities, name)), name
    assert ours.mean_delay() == pytest.approx(read.mean_delay())


def test_draws_are_those_of_table_2() -> None:
    problem = Drawn(Workload(), Generator(1)).problem()
    assert (len(problem.nodes), len(problem.streams), len(problem.filters)) == (100, 20, 600)
    assert all(62_500 <= (node.upload or 0) < 312_500 for node in problem.nodes)
    assert all(125_000 <= (node.download or 0) < 625_000 for node in problem.nodes)
    assert all(50_000 <= stream.rate < 100_000 for stream in problem.streams)
    assert all(0.01 <= link.delay < 0.5 for link in problem.links)
    kinds = [len({wanted.blocks for wanted in problem.filters if wanted.stream == s.id}) for s in problem.streams]
    assert max(kinds) <= 4
    assert all(1 <= len(wanted.blocks) <= 10 for wanted in problem.filters)


def test_a_sample_measures_what_the_planner_does() -> None:
    found = measure(SMALL, 7)
    assert tuple(found) == MEASURES
    problem = Drawn(SMALL, Generator(7)).problem()
    for algorithm in ALL:
        made = plan(problem, algorithm, Generator(0))
        assert found[f"{algorithm}_quality"] == pytest.approx(made.quality, rel=1e-6)
        assert found[f"{algorithm}_bandwidth"] * 1e6 == pytest.approx(made.total_bandwidth)
        assert found[f"{algorithm}_fairness"] == pytest.approx(made.fairness)
        assert found[f"{algorithm}_delay_variance"] == pytest.approx(made.delay_variance)
        assert found[f"{algorithm}_rounds"] == made.rounds


def table(study: Study, **means: float) -> list[Sampled]:
    """All algorithms alike at all points, but for the measures that are named."""
    values = dict.fromkeys(study.measures, 0.5) | means
    return [Sampled(point, {name: [value] * 5 for name, value in values.items()}) for point in study.points]


@pytest.mark.parametrize("study", OURS.values(), ids=OURS)
def test_claims_that_do_not_hold_are_said_not_to(study: Study) -> None:
    claims = study.claims(table(study, brush_bandwidth=0.3, triage_bandwidth=0.6, chain_bandwidth=0.9))
    assert any(not claim.holds for claim in claims)
    assert all(chart.lines for chart in study.charts(table(study)))


def test_an_advantage_is_over_the_best_of_those_that_do_not_go_by_quality() -> None:
    study = OURS["delivery/nodes"]
    point = table(study, qasdg_quality=0.9, unfas_quality=0.6, chain_quality=0.3)[0]
    assert advantage(point) == pytest.approx(0.5)
    assert not never_more_bandwidth([table(study, triage_bandwidth=0.51)[0]]).holds
    assert never_more_bandwidth([table(study, triage_bandwidth=0.5)[0]]).holds
