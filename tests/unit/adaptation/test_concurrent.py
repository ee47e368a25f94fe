from __future__ import annotations

import math
from itertools import combinations, product

import pytest

from distributary.adaptation.concurrent import plan_together
from distributary.adaptation.problem import AdaptationProblem, Format, NodeFactor, Operator, TreeLink
from distributary.adaptation.settings import AdaptationSettings
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult

SETTINGS = AdaptationSettings(alpha=1.0, beta=0.5)


def drawn(seed: int, label: str, formats: int = 3, nodes: int = 3) -> AdaptationProblem:
    generator = Generator(seed, label)
    names = [f"F{place}" for place in range(formats)]
    places = [f"N{place}" for place in range(nodes)]
    return AdaptationProblem(
        source="F0",
        root="N0",
        formats=tuple(Format(name, 1.0 + generator.below(20)) for name in names),
        operators=tuple(
            Operator(one, other, 1.0 + generator.below(9)) for one in names for other in names if one != other
        ),
        links=tuple(
            TreeLink(places[generator.below(place)], places[place], 1.0 + generator.below(3))
            for place in range(1, nodes)
        ),
        nodes=(NodeFactor("N1", 0.5),),
        requests={place: tuple(generator.sample(names, 1 + generator.below(formats))) for place in places},
    )


def every_plan(problem: AdaptationProblem) -> set[tuple[float, tuple[float, ...]]]:
    """All costs and loads by node that plans have, by trying everything that a node may receive and make."""
    names, nodes = list(problem.size_of), problem.top_down
    subsets = [frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size)]

    def below(node: str, have: frozenset[str]) -> set[tuple[float, tuple[tuple[str, float], ...]]]:
        found: set[tuple[float, tuple[tuple[str, float], ...]]] = set()
        for made in subsets:
            if not (have <= made and set(problem.requests.get(node, ())) <= made):
                continue
            spent = _least(problem, have, made) * problem.node_factor(node)
            if spent == math.inf:
                continue
            first: tuple[tuple[str, float], ...] = ((node, spent),)
            partial = {(SETTINGS.beta * spent, first)}
            for child in problem.children.get(node, ()):
                options = set()
                for some in subsets:
                    if some <= made:
                        sent = sum(problem.size_of[name] for name in some) * problem.link_factor[node, child]
                        options |= {(SETTINGS.alpha * sent + cost, loads) for cost, loads in below(child, some)}
                partial = {(one + other, (*loads, *more)) for one, loads in partial for other, more in options}
            found |= partial
        return found

    whole = below(problem.root, frozenset({problem.source}))
    return {(cost, tuple(dict(loads)[node] for node in nodes)) for cost, loads in whole}


def _least(problem: AdaptationProblem, have: frozenset[str], made: frozenset[str]) -> float:
    if made <= have:
        return 0.0
    return min(
        (
            price + _least(problem, have | {end}, made)
            for (start, end), price in problem.price_of.items()
            if start in have and end in made - have
        ),
        default=math.inf,
    )


def load_of(problem: AdaptationProblem, made: AdaptationResult, node: str) -> float:
    return problem.node_factor(node) * sum(
        problem.price_of[operator] for one in made.nodes if one.id == node for operator in one.operators
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_one_publication_gets_the_least_plan_within_the_capacities(seed: int) -> None:
    problem = drawn(seed, "alone")
    plans = every_plan(problem)
    order = problem.top_down
    for room in ({"N0": 4.0}, {"N0": 0.0, "N1": 3.0}, {"N1": 0.0, "N2": 6.0}, {}):
        fitting = [
            cost
            for cost, loads in plans
            if all(load <= room.get(node, math.inf) for node, load in zip(order, loads, strict=True))
        ]
        if not fitting:
            with pytest.raises(InputError, match="capacities: no plans"):
                plan_together([problem], room, SETTINGS, lambda: 0.0)
            continue
        made = plan_together([problem], room, SETTINGS, lambda: 0.0)
        assert made.cost == pytest.approx(min(fitting))
        assert made.lower_bound <= min(fitting) + 1e-9
        assert made.loads == {node: pytest.approx(load_of(problem, made.plans[0], node)) for node in room}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_two_publications_share_capacities(seed: int) -> None:
    problems = [drawn(seed, "one", nodes=2), drawn(seed, "two", nodes=2)]
    first, second = map(every_plan, problems)
    room = {"N0": 9.0, "N1": 4.0}
    fitting = [
        one + other
        for (one, loads), (other, more) in product(first, second)
        if all(load + another <= limit for load, another, limit in zip(loads, more, room.values(), strict=True))
    ]
    if not fitting:
        with pytest.raises(InputError, match="capacities: no plans"):
            plan_together(problems, room, SETTINGS, lambda: 0.0)
        return
    made = plan_together(problems, room, SETTINGS, lambda: 0.0)
    for node, limit in room.items():
        load = sum(load_of(problem, one, node) for problem, one in zip(problems, made.plans, strict=True))
        assert load == pytest.approx(made.loads[node])
        assert load <= limit * (1 + 1e-6)
    assert made.lower_bound <= min(fitting) + 1e-9
    assert min(fitting) - 1e-9 <= made.cost <= 1.1 * min(fitting)


def test_capacities_and_sizes_that_make_no_sense_are_refused() -> None:
    problem = drawn(1, "alone")
    with pytest.raises(InputError, match="N0: capacities: must be a number, zero or more"):
        plan_together([problem], {"N0": -1.0}, SETTINGS, lambda: 0.0)
    with pytest.raises(InputError, match="at most 10 formats"):
        plan_together([drawn(1, "many", formats=11, nodes=40)], {}, SETTINGS, lambda: 0.0)
