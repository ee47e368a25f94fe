"""Directed Steiner trees on SteinLib's B problems: each edge as two arcs keeps the published optimum."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from distributary.adaptation.compiled.digraph import make_digraph
from distributary.adaptation.compiled.dual_ascent import ascend, tree_within
from distributary.adaptation.steiner import minimum_tree

_STEINER = Path(__file__).parents[3] / "shared" / "data" / "steiner"
_NAMES = [f"b{place:02}" for place in range(1, 19)]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _STEINER.exists(), reason="needs ../shared/data/steiner"),
    pytest.mark.parametrize("name", _NAMES),
]


def read(name: str) -> tuple[int, list[tuple[int, int, float]], list[int], float]:
    """Return a problem's number of vertices, its arcs, its terminals and its optimum."""
    vertices, arcs, terminals = 0, [], []
    for line in (_STEINER / "steinlib_B" / f"{name}.stp").read_text().splitlines():
        match line.split():
            case ["Nodes", count]:
                vertices = int(count)
            case ["E", one, other, weight]:
                arcs.append((int(one) - 1, int(other) - 1, float(weight)))
                arcs.append((int(other) - 1, int(one) - 1, float(weight)))
            case ["T", terminal]:
                terminals.append(int(terminal) - 1)
    with (_STEINER / "steinlib_optima.csv").open() as rows:
        optimum = next(float(row["opt"]) for row in csv.DictReader(rows) if row["filename"] == f"{name}.stp")
    return vertices, arcs, terminals, optimum


def test_exact_trees_cost_the_published_optimum(name: str) -> None:
    vertices, arcs, terminals, optimum = read(name)
    if len(terminals) > 13:
        pytest.skip("too many terminals for an exact tree")
    tree = minimum_tree(vertices, arcs, terminals[0], terminals[1:], 1e9)
    assert sum(arcs[place][2] for place in tree) == optimum


def test_the_approximation_is_within_a_tenth_of_the_optimum(name: str) -> None:
    vertices, arcs, terminals, optimum = read(name)
    tree = minimum_tree(vertices, arcs, terminals[0], terminals[1:], 0.0)
    assert optimum <= sum(arcs[place][2] for place in tree) <= 1.1 * optimum


def test_dual_ascent_bounds_the_optimum_and_leaves_a_tree(name: str) -> None:
    vertices, arcs, terminals, optimum = read(name)
    columns = [np.array(column) for column in zip(*arcs, strict=True)]
    graph = make_digraph(vertices, columns[0], columns[1], columns[2])
    wanted, left = np.array(terminals[1:]), graph.weight.copy()
    bound, ended, _ = ascend(graph, terminals[0], wanted, np.zeros(len(wanted), dtype=np.int64), left, 10**9)
    assert ended
    assert 0.85 * optimum <= bound <= optimum + 1e-9
    tree = tree_within(graph, terminals[0], wanted, left)
    assert optimum <= graph.weight[tree].sum() <= 1.25 * optimum
