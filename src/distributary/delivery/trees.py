"""Delivery trees: child to parent for each stream, and what each of their links carries. They know no bandwidths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from distributary.delivery.problem import DeliveryFilter, DeliveryProblem

__all__ = ["Edge", "Trees", "edges_of", "path_to_source"]

#: For each stream, the parent of each node that receives it.
Trees: TypeAlias = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Edge:
    """One link of one stream's tree."""

    stream: str
    parent: str
    child: str
    #: Links between the source and the child.
    depth: int
    #: λ·Φ of what the link carries without drops: the union of the filters of the child's subtree.
    bandwidth: float


def path_to_source(problem: DeliveryProblem, trees: Trees, stream: str, node: str) -> Iterator[tuple[str, str]]:
    """Yield (parent, child) from a node up to the source; the tree must be valid."""
    tree, source = trees[stream], problem.stream_of[stream].source
    while node != source:
        yield tree[node], node
        node = tree[node]


def edges_of(problem: DeliveryProblem, trees: Trees) -> list[Edge]:
    """Return the links of all trees, those near the sources first; the trees must be valid. O(filters)."""
    edges: list[Edge] = []
    for stream, tree in trees.items():
        depth = _depths(tree)
        below: dict[str, list[DeliveryFilter]] = {node: [problem.filter_of[stream, node]] for node in tree}
        for node in sorted(tree, key=depth.__getitem__, reverse=True):
            joined = _joined(problem, below.pop(node))
            if tree[node] in below:
                below[tree[node]].append(joined)
            edges.append(Edge(stream, tree[node], node, depth[node], problem.bandwidth(stream, [joined])))
    return sorted(edges, key=lambda edge: edge.depth)


def _depths(tree: Mapping[str, str]) -> dict[str, int]:
    """Return for each node how many links are between it and the source."""
    depth: dict[str, int] = {}
    for node in tree:
        way = []
        while node in tree and node not in depth:
            way.append(node)
            node = tree[node]
        for steps, passed in enumerate(reversed(way), depth.get(node, 0) + 1):
            depth[passed] = steps
    return depth


def _joined(problem: DeliveryProblem, filters: list[DeliveryFilter]) -> DeliveryFilter:
    """Return several filters of one stream as one."""
    if len(filters) == 1:
        return filters[0]
    blocks = frozenset().union(*(each.blocks for each in filters))
    fields = frozenset().union(*(problem.projection(each) for each in filters))
    return DeliveryFilter(filters[0].node, filters[0].stream, blocks, fields=fields if problem.fields else None)
