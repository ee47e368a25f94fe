"""Algorithms 1 and 2 of paper 001 against a literal and slow reading of them, one join after another."""

from __future__ import annotations

import math
from statistics import fmean, pvariance

import pytest

from distributary.core.generator import Generator
from distributary.delivery.drops import arrivals
from distributary.delivery.network import network_of, trees_of
from distributary.delivery.problem import DeliveryFilter, DeliveryProblem
from distributary.delivery.qasd import qasd
from distributary.delivery.qualities import quality_at
from distributary.delivery.trees import Edge, edges_of, path_to_source
from distributary.delivery.unfa import unfa
from distributary.experiments.delivery.workload import Workload, draw_problem

INFINITE = float("inf")
#: Short of bandwidth, and with several streams of some sources.
SCARCE = Workload(nodes=6, streams=4, filters_per_stream=4, bandwidth_factor=0.4)


class Literal:
    """The paper's algorithms with the readings' corrections, everything computed anew from the trees each time."""

    def __init__(self, problem: DeliveryProblem, *, everywhere: bool) -> None:
        self.problem = problem
        self.everywhere = everywhere
        self.trees: dict[str, dict[str, str]] = {stream.id: {} for stream in problem.streams}
        #: B, by control point and node.
        self.slack: dict[tuple[str, str], float] = {}

    def known(self, wanted: DeliveryFilter) -> list[str]:
        """The streams that the filter's control point knows."""
        source = self.problem.stream_of[wanted.stream].source
        return [stream.id for stream in self.problem.streams if self.everywhere or stream.source == source]

    def candidates(self, wanted: DeliveryFilter) -> list[str]:
        return [self.problem.stream_of[wanted.stream].source, *self.trees[wanted.stream]]

    def with_parent(self, wanted: DeliveryFilter, node: str) -> dict[str, dict[str, str]]:
        return self.trees | {wanted.stream: self.trees[wanted.stream] | {wanted.node: node}}

    def unevenness(self, wanted: DeliveryFilter, node: str, *, with_depth: bool) -> float:
        """EVALUNFA's Var(A)·Var(D), without the inverse."""
        trees, known = self.with_parent(wanted, node), self.known(wanted)
        edges = [edge for edge in edges_of(self.problem, trees) if edge.stream in known]
        members = [*self.candidates(wanted), wanted.node]
        loads = [math.fsum(edge.bandwidth for edge in edges if edge.parent == member) for member in members]
        depths = [0, *(len(list(path_to_source(self.problem, trees, wanted.stream, each))) for each in members[1:])]
        return pvariance(loads) * (pvariance(depths) if with_depth else 1.0)

    def fairest(self, wanted: DeliveryFilter, *, with_depth: bool) -> str:
        found = [(self.unevenness(wanted, node, with_depth=with_depth), node) for node in self.candidates(wanted)]
        least = min(value for value, _ in found)
        return next(node for value, node in found if value <= least * (1 + 1e-9))

    def unfa(self) -> dict[str, dict[str, str]]:
        for wanted in self.problem.filters:
            self.trees[wanted.stream][wanted.node] = self.fairest(wanted, with_depth=True)
        return self.trees

    def reports(self, trees: dict[str, dict[str, str]]) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
        """What arrives at filters, and z of nodes."""
        edges = edges_of(self.problem, trees)
        kept = arrivals(self.problem, edges).fractions
        pushed = {node.id: self.pushed(edges, kept, node.id) for node in self.problem.nodes}
        return kept, {
            node.id: max(0.0, 1.0 - node.upload / pushed[node.id]) if node.upload and pushed[node.id] else 0.0
            for node in self.problem.nodes
        }

    def pushed(self, edges: list[Edge], kept: dict[tuple[str, str], float], node: str) -> float:
        return math.fsum(edge.bandwidth * kept.get((edge.stream, node), 1.0) for edge in edges if edge.parent == node)

    def child_delay(self, wanted: DeliveryFilter, node: str) -> float:
        delays = [
            self.problem.delay(parent, child) or 0.0
            for stream in self.known(wanted)
            for child, parent in self.trees[stream].items()
            if parent == node
        ]
        if delays:
            return fmean(delays)
        names = [each.id for each in self.problem.nodes]
        return fmean(self.problem.delay(a, b) or 0.0 for a in names for b in names if a != b)

    def choose(self, wanted: DeliveryFilter, refused: set[str]) -> str | None:
        """Lines 1 to 7."""
        kept, _ = self.reports(self.trees)
        load = self.problem.bandwidth(wanted.stream, [wanted])
        control = "" if self.everywhere else self.problem.stream_of[wanted.stream].source
        found: list[tuple[float, float, str]] = []
        for node in self.candidates(wanted):
            own = self.problem.filter_of.get((wanted.stream, node))
            arrived = 1.0 if own is None else kept[wanted.stream, node]
            fits = own is None or (
                wanted.blocks <= own.blocks and self.problem.projection(wanted) <= self.problem.projection(own)
            )
            if node in refused or not fits or self.slack.get((control, node), INFINITE) < arrived * load:
                continue
            way = [] if own is None else list(path_to_source(self.problem, self.trees, wanted.stream, node))
            delay = math.fsum((self.problem.delay(*hop) or 0.0) + self.problem.processing_delay for hop in way)
            hop = self.child_delay(wanted, node) + self.problem.processing_delay
            quality = quality_at(wanted.pieces, max(0.0, 1.0 - arrived), delay + hop)
            found.append((quality, self.unevenness(wanted, node, with_depth=False), node))
        if not found:
            return None
        most = max(quality for quality, _, _ in found)
        equal = [(value, node) for quality, value, node in found if quality >= most * (1 - 1e-7)]
        least = min(value for value, _ in equal)
        return next(node for value, node in equal if value <= least * (1 + 1e-9))

    def join(self, wanted: DeliveryFilter) -> int:
        control = "" if self.everywhere else self.problem.stream_of[wanted.stream].source
        load, known = self.problem.bandwidth(wanted.stream, [wanted]), self.known(wanted)
        refused: set[str] = set()
        rounds = 0
        while True:
            rounds += 1
            node = self.choose(wanted, refused)
            if node is None:
                break
            trial = self.with_parent(wanted, node)
            kept, shed = self.reports(trial)
            if shed[node] <= 1e-9:
                self.trees = trial
                before = self.slack.get((control, node), INFINITE)
                self.slack[control, node] = before - kept.get((wanted.stream, node), 1.0) * load
                return rounds
            kept, _ = self.reports(self.trees)
            edges = [edge for edge in edges_of(self.problem, self.trees) if edge.stream in known]
            pushed = self.pushed(edges, kept, node)
            share = kept.get((wanted.stream, node), 1.0) * load
            self.slack[control, node] = (1.0 - shed[node]) * (pushed + share) - pushed
            refused.add(node)
        self.trees = self.with_parent(wanted, self.fairest(wanted, with_depth=False))
        _, shed = self.reports(self.trees)
        members = {self.problem.stream_of[stream].source for stream in known}.union(*(self.trees[s] for s in known))
        for node in sorted(members):
            if shed[node] > 1e-9:
                self.slack[control, node] = 0.0
        return rounds

    def qasd(self) -> tuple[dict[str, dict[str, str]], float]:
        rounds = [self.join(wanted) for wanted in self.problem.filters]
        return self.trees, fmean(rounds)


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_unfa_is_algorithm_1(seed: int, *, everywhere: bool) -> None:
    problem = draw_problem(SCARCE, Generator(seed, "algorithms"))
    network = network_of(problem)
    unfa(network, everywhere=everywhere)
    assert trees_of(problem, network.forest) == Literal(problem, everywhere=everywhere).unfa()


@pytest.mark.slow
@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_qasd_is_algorithm_2(seed: int, *, everywhere: bool) -> None:
    problem = draw_problem(SCARCE, Generator(seed, "algorithms"))
    network = network_of(problem)
    made = qasd(network, everywhere=everywhere)
    trees, rounds = Literal(problem, everywhere=everywhere).qasd()
    assert trees_of(problem, network.forest) == trees
    assert made.rounds == pytest.approx(rounds)
    assert rounds > 1.0
