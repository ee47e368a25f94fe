"""What no conversion plan can cost less than, paper 003, section 5: by links and by conversions, each for itself."""

from __future__ import annotations

import math

import numpy as np

from distributary.adaptation.all_in_root import requested_below
from distributary.adaptation.compiled.instance import Floats, Instance
from distributary.adaptation.deadline import NEVER
from distributary.adaptation.dual import dual_bound
from distributary.adaptation.optimal import best_plan
from distributary.adaptation.single_format import reachable

__all__ = ["link_bounds", "lower_bound"]

#: One node's optimum over all sets of so many formats takes no time to speak of.
_SETS_FORMATS_MAX = 16


def lower_bound(instance: Instance) -> float:
    """Return the paper's bound, as we read it: nodes x formats steps, and one Steiner tree."""
    least = float(instance.node.min()) * conversion_bound(instance)
    return math.fsum((*link_bounds(instance).tolist(), least))


def link_bounds(instance: Instance) -> Floats:
    """Return what each link costs at least: of what is requested below, the dearest of the least that each comes from.

    A request comes over each link above it in some format that it can be made of, the smallest of them at least.
    """
    above = reachable(instance)
    smallest = np.where(above, instance.size[:, None], np.inf).min(axis=0)
    dearest = np.where(requested_below(instance), smallest, 0.0).max(axis=1, initial=0.0)
    dearest[0] = 0.0
    bounds: Floats = instance.link * dearest
    return bounds


def conversion_bound(instance: Instance) -> float:
    """Return what making everything requested once costs at least, at a factor of 1: a minimum Steiner tree or less."""
    together = instance._replace(
        parent=np.full(1, -1),
        first=np.zeros(2, dtype=np.int64),
        children=np.zeros(0, dtype=np.int64),
        link=np.zeros(1),
        node=np.ones(1),
        requests=np.atleast_2d(instance.requests.any(axis=0)),
    )
    if len(instance.size) <= _SETS_FORMATS_MAX:
        best = best_plan(together, NEVER)
        assert best is not None
        return best.cost
    return dual_bound(together, NEVER).bound
