"""Growing trees as arrays against plain trees, and drops followed from a change against drops from nothing dropped."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distributary.core.generator import Generator
from distributary.core.subscriptions import Quality
from distributary.delivery.compiled.forest import NOWHERE, SOURCE, Forest, attach, detach, move
from distributary.delivery.compiled.settling import equilibrate, settle
from distributary.delivery.drops import arrivals
from distributary.delivery.model import measure, total_bandwidth
from distributary.delivery.network import grown, network_of, trees_of
from distributary.delivery.problem import DeliveryFilter, DeliveryNode, DeliveryProblem, DeliveryStream, Link
from distributary.delivery.qualities import quality_at
from distributary.delivery.trees import edges_of, path_to_source
from distributary.delivery.unfa import unfa

FIELDS = {"a": 1.0, "b": 2.5, "c": 4.0}


def drawn(
    seed: int, *, model: str = "logical", nodes: int = 9, streams: int = 4, fields: bool = False
) -> DeliveryProblem:
    """A problem that is short of bandwidth, with more than 64 blocks."""
    generator = Generator(seed, "growing")
    names = [f"p{number}" for number in range(nodes)]
    sources = [generator.choice(names[:3]) for _ in range(streams)]
    return DeliveryProblem(
        model="physical" if model == "physical" else "logical",
        blocks=70,
        processing_delay=0.01,
        fields=FIELDS if fields else {},
        nodes=tuple(DeliveryNode(name, generator.uniform(2e4, 2e5), generator.uniform(5e4, 2e5)) for name in names),
        links=tuple(
            Link(first, second, generator.uniform(0.01, 0.5), generator.uniform(1e4, 2e5))
            for place, first in enumerate(names)
            for second in names[place + 1 :]
        ),
        streams=tuple(
            DeliveryStream(f"s{number}", source, generator.uniform(5e4, 1e5)) for number, source in enumerate(sources)
        ),
        filters=tuple(
            DeliveryFilter(
                node,
                f"s{number}",
                frozenset(generator.sample(range(70), 1 + generator.below(70))),
                Quality(generator.uniform(0.01, 0.2), generator.uniform(0.2, 1.0)),
                frozenset(generator.sample(list(FIELDS), 1 + generator.below(3))) if fields else None,
            )
            for number, source in enumerate(sources)
            for node in generator.sample([name for name in names if name != source], nodes - 2)
        ),
    )


def is_below(forest: Forest, each: int, top: int) -> bool:
    while each != SOURCE:
        if each == top:
            return True
        each = int(forest.parent[each])
    return False


def change(forest: Forest, generator: Generator) -> None:
    """Attach, detach or move a filter, wherever it may go."""
    each = generator.below(len(forest.parent))
    tree = [other for other in range(len(forest.parent)) if forest.stream[other] == forest.stream[each]]
    joined = [other for other in tree if forest.parent[other] != NOWHERE]
    if forest.parent[each] == NOWHERE:
        attach(forest, each, generator.choice([SOURCE, *joined]))
    elif forest.first_child[each] < 0 and generator.below(3) == 0:
        detach(forest, each)
    else:
        move(
            forest, each, generator.choice([SOURCE, *(other for other in joined if not is_below(forest, other, each))])
        )


def assert_is_what_plain_trees_say(problem: DeliveryProblem, forest: Forest) -> None:
    trees = trees_of(problem, forest)
    number_of = {(wanted.stream, wanted.node): number for number, wanted in enumerate(problem.filters)}
    nodes = {node.id: number for number, node in enumerate(problem.nodes)}
    edges = edges_of(problem, trees)
    forwarded = np.zeros(len(nodes))
    for edge in edges:
        each = number_of[edge.stream, edge.child]
        assert forest.load[each] == pytest.approx(edge.bandwidth)
        assert forest.depth[each] == edge.depth
        hops = [problem.delay(*hop) or 0.0 for hop in path_to_source(problem, trees, edge.stream, edge.child)]
        assert forest.delay[each] == pytest.approx(math.fsum(hops) + len(hops) * problem.processing_delay)
        forwarded[nodes[edge.parent]] += edge.bandwidth
    assert forest.forwarded[0] == pytest.approx(forwarded, abs=1e-4)
    assert forest.forwarded[1:].sum(axis=0) == pytest.approx(forwarded, abs=1e-4)
    assert forest.served[0].sum() == len(edges) == forest.joined.sum()
    plain = arrivals(problem, edges)
    assert plain.converged
    for key, fraction in plain.fractions.items():
        assert forest.kept[number_of[key]] == pytest.approx(fraction, abs=1e-7)


@pytest.mark.parametrize("fields", [False, True])
@pytest.mark.parametrize("model", ["logical", "physical"])
@pytest.mark.parametrize("seed", range(3))
def test_after_any_changes_arrays_say_what_plain_trees_say(seed: int, model: str, *, fields: bool) -> None:
    problem = drawn(seed, model=model, fields=fields)
    generator, forest = Generator(seed, "changes"), network_of(problem).forest
    for turn in range(60):
        change(forest, generator)
        assert equilibrate(forest)
        if turn % 10 == 9:
            assert_is_what_plain_trees_say(problem, forest)


@pytest.mark.parametrize("seed", range(4))
def test_following_changes_ends_where_sweeps_end(seed: int) -> None:
    generator, forest = Generator(seed, "following"), network_of(drawn(seed, nodes=25, streams=8)).forest
    for _ in range(150):
        change(forest, generator)
    for _ in range(150):
        change(forest, generator)
        assert equilibrate(forest)
        followed = forest.kept.copy()
        assert settle(forest)
        there = forest.parent != NOWHERE
        assert followed[there] == pytest.approx(forest.kept[there], abs=1e-8)
    assert (forest.kept[there] < 0.9).any()


@pytest.mark.parametrize("fields", [False, True])
@pytest.mark.parametrize("model", ["logical", "physical"])
def test_measures_are_those_of_plain_trees(model: str, *, fields: bool) -> None:
    problem = drawn(7, model=model, fields=fields)
    network = network_of(problem)
    unfa(network, everywhere=True)
    trees = trees_of(problem, network.forest)
    measured, edges = measure(problem, trees), edges_of(problem, trees)
    plain = arrivals(problem, edges).fractions
    assert measured.total_bandwidth == pytest.approx(math.fsum(edge.bandwidth for edge in edges))
    for got, wanted in zip(measured.filters, problem.filters, strict=True):
        assert got.drop == pytest.approx(1.0 - plain[got.stream, got.node], abs=1e-8)
        assert got.quality == quality_at(wanted.pieces, got.drop, got.delay)
    assert any(got.drop > 0.1 for got in measured.filters)


def test_trees_are_grown_again_from_parents() -> None:
    problem = drawn(3)
    network = network_of(problem)
    unfa(network, everywhere=False)
    trees = trees_of(problem, network.forest)
    again, converged = grown(problem, trees)
    assert converged
    assert trees_of(problem, again.forest) == trees
    assert total_bandwidth(again.forest) == pytest.approx(total_bandwidth(network.forest))
