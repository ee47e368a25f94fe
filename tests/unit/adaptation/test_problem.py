from __future__ import annotations

from typing import Any

import msgspec
import pytest

from distributary.adaptation.problem import AdaptationProblem, check_problem
from distributary.core.errors import InputError

PROBLEM: dict[str, Any] = {
    "source": "F0",
    "formats": [{"id": "F0", "cost": 30}, {"id": "F1", "cost": 10}, {"id": "F2", "cost": 1}],
    "operators": [{"from": "F0", "to": "F1", "cost": 12}],
    "root": "N1",
    "links": [{"from": "N1", "to": "N2"}, {"from": "N2", "to": "N3", "factor": 2}],
    "requests": {"N2": ["F1"], "N3": ["F0", "F1"]},
}


def problem(**change: Any) -> AdaptationProblem:
    return msgspec.convert(PROBLEM | change, AdaptationProblem)


def test_a_problem_that_is_right_passes() -> None:
    check_problem(problem(nodes=[{"id": "N3", "factor": 0.5}]))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"source": "F9"}, "source: there is no format 'F9'"),
        ({"formats": PROBLEM["formats"] * 2}, "formats[3]: id: 'F0' is there already"),
        ({"formats": [{"id": "F0", "cost": -1}]}, "formats[0]: cost: must be a number, zero or more, not -1.0"),
        ({"operators": [{"from": "F0", "to": "F9", "cost": 1}]}, "operators[0]: to: there is no format 'F9'"),
        ({"operators": [{"from": "F9", "to": "F0", "cost": 1}]}, "operators[0]: from: there is no format 'F9'"),
        ({"operators": [{"from": "F0", "to": "F0", "cost": 1}]}, "operators[0]: converts 'F0' into itself"),
        ({"operators": [{"from": "F0", "to": "F1", "cost": -1}]}, "operators[0]: cost: must be"),
        ({"operators": PROBLEM["operators"] * 2}, "operators[1]: is the second from 'F0' to 'F1'"),
        ({"links": [{"from": "N1", "to": "N2"}, {"from": "N2", "to": "N1"}]}, "links[1]: to: leads into the root 'N1'"),
        ({"links": [{"from": "N1", "to": "N2"}] * 2}, "links[1]: to: 'N2' has the parent 'N1' already"),
        (
            {"links": [{"from": "N2", "to": "N3"}, {"from": "N3", "to": "N2"}]},
            "links[0]: to: 'N3' is not reached from the root 'N1'",
        ),
        ({"links": [{"from": "N7", "to": "N2"}]}, "links[0]: to: 'N2' is not reached from the root 'N1'"),
        ({"links": [{"from": "N1", "to": "N2", "factor": -1}]}, "links[0]: factor: must be"),
        ({"nodes": [{"id": "N9"}]}, "nodes[0]: id: there is no node 'N9'"),
        ({"nodes": [{"id": "N1"}] * 2}, "nodes[1]: id: 'N1' is there already"),
        ({"nodes": [{"id": "N1", "factor": -1}]}, "nodes[0]: factor: must be"),
        ({"requests": {"N9": ["F1"]}}, "requests['N9']: there is no node 'N9'"),
        ({"requests": {"N2": ["F9"]}}, "requests['N2']: there is no format 'F9'"),
        ({"requests": {"N2": ["F2"]}}, "requests['N2']: no operators make the format 'F2' from 'F0'"),
    ],
)
def test_mistakes_are_named_with_record_and_field(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        check_problem(problem(**change))
    assert str(caught.value).startswith(complaint)


def test_requested_below_unites_a_node_with_all_below_it() -> None:
    assert problem().requested_below == {"N3": {"F0", "F1"}, "N2": {"F0", "F1"}, "N1": {"F0", "F1"}}
