"""A fixed number of physical channels: merged queries are packed onto them, and a listener receives all of one.

The paper names this extension without its cost. Ours: for each channel, K_M a merged query, K_T the size that it
carries, and K_U for each query on it the size that the channel carries beyond what the query wants; each query counts
by itself, as in the paper. With a channel for each merged query that is the cost without channels.

On one channel every query receives everything, so that a unit of size costs K_T + n·K_U with n queries and nothing
more is irrelevant: what should merge there is a merging problem of its own, with these prices. Packing and merging take
turns until neither saves. Up to `EXACT_MAX` queries all packings are tried instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum

import numpy as np

from distributary.core.results import Costs
from distributary.merging.compiled.subsets import best_partition
from distributary.merging.cost import Block, Pricing
from distributary.merging.packing import packed_places
from distributary.merging.pair import pair
from distributary.merging.problem import MergeProblem

__all__ = ["EXACT_MAX", "Packing", "channel_cost", "pack", "packed_cost"]

#: Queries of all streams together.
EXACT_MAX = 8
_TURNS_MAX = 20


@dataclass(frozen=True, slots=True)
class Packing:
    """The blocks of each channel, and whether no packing of any blocks costs less."""

    channels: tuple[tuple[Block, ...], ...]
    optimal: bool = False


def channel_cost(pricing: Pricing, blocks: Sequence[Block]) -> float:
    """Return what one channel with some blocks costs."""
    costs = pricing.problem.costs
    measures = [pricing.measure(block) for block in blocks]
    size = fsum(measure.size for measure in measures)
    queries = [pricing.queries[place] for block in blocks for place in block]
    vain = fsum(max(0.0, size - query.rate * query.size) for query in queries)
    return costs.K_M * fsum(measure.queries for measure in measures) + costs.K_T * size + costs.K_U * vain


def packed_cost(pricing: Pricing, packing: Packing) -> float:
    """Return what a packing costs."""
    return fsum(channel_cost(pricing, blocks) for blocks in packing.channels)


def pack(pricing: Pricing, blocks: Sequence[Block], channels: int, *, merging: bool = True) -> Packing:
    """Return blocks on a number of channels, none of them empty; without `merging` the blocks stay as they are."""
    if merging and len(pricing.problem.members) <= EXACT_MAX:
        return Packing(_best_packing(pricing, channels), optimal=True)
    if not merging:
        return Packing(_packed(pricing, blocks, channels))
    # Besides the given blocks: what merges when each query hears an equal share of all.
    everything = tuple(range(len(pricing.problem.members)))
    shared = pair(_priced(pricing, everything, max(1, len(everything) // channels)))
    return min((_improved(pricing, start, channels) for start in (blocks, shared)), key=partial(packed_cost, pricing))


def _improved(pricing: Pricing, blocks: Sequence[Block], channels: int) -> Packing:
    """Pack and merge in turns until neither saves."""
    best = Packing(_packed(pricing, blocks, channels))
    cost = packed_cost(pricing, best)
    for _ in range(_TURNS_MAX):
        merged = [block for each in best.channels for block in _merged(pricing, each)]
        found = Packing(_packed(pricing, merged, channels))
        found_cost = packed_cost(pricing, found)
        if not found_cost < cost * (1 - 1e-12):
            break
        best, cost = found, found_cost
    return best


def _priced(pricing: Pricing, places: Block, queries: int) -> Pricing:
    """Return the problem of merging some members on a channel with so many queries."""
    problem, costs = pricing.problem, pricing.problem.costs
    prices = Costs(costs.K_M, costs.K_T + queries * costs.K_U, 0.0)
    members = tuple(problem.members[place] for place in places)
    return Pricing(MergeProblem(members, problem.procedure, prices, problem.statistics))


def _merged(pricing: Pricing, blocks: Sequence[Block]) -> list[Block]:
    places = tuple(sorted(place for block in blocks for place in block))
    found = pair(_priced(pricing, places, len(places)))
    merged = [tuple(places[place] for place in block) for block in found]
    return min(list(blocks), merged, key=lambda each: channel_cost(pricing, each))


def _packed(pricing: Pricing, blocks: Sequence[Block], channels: int) -> tuple[tuple[Block, ...], ...]:
    """Put blocks on channels."""
    if channels >= len(blocks):
        return tuple((block,) for block in sorted(blocks))
    sizes = np.array([pricing.measure(block).size for block in blocks])
    places = packed_places(sizes, np.array([float(len(block)) for block in blocks]), channels)
    found: dict[int, list[Block]] = {}
    for block, channel in zip(blocks, places.tolist(), strict=True):
        found.setdefault(channel, []).append(block)
    return tuple(sorted(tuple(sorted(each)) for each in found.values()))


def _best_packing(pricing: Pricing, channels: int) -> tuple[tuple[Block, ...], ...]:
    """Return the best blocks on the best channels, by dynamic programming over the sets of queries."""
    count = len(pricing.problem.members)
    whole = (1 << count) - 1
    chosen = [(), *(_best_channel(pricing, _members(subset)) for subset in range(1, whole + 1))]
    costs = [0.0, *(channel_cost(pricing, blocks) for blocks in chosen[1:])]
    unreached: tuple[float, tuple[int, ...]] = (float("inf"), ())
    best = [(0.0, ()), *[unreached] * whole]
    for _ in range(min(channels, count)):
        best = [min([best[subset], *_extended(best, costs, subset)]) for subset in range(whole + 1)]
    return tuple(tuple(sorted(chosen[part])) for part in best[whole][1])


def _best_channel(pricing: Pricing, places: Block) -> tuple[Block, ...]:
    """Return the best blocks of some queries that have a channel to themselves."""
    problem, costs = pricing.problem, pricing.problem.costs
    prices = np.zeros(1 << len(places))
    blocks = [tuple(places[bit] for bit in _members(subset)) for subset in range(len(prices))]
    for subset, block in enumerate(blocks[1:], 1):
        measure = pricing.measure(block)
        one = len({problem.members[place].stream for place in block}) == 1
        cost = costs.K_M * measure.queries + (costs.K_T + len(places) * costs.K_U) * measure.size
        prices[subset] = cost if one else np.inf
    return tuple(blocks[subset] for subset in best_partition(prices))


def _extended(
    best: Sequence[tuple[float, tuple[int, ...]]], costs: Sequence[float], subset: int
) -> list[tuple[float, tuple[int, ...]]]:
    """Return a set's ways with one channel more, which has the lowest of its queries."""
    lowest = subset & -subset
    rest = part = subset ^ lowest
    found = []
    while subset:
        cost, parts = best[rest ^ part]
        found.append((cost + costs[part | lowest], (*parts, part | lowest)))
        if not part:
            break
        part = (part - 1) & rest
    return found


def _members(subset: int) -> Block:
    return tuple(place for place in range(subset.bit_length()) if subset >> place & 1)
