"""Delivery trees: child to parent for each stream, and what each of their links carries. They know no bandwidths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from distributary.delivery.problem import DeliveryProblem

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
    """Return the links of all trees, those near the sources first; the trees must be valid.

    O(filters x depth).
    """
    edges: list[Edge] = []
    for stream, tree in trees.items():
        carried: dict[str, set[int]] = {node: set() for node in tree}
        depth: dict[str, int] = {}
        for node in tree:
            steps = 0
            for _, child in path_to_source(problem, trees, stream, node):
                carried[child] |= problem.filter_of[stream, node].blocks
                steps += 1
            depth[node] = steps
        edges.extend(
            Edge(stream, parent, node, depth[node], problem.bandwidth(stream, carried[node]))
            for node, parent in tree.items()
        )
    return sorted(edges, key=lambda edge: edge.depth)
