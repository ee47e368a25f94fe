"""The algorithm that `auto` stands for: as near to an optimum as the number of queries allows in seconds.

What it does depends on the queries alone, never on the clock, so that the same seed gives the same plan.
"""

from __future__ import annotations

from collections.abc import Callable

from distributary.core.generator import Generator
from distributary.merging.branching import branch_and_price_of
from distributary.merging.cost import Block, Pricing
from distributary.merging.directed import directed_of
from distributary.merging.geometry import boxes_of
from distributary.merging.pair import pair_of
from distributary.merging.partition import best_blocks

__all__ = ["auto"]

#: Streams of up to so many queries, with the starts of directed search: of boxes, and of anything else.
_PARTITION_MAX = 10
_PROVEN_MAX, _ROUNDS_MAX = 150, 40
_BOXES_DIRECTED_MAX, _PLAIN_DIRECTED_MAX = 1500, 30
_STARTS = 4


def auto(pricing: Pricing, generator: Generator, clock: Callable[[], float]) -> tuple[list[Block], float | None]:
    """Return blocks that are never worse than those of pair merging, and a proven bound where there is one."""
    blocks: list[Block] = []
    bounds: list[float | None] = []
    for number, stream in enumerate(pricing.problem.streams()):
        found, bound = _planned(pricing, stream, generator.fork(number), clock)
        blocks += found
        bounds.append(bound)
    known = [bound for bound in bounds if bound is not None]
    return blocks, sum(known) if len(known) == len(bounds) else None


def _planned(
    pricing: Pricing, stream: Block, generator: Generator, clock: Callable[[], float]
) -> tuple[list[Block], float | None]:
    if len(stream) <= _PARTITION_MAX:
        blocks = best_blocks(pricing, stream)
        return blocks, pricing.total(blocks)
    boxes = boxes_of(pricing, stream)
    if len(stream) > (_PLAIN_DIRECTED_MAX if boxes is None else _BOXES_DIRECTED_MAX):
        return pair_of(pricing, stream), None
    blocks = directed_of(pricing, stream, _STARTS, generator)
    if boxes is None or len(stream) > _PROVEN_MAX or boxes.low.shape[1] > 2:
        return blocks, None
    found = branch_and_price_of(pricing, stream, boxes, blocks, clock, None, _ROUNDS_MAX)
    return found.blocks, found.lower_bound
