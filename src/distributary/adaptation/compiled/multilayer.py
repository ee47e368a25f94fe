"""The multilayer graph of paper 003, section 3: a vertex for each node and format, arcs for operators and links.

A valid plan is a tree in it from the published format at the root to all requests; the best plan is a minimum one.
"""

from __future__ import annotations

import numpy as np

from distributary.adaptation.compiled.digraph import Digraph, make_digraph
from distributary.adaptation.compiled.instance import Bools, Instance, Ints, PlanArrays, compiled

__all__ = ["multilayer_graph", "wanted_vertices", "write_tree"]


@compiled
def multilayer_graph(instance: Instance, plan: PlanArrays, nodes: Ints, above: Ints) -> Digraph:
    """Return the graph of some connected nodes, the topmost first, with the place there of each one's parent.

    Vertex place x formats + format; the last one stands before what the topmost node receives in the plan.
    """
    formats = instance.size.shape[0]
    operators = np.isfinite(instance.price).sum()
    room = nodes.shape[0] * (operators + formats)
    tail, head, weight = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room)
    arc = 0
    for place in range(nodes.shape[0]):
        node = nodes[place]
        for form in range(formats):
            vertex = place * formats + form
            if place > 0:
                tail[arc], head[arc] = above[place] * formats + form, vertex
                weight[arc] = instance.link[node] * instance.size[form]
                arc += 1
            elif plan.received[node, form]:
                tail[arc], head[arc], weight[arc] = nodes.shape[0] * formats, vertex, 0.0
                arc += 1
            for giver in range(formats):
                if instance.price[giver, form] < np.inf:
                    tail[arc], head[arc] = place * formats + giver, vertex
                    weight[arc] = instance.node[node] * instance.price[giver, form]
                    arc += 1
    return make_digraph(nodes.shape[0] * formats + 1, tail[:arc], head[:arc], weight[:arc])


@compiled
def wanted_vertices(instance: Instance, plan: PlanArrays, nodes: Ints, above: Ints) -> Ints:
    """Return the vertices that must be reached: requests, and what the plan sends to other nodes."""
    formats = instance.size.shape[0]
    sent = np.zeros((nodes.shape[0], formats), dtype=np.int64)
    for place in range(nodes.shape[0]):
        node = nodes[place]
        for one in range(instance.first[node], instance.first[node + 1]):
            for form in range(formats):
                sent[place, form] += plan.received[instance.children[one], form]
        for form in range(formats):
            if place > 0:
                sent[above[place], form] -= plan.received[node, form]
    wanted = np.empty(nodes.shape[0] * formats, dtype=np.int64)
    count = 0
    for place in range(nodes.shape[0]):
        for form in range(formats):
            if sent[place, form] > 0 or instance.requests[nodes[place], form]:
                wanted[count] = place * formats + form
                count += 1
    return wanted[:count]


@compiled
def write_tree(graph: Digraph, chosen: Bools, nodes: Ints, plan: PlanArrays) -> None:
    """Write the arcs of a tree into the rows of these nodes; what the topmost receives stays."""
    formats = plan.maker.shape[1]
    root = nodes.shape[0] * formats
    for place in range(nodes.shape[0]):
        plan.maker[nodes[place]] = -1
        if place > 0:
            plan.received[nodes[place]] = False
    for arc in range(chosen.shape[0]):
        tail, head = graph.tail[arc], graph.head[arc]
        if chosen[arc] and tail < root:
            place, form = head // formats, head % formats
            if tail // formats == place:
                plan.maker[nodes[place], form] = tail % formats
            else:
                plan.received[nodes[place], form] = True
