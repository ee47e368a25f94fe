from __future__ import annotations

from typing import Any

import pytest

from distributary.adaptation.all_in_leaves import all_in_leaves
from distributary.adaptation.all_in_root import all_in_root
from distributary.adaptation.bounds import link_bounds, lower_bound
from distributary.adaptation.compiled.instance import PlanArrays
from distributary.adaptation.cost import ConversionPlan
from distributary.adaptation.numbering import number
from distributary.adaptation.planner import plan
from distributary.adaptation.problem import AdaptationProblem, Format, NodeFactor, Operator, TreeLink
from distributary.adaptation.settings import AdaptationSettings
from distributary.adaptation.single_format import single_format
from distributary.adaptation.steiner import ConversionTrees
from distributary.adaptation.validity import broken_rules
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult

#: F0 makes F1 cheaply and F2 best by way of F1; N1 - N2 - {N3, N4}.
PROBLEM = AdaptationProblem(
    source="F0",
    formats=(Format("F0", 30.0), Format("F1", 10.0), Format("F2", 4.0)),
    operators=(Operator("F0", "F2", 50.0), Operator("F0", "F1", 12.0), Operator("F1", "F2", 5.0)),
    root="N1",
    links=(TreeLink("N1", "N2", 2.0), TreeLink("N2", "N3"), TreeLink("N2", "N4")),
    nodes=(NodeFactor("N1", 3.0), NodeFactor("N3", 0.5)),
    requests={"N3": ("F2",), "N4": ("F2", "F1")},
)
NUMBERED = number(PROBLEM, 1.0, 1.0)
TREES = ConversionTrees(NUMBERED.instance.price)


def planned(problem: AdaptationProblem = PROBLEM, **options: Any) -> AdaptationResult:
    return plan(problem, AdaptationSettings(**options), lambda: 0.0, Generator(1))


def named(made: PlanArrays) -> ConversionPlan:
    return NUMBERED.named(made)


def test_all_in_root_makes_each_format_once_by_the_cheapest_operators() -> None:
    made = named(all_in_root(NUMBERED.instance, TREES))
    assert made.operators == {"N1": (("F0", "F1"), ("F1", "F2"))}
    assert made.formats == {("N1", "N2"): ("F1", "F2"), ("N2", "N3"): ("F2",), ("N2", "N4"): ("F1", "F2")}


def test_all_in_leaves_sends_the_published_format_everywhere() -> None:
    made = named(all_in_leaves(NUMBERED.instance, TREES))
    operators = (("F0", "F1"), ("F1", "F2"))
    assert made.operators == {"N3": operators, "N4": operators}
    assert set(made.formats.values()) == {("F0",)}


def test_single_format_sends_the_smallest_that_everything_below_can_be_made_of() -> None:
    made = named(single_format(NUMBERED.instance, TREES))
    assert made.formats == {("N1", "N2"): ("F1",), ("N2", "N3"): ("F2",), ("N2", "N4"): ("F1",)}
    assert made.operators == {"N1": (("F0", "F1"),), "N2": (("F1", "F2"),), "N4": (("F1", "F2"),)}


def test_the_optimum_makes_the_small_format_where_it_is_cheap() -> None:
    # F1 is made at the root (36), where the source's format would cost 60 on the first link; F2 once, at N2.
    made = planned(algorithm="optimal")
    assert (made.transmission, made.conversion, made.optimal) == (2 * 10 + 4 + 14, 36 + 5, True)
    assert made.lower_bound == made.cost


def test_costs_are_scaled_by_the_factors_of_links_and_nodes() -> None:
    made = planned(algorithm="all-in-root", alpha=2.0, beta=0.5)
    assert made.transmission == 2 * 14 + 4 + 14
    assert made.conversion == 3 * 17
    assert made.cost == 2.0 * 46 + 0.5 * 51


def test_the_lower_bound_adds_the_dearest_request_of_each_link_and_one_steiner_tree() -> None:
    # Each link carries F2 at least, or something that it is made from; N4 asks for F1, whose least is 10.
    assert sorted(link_bounds(NUMBERED.instance).tolist()) == [0, 4, 10, 20]
    assert lower_bound(NUMBERED.instance) == 2 * 10 + 4 + 10 + 0.5 * 17


def test_iterations_end_the_refinement() -> None:
    whole = planned(algorithm="iterative")
    start = planned(algorithm="iterative", iterations=0)
    assert whole.cost < start.cost
    starts = ("all-in-root", "all-in-leaves", "single-format")
    assert start.cost == min(planned(algorithm=name).cost for name in starts)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"operators": {}}, "N1 to N2: sends F1, F2 that is not there"),
        ({"operators": {"N1": (("F1", "F2"), ("F0", "F1"))}}, "N1: the operator from F1 to F2 has no input"),
        ({"operators": {"N1": (("F0", "F1"), ("F1", "F2"), ("F2", "F0"))}}, "N1: there is no operator from F2 to F0"),
        ({"operators": {"N9": ()}}, "there is no node N9"),
        ({"formats": {("N1", "N2"): ("F1", "F2"), ("N2", "N3"): ("F2",)}}, "N4: lacks F2, F1"),
        ({"formats": {("N1", "N3"): ("F2",)}}, "there is no link N1 to N3"),
    ],
)
def test_rules_that_are_broken_are_named(change: dict[str, Any], complaint: str) -> None:
    made = named(all_in_root(NUMBERED.instance, TREES))
    parts: dict[str, Any] = {"formats": made.formats, "operators": made.operators}
    assert broken_rules(PROBLEM, made) == []
    assert complaint in broken_rules(PROBLEM, ConversionPlan(**(parts | change)))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"algorithm": "magic"}, "algorithm: 'magic' is none of auto, "),
        ({"alpha": -1.0}, "alpha: must be a number, zero or more, not -1.0"),
        ({"beta": float("inf")}, "beta: must be a number"),
        ({"iterations": -1}, "iterations: must be at least 0"),
        ({"select": "luck"}, "select: 'luck' is none of slack, random"),
        ({"depth": 0}, "depth: must be at least 1"),
        ({"time_limit": 0.0}, "time_limit: must be a positive number of seconds"),
    ],
)
def test_what_cannot_be_planned_is_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        planned(**options)
    assert str(caught.value).startswith(complaint)


def test_costs_that_have_no_finite_sum_are_refused() -> None:
    huge = AdaptationProblem("F0", (Format("F0", 1e308),), "N0", {"N1": ("F0",)}, links=(TreeLink("N0", "N1", 100.0),))
    with pytest.raises(InputError, match="too large to be added up"):
        planned(huge)
