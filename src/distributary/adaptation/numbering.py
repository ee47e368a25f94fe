"""Between a problem with names and its arrays, and between plans of both kinds.

Nodes that nobody below asks at, and formats that no request can come from, are left out: no plan is better for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from distributary.adaptation.compiled.instance import Bools, Instance, Ints, PlanArrays, prune
from distributary.adaptation.cost import ConversionPlan
from distributary.adaptation.graph import conversion_paths
from distributary.adaptation.problem import AdaptationProblem
from distributary.core.errors import InputError

__all__ = ["NumberedProblem", "empty_plan", "number"]


@dataclass(frozen=True, slots=True)
class NumberedProblem:
    """A problem as arrays, and what its numbers stand for."""

    instance: Instance
    #: Names by number.
    nodes: tuple[str, ...]
    formats: tuple[str, ...]

    def named(self, plan: PlanArrays) -> ConversionPlan:
        """Return a valid plan, without what nobody needs, by names."""
        kept = PlanArrays(plan.received.copy(), plan.maker.copy())
        prune(self.instance, kept)
        parent, names = self.instance.parent, self.formats
        sent = {
            (self.nodes[parent[node]], self.nodes[node]): tuple(names[form] for form in np.flatnonzero(row).tolist())
            for node, row in enumerate(kept.received)
            if node > 0
        }
        operators = {
            self.nodes[node]: tuple((names[giver], names[form]) for giver, form in _in_order(kept.maker[node].tolist()))
            for node in np.flatnonzero((kept.maker >= 0).any(axis=1)).tolist()
        }
        return ConversionPlan(sent, operators)


def number(problem: AdaptationProblem, alpha: float, beta: float) -> NumberedProblem:
    """Return a checked problem as arrays, with the weights in the factors; `InputError` where costs have no sum."""
    formats = _useful_formats(problem)
    nodes = _nodes_in_order(problem)
    of_node = {name: place for place, name in enumerate(nodes)}
    of_format = {name: place for place, name in enumerate(formats)}
    parent = np.full(len(nodes), -1)
    link = np.zeros(len(nodes))
    for one in problem.links:
        place = of_node.get(one.target)
        if place is not None:
            parent[place], link[place] = of_node[one.source], alpha * one.factor
    price = np.full((len(formats), len(formats)), np.inf)
    for operator in problem.operators:
        if operator.source in of_format and operator.target in of_format:
            price[of_format[operator.source], of_format[operator.target]] = operator.cost
    requests = np.zeros((len(nodes), len(formats)), dtype=np.bool_)
    for name, asked in problem.requests.items():
        for form in asked:
            requests[of_node[name], of_format[form]] = True
    first, children = _children_of(parent)
    instance = Instance(
        parent=parent,
        first=first,
        children=children,
        link=link,
        node=np.array([beta * problem.node_factor(name) for name in nodes]),
        size=np.array([problem.size_of[name] for name in formats]),
        price=price,
        requests=requests,
        source=of_format[problem.source],
    )
    with np.errstate(over="ignore"):
        dearest = instance.link.sum() * instance.size.sum()
        dearest += instance.node.sum() * price[np.isfinite(price)].sum()
    if not np.isfinite(dearest):
        raise InputError("the costs are too large to be added up")
    return NumberedProblem(instance, nodes, formats)


def empty_plan(instance: Instance) -> PlanArrays:
    """Return a plan in which only the root has something: the source's format."""
    nodes, formats = instance.requests.shape
    received: Bools = np.zeros((nodes, formats), dtype=np.bool_)
    received[0, instance.source] = True
    return PlanArrays(received, np.full((nodes, formats), -1))


def _useful_formats(problem: AdaptationProblem) -> tuple[str, ...]:
    """Return the formats that come from the source's and that something requested comes from."""
    requested = problem.requested_below[problem.root]
    back: dict[str, list[str]] = {}
    for start, end in problem.price_of:
        back.setdefault(end, []).append(start)
    leads = list(dict.fromkeys((problem.source, *(name for name in problem.size_of if name in requested))))
    seen = set(leads)
    for name in leads:
        for before in back.get(name, ()):
            if before not in seen:
                seen.add(before)
                leads.append(before)
    there = conversion_paths(problem.source, problem.price_of)
    return tuple(name for name in problem.size_of if name in seen and name in there)


def _nodes_in_order(problem: AdaptationProblem) -> tuple[str, ...]:
    """Return the root and the nodes with requests below: parents first, of children the largest subtree last."""
    below = problem.requested_below
    largest_first: dict[str, list[str]] = {}
    count: dict[str, int] = {}
    for node in reversed(problem.top_down):
        kept = [child for child in problem.children.get(node, ()) if below[child]]
        kept.sort(key=lambda child: -count[child])
        largest_first[node] = kept
        count[node] = 1 + sum(count[child] for child in kept)
    order, todo = [], [problem.root]
    while todo:
        node = todo.pop()
        order.append(node)
        todo.extend(largest_first[node])
    return tuple(order)


def _children_of(parent: Ints) -> tuple[Ints, Ints]:
    """Return where each node's children begin, and the children, in the order of nodes."""
    children = np.argsort(parent[1:], kind="stable") + 1
    counts = np.bincount(parent[1:], minlength=len(parent))
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts))), children


def _in_order(makers: Sequence[int]) -> list[tuple[int, int]]:
    """Return a node's operators, each after the one that makes its input."""
    ordered: list[tuple[int, int]] = []
    waiting = {form for form, maker in enumerate(makers) if maker >= 0}
    while waiting:
        ready = sorted(form for form in waiting if makers[form] not in waiting)
        ordered.extend((makers[form], form) for form in ready)
        waiting.difference_update(ready)
    return ordered
