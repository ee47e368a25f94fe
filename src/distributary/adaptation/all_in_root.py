"""The all-in-root plan of paper 003, section 5: the root makes every format, links carry what is asked below."""

from __future__ import annotations

import numpy as np

from distributary.adaptation.compiled.instance import Bools, Instance, PlanArrays
from distributary.adaptation.numbering import empty_plan
from distributary.adaptation.steiner import ConversionTrees

__all__ = ["all_in_root", "requested_below"]


def all_in_root(instance: Instance, trees: ConversionTrees) -> PlanArrays:
    """Return the plan that converts at the root only, by a minimum Steiner tree (or its approximation)."""
    plan = empty_plan(instance)
    below = requested_below(instance)
    plan.maker[0] = trees.makers([instance.source], np.flatnonzero(below[0]).tolist())
    plan.received[1:] = below[1:]
    return plan


def requested_below(instance: Instance) -> Bools:
    """Return what each node and all nodes below it request together."""
    below = instance.requests.copy()
    for node, parent in zip(range(len(below) - 1, 0, -1), instance.parent[:0:-1].tolist(), strict=True):
        below[parent] |= below[node]
    return below
