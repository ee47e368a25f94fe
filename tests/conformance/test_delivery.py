"""What every construction algorithm promises; algorithms join by standing in the table."""

from __future__ import annotations

import math
import statistics

import pytest

from distributary.core.generator import Generator
from distributary.core.results import DeliveryResult
from distributary.core.subscriptions import Quality
from distributary.delivery.planner import ALGORITHMS, plan
from distributary.delivery.problem import DeliveryFilter, DeliveryNode, DeliveryProblem, DeliveryStream, Link
from distributary.delivery.validity import broken_conditions

pytestmark = pytest.mark.parametrize("algorithm", list(ALGORITHMS))


def drawn(seed: int, *, nodes: int = 8, streams: int = 2, model: str = "logical") -> DeliveryProblem:
    generator = Generator(seed, "delivery")
    names = [f"p{number}" for number in range(nodes)]
    sources = [generator.choice(names) for _ in range(streams)]
    return DeliveryProblem(
        model="physical" if model == "physical" else "logical",
        blocks=10,
        processing_delay=0.01,
        nodes=tuple(DeliveryNode(name, generator.uniform(5e3, 4e4), generator.uniform(5e4, 3e5)) for name in names),
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
                frozenset(generator.sample(range(10), 1 + generator.below(10))),
                Quality(generator.uniform(0.01, 0.2), generator.uniform(0.2, 1.0)),
            )
            for number, source in enumerate(sources)
            for node in generator.sample([name for name in names if name != source], nodes // 2)
        ),
    )


def solved(problem: DeliveryProblem, algorithm: str) -> DeliveryResult:
    return plan(problem, algorithm, Generator(3))


def carried(problem: DeliveryProblem, trees: dict[str, dict[str, str]]) -> dict[tuple[str, str], float]:
    """Bytes per second into each node of each stream, from the trees alone."""
    rates = {stream.id: stream.rate for stream in problem.streams}
    found = {}
    for stream, tree in trees.items():
        for node in tree:
            below = {
                wanted.node for wanted in problem.filters if wanted.stream == stream and node in path(tree, wanted.node)
            }
            blocks = {
                block
                for wanted in problem.filters
                if wanted.stream == stream and wanted.node in below
                for block in wanted.blocks
            }
            found[stream, node] = rates[stream] * len(blocks) / problem.blocks
    return found


def path(tree: dict[str, str], node: str) -> list[str]:
    """The nodes from one up to the source, without the source."""
    nodes = []
    while node in tree:
        nodes.append(node)
        node = tree[node]
    return nodes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", ["logical", "physical"])
def test_trees_are_valid_and_reach_every_filter_once(algorithm: str, model: str, seed: int) -> None:
    problem = drawn(seed, model=model)
    made = solved(problem, algorithm)
    assert not broken_conditions(problem, made.trees)
    wanted = {(wanted.stream, wanted.node) for wanted in problem.filters}
    assert {(stream, node) for stream, tree in made.trees.items() for node in tree} == wanted
    assert [(got.stream, got.node) for got in made.filters] == [(one.stream, one.node) for one in problem.filters]


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_those_of_the_trees(algorithm: str, seed: int) -> None:
    problem = drawn(seed)
    made = solved(problem, algorithm)
    flow = carried(problem, made.trees)
    sent = dict.fromkeys((node.id for node in problem.nodes), 0.0)
    for (stream, node), bandwidth in flow.items():
        sent[made.trees[stream][node]] += bandwidth
    assert made.total_bandwidth == pytest.approx(math.fsum(flow.values()))
    assert made.fairness == pytest.approx(statistics.pvariance([sent[n.id] / (n.upload or 1) for n in problem.nodes]))
    assert made.delay_variance == pytest.approx(statistics.pvariance([got.delay for got in made.filters]))
    assert made.quality == pytest.approx(statistics.geometric_mean([got.quality for got in made.filters]))
    delays = {(link.source, link.target): link.delay for link in problem.links}
    for got, wanted in zip(made.filters, problem.filters, strict=True):
        tree, late = made.trees[got.stream], 0.0
        for node in path(tree, got.node):
            hop = delays.get((tree[node], node))
            late += (delays[node, tree[node]] if hop is None else hop) + problem.processing_delay
        assert got.delay == pytest.approx(late)
        limit = wanted.quality.delay
        assert limit is not None
        kept = 1.0 if got.delay <= limit else 0.5
        allowed = got.drop <= wanted.quality.drop + 1e-9
        assert got.quality == pytest.approx(kept if allowed else 0.5 * wanted.quality.drop / got.drop)


@pytest.mark.parametrize("seed", range(3))
def test_drops_are_a_fixed_point_of_equation_2(algorithm: str, seed: int) -> None:
    problem = drawn(seed)
    made = solved(problem, algorithm)
    arrived = {(got.stream, got.node): 1.0 - got.drop for got in made.filters}
    sources = {stream.id: stream.source for stream in problem.streams}
    nodes = {node.id: node for node in problem.nodes}
    pushed = {
        (stream, node): bandwidth * arrived.get((stream, made.trees[stream][node]), 1.0)
        for (stream, node), bandwidth in carried(problem, made.trees).items()
    }
    for (stream, node), fraction in arrived.items():
        parent = made.trees[stream][node]
        out = math.fsum(load for (other, child), load in pushed.items() if made.trees[other][child] == parent)
        into = math.fsum(load for (_, child), load in pushed.items() if child == node)
        through = min(1.0, (nodes[parent].upload or 0) / out, (nodes[node].download or 0) / into)
        above = 1.0 if parent == sources[stream] else arrived[stream, parent]
        assert fraction == pytest.approx(above * through, abs=1e-6)
    assert any(fraction < 0.9 for fraction in arrived.values()), "the problem is too easy to test drops"


def test_abundant_bandwidth_drops_nothing(algorithm: str) -> None:
    problem = drawn(1)
    easy = DeliveryProblem(
        nodes=tuple(DeliveryNode(node.id) for node in problem.nodes),
        streams=problem.streams,
        filters=problem.filters,
        blocks=problem.blocks,
        default_delay=0.0,
    )
    made = solved(easy, algorithm)
    assert made.quality == 1.0
    assert {got.drop for got in made.filters} == {0.0}


def test_the_same_seed_gives_the_same_trees(algorithm: str) -> None:
    assert solved(drawn(4), algorithm) == solved(drawn(4), algorithm)


def test_rounds_per_join_are_at_least_one(algorithm: str) -> None:
    assert solved(drawn(2), algorithm).rounds >= 1.0
