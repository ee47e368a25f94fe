"""One refinement of paper 003, algorithm 3: the part of a plan around a node is planned anew as a Steiner tree.

The region is a node and what is below it to some depth (the paper: its children), and the links between. What the node
receives is there; what is requested in the region or sent out of it must come to its place. Where a region would be
too large, as many children as there is room for are in it, from one child on and round again; what the others are
sent stays.
"""

from __future__ import annotations

import numpy as np

from distributary.adaptation.compiled.instance import Instance, Ints, PlanArrays, compiled
from distributary.adaptation.compiled.multilayer import multilayer_graph, wanted_vertices, write_tree
from distributary.adaptation.compiled.steiner import steiner_tree

__all__ = ["refine"]

#: A smaller saving, relative to what the region costs, is rounding.
_LEAST = 1e-12


@compiled
def _region(instance: Instance, node: int, offset: int, depth: int, nodes_max: int) -> tuple[Ints, Ints]:
    """Return the nodes of the region, and the place there of each one's parent; the node itself is first."""
    nodes, above, level = np.empty(nodes_max, dtype=np.int64), np.empty(nodes_max, dtype=np.int64), 0
    nodes[0], above[0] = node, -1
    count, met, end = 1, 0, 1
    while met < count and level < depth:
        first, last = instance.first[nodes[met]], instance.first[nodes[met] + 1]
        for place in range(first, last):
            if count == nodes_max:
                break
            child = place + offset if met == 0 else place
            nodes[count] = instance.children[child if child < last else child - (last - first)]
            above[count] = met
            count += 1
        met += 1
        if met == end:
            level, end = level + 1, count
    return nodes[:count], above[:count]


@compiled
def _cost(instance: Instance, plan: PlanArrays, nodes: Ints) -> float:
    """Return what the region costs: its conversions and its links."""
    total = 0.0
    for place in range(nodes.shape[0]):
        node = nodes[place]
        for form in range(instance.size.shape[0]):
            if place > 0 and plan.received[node, form]:
                total += instance.link[node] * instance.size[form]
            if plan.maker[node, form] >= 0:
                total += instance.node[node] * instance.price[plan.maker[node, form], form]
    return total


@compiled
def refine(
    instance: Instance, plan: PlanArrays, node: int, offset: int, depth: int, nodes_max: int, steps_max: float
) -> tuple[float, Ints]:
    """Plan the region of a node anew, in place, if that saves; return what it saves, and the nodes of the region."""
    formats = instance.size.shape[0]
    nodes, above = _region(instance, node, offset, depth, nodes_max)
    graph = multilayer_graph(instance, plan, nodes, above)
    root = nodes.shape[0] * formats
    chosen = steiner_tree(graph, root, wanted_vertices(instance, plan, nodes, above), steps_max)
    before, after = _cost(instance, plan, nodes), 0.0
    for arc in range(chosen.shape[0]):
        if chosen[arc]:
            after += graph.weight[arc]
    if not after < before - _LEAST * before:
        return 0.0, nodes
    write_tree(graph, chosen, nodes, plan)
    return before - after, nodes
