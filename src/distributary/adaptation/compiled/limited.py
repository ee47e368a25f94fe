"""The dynamic programme over sets of formats where what a node may spend on conversions is limited.

A limit needs the cost of each step from what a node receives to what it has at last, as the paper's algorithm 1 has it:
3^formats pairs, computed once. All rows of values are kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from distributary.adaptation.compiled.instance import Floats, Instance, Ints, PlanArrays, compiled

__all__ = ["limited_values", "make_steps", "read_limited_plan"]


class Steps(NamedTuple):
    """What it costs to come from each set to each larger one, by least cost."""

    #: Those from set s begin at first[s]; the sets that are added come in the order of their numbers.
    first: Ints
    cost: Floats
    #: The format made last, and of what; -1 for no step at all.
    made: Ints
    maker: Ints


@compiled
def _rank(some: int, within: int) -> int:
    """Return the place of a subset among the subsets of `within` in the order of their numbers."""
    rank, bit = 0, 0
    while within:
        lowest = within & -within
        if some & lowest:
            rank |= 1 << bit
        bit += 1
        within ^= lowest
    return rank


@compiled
def make_steps(price: Floats) -> Steps:
    """Return the steps between all sets: a minimum Steiner tree each, grown by its last format."""
    formats = price.shape[0]
    sets = 1 << formats
    first = np.zeros(sets + 1, dtype=np.int64)
    for some in range(sets):
        absent = 0
        for form in range(formats):
            absent += 1 - (some >> form & 1)
        first[some + 1] = first[some] + (1 << absent)
    cost = np.full(first[sets], np.inf)
    made, maker = np.full(first[sets], -1), np.full(first[sets], -1)
    for some in range(sets):
        absent = sets - 1 - some
        cost[first[some]] = 0.0
        added, place = 0, first[some]
        while added != absent:
            added, place = (added - absent) & absent, place + 1
            for form in range(formats):
                if not added >> form & 1:
                    continue
                before = added ^ 1 << form
                spent = cost[first[some] + _rank(before, absent)]
                for giver in range(formats):
                    if (some | before) >> giver & 1 and spent + price[giver, form] < cost[place]:
                        cost[place], made[place], maker[place] = spent + price[giver, form], form, giver
    return Steps(first, cost, made, maker)


@compiled
def _best_step(
    instance: Instance, steps: Steps, limit: float, node: int, some: int, after: Floats
) -> tuple[float, int, int]:
    """Return the least value of a set that a node receives, the formats it then makes, and the place of that step."""
    absent = after.shape[0] - 1 - some
    best, best_added, best_place = np.inf, 0, -1
    added, place = 0, steps.first[some]
    while True:
        spent = steps.cost[place]
        if spent <= limit:
            value = instance.node[node] * spent + after[some | added]
            if value < best:
                best, best_added, best_place = value, added, place
        if added == absent:
            return best, best_added, best_place
        added, place = (added - absent) & absent, place + 1


@compiled
def limited_values(instance: Instance, steps: Steps, limits: Floats) -> tuple[Floats, Floats]:
    """Return by node and set what all below costs once the node has it, and what the node and that cost if received.

    `limits` are by node, in costs of operators without factors.
    """
    nodes, formats = instance.requests.shape
    sets = 1 << formats
    after, received = np.zeros((nodes, sets)), np.empty((nodes, sets))
    lent = np.empty(sets)
    for node in range(nodes - 1, -1, -1):
        for some in range(sets):
            for form in range(formats):
                if instance.requests[node, form] and not some >> form & 1:
                    after[node, some] = np.inf
        for some in range(sets):
            received[node, some] = _best_step(instance, steps, limits[node], node, some, after[node])[0]
        if node == 0:
            continue
        for some in range(sets):
            size = 0.0
            for form in range(formats):
                size += instance.size[form] * (some >> form & 1)
            lent[some] = instance.link[node] * size + received[node, some]
            for form in range(formats):
                if some >> form & 1:
                    lent[some] = min(lent[some], lent[some ^ 1 << form])
        after[instance.parent[node]] += lent
    return after, received


@compiled
def read_limited_plan(
    instance: Instance, steps: Steps, limits: Floats, after: Floats, received: Floats, plan: PlanArrays
) -> None:
    """Write the best plan within the limits; there is one."""
    nodes, formats = instance.requests.shape
    has = np.zeros(nodes, dtype=np.int64)
    for node in range(nodes):
        some = 1 << instance.source
        if node > 0:
            there = has[instance.parent[node]]
            best, sub, some = np.inf, 0, 0
            while True:
                cost = received[node, sub]
                for form in range(formats):
                    cost += instance.link[node] * instance.size[form] * (sub >> form & 1)
                if cost < best:
                    best, some = cost, sub
                if sub == there:
                    break
                sub = (sub - there) & there
        for form in range(formats):
            plan.received[node, form] = some >> form & 1
        _, added, place = _best_step(instance, steps, limits[node], node, some, after[node])
        has[node] = some | added
        while added:
            plan.maker[node, steps.made[place]] = steps.maker[place]
            added ^= 1 << steps.made[place]
            place = steps.first[some] + _rank(added, (1 << formats) - 1 - some)
