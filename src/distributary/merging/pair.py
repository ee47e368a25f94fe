"""The Pair Merging Algorithm of paper 000, section 6.2: merge the two sets that save the most, until none saves."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from distributary.merging.compiled.pair import merge_pairs
from distributary.merging.cost import Block, Pricing
from distributary.merging.geometry import blocks_of, boxes_of, neighbourhood_of, ranks_of, shape_of

__all__ = ["pair", "pair_of", "plain_pair"]

#: The plain algorithm compares all pairs of so many queries; of more, those within runs.
_PLAIN_MAX = 1000
_RUN = 250


def pair(pricing: Pricing) -> list[Block]:
    """Return the blocks that greedy merging ends with; streams are planned one after another.

    O(n²) evaluations of the cost model for n members, as in the paper, but for boxes near O(n). Ties are broken by the
    smallest ids of the two sets, so that the plan does not depend on the order of the members.
    """
    return [block for stream in pricing.problem.streams() for block in pair_of(pricing, stream)]


def pair_of(pricing: Pricing, places: Block) -> list[Block]:
    """Return the blocks of some members of one stream.

    Many queries that are not all boxes on the same columns are first parted: by what they restrict, and where that is
    no box, into runs of neighbours. Pairs of different parts are not compared then.
    """
    boxes = boxes_of(pricing, places)
    if boxes is not None:
        return blocks_of(places, merge_pairs(boxes, ranks_of(pricing, places)))
    if len(places) <= _PLAIN_MAX:
        return plain_pair(pricing, places)
    return [block for part in _parts(pricing, places) for block in pair_of(pricing, part)]


def _parts(pricing: Pricing, places: Block) -> Iterator[Block]:
    alike: dict[str, list[int]] = {}
    for place in places:
        alike.setdefault(shape_of(pricing, place), []).append(place)
    for members in alike.values():
        if len(alike) > 1 and boxes_of(pricing, tuple(members)) is not None:
            yield tuple(members)
            continue
        ordered = sorted(members, key=lambda place: neighbourhood_of(pricing, place))
        for start in range(0, len(ordered), _RUN):
            yield tuple(sorted(ordered[start : start + _RUN]))


def plain_pair(pricing: Pricing, stream: Block) -> list[Block]:
    """Return the same blocks, for every kind of query and procedure; `compiled.pair` is compared with it."""
    ids = [member.id for member in pricing.problem.members]
    costs: dict[Block, float] = {(place,): pricing.cost((place,)) for place in stream}
    names: dict[Block, str] = {(place,): ids[place] for place in stream}
    # The paper's profit table. The profit of two sets never changes while both are there, so that pairs without one
    # need not be kept; entries of sets that are gone are left out when they come up.
    table: list[tuple[float, str, str, Block, Block]] = []

    def entry(first: Block, second: Block) -> tuple[float, str, str, Block, Block] | None:
        profit = costs[first] + costs[second] - pricing.cost(_union(first, second))
        if not profit > 0:
            return None
        names_in_order = sorted((names[first], names[second]))
        return -profit, names_in_order[0], names_in_order[1], first, second

    singles = list(costs)
    for index, first in enumerate(singles):
        table.extend(found for second in singles[index + 1 :] if (found := entry(first, second)) is not None)
    heapify(table)
    while table:
        _, _, _, first, second = heappop(table)
        if first not in costs or second not in costs:
            continue
        merged = _union(first, second)
        names[merged] = min(names[first], names[second])
        costs[merged] = pricing.cost(merged)
        del costs[first], costs[second]
        for other in costs:
            if other is not merged and (found := entry(merged, other)) is not None:
                heappush(table, found)
    return list(costs)


def _union(first: Block, second: Block) -> Block:
    return tuple(sorted(first + second))
