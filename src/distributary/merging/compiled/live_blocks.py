"""Blocks of boxes that change: the state, and the steps that every change is made of.

A block is a chain of queries and a description of them. The numbers of blocks that are gone are used again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.blocks import Blocks, cost_of
from distributary.merging.compiled.boxes import Boxes, Floats, Ints, block_cost, compiled, measure
from distributary.merging.compiled.grid import Grid, insert, make_grid, remove

__all__ = [
    "Live",
    "alone",
    "arranged",
    "describe",
    "free_number",
    "include",
    "link",
    "put_in",
    "sum_up",
    "take_number",
    "take_out",
]


class Live(NamedTuple):
    """Queries in numbered places and the blocks that they are in; `-1` ends chains."""

    boxes: Boxes
    grid: Grid
    #: By the number of a block; `alive` tells which are in use, `parent` is not used.
    blocks: Blocks
    #: Of each query: when it came among all (breaks ties), its block, its neighbours in the chain of the block.
    serial: Ints
    home: Ints
    after: Ints
    before: Ints
    #: The first query of each block.
    first: Ints
    #: Numbers of blocks that are free, and in the last place how many.
    spare: Ints
    #: What the blocks cost, and what the queries cost unmerged: each a sum and what rounding took from it.
    total: Floats
    alone: Floats
    #: Room to work in: blocks that were found, queries that are moved, the piece of each query.
    near: Ints
    moved: Ints
    piece: Ints


def arranged(boxes: Boxes, serial: Ints, numbers: Ints, room: int) -> Live:
    """Return the state with the given blocks, for up to `room` queries; `numbers` are below it, -1 is for no query."""
    used = numbers >= 0
    dimensions = boxes.low.shape[1]
    wide = (room, dimensions)
    live = Live(
        boxes=boxes._replace(
            low=_grown(boxes.low, wide),
            high=_grown(boxes.high, wide),
            size=_grown(boxes.size, (room,)),
            rate=_grown(boxes.rate, (room,)),
        ),
        grid=make_grid(boxes.low[used], boxes.high[used], room),
        blocks=Blocks(
            low=np.zeros(wide),
            high=np.zeros(wide),
            size=np.zeros(room),
            members=np.zeros(room),
            rate=np.zeros(room),
            wanted=np.zeros(room),
            rank=np.zeros(room, dtype=np.int64),
            alive=np.zeros(room, dtype=np.int64),
            parent=np.empty(0, dtype=np.int64),
        ),
        serial=np.concatenate([serial, np.zeros(room - len(serial), dtype=np.int64)]),
        home=np.full(room, -1, dtype=np.int64),
        after=np.full(room, -1, dtype=np.int64),
        before=np.full(room, -1, dtype=np.int64),
        first=np.full(room, -1, dtype=np.int64),
        spare=np.append(np.arange(room)[::-1], room),
        total=np.zeros(2),
        alone=np.zeros(2),
        near=np.empty(room, dtype=np.int64),
        moved=np.empty(room, dtype=np.int64),
        piece=np.empty(room, dtype=np.int64),
    )
    _fill(live, numbers)
    return live


def _grown(values: Floats, shape: tuple[int, ...]) -> Floats:
    grown = np.zeros(shape)
    grown[: len(values)] = values
    return grown


@compiled
def _fill(live: Live, numbers: Ints) -> None:
    block_of = np.full(live.home.shape[0], -1, dtype=np.int64)
    for query in range(numbers.shape[0]):
        number = numbers[query]
        if number < 0:
            continue
        if block_of[number] < 0:
            block_of[number] = take_number(live)
        link(live, query, block_of[number])
        sum_up(live.alone, alone(live, query))
    for number in range(block_of.shape[0]):
        if block_of[number] >= 0:
            describe(live, block_of[number])
            put_in(live, block_of[number])


@compiled
def sum_up(total: Floats, value: float) -> None:
    """Add to a sum, and what is lost by that to its second part (Neumaier)."""
    changed = total[0] + value
    if abs(total[0]) >= abs(value):
        total[1] += (total[0] - changed) + value
    else:
        total[1] += (value - changed) + total[0]
    total[0] = changed


@compiled
def alone(live: Live, query: int) -> float:
    """Return what a query costs unmerged."""
    rate, size = live.boxes.rate[query], live.boxes.size[query]
    return block_cost(live.boxes, size, 1.0, rate, rate * size)


@compiled
def take_number(live: Live) -> int:
    """Return the number of a block that was free."""
    left = live.spare[-1] - 1
    live.spare[-1] = left
    block = live.spare[left]
    live.first[block] = -1
    return block


@compiled
def free_number(live: Live, block: int) -> None:
    """Let the number of a block that is out be used again."""
    live.spare[live.spare[-1]] = block
    live.spare[-1] += 1


@compiled
def link(live: Live, query: int, block: int) -> None:
    """Put a query first in the chain of a block."""
    head = live.first[block]
    live.home[query], live.after[query], live.before[query] = block, head, -1
    if head >= 0:
        live.before[head] = query
    live.first[block] = query


@compiled
def describe(live: Live, block: int) -> None:
    """Describe a block from its queries."""
    blocks, query, count = live.blocks, live.first[block], 0
    blocks.rate[block], blocks.wanted[block], blocks.rank[block] = 0.0, 0.0, live.serial[query]
    while query >= 0:
        include(live, blocks, block, query, count == 0)
        count += 1
        query = live.after[query]
    blocks.members[block] = count
    blocks.size[block] = live.boxes.size[live.first[block]]
    if count > 1:
        blocks.size[block] = measure(live.boxes, blocks.low[block], blocks.high[block])


@compiled
def include(live: Live, blocks: Blocks, block: int, query: int, fresh: bool) -> None:
    """Let a description hold one more query, all but its size and its number of members."""
    for axis in range(blocks.low.shape[1]):
        low, high = live.boxes.low[query, axis], live.boxes.high[query, axis]
        blocks.low[block, axis] = low if fresh else min(blocks.low[block, axis], low)
        blocks.high[block, axis] = high if fresh else max(blocks.high[block, axis], high)
    blocks.rate[block] = max(blocks.rate[block], live.boxes.rate[query])
    blocks.wanted[block] += live.boxes.rate[query] * live.boxes.size[query]
    blocks.rank[block] = min(blocks.rank[block], live.serial[query])


@compiled
def put_in(live: Live, block: int) -> None:
    """Let a measured block count."""
    live.blocks.alive[block] = 1
    insert(live.grid, live.blocks.low[block], live.blocks.high[block], live.blocks.size[block], block)
    sum_up(live.total, cost_of(live.boxes, live.blocks, block))


@compiled
def take_out(live: Live, block: int) -> None:
    """Let a block not count any more; its chain stays."""
    live.blocks.alive[block] = 0
    remove(live.grid, block)
    sum_up(live.total, -cost_of(live.boxes, live.blocks, block))
