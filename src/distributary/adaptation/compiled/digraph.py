"""Directed graphs with weights, and least costs along paths by label correcting.

A queue of vertices takes the place of a heap: the graphs here are multilayer graphs, almost without long detours, and
most vertices are met once. In the worst case it is vertices x arcs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.adaptation.compiled.instance import Floats, Ints, compiled

__all__ = ["Digraph", "make_digraph", "spread"]


class Digraph(NamedTuple):
    """Arcs by number; weights are not negative."""

    tail: Ints
    head: Ints
    weight: Floats
    #: The arcs out of vertex v are out_arcs[out_first[v]:out_first[v + 1]]; those into it likewise.
    out_first: Ints
    out_arcs: Ints
    in_first: Ints
    in_arcs: Ints


@compiled
def _by_vertex(vertices: int, ends: Ints) -> tuple[Ints, Ints]:
    """Return arcs in the order of one of their ends, and where those of each vertex begin."""
    first = np.zeros(vertices + 1, dtype=np.int64)
    for end in ends:
        first[end + 1] += 1
    for vertex in range(vertices):
        first[vertex + 1] += first[vertex]
    place, arcs = first[:-1].copy(), np.empty(ends.shape[0], dtype=np.int64)
    for arc in range(ends.shape[0]):
        arcs[place[ends[arc]]] = arc
        place[ends[arc]] += 1
    return first, arcs


@compiled
def make_digraph(vertices: int, tail: Ints, head: Ints, weight: Floats) -> Digraph:
    """Return a graph from its arcs."""
    out_first, out_arcs = _by_vertex(vertices, tail)
    in_first, in_arcs = _by_vertex(vertices, head)
    return Digraph(tail, head, weight, out_first, out_arcs, in_first, in_arcs)


@compiled
def spread(graph: Digraph, weight: Floats, back: bool, cost: Floats, by: Ints) -> None:
    """Lower costs of vertices, in place, by going along arcs (or against them) from all that have a finite cost.

    `by` gets the arc by which a vertex has its cost; it stays as it is where the cost does.
    """
    vertices = cost.shape[0]
    queue, queued = np.empty(vertices, dtype=np.int64), np.zeros(vertices, dtype=np.bool_)
    start, count = 0, 0
    for vertex in range(vertices):
        if cost[vertex] < np.inf:
            queue[count] = vertex
            queued[vertex] = True
            count += 1
    first, arcs = (graph.in_first, graph.in_arcs) if back else (graph.out_first, graph.out_arcs)
    ends = graph.tail if back else graph.head
    while count > 0:
        vertex = queue[start]
        start, count = (start + 1) % vertices, count - 1
        queued[vertex] = False
        for place in range(first[vertex], first[vertex + 1]):
            arc = arcs[place]
            end, found = ends[arc], cost[vertex] + weight[arc]
            if found < cost[end]:
                cost[end], by[end] = found, arc
                if not queued[end]:
                    queue[(start + count) % vertices] = end
                    queued[end] = True
                    count += 1
