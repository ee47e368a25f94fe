"""A start for many formats, named by paper 003 as future work: the optimum over sets of a few promising formats.

Only promising formats are sent over links. Requests for others are made of them where they are asked for, each by its
cheapest conversions; that counts what two of them share twice, so that the plan may cost less than the programme says.
Formats are promising when, added one by one to the source's, they lower the optimum most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.adaptation.compiled.instance import Floats, Instance, PlanArrays
from distributary.adaptation.deadline import Deadline
from distributary.adaptation.numbering import empty_plan
from distributary.adaptation.optimal import Optimum, Outside, best_plan, steps_of
from distributary.adaptation.steiner import ConversionTrees

__all__ = ["promising_plan"]

_FORMATS_MAX = 6
#: All trials together take about so many steps.
_STEPS_MAX = 2e8


@dataclass(frozen=True, slots=True)
class _Trial:
    """Some formats, and the optimum that sends only these."""

    formats: list[int]
    optimum: Optimum


def promising_plan(instance: Instance, trees: ConversionTrees, deadline: Deadline) -> PlanArrays | None:
    """Return a valid plan that sends few formats; `None` when the deadline passes before there is one."""
    nodes, count = instance.requests.shape
    distance = _distances(instance.price)
    best = _tried(instance, distance, [instance.source], deadline)
    steps = 0.0
    while best is not None and len(best.formats) < min(count, _FORMATS_MAX):
        others = [form for form in range(count) if form not in best.formats]
        steps += len(others) * steps_of(nodes, len(best.formats) + 1)
        if steps > _STEPS_MAX:
            break
        found = best
        for form in others:
            trial = _tried(instance, distance, sorted((*best.formats, form)), deadline)
            if trial is not None and trial.optimum.cost < found.optimum.cost:
                found = trial
        if found is best:
            break
        best = found
    return None if best is None else _expanded(instance, trees, best)


def _distances(price: Floats) -> Floats:
    """Return what the cheapest conversions from each format to each cost."""
    distance: Floats = price.copy()
    np.fill_diagonal(distance, 0.0)
    for between in range(len(distance)):
        np.minimum(distance, distance[:, between, None] + distance[between], out=distance)
    return distance


def _tried(instance: Instance, distance: Floats, formats: list[int], deadline: Deadline) -> _Trial | None:
    others = [form for form in range(len(instance.size)) if form not in formats]
    node, wanted = np.nonzero(instance.requests[:, others])
    first = np.searchsorted(node, np.arange(len(instance.parent) + 1))
    price = distance[np.ix_(formats, formats)]
    np.fill_diagonal(price, np.inf)
    part = instance._replace(
        size=instance.size[formats],
        price=price,
        requests=instance.requests[:, formats].copy(),
        source=formats.index(instance.source),
    )
    outside = Outside(distance[np.ix_(formats, others)].copy(), wanted.copy(), first)
    optimum = best_plan(part, deadline, outside)
    return None if optimum is None else _Trial(formats, optimum)


def _expanded(instance: Instance, trees: ConversionTrees, trial: _Trial) -> PlanArrays:
    """Return the plan with what is sent as the trial has it, and the best conversions for that at each node."""
    plan = empty_plan(instance)
    plan.received[:, trial.formats] = trial.optimum.plan.received
    needed = instance.requests.copy()
    np.logical_or.at(needed, instance.parent[1:], plan.received[1:])
    for node in range(len(needed)):
        has = np.flatnonzero(plan.received[node]).tolist()
        plan.maker[node] = trees.makers(has, np.flatnonzero(needed[node]).tolist())
    return plan
