from __future__ import annotations

from typing import Any

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.delivery.problem import DeliveryProblem, check_problem

PROBLEM: dict[str, Any] = {
    "blocks": 4,
    "nodes": [{"id": "p1", "upload": 10}, {"id": "p2"}, {"id": "p3"}],
    "links": [{"from": "p1", "to": "p2", "delay": 0.1}, {"from": "p2", "to": "p3", "delay": 0.2}],
    "streams": [{"id": "s1", "source": "p1", "rate": 8}],
    "filters": [{"node": "p2", "stream": "s1", "blocks": [0, 1]}, {"node": "p3", "stream": "s1", "blocks": [1]}],
}


def problem(**change: Any) -> DeliveryProblem:
    return msgspec.convert(PROBLEM | change, DeliveryProblem)


def test_a_problem_that_is_right_passes() -> None:
    check_problem(problem())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"blocks": 0}, "blocks: must be a positive number, not 0"),
        ({"processing_delay": -1}, "processing_delay: must be a number, zero or more, not -1.0"),
        ({"model": "physical", "default_delay": 1}, "default_delay: is only for the logical model"),
        ({"nodes": [{"id": "p1"}, {"id": "p1"}]}, "nodes[1]: id: 'p1' is there already"),
        ({"nodes": [{"id": "p1", "upload": 0}]}, "nodes[0]: upload: must be a positive number, not 0.0"),
        ({"links": [{"from": "p1", "to": "p9"}]}, "links[0]: to: there is no node 'p9'"),
        ({"links": [{"from": "p1", "to": "p1"}]}, "links[0]: leads from 'p1' to itself"),
        ({"links": [{"from": "p1", "to": "p2"}] * 2}, "links[1]: is the second link from 'p1' to 'p2'"),
        ({"links": [{"from": "p1", "to": "p2", "delay": -1}]}, "links[0]: delay: must be"),
        ({"links": [{"from": "p1", "to": "p2", "capacity": 0}]}, "links[0]: capacity: must be a positive"),
        ({"streams": [{"id": "s1", "source": "p0", "rate": 8}]}, "streams[0]: source: there is no node 'p0'"),
        ({"streams": [{"id": "s1", "source": "p1", "rate": -5}]}, "streams[0]: rate: must be a positive number"),
        ({"streams": PROBLEM["streams"] * 2}, "streams[1]: id: 's1' is there already"),
        ({"filters": []}, "filters: is empty"),
        ({"filters": [{"node": "p9", "stream": "s1", "blocks": [0]}]}, "filters[0]: node: there is no node 'p9'"),
        ({"filters": [{"node": "p2", "stream": "s9", "blocks": [0]}]}, "filters[0]: stream: there is no stream 's9'"),
        ({"filters": [{"node": "p1", "stream": "s1", "blocks": [0]}]}, "filters[0]: node: 'p1' is the source"),
        ({"filters": PROBLEM["filters"][:1] * 2}, "filters[1]: is the second filter of 'p2' on 's1'"),
        ({"filters": [{"node": "p2", "stream": "s1", "blocks": [0, 4]}]}, "filters[0]: there is no block 4"),
        (
            {"filters": [{"node": "p2", "stream": "s1", "blocks": [0], "quality": {"drop": 2}}]},
            "filters[0]: drop: must lie between 0 and 1",
        ),
        (
            {"filters": [{"node": "p2", "stream": "s1", "blocks": [0], "quality": {"delay": -2}}]},
            "filters[0]: delay: must be",
        ),
    ],
)
def test_mistakes_are_named_with_record_and_field(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        check_problem(problem(**change))
    assert str(caught.value).startswith(complaint)


def test_links_are_symmetric_unless_both_directions_are_listed() -> None:
    there, back = {"from": "p1", "to": "p2", "delay": 0.1}, {"from": "p2", "to": "p1", "delay": 0.9}
    one, both = problem(links=[there]), problem(links=[there, back])
    assert (one.delay("p1", "p2"), one.delay("p2", "p1")) == (0.1, 0.1)
    assert (both.delay("p1", "p2"), both.delay("p2", "p1")) == (0.1, 0.9)


def test_a_missing_link_has_the_default_delay_in_the_logical_model_only() -> None:
    assert problem().delay("p1", "p3") is None
    assert problem(default_delay=2).delay("p1", "p3") == 2
    assert problem(model="physical").delay("p1", "p3") is None
