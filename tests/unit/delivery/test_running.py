"""A graph that runs: whatever happens to it, its trees stay valid and its drops those of the trees."""

from __future__ import annotations

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.delivery.model import measure
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.running import RunningGraph
from distributary.delivery.validity import broken_conditions
from distributary.experiments.delivery.workload import Workload, draw_problem

WORKLOAD = Workload(nodes=15, streams=5, filters_per_stream=7, bandwidth_factor=0.6)


def drawn(seed: int) -> DeliveryProblem:
    return draw_problem(WORKLOAD, Generator(seed, "running"))


def full(problem: DeliveryProblem) -> RunningGraph:
    graph = RunningGraph(problem)
    for number in range(len(problem.filters)):
        assert graph.join(number) >= 1
    return graph


def assert_valid(problem: DeliveryProblem, graph: RunningGraph) -> None:
    """The trees reach exactly the filters that have joined, and quality is that of the trees."""
    joined = graph.joined
    if not joined:
        assert graph.quality() == 1.0
        return
    now = msgspec.structs.replace(problem, filters=tuple(problem.filters[each] for each in joined))
    trees = graph.trees()
    assert not broken_conditions(now, trees)
    assert graph.quality() == pytest.approx(measure(now, trees).quality, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_trees_are_valid_and_quality_is_theirs(seed: int) -> None:
    problem, generator = drawn(seed), Generator(seed, "events")
    graph, failed = RunningGraph(problem), set[str]()
    for _ in range(120):
        each, event = generator.below(len(problem.filters)), generator.below(10)
        wanted = problem.filters[each]
        source = problem.stream_of[wanted.stream].source
        if event == 0:
            graph.fail(wanted.node)
            failed.add(wanted.node)
        elif event == 1:
            for node in sorted(failed):
                graph.restore(node)
            failed.clear()
        elif event == 2:
            upload = generator.uniform(1e4, 2e5)
            graph.change_bandwidth(wanted.node, upload=upload)
            nodes = [
                msgspec.structs.replace(node, upload=upload) if node.id == wanted.node else node
                for node in problem.nodes
            ]
            problem = msgspec.structs.replace(problem, nodes=tuple(nodes))
        elif each in graph.joined:
            assert graph.leave(each) == []
        elif not {wanted.node, source} & failed:
            graph.join(each)
        if event == 3:
            graph.adjust(5)
        assert_valid(problem, graph)


def test_children_of_a_node_that_leaves_are_served_by_its_server() -> None:
    problem = drawn(1)
    graph = full(problem)
    trees = graph.trees()
    stream, left, parent, children = next(
        (stream, node, parent, sorted(child for child, above in tree.items() if above == node))
        for stream, tree in trees.items()
        for node, parent in tree.items()
        if node in tree.values()
    )
    number = next(at for at, each in enumerate(problem.filters) if (each.stream, each.node) == (stream, left))
    graph.leave(number)
    assert number not in graph.joined
    assert {graph.trees()[stream][child] for child in children} == {parent}


def test_a_source_that_fails_takes_its_streams_with_it() -> None:
    problem = drawn(2)
    graph = full(problem)
    source = problem.streams[0].source
    gone = graph.fail(source)
    own = [n for n, each in enumerate(problem.filters) if problem.stream_of[each.stream].source == source]
    at_node = [n for n, each in enumerate(problem.filters) if each.node == source]
    assert gone == sorted({*own, *at_node})
    with pytest.raises(ValueError, match="has failed"):
        graph.join(own[0])
    graph.restore(source)
    assert graph.join(own[0]) >= 1


def test_who_leaves_where_nobody_else_has_a_link_takes_those_below_along() -> None:
    body = {
        "blocks": 1,
        "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
        "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
        "streams": [{"id": "s", "source": "a", "rate": 1}],
        "filters": [{"node": node, "stream": "s", "blocks": [0]} for node in "bc"],
    }
    graph = full(msgspec.convert(body, DeliveryProblem))
    assert graph.leave(0) == [1]
    assert graph.joined == []


@pytest.mark.parametrize("seed", range(3))
def test_adjusting_gains_with_every_move_and_comes_to_rest(seed: int) -> None:
    graph = full(drawn(seed))
    seen = [graph.trees()]
    for _ in range(40):
        before = graph.quality()
        done = graph.adjust(3)
        assert done.moves <= 3
        if not done.moves:
            break
        assert graph.quality() > before
        assert graph.trees() not in seen
        seen.append(graph.trees())
    assert done.moves == 0, "it has not come to rest"
    assert len(seen) > 2, "there was nothing to adjust"
    assert graph.adjust(3).moves == 0


def test_after_bandwidth_is_lost_adjusting_wins_quality_back() -> None:
    problem = drawn(4)
    graph = full(problem)
    while graph.adjust(100).moves:
        pass
    before = graph.quality()
    trees = graph.trees()
    busiest = max(problem.nodes, key=lambda node: sum(list(tree.values()).count(node.id) for tree in trees.values()))
    graph.change_bandwidth(busiest.id, upload=(busiest.upload or 1) / 20)
    short = graph.quality()
    assert short < before
    while graph.adjust(100).moves:
        pass
    assert graph.quality() > short


def test_misuse_is_named() -> None:
    graph = RunningGraph(drawn(1))
    with pytest.raises(ValueError, match="filter 0 has not joined"):
        graph.leave(0)
    graph.join(0)
    with pytest.raises(ValueError, match="filter 0 has joined already"):
        graph.join(0)
    with pytest.raises(InputError, match="must be a positive number, not 0"):
        graph.change_bandwidth("p1", upload=0)
    with pytest.raises(InputError, match="a running graph is for the logical model"):
        RunningGraph(msgspec.structs.replace(drawn(1), model="physical"))
