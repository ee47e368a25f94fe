"""No merging: every query by itself, the plan that all others are measured against."""

from __future__ import annotations

from distributary.merging.cost import Block, Pricing

__all__ = ["none"]


def none(pricing: Pricing) -> list[Block]:
    """Return one block for each member."""
    return [(place,) for place in range(len(pricing.problem.members))]
