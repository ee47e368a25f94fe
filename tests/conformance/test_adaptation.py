"""What every adaptation algorithm promises; algorithms join by standing in the table."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import pytest

from distributary.adaptation import auto
from distributary.adaptation.planner import ALGORITHMS, plan
from distributary.adaptation.problem import AdaptationProblem, Format, NodeFactor, Operator, TreeLink
from distributary.adaptation.settings import AdaptationSettings
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult

pytestmark = pytest.mark.parametrize("algorithm", ALGORITHMS)


def drawn(seed: int, *, formats: int = 3, nodes: int = 6) -> AdaptationProblem:
    generator = Generator(seed, "adaptation")
    names = [f"F{number}" for number in range(formats)]
    places = [f"N{number}" for number in range(nodes)]
    return AdaptationProblem(
        source="F0",
        root="N0",
        formats=tuple(Format(name, generator.uniform(1, 30)) for name in names),
        operators=tuple(
            Operator(first, second, generator.uniform(1, 60))
            for first in names
            for second in names
            if first != second and (first == "F0" or generator.random() < 0.6)
        ),
        links=tuple(
            TreeLink(places[generator.below(place)], places[place], generator.uniform(0.5, 3))
            for place in range(1, nodes)
        ),
        nodes=tuple(NodeFactor(place, generator.uniform(0.5, 3)) for place in places),
        requests={place: tuple(generator.sample(names, 1 + generator.below(formats))) for place in places[::2]},
    )


def solved(problem: AdaptationProblem, algorithm: str, alpha: float = 1.0, beta: float = 1.0) -> AdaptationResult:
    return plan(problem, AdaptationSettings(algorithm, alpha, beta), lambda: 0.0, Generator(3))


def optimum(problem: AdaptationProblem, alpha: float, beta: float) -> float:
    """The least cost of all plans, by trying every set of formats at every node."""
    names = list(problem.size_of)
    every = [frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size)]

    @cache
    def conversion(have: frozenset[str], wanted: frozenset[str]) -> float:
        if wanted <= have:
            return 0.0
        return min(
            (
                price + conversion(have | {end}, wanted)
                for (start, end), price in problem.price_of.items()
                if start in have and end not in have
            ),
            default=math.inf,
        )

    @cache
    def below(node: str, have: frozenset[str]) -> float:
        best = math.inf
        for made in every:
            if not (have <= made and frozenset(problem.requests.get(node, ())) <= made):
                continue
            total = beta * problem.node_factor(node) * conversion(have, made)
            for child in problem.children.get(node, ()):
                total += min(
                    alpha * problem.link_factor[node, child] * sum(problem.size_of[name] for name in sent)
                    + below(child, sent)
                    for sent in every
                    if sent <= made
                )
            best = min(best, total)
        return best

    return below(problem.root, frozenset({problem.source}))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.1, 1.0), (1.0, 0.1)])
def test_costs_are_those_of_the_plan_and_bounds_hold(algorithm: str, seed: int, alpha: float, beta: float) -> None:
    problem = drawn(seed)
    made = solved(problem, algorithm, alpha, beta)
    sent = {(link.source, link.target): link.formats for link in made.links}
    transmission = math.fsum(
        problem.size_of[name] * problem.link_factor[link] for link, names in sent.items() for name in names
    )
    conversion = math.fsum(
        problem.price_of[operator] * problem.node_factor(node.id) for node in made.nodes for operator in node.operators
    )
    assert made.transmission == pytest.approx(transmission)
    assert made.conversion == pytest.approx(conversion)
    assert made.cost == pytest.approx(alpha * transmission + beta * conversion)
    best = optimum(problem, alpha, beta)
    assert made.cost >= best - 1e-9
    assert made.lower_bound is None or made.lower_bound <= best + 1e-9
    assert not made.optimal or made.cost == pytest.approx(best)
    if algorithm in {"auto", "optimal"}:
        assert made.optimal


@pytest.mark.parametrize("seed", range(4))
def test_every_request_is_met_with_what_is_there(algorithm: str, seed: int) -> None:
    problem = drawn(seed, formats=4, nodes=12)
    made = solved(problem, algorithm)
    sent = {(link.source, link.target): set(link.formats) for link in made.links}
    operators = {node.id: node.operators for node in made.nodes}
    there = {problem.root: {problem.source}}
    for node in problem.top_down:
        for start, end in operators.get(node, ()):
            assert start in there[node]
            there[node].add(end)
        assert set(problem.requests.get(node, ())) <= there[node]
        for child in problem.children.get(node, ()):
            there[child] = set(sent.get((node, child), ()))
            assert there[child] <= there[node]


def test_a_request_for_the_source_format_at_the_root_costs_nothing(algorithm: str) -> None:
    problem = AdaptationProblem("F0", (Format("F0", 5.0),), "N0", {"N0": ("F0",)}, links=(TreeLink("N0", "N1"),))
    made = solved(problem, algorithm)
    assert (made.cost, made.optimal, made.links, made.nodes) == (0.0, True, (), ())


def test_the_same_seed_gives_the_same_plan(algorithm: str) -> None:
    assert solved(drawn(4), algorithm) == solved(drawn(4), algorithm)


def test_without_the_optimum_there_are_still_a_valid_plan_and_a_bound(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "FORMATS_MAX", 0)
    for seed in range(4):
        problem = drawn(seed)
        made, best = solved(problem, algorithm), optimum(problem, 1.0, 1.0)
        assert made.lower_bound is not None
        assert made.lower_bound <= best + 1e-9 <= made.cost + 2e-9


def test_a_limit_of_time_that_has_passed_leaves_a_valid_plan(algorithm: str) -> None:
    moments = iter(range(10**6))
    settings = AdaptationSettings(algorithm, time_limit=1.0)
    problem = drawn(5, formats=4, nodes=12)
    made = plan(problem, settings, lambda: float(next(moments)), Generator(3))
    best = optimum(problem, 1.0, 1.0)
    assert made.cost >= best - 1e-9
    assert made.lower_bound is None or made.lower_bound <= best + 1e-9
    assert not made.optimal or made.cost == pytest.approx(best)


def test_nodes_and_formats_that_nobody_needs_change_nothing(algorithm: str) -> None:
    problem = drawn(6)
    more = AdaptationProblem(
        source=problem.source,
        root=problem.root,
        formats=(*problem.formats, Format("unreached", 0.0), Format("useless", 0.0)),
        operators=(*problem.operators, Operator("unreached", "F1", 0.0), Operator("F0", "useless", 0.0)),
        links=(*problem.links, TreeLink("N2", "idle")),
        nodes=(*problem.nodes, NodeFactor("idle", 0.0)),
        requests=problem.requests,
    )
    assert solved(more, algorithm) == solved(problem, algorithm)
