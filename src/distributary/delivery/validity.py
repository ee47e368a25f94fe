"""The conditions of paper 001, section 3.1, for delivery trees; what is broken is named, nothing is repaired."""

from __future__ import annotations

from collections.abc import Mapping

from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.trees import Trees, edges_of

__all__ = ["broken_bandwidth", "broken_conditions"]


def broken_conditions(problem: DeliveryProblem, trees: Trees) -> list[str]:
    """Return what breaks conditions 1, 2 and 4: filters satisfied, streams forwarded by receivers, no loops.

    That a link's filter is the union of the filters below it holds by construction (`trees.edges_of`), and that a node
    has one parent by the mapping. Section 4 gives up condition 3; `broken_bandwidth` has it.
    """
    broken = []
    for stream in trees:
        if stream not in problem.stream_of:
            broken.append(f"{stream}: there is no such stream")
    for wanted in problem.filters:
        if wanted.node not in trees.get(wanted.stream, {}):
            broken.append(f"{wanted.stream}: filter satisfaction: {wanted.node} has a filter and no parent")
    for stream, tree in trees.items():
        if stream not in problem.stream_of:
            continue
        source = problem.stream_of[stream].source
        for node, parent in tree.items():
            if (stream, node) not in problem.filter_of:
                broken.append(f"{stream}: stream forwarding: {node} receives it and has no filter")
            if parent != source and parent not in tree:
                broken.append(f"{stream}: stream forwarding: {parent} sends it to {node} and does not receive it")
            if problem.delay(parent, node) is None:
                broken.append(f"{stream}: stream forwarding: there is no link from {parent} to {node}")
        broken.extend(f"{stream}: no loop: {node} does not reach the source" for node in _astray(tree, source))
    return broken


def broken_bandwidth(problem: DeliveryProblem, trees: Trees) -> list[str]:
    """Return the limits of bandwidth that valid trees break when nothing is dropped (condition 3)."""
    edges = edges_of(problem, trees)
    if problem.model == "physical":
        needed: dict[tuple[str, str], float] = {}
        for edge in edges:
            link = problem.link_of[edge.parent, edge.child]
            needed[link.source, link.target] = needed.get((link.source, link.target), 0.0) + edge.bandwidth
        return [
            f"link {link.source} to {link.target}: {need:g} of {link.capacity:g} bytes/s"
            for link in problem.links
            if link.capacity is not None and (need := needed.get((link.source, link.target), 0.0)) > link.capacity
        ]
    broken = []
    for node in problem.nodes:
        sent = sum(edge.bandwidth for edge in edges if edge.parent == node.id)
        received = sum(edge.bandwidth for edge in edges if edge.child == node.id)
        for name, need, limit in (("upload", sent, node.upload), ("download", received, node.download)):
            if limit is not None and need > limit:
                broken.append(f"{name} of {node.id}: {need:g} of {limit:g} bytes/s")
    return broken


def _astray(tree: Mapping[str, str], source: str) -> list[str]:
    astray = []
    for start in tree:
        node, seen = start, {start}
        while node in tree and node != source:
            node = tree[node]
            if node in seen:
                astray.append(start)
                break
            seen.add(node)
    return astray
