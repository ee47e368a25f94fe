"""Laws of conversion planning on small problems: the optimum is the least of all plans, bounds are below it."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.adaptation import dual, iterative, optimal
from distributary.adaptation.auto import STARTS, best_of
from distributary.adaptation.bounds import lower_bound
from distributary.adaptation.compiled.instance import Instance, PlanArrays, plan_costs
from distributary.adaptation.compiled.multilayer import multilayer_graph, wanted_vertices
from distributary.adaptation.deadline import NEVER
from distributary.adaptation.dual import dual_bound
from distributary.adaptation.iterative import improvements
from distributary.adaptation.numbering import NumberedProblem, empty_plan, number
from distributary.adaptation.optimal import best_plan
from distributary.adaptation.problem import AdaptationProblem, Format, NodeFactor, Operator, TreeLink, check_problem
from distributary.adaptation.promising import promising_plan
from distributary.adaptation.steiner import ConversionTrees, minimum_tree
from distributary.adaptation.validity import broken_rules
from distributary.core.generator import Generator

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 10**6)
WEIGHTS = st.sampled_from([(1.0, 1.0), (0.1, 1.0), (1.0, 0.1), (0.0, 1.0), (1.0, 0.0)])


def drawn(seed: int, formats_max: int = 4, nodes_max: int = 7) -> AdaptationProblem:
    """Return a problem in which many costs are equal or zero."""
    generator = Generator(seed, "laws")
    names = [f"F{place}" for place in range(1 + generator.below(formats_max))]
    places = [f"N{place}" for place in range(1 + generator.below(nodes_max))]
    problem = AdaptationProblem(
        source="F0",
        root="N0",
        formats=tuple(Format(name, float(generator.below(9))) for name in names),
        operators=tuple(
            Operator(one, other, float(generator.below(12)))
            for one in names
            for other in names
            if one != other and (one == "F0" or generator.random() < 0.5)
        ),
        links=tuple(
            TreeLink(places[generator.below(place)], places[place], float(generator.below(4)))
            for place in range(1, len(places))
        ),
        nodes=tuple(NodeFactor(place, generator.below(5) / 2) for place in places[1::2]),
        requests={
            place: tuple(generator.sample(names, 1 + generator.below(len(names))))
            for place in places
            if generator.random() < 0.6
        },
    )
    check_problem(problem)
    return problem


def least(problem: AdaptationProblem, alpha: float, beta: float) -> float:
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
            spent = conversion(have, made)
            if spent == math.inf or not have <= made or not frozenset(problem.requests.get(node, ())) <= made:
                continue
            best = min(
                best, beta * problem.node_factor(node) * spent + sum(sent(node, c, made) for c in children[node])
            )
        return best

    @cache
    def sent(node: str, child: str, made: frozenset[str]) -> float:
        return min(
            alpha * problem.link_factor[node, child] * sum(problem.size_of[name] for name in some) + below(child, some)
            for some in every
            if some <= made
        )

    children = {node: problem.children.get(node, ()) for node in problem.top_down}
    return below(problem.root, frozenset({problem.source}))


def cost_of(problem: AdaptationProblem, numbered: NumberedProblem, plan: PlanArrays) -> float:
    assert broken_rules(problem, numbered.named(plan)) == []
    return float(plan_costs(numbered.instance, plan).sum())


@given(SEEDS, WEIGHTS)
def test_optimum_is_the_least_of_all_plans(seed: int, weights: tuple[float, float]) -> None:
    problem = drawn(seed)
    numbered = number(problem, *weights)
    best = best_plan(numbered.instance, NEVER)
    assert best is not None
    assert best.cost == pytest.approx(least(problem, *weights))
    assert cost_of(problem, numbered, best.plan) == pytest.approx(best.cost)


@given(SEEDS, st.integers(1, 5))
def test_optimum_that_keeps_few_rows_is_the_same(seed: int, rows: int) -> None:
    problem = drawn(seed, 5, 20)
    numbered = number(problem, 1.0, 1.0)
    whole = best_plan(numbered.instance, NEVER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "_KEPT_BYTES", rows << len(numbered.formats) + 3)
        few = best_plan(numbered.instance, NEVER)
    assert whole is not None
    assert few is not None
    assert few.cost == whole.cost
    assert np.array_equal(few.plan.maker, whole.plan.maker)
    assert np.array_equal(few.plan.received, whole.plan.received)


@given(SEEDS, WEIGHTS, st.integers(20, 200))
def test_bounds_are_below_the_optimum_and_plans_are_not(seed: int, weights: tuple[float, float], arcs: int) -> None:
    problem = drawn(seed, 5, 12)
    numbered = number(problem, *weights)
    instance = numbered.instance
    best = best_plan(instance, NEVER)
    assert best is not None
    slack = 1e-9 * max(1.0, best.cost)
    assert lower_bound(instance) <= best.cost + slack
    whole = dual_bound(instance, NEVER)
    assert whole.bound <= best.cost + slack
    assert whole.plan is not None
    assert cost_of(problem, numbered, whole.plan) >= best.cost - slack
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dual, "_ARCS_MAX", arcs)
        assert dual_bound(instance, NEVER).bound <= best.cost + slack


@given(SEEDS, WEIGHTS, st.sampled_from(["slack", "random"]), st.integers(1, 3), st.sampled_from([4, 12, 512]))
def test_refining_saves_what_it_says_and_stays_above_the_optimum(
    seed: int, weights: tuple[float, float], select: str, depth: int, vertices: int
) -> None:
    problem = drawn(seed, 5, 12)
    numbered = number(problem, *weights)
    instance, trees = numbered.instance, ConversionTrees(numbered.instance.price)
    plans = [start(instance, trees) for start in STARTS]
    costs = [cost_of(problem, numbered, plan) for plan in plans]
    plan = best_of(instance, plans)
    with pytest.MonkeyPatch.context() as patch:
        # Regions that hold not all children of a node, too.
        patch.setattr(iterative, "_VERTICES_MAX", vertices)
        saved = sum(improvements(instance, plan, select, depth, Generator(seed)))
    best = best_plan(instance, NEVER)
    assert best is not None
    cost = cost_of(problem, numbered, plan)
    assert cost == pytest.approx(min(costs) - saved, abs=1e-9)
    assert cost >= best.cost - 1e-9 * max(1.0, best.cost)


@given(SEEDS, WEIGHTS)
def test_promising_formats_give_a_plan_no_better_than_the_optimum(seed: int, weights: tuple[float, float]) -> None:
    problem = drawn(seed, 8, 10)
    numbered = number(problem, *weights)
    instance = numbered.instance
    plan = promising_plan(instance, ConversionTrees(instance.price), NEVER)
    best = best_plan(instance, NEVER)
    assert plan is not None
    assert best is not None
    cost = cost_of(problem, numbered, plan)
    assert cost >= best.cost - 1e-9 * max(1.0, best.cost)
    # The first trial sends the source's format alone and meets each request for itself; others are kept for being less.
    leaves = STARTS[1](instance, ConversionTrees(instance.price))
    assert cost <= float(plan_costs(instance, leaves)[0].sum()) + _apart(instance) + 1e-9


def _apart(instance: Instance) -> float:
    """What conversions cost when each request is met by its own cheapest ones."""
    distance = instance.price.copy()
    np.fill_diagonal(distance, 0.0)
    for between in range(len(distance)):
        distance = np.minimum(distance, distance[:, between, None] + distance[between])
    return float((instance.requests @ distance[instance.source] * instance.node).sum())


@given(st.data())
def test_exact_steiner_trees_are_minimum_and_approximate_ones_reach_all(data: st.DataObject) -> None:
    vertices = data.draw(st.integers(2, 6))
    pairs = [(one, other) for one in range(vertices) for other in range(vertices) if one != other]
    chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1, max_size=9))
    arcs = [(one, other, float(data.draw(st.integers(0, 5)))) for one, other in chosen]
    reached = _reached(arcs, range(len(arcs)))
    if len(reached) == 1:
        return
    terminals = data.draw(st.lists(st.sampled_from(sorted(reached - {0})), unique=True, min_size=1))
    subsets = (some for size in range(len(arcs) + 1) for some in combinations(range(len(arcs)), size))
    fewest = min(sum(arcs[place][2] for place in some) for some in subsets if _reached(arcs, some) >= set(terminals))
    exact = minimum_tree(vertices, arcs, 0, terminals, 1e6)
    rough = minimum_tree(vertices, arcs, 0, terminals, 0.0)
    assert sum(arcs[place][2] for place in exact) == fewest
    assert sum(arcs[place][2] for place in rough) >= fewest
    for tree in (exact, rough):
        assert _reached(arcs, tree) >= set(terminals)
        assert len({arcs[place][1] for place in tree}) == len(tree)


def _reached(arcs: list[tuple[int, int, float]], places: range | tuple[int, ...] | list[int]) -> set[int]:
    reached = {0}
    while more := {arcs[place][1] for place in places if arcs[place][0] in reached} - reached:
        reached |= more
    return reached


@pytest.mark.parametrize("seed", range(6))
def test_optimum_is_that_of_an_integer_program(seed: int) -> None:
    numbered = number(drawn(seed + 40, 4, 8), 1.0, 1.0)
    best = best_plan(numbered.instance, NEVER)
    assert best is not None
    assert best.cost == pytest.approx(_integer_optimum(numbered.instance), abs=1e-6)


def _integer_optimum(instance: Instance) -> float:
    """The least tree of the multilayer graph by HiGHS: a flow to each terminal through the arcs that are bought."""
    import highspy

    every = np.arange(len(instance.parent))
    graph = multilayer_graph(instance, empty_plan(instance), every, instance.parent)
    terminals = wanted_vertices(instance, empty_plan(instance), every, instance.parent).tolist()
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    arcs = range(len(graph.weight))
    bought = [program.addVariable(0.0, 1.0, float(graph.weight[arc])) for arc in arcs]
    for column in bought:
        program.changeColIntegrality(column.index, highspy.HighsVarType.kInteger)
    root = len(graph.out_first) - 2
    for terminal in terminals:
        flow = [program.addVariable(0.0, 1.0, 0.0) for _ in arcs]
        for arc in arcs:
            program.addConstr(flow[arc] <= bought[arc])
        for vertex in range(root):
            into = [flow[arc] for arc in graph.in_arcs[graph.in_first[vertex] : graph.in_first[vertex + 1]]]
            out = [flow[arc] for arc in graph.out_arcs[graph.out_first[vertex] : graph.out_first[vertex + 1]]]
            if into or out:
                program.addConstr(program.qsum(into) - program.qsum(out) == float(vertex == terminal))
    program.run()
    return float(program.getInfo().objective_function_value)
