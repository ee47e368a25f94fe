"""Every study: what it declares, that its samples are what it declares, and that its claims can hold and can fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.catalogue import STUDIES, of_the_same_rows, study_of
from distributary.experiments.drawing import draw
from distributary.experiments.merging.heuristics import measure
from distributary.experiments.merging.planning import Merging
from distributary.experiments.queries import Workload
from distributary.experiments.study import Point, Sampled, Study, falls, rises, seed_of

#: The studies of merging; those of piggybacked hints measure time, and are tested in `test_piggyback`.
MERGING = {name: study for name, study in STUDIES.items() if name.startswith("merging/")}
EVERY = pytest.mark.parametrize("study", MERGING.values(), ids=MERGING)


def table(study: Study, measured: Callable[[Point], Mapping[str, float]], samples: int = 20) -> list[Sampled]:
    """Make up a table in which every sample at a point measures the same."""
    found = []
    for point in study.points:
        values = measured(point)
        found.append(Sampled(point, {measure: [values[measure]] * samples for measure in study.measures}))
    return found


def as_the_paper_says(study: Study, point: Point) -> Mapping[str, float]:
    """Return what a study would measure at a point if all were as in the paper."""
    queries = float(point.get("queries", 0.0))
    match study.name:
        case "merging/sensitivity":
            factor = float(point["factor"])
            fallen = {"K_M": 10 * factor, "K_T": 5 * (1 - math.exp(-4 * factor)), "K_U": -factor}[str(point["price"])]
            return {"merged_queries": 60 - fallen}
        case "merging/directed":
            starts = float(point["starts"])
            return {"better": 0.1 + 0.002 * starts, "worse": 0.0, "gain": 0.01}
        case "merging/optimality" | "merging/distance" | "merging/suboptimal-distance":
            more = max(0.0, queries - 7)
            return {
                "pair_optimal": 1 - 0.05 * (queries - 3),
                "directed_optimal": 1 - 0.01 * (queries - 3),
                "pair_distance": 0.1 * queries,
                "directed_distance": 0.01 * more,
                "pair_suboptimal": 20 - queries,
                "directed_suboptimal": 1 + more if more else math.nan,
            }
        case "merging/total-cost":
            merged = {"pair": 0.7, "directed": 0.699, "clustering": 0.7, "clustering_exact": 0.7}
            return {name: queries * each for name, each in merged.items()} | {"none": queries, "saved": 0.3 * queries}
        case "merging/operations":
            counts = {"pair": 1.0, "directed": 5.0, "clustering": 0.2, "clustering_exact": 0.4}
            others = ("clustering_clusters", "clustering_exact_clusters", "pair_moves", "directed_moves")
            return {name: each * queries**2 for name, each in counts.items()} | dict.fromkeys(others, 1.0)
        case "merging/clustering-factor":
            return {"unmerged": 3.0, "merged": 2.0 - float(point["clustered"]), "saved": 1 + float(point["clustered"])}
        case _:
            raise AssertionError(study.name)


def the_other_way_round(study: Study, point: Point) -> Mapping[str, float]:
    """Return what a study would measure at a point if nothing were as in the paper."""
    queries = float(point.get("queries", 0.0))
    measured = dict(as_the_paper_says(study, point))
    match study.name:
        case "merging/sensitivity":
            slope = {"K_M": 1.0, "K_T": 1.0, "K_U": -5.0}[str(point["price"])]
            measured |= {"merged_queries": 60 - slope * float(point["factor"])}
        case "merging/directed":
            measured |= {"better": 0.5 - 0.001 * float(point["starts"]), "worse": 1.0}
        case "merging/optimality":
            measured |= {"pair_optimal": 0.8 + 0.01 * queries, "directed_optimal": 0.7 + 0.01 * queries}
        case "merging/distance":
            measured |= {"pair_distance": 20 - queries, "directed_distance": 21 - queries}
        case "merging/suboptimal-distance":
            measured |= {"pair_suboptimal": queries, "directed_suboptimal": 20 - queries}
        case "merging/total-cost":
            measured |= {"directed": 0.6 * queries, "clustering": 0.8 * queries, "saved": -queries}
        case "merging/operations":
            measured |= {"pair": 2 * queries**2, "clustering": 2 * queries**2, "directed": queries**3}
        case _:
            measured |= {"saved": -float(point["clustered"])}
    return measured


@EVERY
def test_study_is_well_formed(study: Study) -> None:
    assert STUDIES[study.name] is study_of(study.name) is study
    assert study.name.startswith("merging/")
    assert "figure" in study.title
    assert study.samples >= 1
    assert len({tuple(point.items()) for point in study.points}) == len(study.points)
    for point in study.points:
        assert [(name, type(value)) for name, value in point.items()] == [
            (name, type(value)) for name, value in study.points[0].items()
        ]
    assert not {*study.points[0], *study.measures} & {"place", "sample"}


@EVERY
def test_claims_hold_where_all_is_as_the_paper_says(study: Study) -> None:
    claims = study.claims(table(study, lambda point: as_the_paper_says(study, point)))
    assert [claim.claim for claim in claims if not claim.holds] == []
    assert len({claim.claim for claim in claims}) == len(claims) >= 2
    for claim in claims:
        assert claim.paper
        assert "nan" not in claim.ours


@EVERY
def test_claims_fail_where_all_is_the_other_way_round(study: Study) -> None:
    claims = study.claims(table(study, lambda point: the_other_way_round(study, point)))
    assert [claim.claim for claim in claims if claim.holds] == []


@EVERY
def test_claims_are_made_of_a_table_without_variance_or_with_one_sample(study: Study) -> None:
    for samples in (1, 2):
        claims = study.claims(table(study, lambda _: dict.fromkeys(study.measures, 1.0), samples))
        assert not all(claim.holds for claim in claims)


@pytest.mark.slow
@EVERY
def test_two_samples_measure_what_the_study_declares_and_again_the_same(study: Study) -> None:
    point = min(study.points, key=lambda each: (float(each.get("queries", 0)), float(each.get("starts", 0))))
    for number in range(2):
        seed = seed_of(study, point, number, 7)
        measured = study.sample(point, seed)
        assert tuple(measured) == study.measures
        assert all(isinstance(value, float) for value in measured.values())
        assert repr(study.sample(point, seed)) == repr(measured)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["merging/total-cost", "merging/operations", "merging/clustering-factor"])
def test_samples_at_the_last_point_keep_the_order_that_theory_gives(name: str) -> None:
    study = study_of(name)
    measured = study.sample(study.points[-1], 11)
    if name == "merging/total-cost":
        assert measured["directed"] <= measured["pair"] <= measured["clustering_exact"] + 1e-9 <= measured["none"] + 1
        assert measured["saved"] == pytest.approx(measured["none"] - measured["pair"])
    elif name == "merging/operations":
        assert measured["clustering"] <= measured["clustering_exact"] <= measured["pair"] <= measured["directed"]
    else:
        assert 0 < measured["saved"] == pytest.approx(measured["unmerged"] - measured["merged"])


@pytest.mark.slow
def test_the_distance_is_the_papers_and_counted_as_suboptimal_only_where_the_optimum_was_missed() -> None:
    seen = set()
    for seed in range(30):
        generator = Generator(seed)
        measured = measure({"queries": 12.0}, seed)
        merging = Merging(Workload(12), generator)
        cost = {name: merging.cost(name) for name in ("none", "pair", "partition")}
        distance = 100 * (cost["pair"] - cost["partition"]) / (cost["none"] - cost["partition"])
        missed = distance > 1e-6
        seen.add(missed)
        assert measured["pair_distance"] == pytest.approx(distance, abs=1e-6)
        assert measured["pair_optimal"] == float(not missed)
        assert math.isnan(measured["pair_suboptimal"]) is not missed
        assert measured["directed_distance"] <= measured["pair_distance"]
    assert seen == {False, True}


def test_seeds_differ_by_every_part_and_are_shared_by_the_three_studies_of_the_optimum() -> None:
    study, other = study_of("merging/sensitivity"), study_of("merging/clustering-factor")
    point = study.points[0]
    seeds = [
        seed_of(study, point, 0, 0),
        seed_of(study, point, 1, 0),
        seed_of(study, point, 0, 1),
        seed_of(study, study.points[1], 0, 0),
        seed_of(other, point, 0, 0),
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 < seed < 2**63 for seed in seeds)
    assert seed_of(study, {name: point[name] for name in reversed(list(point))}, 0, 0) == seeds[0]
    three = [study_of(f"merging/{name}") for name in ("optimality", "distance", "suboptimal-distance")]
    assert len({seed_of(each, each.points[4], 3, 2) for each in three}) == 1


def test_only_the_three_studies_of_the_optimum_have_the_same_rows() -> None:
    three = ["merging/optimality", "merging/distance", "merging/suboptimal-distance"]
    for name, study in STUDIES.items():
        others = [other.name for other in of_the_same_rows(study)]
        assert others == ([other for other in three if other != name] if name in three else [])


def test_an_unknown_study_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(InputError, match="'merging/magic' is none of merging/sensitivity, "):
        study_of("merging/magic")


def made(*means: tuple[float, float]) -> list[Sampled]:
    """Make points of two samples each, a deviation to each side of the mean: the standard error is the deviation."""
    return [Sampled({}, {"m": [mean - error, mean + error]}) for mean, error in means]


def test_rises_allows_what_two_standard_errors_may_hide_and_no_more() -> None:
    assert rises(made((0, 0.1), (1, 0.1), (0.8, 0.1), (2, 0.1)), "m")
    assert not rises(made((0, 0.1), (1, 0.1), (0.6, 0.1), (2, 0.1)), "m")
    assert not rises(made((0, 1.0), (1, 1.0)), "m")
    assert not rises(made((1, 0.0), (1, 0.0)), "m")
    assert rises(made((0, 0), (0, 0), (1, 0)), "m")
    assert falls(made((2, 0.1), (1, 0.1)), "m")
    assert not falls(made((1, 0.1), (2, 0.1)), "m")
    assert not rises([Sampled({}, {"m": [0.0]}), Sampled({}, {"m": [math.nan]}), Sampled({}, {"m": [1.0]})], "m")


def test_means_leave_out_what_is_missing() -> None:
    point = Sampled({"x": 2}, {"m": [1.0, math.nan, 3.0], "none": [math.nan]})
    assert (point.mean("m"), point.error("m"), point.number("x")) == (2.0, 1.0, 2.0)
    assert math.isnan(point.mean("none"))


@pytest.mark.slow
@EVERY
def test_charts_are_drawn_with_the_same_bytes_each_time(study: Study) -> None:
    charts = study.charts(table(study, lambda point: as_the_paper_says(study, point)))
    assert all(line.xs and len(line.xs) == len(line.ys) for chart in charts for line in chart.lines)
    svg = draw(study.title, charts, "svg")
    assert svg == draw(study.title, charts, "svg")
    assert study.title.encode() in svg
    assert len(svg) < 100_000
    assert draw(study.title, charts, "png").startswith(b"\x89PNG")
