from __future__ import annotations

from typing import Any

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.delivery.drops import arrivals
from distributary.delivery.model import measure
from distributary.delivery.planner import plan
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.trees import Trees, edges_of
from distributary.delivery.validity import broken_bandwidth, broken_conditions


def problem(*, links: list[dict[str, Any]] | None = None, **change: Any) -> DeliveryProblem:
    """Three nodes in a row, one stream of 8 bytes/s from the first; p2 wants half of it, p3 another quarter."""
    row = [{"from": "p1", "to": "p2", "delay": 0.1}, {"from": "p2", "to": "p3", "delay": 0.2}]
    body: dict[str, Any] = {
        "blocks": 4,
        "processing_delay": 0.01,
        "nodes": [{"id": f"p{number}"} for number in (1, 2, 3)],
        "links": row if links is None else links,
        "streams": [{"id": "s", "source": "p1", "rate": 8}],
        "filters": [
            {"node": "p2", "stream": "s", "blocks": [0, 1], "quality": {"drop": 0.1, "delay": 9}},
            {"node": "p3", "stream": "s", "blocks": [2], "quality": {"drop": 0.1, "delay": 0.3}},
        ],
    }
    return msgspec.convert(body | change, DeliveryProblem)


CHAIN: Trees = {"s": {"p2": "p1", "p3": "p2"}}


def test_a_link_carries_the_union_of_the_filters_below_it() -> None:
    assert [(edge.child, edge.depth, edge.bandwidth) for edge in edges_of(problem(), CHAIN)] == [
        ("p2", 1, 6.0),
        ("p3", 2, 2.0),
    ]


def test_delays_add_up_links_and_forwarding_nodes() -> None:
    measured = measure(problem(), CHAIN)
    assert [got.delay for got in measured.filters] == pytest.approx([0.11, 0.32])
    assert [got.quality for got in measured.filters] == [1.0, 0.5]
    assert measured.quality == pytest.approx(0.5**0.5)
    assert measured.total_bandwidth == 8.0


def test_uploads_and_downloads_shed_and_losses_pass_down() -> None:
    nodes = [{"id": "p1", "upload": 3}, {"id": "p2"}, {"id": "p3", "download": 0.5}]
    measured = measure(problem(nodes=nodes), CHAIN)
    assert measured.converged
    # p2 has half of what it is sent; p3 is offered half of its 2 bytes/s and takes half of that.
    assert [got.drop for got in measured.filters] == pytest.approx([0.5, 0.75], abs=1e-8)
    assert [got.quality for got in measured.filters] == pytest.approx([0.1, 0.5 * 0.1 / 0.75])
    assert measured.fairness == pytest.approx(2 * (6 / 3) ** 2 / 9)


def test_a_physical_link_is_shared_by_both_directions() -> None:
    links = [{"from": "p1", "to": "p2", "capacity": 6}]
    streams = [{"id": "s", "source": "p1", "rate": 8}, {"id": "t", "source": "p2", "rate": 4}]
    filters = [
        {"node": "p2", "stream": "s", "blocks": [0, 1, 2, 3]},
        {"node": "p1", "stream": "t", "blocks": [0, 1, 2, 3]},
    ]
    shared = problem(model="physical", links=links, streams=streams, filters=filters)
    trees = {"s": {"p2": "p1"}, "t": {"p1": "p2"}}
    halves = arrivals(shared, edges_of(shared, trees)).fractions
    assert list(halves.values()) == pytest.approx([0.5, 0.5], abs=1e-8)
    assert broken_bandwidth(shared, trees) == ["link p1 to p2: 12 of 6 bytes/s"]
    apart = problem(
        model="physical",
        links=[*links, {"from": "p2", "to": "p1", "capacity": 4}],
        streams=streams,
        filters=filters,
    )
    assert arrivals(apart, edges_of(apart, trees)).fractions == {
        ("s", "p2"): pytest.approx(0.75, abs=1e-8),
        ("t", "p1"): 1.0,
    }


def test_bandwidth_that_is_broken_is_named() -> None:
    nodes = [{"id": "p1", "upload": 5}, {"id": "p2", "upload": 2}, {"id": "p3", "download": 1}]
    assert broken_bandwidth(problem(nodes=nodes), CHAIN) == [
        "upload of p1: 6 of 5 bytes/s",
        "download of p3: 2 of 1 bytes/s",
    ]


@pytest.mark.parametrize(
    ("trees", "complaint"),
    [
        ({"s": {"p2": "p1"}}, "s: filter satisfaction: p3 has a filter and no parent"),
        ({}, "s: filter satisfaction: p2 has a filter and no parent"),
        ({"s": {"p2": "p1", "p3": "p1"}}, "s: stream forwarding: there is no link from p1 to p3"),
        ({"s": {"p2": "p3", "p3": "p2"}}, "s: no loop: p2 does not reach the source"),
        ({"s": {"p2": "p1", "p3": "p2"}, "t": {}}, "t: there is no such stream"),
        ({"s": {"p2": "p1", "p3": "p4"}}, "s: stream forwarding: p4 sends it to p3 and does not receive it"),
        ({"s": {"p2": "p1", "p3": "p2", "p4": "p1"}}, "s: stream forwarding: p4 receives it and has no filter"),
    ],
)
def test_conditions_that_are_broken_are_named(trees: Trees, complaint: str) -> None:
    assert complaint in broken_conditions(problem(), trees)


def test_valid_trees_break_nothing() -> None:
    assert broken_conditions(problem(), CHAIN) == []
    assert broken_bandwidth(problem(), CHAIN) == []


def test_brush_serves_every_node_from_the_source() -> None:
    assert plan(problem(default_delay=1), "brush", Generator(0)).trees == {"s": {"p2": "p1", "p3": "p1"}}


def test_chain_serves_every_node_from_the_last_that_joined() -> None:
    assert plan(problem(), "chain", Generator(0)).trees == CHAIN


def test_brush_without_a_link_from_the_source_is_refused() -> None:
    with pytest.raises(InputError, match=r"filters\[1\]: there is no link from 'p1', the source of 's', to 'p3'"):
        plan(problem(), "brush", Generator(0))
