"""Conversion plans and their cost, paper 003, section 2.2: alpha x transmission + beta x conversion.

Our reading: alpha weighs transmission and beta conversion everywhere; costs are taken as given, not normalised.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from distributary.adaptation.problem import AdaptationProblem

__all__ = ["ConversionPlan", "Link", "conversion_cost", "transmission_cost"]

#: A link of the tree, (parent, child).
Link: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ConversionPlan:
    """A CCD plan: the formats on each link that carries some, the operators at each node that runs some."""

    formats: Mapping[Link, tuple[str, ...]]
    #: In an order in which their inputs are there.
    operators: Mapping[str, tuple[tuple[str, str], ...]]


def transmission_cost(problem: AdaptationProblem, plan: ConversionPlan) -> float:
    """Return τ: what all formats cost on all links that carry them."""
    return math.fsum(
        problem.size_of[name] * problem.link_factor[link] for link, names in plan.formats.items() for name in names
    )


def conversion_cost(problem: AdaptationProblem, plan: ConversionPlan) -> float:
    """Return φ: what all operators cost at the nodes that run them."""
    return math.fsum(
        problem.price_of[operator] * problem.node_factor(node)
        for node, operators in plan.operators.items()
        for operator in operators
    )
