"""The studies of hints: what they declare, that claims can hold and can fail, and that a small chain measures sense."""

from __future__ import annotations

import pytest

from distributary.core.generator import Generator
from distributary.experiments.catalogue import STUDIES, study_of
from distributary.experiments.drawing import draw
from distributary.experiments.piggyback.timing import measure
from distributary.experiments.piggyback.workload import Workload, chain_of, draw_documents, workload_of
from distributary.experiments.study import Point, Sampled, Study

HINTS = {name: study for name, study in STUDIES.items() if name.startswith("piggyback/")}
EVERY = pytest.mark.parametrize("study", HINTS.values(), ids=HINTS)


def table(study: Study, good: bool) -> list[Sampled]:
    """Make up a table in which all is as the paper says, or nothing."""
    made = []
    for point in study.points:
        measured = {**dict.fromkeys(study.measures, 0.05), **_measured(study, point, good)}
        made.append(Sampled(point, {name: [measured[name]] * 3 for name in study.measures}))
    return made


def _measured(study: Study, point: Point, good: bool) -> dict[str, float]:
    share: dict[str, float] = {"header_share": 0.05 if good else 0.07, "header_bytes": 100.0}
    if study.name == "piggyback/chain":
        times = {"conventional_below": 100.0, "hinted_below": 20.0 if good else 90.0}
        return times | share | _along(good)
    everything = point["variant"] in {"all", "chosen"}
    if good:
        read = 0.2 if everything or "PD" in str(point["variant"]) else 0.9
        return share | {"tested": 0.01 if everything else 0.5, "read": read, "hinted": 40.0}
    return share | {"tested": 1.1 if everything else 1.0, "read": 1.0, "hinted": 50.0 + (point["variant"] == "chosen")}


def _along(good: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    for place in range(1, 7):
        found[f"conventional_{place}"] = 100.0
        found[f"hinted_{place}"] = 105.0 if place == 1 else 20.0
        if not good:
            found[f"hinted_{place}"] = 120.0
    return found


def test_there_are_studies_of_chains_and_of_annotations() -> None:
    assert list(HINTS) == ["piggyback/chain", "piggyback/annotations"]


@EVERY
def test_study_is_well_formed(study: Study) -> None:
    assert study_of(study.name) is study
    assert "paper 002" in study.title
    assert len({tuple(point.items()) for point in study.points}) == len(study.points)
    for point in study.points:
        assert [(name, type(value)) for name, value in point.items()] == [
            (name, type(value)) for name, value in study.points[0].items()
        ]
    assert not {*study.points[0], *study.measures} & {"place", "sample"}


@EVERY
def test_claims_hold_where_all_is_as_the_paper_says(study: Study) -> None:
    claims = study.claims(table(study, good=True))
    assert [claim.claim for claim in claims if not claim.holds] == []
    assert len({claim.claim for claim in claims}) == len(claims)


@EVERY
def test_claims_fail_where_nothing_is(study: Study) -> None:
    claims = study.claims(table(study, good=False))
    assert [claim.claim for claim in claims if claim.holds] == []


@pytest.mark.slow
@EVERY
def test_charts_are_drawn_with_the_same_bytes_each_time(study: Study) -> None:
    charts = study.charts(table(study, good=True))
    assert all(len(line.xs) == len(line.ys) > 0 for chart in charts for line in chart.lines)
    assert draw(study.title, charts, "svg") == draw(study.title, charts, "svg")


def test_workload_is_that_of_the_point() -> None:
    study = study_of("piggyback/chain")
    assert workload_of(study.points[0]) == Workload(6, 1000, 0.01, 9000)
    assert max(workload_of(point).subscriptions for point in study.points) == 10_000


@pytest.mark.slow
def test_chain_with_hints_tests_a_small_part_and_sends_the_documents_where_the_other_does() -> None:
    chain = chain_of(Workload(3, 60, 0.1, 3000))
    assert chain_of(Workload(3, 60, 0.1, 3000)) is chain
    documents = draw_documents(chain, Generator(1), 5)
    assert documents == draw_documents(chain, Generator(1), 5)
    found = measure(chain, documents)
    assert len(found) == 3
    assert (found[0].header_bytes, found[0].tested, found[0].read) == (0.0, 1.0, 1.0)
    for each in found[1:]:
        assert 0 < each.header_share <= 0.06
        assert each.tested < 0.7
        assert min(each.conventional, each.hinted) > 0
    again = measure(chain, documents)
    assert [(each.tested, each.read, each.header_bytes) for each in again] == [
        (each.tested, each.read, each.header_bytes) for each in found
    ]


@pytest.mark.slow
@EVERY
def test_sample_measures_what_the_study_declares(study: Study) -> None:
    few = [point for point in study.points if point["subscriptions"] == 100.0]
    for point in few[:2]:
        measured = study.sample(point, 7)
        assert tuple(measured) == study.measures
        assert all(isinstance(value, float) for value in measured.values())
