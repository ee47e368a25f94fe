"""The Directed Search Algorithm of paper 000, section 6.3: descents by merges and splits from several starts.

The starts are all queries apart, all together, and random partitions. From "all apart" merges are exhausted before
splits are tried, so that the result is never worse than that of pair merging.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.merging.compiled.boxes import Ints
from distributary.merging.compiled.chance import fork_states
from distributary.merging.compiled.descent import descend, random_starts
from distributary.merging.cost import Block, Pricing
from distributary.merging.geometry import blocks_of, boxes_of, ranks_of

__all__ = ["LEAST", "descended", "directed", "directed_of", "starts_of"]

#: The tables are quadratic: at this number of queries they take 300 MB.
_QUERIES_MAX = 6000
#: Of the cost without merging; a smaller saving is rounding.
LEAST = 1e-12


def directed(pricing: Pricing, starts: int, generator: Generator) -> list[Block]:
    """Return the best blocks that a number of starts lead to; streams are planned one after another."""
    return [
        block
        for number, stream in enumerate(pricing.problem.streams())
        for block in directed_of(pricing, stream, starts, generator.fork(number))
    ]


def directed_of(pricing: Pricing, stream: Block, starts: int, generator: Generator) -> list[Block]:
    """Return the best blocks of some members of one stream."""
    if len(stream) > _QUERIES_MAX:
        raise InputError(
            f"takes up to {_QUERIES_MAX} queries of one stream, here are {len(stream)}; clustering and auto take more",
            field="algorithm directed",
        )
    least = LEAST * pricing.total((place,) for place in stream)
    boxes = boxes_of(pricing, stream)
    ranks = ranks_of(pricing, stream)
    begun = starts_of(ranks, starts, generator)
    if boxes is not None:
        return blocks_of(stream, descend(boxes, ranks, begun, merges_first=True, least=least).blocks)
    best: tuple[float, list[Block]] | None = None
    for number, start in enumerate(begun):
        found = descended(pricing, blocks_of(stream, start), merges_first=number == 0, least=least)
        cost = pricing.total(found)
        if best is None or cost < best[0] - least:
            best = cost, found
    assert best is not None
    return best[1]


def starts_of(ranks: Ints, starts: int, generator: Generator) -> Ints:
    """Return partitions as a number for each query: all apart, all together, random ones."""
    states = fork_states(generator, "start", range(2, starts))
    apart, together = np.arange(len(ranks)), np.zeros(len(ranks), dtype=np.int64)
    return np.vstack([apart, together, random_starts(ranks, states)])[:starts]


def descended(pricing: Pricing, start: list[Block], *, merges_first: bool, least: float) -> list[Block]:
    """Return the blocks that a start ends in: at each step the best of all moves, for every kind of query.

    The compiled descent does the same on boxes; ties there and here go to merges, then to the smallest ids.
    """
    ids = [member.id for member in pricing.problem.members]
    blocks = list(start)
    merging = merges_first
    while True:
        moves = [move for move in _merges(pricing, blocks, ids) if move[0] < 0]
        if not merging:
            moves = [move for move in [*moves, *_splits(pricing, blocks, ids)] if move[0] < -least]
        if moves:
            _, _, _, gone, come = min(moves)
            blocks = [block for block in blocks if block not in gone] + list(come)
        elif merging:
            merging = False
        else:
            return blocks


#: What a move adds to the cost, its kind, its ids, the blocks that go and those that come.
_Move = tuple[float, int, tuple[str, ...], tuple[Block, ...], tuple[Block, ...]]


def _merges(pricing: Pricing, blocks: list[Block], ids: list[str]) -> Iterator[_Move]:
    names = {block: min(ids[place] for place in block) for block in blocks}
    for number, first in enumerate(blocks):
        for second in blocks[number + 1 :]:
            merged = tuple(sorted(first + second))
            saved = pricing.cost(first) + pricing.cost(second) - pricing.cost(merged)
            yield -saved, 0, tuple(sorted((names[first], names[second]))), (first, second), (merged,)


def _splits(pricing: Pricing, blocks: list[Block], ids: list[str]) -> Iterator[_Move]:
    for block in blocks:
        for place in block if len(block) > 1 else ():
            rest = tuple(other for other in block if other != place)
            saved = pricing.cost(block) - pricing.cost(rest) - pricing.cost((place,))
            yield -saved, 1, (ids[place],), (block,), ((place,), rest)
