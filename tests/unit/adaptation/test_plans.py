from __future__ import annotations

from typing import Any

import pytest

from distributary.adaptation.all_in_root import all_in_root
from distributary.adaptation.bounds import lower_bound
from distributary.adaptation.cost import ConversionPlan
from distributary.adaptation.planner import plan
from distributary.adaptation.problem import AdaptationProblem, Format, NodeFactor, Operator, TreeLink
from distributary.adaptation.validity import broken_rules
from distributary.core.errors import InputError
from distributary.core.generator import Generator

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


def test_all_in_root_makes_each_format_once_by_its_cheapest_path() -> None:
    made = all_in_root(PROBLEM)
    assert made.operators == {"N1": (("F0", "F1"), ("F1", "F2"))}
    assert made.formats == {("N1", "N2"): ("F1", "F2"), ("N2", "N3"): ("F2",), ("N2", "N4"): ("F1", "F2")}


def test_costs_are_scaled_by_the_factors_of_links_and_nodes() -> None:
    made = plan(PROBLEM, "all-in-root", Generator(1), alpha=2.0, beta=0.5)
    assert made.transmission == 2 * 14 + 4 + 14
    assert made.conversion == 3 * 17
    assert made.cost == 2.0 * 46 + 0.5 * 51


def test_the_lower_bound_takes_the_dearest_request_of_each_link() -> None:
    # Each link carries F2 at least, or something that it is made from; N4 asks for F1, whose least is 10.
    assert lower_bound(PROBLEM, 1.0, 0.0) == 2 * 10 + 4 + 10
    assert lower_bound(PROBLEM, 0.0, 1.0) == 0.5 * 17


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
    made = all_in_root(PROBLEM)
    parts: dict[str, Any] = {"formats": made.formats, "operators": made.operators}
    assert complaint in broken_rules(PROBLEM, ConversionPlan(**(parts | change)))


def test_the_all_in_root_plan_breaks_no_rule() -> None:
    assert broken_rules(PROBLEM, all_in_root(PROBLEM)) == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"algorithm": "magic"}, "algorithm: 'magic' is none of auto, "),
        ({"alpha": -1.0}, "alpha: must be a number, zero or more, not -1.0"),
        ({"beta": float("inf")}, "beta: must be a number"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(PROBLEM, arguments.pop("algorithm", "auto"), Generator(1), **arguments)
    assert str(caught.value).startswith(complaint)
