"""The all-in-leaves plan of paper 003, section 5: links carry the published format, who asks for another makes it."""

from __future__ import annotations

import numpy as np

from distributary.adaptation.compiled.instance import Instance, PlanArrays
from distributary.adaptation.numbering import empty_plan
from distributary.adaptation.steiner import ConversionTrees

__all__ = ["all_in_leaves"]


def all_in_leaves(instance: Instance, trees: ConversionTrees) -> PlanArrays:
    """Return the plan that converts only where something is requested, from the source's format."""
    plan = empty_plan(instance)
    plan.received[:, instance.source] = True
    for node in np.flatnonzero(instance.requests.any(axis=1)).tolist():
        plan.maker[node] = trees.makers([instance.source], np.flatnonzero(instance.requests[node]).tolist())
    return plan
