"""The dynamic programme of paper 003, section 4, over sets of formats as bitmasks; linear in the number of nodes.

Algorithm 1 tries every set of formats for what a node has after its conversions and asks for a Steiner tree each time.
Here a node gets its formats one by one: from the set it has, the cheapest operator that makes one format more leads to
the next set, and every Steiner tree is such a chain. So the value of a set is the least of what the children cost on it
and of what the larger sets cost; a node takes formats x 2^formats steps, where the paper takes 2^(3 x formats).

Values of a node for all 2^formats sets that it may have are in one row. Rows live in slots only while they are needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.adaptation.compiled.instance import Floats, Instance, Ints, PlanArrays, compiled

__all__ = ["SetTables", "Slots", "make_tables", "read_plan", "sweep"]

#: The lowest bits are worked off one by one, the others in runs that the compiler turns into vector instructions.
_BITS = 3


class SetTables(NamedTuple):
    """What is computed once for all nodes."""

    #: The total size of each set.
    total: Floats
    #: At 2^k + low: the price of format k from the set `low` of the formats below k.
    from_below: Floats
    #: At 2^(formats - 1 - k) + high: the price of format k from the set `high` of the formats above k.
    from_above: Floats
    #: The prices of the lowest formats: from the set of all that are not among them, and from a set of those.
    from_many: Floats
    from_few: Floats
    #: What each format outside the sets costs from each set; no rows where all formats are in the sets.
    away: Floats
    #: Which nodes ask for it.
    outside: Ints
    outside_first: Ints


class Slots(NamedTuple):
    """Rows of values, and which node has which; -1: none."""

    values: Floats
    of_node: Ints
    #: The numbers of those that are free, and how many.
    free: Ints
    free_count: Ints


@compiled
def make_tables(instance: Instance, away: Floats, outside: Ints, outside_first: Ints) -> SetTables:
    """Return the tables of an instance; `away` are prices of other formats from each format of the sets."""
    formats, price = instance.size.shape[0], instance.price
    sets, bits = 1 << formats, min(_BITS, formats)
    total, from_below, from_above = np.zeros(sets), np.full(sets, np.inf), np.full(sets, np.inf)
    from_many, from_few = np.full((bits, sets >> bits), np.inf), np.full((bits, 1 << bits), np.inf)
    away_from = np.full((away.shape[1], sets), np.inf)
    for some in range(1, sets):
        lowest = 0
        while not some >> lowest & 1:
            lowest += 1
        rest = some & (some - 1)
        total[some] = total[rest] + instance.size[lowest]
        for form in range(away.shape[1]):
            away_from[form, some] = min(away_from[form, rest], away[lowest, form])
        for form in range(formats):
            if some < 1 << form:
                from_below[(1 << form) + some] = min(from_below[(1 << form) + rest], price[lowest, form])
            top = 1 << (formats - 1 - form)
            if some < top:
                from_above[top + some] = min(from_above[top + rest], price[form + 1 + lowest, form])
        for form in range(bits):
            if some < 1 << bits:
                from_few[form, some] = min(from_few[form, rest], price[lowest, form])
            if some < sets >> bits:
                from_many[form, some] = min(from_many[form, rest], price[bits + lowest, form])
    return SetTables(total, from_below, from_above, from_many, from_few, away_from, outside, outside_first)


@compiled
def _require(instance: Instance, tables: SetTables, node: int, values: Floats) -> None:
    """Make dear what lacks a request: infinitely, or by what a format outside the sets costs."""
    factor = instance.node[node]
    need = 0
    for form in range(instance.size.shape[0]):
        if instance.requests[node, form]:
            need |= 1 << form
    if need:
        for some in range(values.shape[0]):
            if some & need != need:
                values[some] = np.inf
    for place in range(tables.outside_first[node], tables.outside_first[node + 1]):
        away = tables.away[tables.outside[place]]
        for some in range(values.shape[0]):
            # Not a product alone: a factor of zero times an infinite price is no number.
            values[some] = values[some] + factor * away[some] if away[some] < np.inf else np.inf


@compiled
def _settle_few(tables: SetTables, factor: float, start: int, bits: int, values: Floats) -> None:
    """Settle the sets from `start` on that differ in the lowest formats only; larger ones are settled."""
    high = start >> bits
    for low in range((1 << bits) - 1, -1, -1):
        value = values[start + low]
        for form in range(bits):
            if not low >> form & 1:
                price = min(tables.from_many[form, high], tables.from_few[form, low])
                found = factor * price + values[start + low | 1 << form]
                # Nothing is less than what is no number, which zero times infinite is.
                if found < value:
                    value = found
        values[start + low] = value


@compiled
def _settle(instance: Instance, tables: SetTables, node: int, values: Floats) -> None:
    """Turn what the children cost on each set into what the node and all below it cost when it has that set.

    Sets are met from the largest down. When all sets from `start` on that agree in the bits above k are settled, those
    that differ from them in bit k alone get their operator for format k, a run of 2^k sets at once.
    """
    formats, factor = instance.size.shape[0], instance.node[node]
    bits = min(_BITS, formats)
    for start in range(values.shape[0] - (1 << bits), -1, -(1 << bits)):
        _settle_few(tables, factor, start, bits, values)
        if start == 0:
            break
        form = bits
        while not start >> form & 1:
            form += 1
        high = tables.from_above[(1 << (formats - 1 - form)) + (start >> (form + 1))]
        run = 1 << form
        lower, upper = values[start - run : start], values[start : start + run]
        prices = tables.from_below[run : 2 * run]
        for place in range(run):
            price = prices[place] if prices[place] < high else high
            found = factor * price + upper[place]
            lower[place] = found if found < lower[place] else lower[place]


@compiled
def _lend(link: float, tables: SetTables, values: Floats) -> None:
    """Turn the values of what a node receives into those of what its parent has: the best subset is sent."""
    for some in range(values.shape[0]):
        values[some] += link * tables.total[some]
    sets, bits = values.shape[0], 0
    while 1 << bits < min(sets, 1 << _BITS):
        bits += 1
    width = 1 << bits
    for start in range(0, sets, width):
        for form in range(bits):
            for some in range(start, start + width):
                if some >> form & 1:
                    less = values[some ^ 1 << form]
                    if less < values[some]:
                        values[some] = less
    run = width
    while run < sets:
        for start in range(0, sets, 2 * run):
            lower, upper = values[start : start + run], values[start + run : start + 2 * run]
            for place in range(run):
                upper[place] = lower[place] if lower[place] < upper[place] else upper[place]
        run *= 2


@compiled
def sweep(instance: Instance, tables: SetTables, slots: Slots, first: int, last: int, kept: Floats) -> None:
    """Value the nodes last - 1 down to first; their rows are kept where there is room for them.

    The slots must hold what the nodes from `last` on left; the root's value stays in the slot of the root.
    """
    for node in range(last - 1, first - 1, -1):
        slot = slots.of_node[node]
        if slot < 0:
            slots.free_count[0] -= 1
            slot = slots.free[slots.free_count[0]]
            slots.values[slot] = 0.0
            slots.of_node[node] = slot
        values = slots.values[slot]
        _require(instance, tables, node, values)
        _settle(instance, tables, node, values)
        if kept.shape[0] > 0:
            kept[node - first] = values
        parent = instance.parent[node]
        if parent < 0:
            continue
        _lend(instance.link[node], tables, values)
        slots.of_node[node] = -1
        if slots.of_node[parent] < 0:
            slots.of_node[parent] = slot
            continue
        total = slots.values[slots.of_node[parent]]
        for some in range(values.shape[0]):
            total[some] += values[some]
        slots.free[slots.free_count[0]] = slot
        slots.free_count[0] += 1


@compiled
def _received(instance: Instance, tables: SetTables, node: int, values: Floats, there: int) -> int:
    """Return the best set to send to a node from what its parent has; of equals, the first in numbers."""
    best, found, some = np.inf, 0, 0
    while True:
        cost = instance.link[node] * tables.total[some] + values[some]
        if cost < best:
            best, found = cost, some
        if some == there:
            return found
        some = (some - there) & there


@compiled
def read_plan(
    instance: Instance, tables: SetTables, kept: Floats, first: int, last: int, has: Ints, plan: PlanArrays
) -> None:
    """Write the best plan of the nodes first to last - 1, whose rows are kept; `has` is what each node has at last."""
    formats = instance.size.shape[0]
    for node in range(first, last):
        values = kept[node - first]
        parent = instance.parent[node]
        there = 1 << instance.source
        if parent >= 0:
            there = _received(instance, tables, node, values, has[parent])
        for form in range(formats):
            plan.received[node, form] = there >> form & 1
        while True:
            best, made, maker = np.inf, -1, -1
            for form in range(formats):
                if there >> form & 1:
                    continue
                for giver in range(formats):
                    if there >> giver & 1:
                        cost = instance.node[node] * instance.price[giver, form] + values[there | 1 << form]
                        if cost < best:
                            best, made, maker = cost, form, giver
            # A set worth less than all larger ones is the last; of equals the larger is taken, and pruned later.
            if made < 0 or values[there] < best:
                break
            plan.maker[node, made] = maker
            there |= 1 << made
        has[node] = there
