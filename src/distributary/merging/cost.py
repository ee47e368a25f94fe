"""The cost model of paper 000, sections 4 and 5.2: K_M·|M| + K_T·size(M) + K_U·U(Q, M).

The paper prints the network's share as `K_M·|M| + K_M·|M|`, a misprint for `K_M·|M| + K_T·size(M)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from distributary.core.errors import InputError
from distributary.core.results import Costs
from distributary.merging.problem import MergeProblem
from distributary.merging.procedures import PROCEDURES, Measure, MergedQuery, SizedQuery, sized_query

__all__ = ["Block", "Pricing", "price"]

#: A set of members that merge, as their places in the problem, ascending.
Block: TypeAlias = tuple[int, ...]

_COSTS_MAX = 1 << 18


def price(measure: Measure, costs: Costs) -> float:
    """Return what a measured set costs.

    >>> price(Measure(queries=1, size=4.0, irrelevant=7.0, once=4.0), Costs(K_M=10, K_T=9, K_U=4))
    74.0
    """
    return costs.K_M * measure.queries + costs.K_T * measure.size + costs.K_U * measure.irrelevant


class Pricing:
    """What the blocks of one problem cost; queries are sized once."""

    def __init__(self, problem: MergeProblem) -> None:
        if problem.procedure not in PROCEDURES:
            raise InputError(f"{problem.procedure!r} is none of {', '.join(PROCEDURES)}", field="procedure")
        self.problem = problem
        self._procedure = PROCEDURES[problem.procedure]
        #: The queries of the members, in the problem's order.
        self.queries: tuple[SizedQuery, ...] = tuple(
            sized_query(member, problem.statistics) for member in problem.members
        )
        self._costs: dict[Block, float] = {}

    def measure(self, block: Block) -> Measure:
        """Return the measure of a block of one or more members."""
        if len(block) == 1:
            query = self.queries[block[0]]
            return Measure(query.rate, query.rate * query.size, 0.0, query.size)
        return self._procedure.measure(self._queries(block), self.problem.statistics)

    def cost(self, block: Block) -> float:
        """Return what a block costs; searches ask for the same blocks again and again."""
        known = self._costs.get(block)
        if known is None:
            if len(self._costs) >= _COSTS_MAX:
                self._costs.clear()
            known = self._costs[block] = price(self.measure(block), self.problem.costs)
        return known

    def total(self, blocks: Iterable[Block]) -> float:
        """Return what a plan costs."""
        return math.fsum(self.cost(block) for block in blocks)

    def merged(self, block: Block) -> tuple[MergedQuery, ...]:
        """Return the merged queries of a block."""
        if len(block) == 1:
            query = self.queries[block[0]]
            return (MergedQuery(query.filter, query.regions or ()),)
        return self._procedure.queries(self._queries(block))

    def _queries(self, block: Block) -> Sequence[SizedQuery]:
        return [self.queries[place] for place in block]
