"""The drop rates of paper 001, section 4.2: the fixed point of equations (1) and (2) for given trees.

What reaches a node of a stream is what its parent has of it, times the permeability between the two: how much of what
is pushed gets through upload and download (logical), or through the link, which both directions share (physical).
Shedding is fair among streams. Where the paper is silent: start from nothing dropped, factor 1/2, at most 2,000 sweeps,
to 1e-10; the load on a child's download counts what parents push before their own shedding, as printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.trees import Edge

__all__ = ["Arrivals", "arrivals"]

_SWEEPS_MAX = 2_000
_TOLERANCE = 1e-10
_DAMPING = 0.5


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The fraction r̄ of each filter's stream that arrives, by (stream, node), and whether the sweeps converged."""

    fractions: dict[tuple[str, str], float]
    converged: bool


@dataclass(frozen=True, slots=True)
class _Meter:
    """A limit of bandwidth that several edges load."""

    limit: float
    edges: tuple[int, ...]


def arrivals(problem: DeliveryProblem, edges: Sequence[Edge]) -> Arrivals:
    """Return what arrives over the edges of valid trees, given in the order of their depths; O(edges) per sweep."""
    above = {(edge.stream, edge.child): index for index, edge in enumerate(edges)}
    # A source has its whole stream: parents that are sources stand in the last place.
    parents = [above.get((edge.stream, edge.parent), len(edges)) for edge in edges]
    meters, over = _meters(problem, edges)
    kept = [1.0] * (len(edges) + 1)
    for _ in range(_SWEEPS_MAX):
        offered = [edge.bandwidth * kept[parent] for edge, parent in zip(edges, parents, strict=True)]
        passed = [_permeability(meter.limit, sum(offered[index] for index in meter.edges)) for meter in meters]
        moved = 0.0
        for index, parent in enumerate(parents):
            now = kept[parent] * min((passed[meter] for meter in over[index]), default=1.0)
            moved = max(moved, abs(now - kept[index]))
            kept[index] += _DAMPING * (now - kept[index])
        if moved < _TOLERANCE:
            return Arrivals(_by_filter(edges, kept), True)
    return Arrivals(_by_filter(edges, kept), False)


def _permeability(limit: float, load: float) -> float:
    return limit / load if load > limit else 1.0


def _by_filter(edges: Sequence[Edge], kept: Sequence[float]) -> dict[tuple[str, str], float]:
    return {(edge.stream, edge.child): kept[index] for index, edge in enumerate(edges)}


def _meters(problem: DeliveryProblem, edges: Sequence[Edge]) -> tuple[list[_Meter], list[list[int]]]:
    """Return the limits that are loaded, and for each edge the limits that it passes."""
    loads: dict[tuple[str, str, str], tuple[float, list[int]]] = {}
    nodes = {node.id: node for node in problem.nodes}
    for index, edge in enumerate(edges):
        if problem.model == "physical":
            link = problem.link_of[edge.parent, edge.child]
            limits = [(("link", link.source, link.target), link.capacity)]
        else:
            limits = [
                (("upload", edge.parent, ""), nodes[edge.parent].upload),
                (("download", edge.child, ""), nodes[edge.child].download),
            ]
        for key, limit in limits:
            if limit is not None:
                loads.setdefault(key, (limit, []))[1].append(index)
    over: list[list[int]] = [[] for _ in edges]
    meters = []
    for number, (limit, loading) in enumerate(loads.values()):
        meters.append(_Meter(limit, tuple(loading)))
        for index in loading:
            over[index].append(number)
    return meters, over
