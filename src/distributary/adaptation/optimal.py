"""The optimal plan of paper 003, section 4, by a dynamic programme over sets of formats.

Deviations from the paper: see `compiled.format_sets` for the step at a node. Rows of values are kept for as many nodes
as there is room for; those of the others are computed again, from checkpoints, when the plan is read top down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.adaptation.compiled.format_sets import SetTables, Slots, make_tables, read_plan, sweep
from distributary.adaptation.compiled.instance import Floats, Instance, Ints, PlanArrays
from distributary.adaptation.deadline import Deadline
from distributary.adaptation.numbering import empty_plan

__all__ = ["FORMATS_MAX", "Optimum", "Outside", "best_plan", "steps_of"]

#: A row of values for more formats is too large.
FORMATS_MAX = 20
#: Bytes for rows that are kept, and at most for the checkpoints.
_KEPT_BYTES = 1 << 28
_CHECKPOINT_BYTES = 1 << 30
#: Steps between two looks at the clock.
_STEPS_BETWEEN = 3e7


@dataclass(frozen=True, slots=True)
class Outside:
    """Requests for formats that are not among those of the instance, by what they cost at most from each of them."""

    #: By format of the instance and format outside.
    price: Floats
    #: Those that node i asks for are wanted[first[i]:first[i + 1]].
    wanted: Ints
    first: Ints


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best plan, what it costs (with requests outside), and the set that each node has, as a bitmask."""

    plan: PlanArrays
    cost: float
    has: Ints


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """What the slots hold before the nodes below `last` are valued."""

    last: int
    of_node: Ints
    free: Ints
    free_count: Ints
    #: The slots that a node has, and their rows.
    used: Ints
    rows: Floats

    @classmethod
    def of(cls, slots: Slots, last: int) -> _Checkpoint:
        used = slots.of_node[slots.of_node >= 0]
        return cls(last, slots.of_node.copy(), slots.free.copy(), slots.free_count.copy(), used, slots.values[used])

    def restore(self, slots: Slots) -> None:
        slots.of_node[:], slots.free[:], slots.free_count[:] = self.of_node, self.free, self.free_count
        slots.values[self.used] = self.rows


def steps_of(nodes: int, formats: int) -> float:
    """Return about how many steps the optimum takes; a second is worth half a billion at least."""
    return nodes * max(1.0, formats) * 2.0**formats


def best_plan(instance: Instance, deadline: Deadline, outside: Outside | None = None) -> Optimum | None:
    """Return the optimum, or `None` when the deadline passes before or the tree is too large for so many formats.

    Time is nodes x formats x 2^formats, memory log(nodes) rows of 2^formats and what is kept.
    """
    nodes, formats = instance.requests.shape
    if outside is None:
        nothing = np.zeros(0, dtype=np.int64)
        outside = Outside(np.zeros((formats, 0)), nothing, np.zeros(nodes + 1, dtype=np.int64))
    tables = make_tables(instance, outside.price, outside.wanted, outside.first)
    room = max(1, min(nodes, _KEPT_BYTES >> formats + 3))
    kept = np.empty((room, 1 << formats))
    slots = _slots(nodes, formats)
    checkpoints: list[_Checkpoint] = []
    checkpoint_rows, last = 0, nodes
    while last > 0:
        first = max(0, last - room)
        if first > 0:
            checkpoints.append(_Checkpoint.of(slots, last))
            checkpoint_rows += len(checkpoints[-1].rows)
            if checkpoint_rows << formats + 3 > _CHECKPOINT_BYTES:
                return None
        if not _swept(instance, tables, slots, first, last, kept, deadline):
            return None
        last = first
    cost = float(slots.values[slots.of_node[0], 1 << instance.source])
    plan, has = empty_plan(instance), np.zeros(nodes, dtype=np.int64)
    read_plan(instance, tables, kept, 0, min(room, (nodes - 1) % room + 1), has, plan)
    for checkpoint in reversed(checkpoints):
        last = checkpoint.last
        checkpoint.restore(slots)
        if not _swept(instance, tables, slots, last - room, last, kept, deadline):
            return None
        read_plan(instance, tables, kept, last - room, last, has, plan)
    return Optimum(plan, cost, has)


def _swept(
    instance: Instance, tables: SetTables, slots: Slots, first: int, last: int, kept: Floats, deadline: Deadline
) -> bool:
    """Value and keep the nodes last - 1 down to first; tell whether the deadline let it."""
    formats = instance.requests.shape[1]
    stride = max(1, int(_STEPS_BETWEEN / steps_of(1, formats)))
    for end in range(last, first, -stride):
        if deadline.passed:
            return False
        start = max(first, end - stride)
        sweep(instance, tables, slots, start, end, kept[start - first :])
    return True


def _slots(nodes: int, formats: int) -> Slots:
    count = nodes.bit_length() + 2
    return Slots(
        np.empty((count, 1 << formats)), np.full(nodes, -1), np.arange(count), np.array([count], dtype=np.int64)
    )
