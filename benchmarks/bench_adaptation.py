"""Conversion planning: how long the optimum takes, and how far the quick plan and its bound are from it.

Trees grow at one of their six youngest nodes, so that they are deep; six brokers in ten ask for up to half the formats.
What is compiled is called once before it is timed.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator

from benchmarks.measurement import Measurement, compare
from distributary.adaptation import AdaptationProblem, AdaptationSettings, plan
from distributary.adaptation.problem import Format, Operator, TreeLink
from distributary.core.generator import Generator
from distributary.core.results import AdaptationResult

__all__ = ["measure"]


def drawn(generator: Generator, formats: int, nodes: int) -> AdaptationProblem:
    """Return a problem; costs of formats and operators as far apart as those of paper 003's videos."""
    names = [f"F{place}" for place in range(formats)]
    places = [f"N{place}" for place in range(nodes)]
    return AdaptationProblem(
        source="F0",
        root="N0",
        formats=tuple(Format(name, generator.uniform(1, 30)) for name in names),
        operators=tuple(
            Operator(one, other, generator.uniform(1, 60))
            for one in names
            for other in names
            if one != other and other != "F0" and (one == "F0" or generator.random() < 0.6)
        ),
        links=tuple(
            TreeLink(places[place - 1 - generator.below(min(6, place))], places[place]) for place in range(1, nodes)
        ),
        requests={
            place: tuple(generator.sample(names, 1 + generator.below(max(1, formats // 2))))
            for place in places[1:]
            if generator.random() < 0.6
        },
    )


def planned(problem: AdaptationProblem, algorithm: str, time_limit: float | None = None) -> AdaptationResult:
    """Return a plan; the chance in it is always the same."""
    settings = AdaptationSettings(algorithm, time_limit=time_limit)
    return plan(problem, settings, time.perf_counter, Generator("bench_adaptation"))


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield the optimum for few formats, on a large tree, and the quick plan for sixteen formats."""
    for formats in (4, 16):
        for algorithm in ("auto", "optimal"):
            planned(drawn(generator.fork("warm"), formats, 30), algorithm, 1.0)
    yield optimum(generator.fork(4), 4, *((100, 1) if quick else (1024, 3)))
    yield optimum(generator.fork(8), 8, *((20, 1) if quick else (1024, 1)))
    yield optimum(generator.fork("large"), 4, *((1000, 1) if quick else (100_000, 1)))
    yield sixteen_formats(generator.fork(16), *((100, 2) if quick else (1024, 20)))


def optimum(generator: Generator, formats: int, nodes: int, rounds: int) -> Measurement:
    """Plan at the least cost; the peer is the paper's algorithm 1 with Steiner trees from a table."""
    problem = drawn(generator, formats, nodes)
    ours_seconds, peer_seconds = compare(
        lambda: round(planned(problem, "optimal").cost, 3), lambda: round(algorithm_1(problem), 3), rounds
    )
    return Measurement(
        name=f"adaptation_optimal_{formats}_{nodes}",
        work=f"the optimum for {formats} formats on {nodes:,} nodes",
        peer="algorithm 1 in Python, costs only",
        pieces=nodes,
        piece="nodes",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"formats": formats, "nodes": nodes, "seconds_median": statistics.median(ours_seconds)},
    )


def sixteen_formats(generator: Generator, nodes: int, seeds: int) -> Measurement:
    """Plan for 16 formats without a limit of time; the peer has 60 seconds, and proves the optimum."""
    seconds: tuple[list[float], list[float]] = ([], [])
    gaps: tuple[list[float], list[float]] = ([], [])
    distances = []
    for seed in range(seeds):
        problem = drawn(generator.fork(seed), 16, nodes)
        found = []
        for place, time_limit in enumerate((None, 60.0)):
            started = time.perf_counter()
            made = planned(problem, "auto", time_limit)
            seconds[place].append(time.perf_counter() - started)
            assert made.lower_bound is not None
            gaps[place].append(100.0 * (made.cost / made.lower_bound - 1.0))
            found.append(made.cost)
        distances.append(100.0 * (found[0] / found[1] - 1.0))
    return Measurement(
        name="adaptation_auto_16",
        work=f"auto for 16 formats on {nodes:,} nodes, {seeds} problems",
        peer="auto with a limit of 60 s",
        pieces=1,
        piece="plans",
        ours_seconds=tuple(seconds[0]),
        peer_seconds=tuple(seconds[1]),
        configuration={
            "nodes": nodes,
            "problems": seeds,
            "seconds_most": max(seconds[0]),
            "gap_to_bound_percent_mean": statistics.mean(gaps[0]),
            "gap_to_bound_percent_most": max(gaps[0]),
            "within_60_s_gap_to_bound_percent_mean": statistics.mean(gaps[1]),
            "above_the_plan_of_60_s_percent_mean": statistics.mean(distances),
        },
    )


def algorithm_1(problem: AdaptationProblem) -> float:
    """Return the least cost as paper 003, section 4 finds it: by input and output set of each node."""
    names = list(problem.size_of)
    sets = range(1 << len(names))
    size = [sum(problem.size_of[name] for place, name in enumerate(names) if some >> place & 1) for some in sets]
    steps = [_steps(problem, names, some) for some in sets]
    children_cost = {node: [0.0] * len(sets) for node in problem.top_down}
    parent = {link.target: (link.source, link.factor) for link in problem.links}
    for node in reversed(problem.top_down):
        asked = problem.requests.get(node, ())
        need = sum(1 << names.index(name) for name in asked)
        output = [math.inf if some & need != need else cost for some, cost in enumerate(children_cost.pop(node))]
        best = [min(cost * problem.node_factor(node) + output[out] for out, cost in steps[some]) for some in sets]
        if node == problem.root:
            return best[1 << names.index(problem.source)]
        above, factor = parent[node]
        received = [factor * size[some] + best[some] for some in sets]
        for place in range(len(names)):
            for some in sets:
                if some >> place & 1:
                    received[some] = min(received[some], received[some ^ 1 << place])
        children_cost[above] = [one + other for one, other in zip(children_cost[above], received, strict=True)]
    raise AssertionError("the root comes last")


def _steps(problem: AdaptationProblem, names: list[str], some: int) -> list[tuple[int, float]]:
    """Return every set that can be made of a set, and what that costs."""
    found, price = {some: 0.0}, problem.price_of
    for out in range(some, 1 << len(names)):
        if out not in found:
            continue
        for place, name in enumerate(names):
            givers = [price.get((names[giver], name), math.inf) for giver in range(len(names)) if out >> giver & 1]
            cost = found[out] + min(givers, default=math.inf)
            if not out >> place & 1 and cost < found.get(out | 1 << place, math.inf):
                found[out | 1 << place] = cost
    return list(found.items())
