"""A problem and its plans as arrays, the cost of a plan, and taking out of it what nobody needs.

Nodes are numbered from the root down, each after its parent, and of a node's children the one with the most nodes below
it comes last. Whoever goes through the nodes backwards meets children before parents and large subtrees first, so that
he never has more than log2(nodes) half-finished parents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from distributary.core.kept_code import drop_outdated, package

__all__ = ["Bools", "Floats", "Instance", "Ints", "PlanArrays", "compiled", "plan_costs", "prune"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

drop_outdated(package(__file__))

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function; what was compiled once is kept on disk."""
    made: Any = njit(cache=True, nogil=True)(function)
    return cast("_Function", made)


class Instance(NamedTuple):
    """A problem as arrays; the weights alpha and beta are in the factors."""

    #: By node; -1 at the root, which is node 0.
    parent: Ints
    #: The children of node i are children[first[i]:first[i + 1]].
    first: Ints
    children: Ints
    #: alpha x the factor of the link into each node, beta x the factor of each node.
    link: Floats
    node: Floats
    size: Floats
    #: What each conversion costs, by input and output; infinite where there is none.
    price: Floats
    #: What each node asks for.
    requests: Bools
    source: int


class PlanArrays(NamedTuple):
    """A plan: what each node receives (the root: the source's format) and what it makes of what."""

    received: Bools
    #: The format that each format is made from at each node; -1 where it is not made.
    maker: Ints


@compiled
def plan_costs(instance: Instance, plan: PlanArrays) -> Floats:
    """Return what the link into each node costs, and in a second row what its conversions cost."""
    nodes, formats = plan.received.shape
    costs = np.zeros((2, nodes))
    for node in range(nodes):
        for form in range(formats):
            if node > 0 and plan.received[node, form]:
                costs[0, node] += instance.link[node] * instance.size[form]
            if plan.maker[node, form] >= 0:
                costs[1, node] += instance.node[node] * instance.price[plan.maker[node, form], form]
    return costs


@compiled
def prune(instance: Instance, plan: PlanArrays) -> None:
    """Take out, in place, what no request and no node below needs; the plan stays valid and gets no dearer."""
    nodes, formats = plan.received.shape
    needed = instance.requests.copy()
    for node in range(nodes - 1, -1, -1):
        # Every format counts once: what needs it may come later, so chains are followed from each to its input.
        for wanted in range(formats):
            form = wanted
            while needed[node, form] and not plan.received[node, form] and plan.maker[node, form] >= 0:
                form = plan.maker[node, form]
                if needed[node, form]:
                    break
                needed[node, form] = True
        for form in range(formats):
            if not needed[node, form] or plan.received[node, form]:
                plan.maker[node, form] = -1
            if node > 0:
                plan.received[node, form] &= needed[node, form]
                needed[instance.parent[node], form] |= plan.received[node, form]
