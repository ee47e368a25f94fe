"""The all-in-root plan of paper 003, section 5: the root makes every requested format, links carry what is asked below.

The paper leaves open how the root makes them; here each format comes by its cheapest path from the source's, and
operators on several paths run once. A Steiner tree would be cheaper still.
"""

from __future__ import annotations

from distributary.adaptation.cost import ConversionPlan
from distributary.adaptation.graph import conversion_paths, operators_for
from distributary.adaptation.problem import AdaptationProblem

__all__ = ["all_in_root"]


def all_in_root(problem: AdaptationProblem) -> ConversionPlan:
    """Return the plan that converts at the root only."""
    below = problem.requested_below
    paths = conversion_paths(problem.source, problem.price_of)
    operators = operators_for(paths, sorted(below[problem.root]))
    formats = {
        (link.source, link.target): tuple(name for name in problem.size_of if name in below[link.target])
        for link in problem.links
        if below[link.target]
    }
    return ConversionPlan(formats, {problem.root: operators} if operators else {})
