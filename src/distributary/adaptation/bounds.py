"""What no conversion plan can cost less than. Proven from single requests, so cheap and often far from the optimum."""

from __future__ import annotations

from distributary.adaptation.graph import conversion_paths
from distributary.adaptation.problem import AdaptationProblem

__all__ = ["lower_bound"]


def lower_bound(problem: AdaptationProblem, alpha: float, beta: float) -> float:
    """Return a lower bound on alpha x transmission + beta x conversion; O(formats x operators + nodes x formats).

    Transmission: a link above a request for a format carries some format that it can be made from; the link's bound is
    the largest of these minima, times its factor. Conversion: the operators that the dearest requested
    format descends from are all run somewhere, at the smallest node factor at least; that is the weakest form of a
    directed Steiner tree's cost, which would be the better bound.
    """
    least = {name: min(_sizes_above(problem, name)) for name in problem.size_of}
    transmission = sum(
        factor * max((least[name] for name in problem.requested_below[child]), default=0.0)
        for (_, child), factor in problem.link_factor.items()
    )
    paths = conversion_paths(problem.source, problem.price_of)
    requested = problem.requested_below[problem.root]
    dearest = max((paths[name].cost for name in requested), default=0.0)
    factor = min(problem.node_factor(node) for node in problem.top_down)
    return alpha * transmission + beta * factor * dearest


def _sizes_above(problem: AdaptationProblem, name: str) -> list[float]:
    """Return the transmission costs of the formats that `name` can be made from, itself among them.

    Only formats that can be made from the source count: no other is ever there.
    """
    backwards = {(end, start): price for (start, end), price in problem.price_of.items()}
    there = conversion_paths(problem.source, problem.price_of)
    sizes = [problem.size_of[other] for other in conversion_paths(name, backwards) if other in there]
    return sizes or [problem.size_of[name]]
