"""The distances of paper 000, section 6.4: when two queries need not be thought of together.

`heuristic` is section 6.4.1's, with the brackets that its formula lacks. `exact` is ours (the text at hand has none):
no optimum has a block with both queries. It is proven for one merged query per block and sizes that only grow with
merging: taking query i out of such a block saves more than its own query costs. For `cover`, where nothing irrelevant
is sent, queries without a common part have nothing to merge for.
"""

from __future__ import annotations

from distributary.merging.cost import Pricing

__all__ = ["separates"]


def separates(pricing: Pricing, first: int, second: int, metric: str) -> bool:
    """Tell whether a metric separates two members."""
    one, other, costs = pricing.queries[first], pricing.queries[second], pricing.problem.costs
    if pricing.problem.procedure == "cover" and metric == "exact":
        return not one.whole or not other.whole or pricing.problem.statistics.overlap(one.filter, other.filter) <= 0
    merged = pricing.measure((min(first, second), max(first, second))).size
    sizes = one.rate * one.size, other.rate * other.size
    if metric == "heuristic":
        best = costs.K_M * min(one.rate, other.rate) + costs.K_T * min(sizes)
        return best - costs.K_U * (2 * merged - sum(sizes)) < 0
    return any(
        costs.K_U * (merged - size) > query.rate * costs.K_M + costs.K_T * size
        for query, size in zip((one, other), sizes, strict=True)
    )
