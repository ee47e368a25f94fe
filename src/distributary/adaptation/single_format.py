"""The single-format plan of paper 003, section 5: every link carries one format, the smallest that will do.

The paper says "the one with the smallest transmission cost"; here it must also be one that the parent can make of what
it gets itself, and one that everything requested below can be made of. The parent's own format always is.
"""

from __future__ import annotations

import numpy as np

from distributary.adaptation.all_in_root import requested_below
from distributary.adaptation.compiled.instance import Bools, Instance, PlanArrays
from distributary.adaptation.numbering import empty_plan
from distributary.adaptation.steiner import ConversionTrees

__all__ = ["reachable", "single_format"]


def single_format(instance: Instance, trees: ConversionTrees) -> PlanArrays:
    """Return the plan that sends one format over each link, chosen from the root down."""
    plan = empty_plan(instance)
    below, reach = requested_below(instance), reachable(instance)
    sent = np.full(len(below), instance.source)
    smallest_first = np.argsort(instance.size, kind="stable").tolist()
    chosen: dict[tuple[int, bytes], int] = {}
    for node in range(1, len(below)):
        given = int(sent[instance.parent[node]])
        key = given, below[node].tobytes()
        if key not in chosen:
            chosen[key] = next(form for form in smallest_first if reach[given, form] and reach[form, below[node]].all())
        sent[node] = chosen[key]
        plan.received[node, sent[node]] = True
    needed = instance.requests.copy()
    needed[instance.parent[1:], sent[1:]] = True
    for node in range(len(below)):
        plan.maker[node] = trees.makers([int(sent[node])], np.flatnonzero(needed[node]).tolist())
    return plan


def reachable(instance: Instance) -> Bools:
    """Return which formats can be made of which, each of itself too."""
    reach: Bools = np.isfinite(instance.price) | np.eye(len(instance.size), dtype=np.bool_)
    for between in range(len(reach)):
        reach |= np.outer(reach[:, between], reach[between])
    return reach
