"""A lower bound on directed Steiner trees by dual ascent, after Wong (1984).

Every tree has an arc into each set of vertices that holds a terminal and not the root. The weights of the arcs into
such a set are lowered together until one is used up, and the bound rises by as much; then the terminal's set grows by
that arc. This is a solution of the dual of the linear relaxation, so it is a bound wherever it is stopped. The terminal
whose set has the fewest arcs into it comes first, as is usual. At the end there are trees of arcs that are used up, and
they are good ones: an optimal tree would be of such arcs if the bound were tight.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from distributary.adaptation.compiled.digraph import Digraph
from distributary.adaptation.compiled.instance import Bools, Floats, Ints, compiled

__all__ = ["ascend", "tree_within"]


@compiled
def _grow(graph: Digraph, left: Floats, terminal: int, look: int, mark: Ints, members: Ints) -> int:
    """Mark the vertices that reach a terminal along arcs that are used up; return their number."""
    members[0], count, met = terminal, 1, 0
    mark[terminal] = look
    while met < count:
        vertex = members[met]
        met += 1
        for place in range(graph.in_first[vertex], graph.in_first[vertex + 1]):
            arc = graph.in_arcs[place]
            tail = graph.tail[arc]
            if left[arc] <= 0.0 and mark[tail] != look:
                mark[tail] = look
                members[count] = tail
                count += 1
    return count


@compiled
def ascend(
    graph: Digraph, root: int, terminals: Ints, arcs: Ints, left: Floats, steps_max: int
) -> tuple[float, bool, int]:
    """Raise the bound for about so many steps; return by how much, whether it is at its end, and the steps.

    Args:
        graph: The graph.
        root: Where trees begin.
        terminals: What they reach, none of them the root.
        arcs: How many arcs led into each terminal's set when it was last seen, 0 at first; -1: the root is in it.
            Changed in place.
        left: What is left of the weights, at first all; changed in place.
        steps_max: Arcs looked at.
    """
    vertices = graph.out_first.shape[0] - 1
    mark, members = np.zeros(vertices, dtype=np.int64), np.empty(vertices, dtype=np.int64)
    heap = [(arcs[place], place) for place in range(terminals.shape[0]) if arcs[place] >= 0]
    heapify(heap)
    raised, steps, look = 0.0, 0, 0
    while len(heap) > 0:
        if steps > steps_max:
            return raised, False, steps
        _, place = heappop(heap)
        look += 1
        count = _grow(graph, left, terminals[place], look, mark, members)
        if mark[root] == look:
            arcs[place] = -1
            steps += count
            continue
        entering, least = 0, np.inf
        for member in members[:count]:
            for one in range(graph.in_first[member], graph.in_first[member + 1]):
                arc = graph.in_arcs[one]
                if mark[graph.tail[arc]] != look:
                    entering += 1
                    least = min(least, left[arc])
            steps += 2 * (graph.in_first[member + 1] - graph.in_first[member]) + 1
        arcs[place] = entering
        if len(heap) == 0 or entering <= heap[0][0]:
            raised += least
            for member in members[:count]:
                for one in range(graph.in_first[member], graph.in_first[member + 1]):
                    arc = graph.in_arcs[one]
                    if mark[graph.tail[arc]] != look:
                        left[arc] = max(0.0, left[arc] - least)
        heappush(heap, (entering, place))
    return raised, True, steps


@compiled
def tree_within(graph: Digraph, root: int, terminals: Ints, left: Floats) -> Bools:
    """Return the arcs of a tree of arcs that are used up: each terminal is joined by its cheapest path to the tree.

    Terminals whose vertices come first are joined first; one that cannot be is left out.
    """
    vertices = graph.out_first.shape[0] - 1
    joined, chosen = np.zeros(vertices, dtype=np.bool_), np.zeros(left.shape[0], dtype=np.bool_)
    cost, by, touched = np.full(vertices, np.inf), np.full(vertices, -1), np.empty(vertices, dtype=np.int64)
    joined[root] = True
    for terminal in terminals:
        if joined[terminal]:
            continue
        cost[terminal], touched[0], seen, best, start = 0.0, terminal, 1, np.inf, -1
        queue = [terminal]
        while len(queue) > 0:
            nearer = [queue[0]]
            nearer.clear()
            for vertex in queue:
                for place in range(graph.in_first[vertex], graph.in_first[vertex + 1]):
                    arc = graph.in_arcs[place]
                    tail, found = graph.tail[arc], cost[vertex] + graph.weight[arc]
                    if left[arc] > 0.0 or found >= min(best, cost[tail]):
                        continue
                    if cost[tail] == np.inf:
                        touched[seen] = tail
                        seen += 1
                    cost[tail], by[tail] = found, arc
                    if joined[tail]:
                        best, start = found, tail
                    else:
                        nearer.append(tail)
            queue = nearer
        while start >= 0 and start != terminal:
            chosen[by[start]] = True
            start = graph.head[by[start]]
            joined[start] = True
        for vertex in touched[:seen]:
            cost[vertex] = np.inf
    return chosen
