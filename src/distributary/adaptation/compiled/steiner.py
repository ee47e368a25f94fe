"""Minimum directed Steiner trees: the arcs of least total weight that lead from a root to all terminals.

Few terminals: exactly, by Dreyfus and Wagner (1971), with arcs in the place of a table of all distances. Many: the
approximation of Charikar et al. (SODA 1998, the paper's [12]) at level 2: again and again the vertex and the terminals
behind it that cost least for each terminal. Deviation from it: the vertices of what is bought already cost nothing to
start from. In both, an arborescence of shortest paths is cut out of the arcs at last.
"""

from __future__ import annotations

import numpy as np

from distributary.adaptation.compiled.digraph import Digraph, spread
from distributary.adaptation.compiled.instance import Bools, Floats, Ints, compiled

__all__ = ["steiner_tree"]


@compiled
def _exact(graph: Digraph, root: int, terminals: Ints) -> Bools:
    """Return the arcs of a minimum tree: 3^terminals x vertices steps, 2^terminals x vertices of memory."""
    vertices, sets = graph.out_first.shape[0] - 1, 1 << terminals.shape[0]
    cost = np.full((sets, vertices), np.inf)
    #: The arc by which a vertex goes on, or else the part of the set that is split off there.
    by = np.full((sets, vertices), -1)
    part = np.zeros((sets, vertices), dtype=np.int64)
    for some in range(1, sets):
        if some & (some - 1) == 0:
            place = 0
            while not some >> place & 1:
                place += 1
            cost[some, terminals[place]] = 0.0
        lowest = some & -some
        one = (some - 1) & some
        while one > 0:
            if one & lowest:
                rest = some ^ one
                for vertex in range(vertices):
                    found = cost[one, vertex] + cost[rest, vertex]
                    if found < cost[some, vertex]:
                        cost[some, vertex], part[some, vertex] = found, one
            one = (one - 1) & some
        spread(graph, graph.weight, True, cost[some], by[some])
    chosen = np.zeros(graph.weight.shape[0], dtype=np.bool_)
    todo = [(sets - 1, root)]
    while len(todo) > 0:
        some, vertex = todo.pop()
        arc = by[some, vertex]
        if arc >= 0:
            chosen[arc] = True
            todo.append((some, graph.head[arc]))
        elif part[some, vertex] > 0:
            todo.append((part[some, vertex], vertex))
            todo.append((some ^ part[some, vertex], vertex))
    return chosen


@compiled
def _best_bundle(away: Floats, order: Ints, left: Bools, cost: Floats) -> tuple[int, int]:
    """Return the vertex from which terminals cost least each, the way to it shared among them, and their number."""
    best, centre, taken = np.inf, -1, 0
    for vertex in range(cost.shape[0]):
        total, count = cost[vertex], 0
        if total == np.inf:
            continue
        for terminal in order[vertex]:
            if not left[terminal]:
                continue
            total += away[terminal, vertex]
            count += 1
            # The next ones are further away: once the mean exceeds the best and rises, it never falls again.
            if total / count < best:
                best, centre, taken = total / count, vertex, count
            elif away[terminal, vertex] > best:
                break
    return centre, taken


@compiled
def _approximate(graph: Digraph, root: int, terminals: Ints) -> Bools:
    """Return the arcs that the greedy approximation buys, level 2."""
    vertices, count = graph.out_first.shape[0] - 1, terminals.shape[0]
    away, towards = np.full((count, vertices), np.inf), np.full((count, vertices), -1)
    for place in range(count):
        away[place, terminals[place]] = 0.0
        spread(graph, graph.weight, True, away[place], towards[place])
    order = np.empty((vertices, count), dtype=np.int64)
    for vertex in range(vertices):
        order[vertex] = np.argsort(away[:, vertex])
    cost, by = np.full(vertices, np.inf), np.full(vertices, -1)
    cost[root] = 0.0
    chosen = np.zeros(graph.weight.shape[0], dtype=np.bool_)
    left = np.ones(count, dtype=np.bool_)
    while left.any():
        spread(graph, graph.weight, False, cost, by)
        centre, taken = _best_bundle(away, order, left, cost)
        if centre < 0:
            break
        vertex = centre
        while by[vertex] >= 0:
            arc = by[vertex]
            chosen[arc] = True
            cost[vertex], by[vertex] = 0.0, -1
            vertex = graph.tail[arc]
        for terminal in order[centre]:
            if taken > 0 and left[terminal]:
                left[terminal] = False
                taken -= 1
                vertex = centre
                while vertex != terminals[terminal]:
                    arc = towards[terminal, vertex]
                    chosen[arc] = True
                    vertex = graph.head[arc]
                    cost[vertex], by[vertex] = 0.0, -1
    return chosen


@compiled
def steiner_tree(graph: Digraph, root: int, terminals: Ints, steps_max: float) -> Bools:
    """Return the arcs of a tree: a minimum one when that takes at most so many steps. All terminals can be reached."""
    vertices = graph.out_first.shape[0] - 1
    if terminals.shape[0] <= 20 and 3.0 ** terminals.shape[0] * vertices <= steps_max:
        chosen = _exact(graph, root, terminals)
    else:
        chosen = _approximate(graph, root, terminals)
    weight = np.where(chosen, graph.weight, np.inf)
    cost, by = np.full(vertices, np.inf), np.full(vertices, -1)
    cost[root] = 0.0
    spread(graph, weight, False, cost, by)
    tree = np.zeros(weight.shape[0], dtype=np.bool_)
    for terminal in terminals:
        vertex = terminal
        while vertex != root and not tree[by[vertex]]:
            tree[by[vertex]] = True
            vertex = graph.tail[by[vertex]]
    return tree
