"""The iterative algorithm of paper 003, section 5: from a plan, refine the part around one node after the other.

Nodes are chosen at random or by slack: how far what the region costs is above a lower bound. As we read the paper, a
node that was refined without gain is passed over until something in its region changes; the search ends when that
is so of all nodes. Regions deeper than the paper's, a node and its children, are its future work.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise

from distributary.adaptation.bounds import link_bounds
from distributary.adaptation.compiled.instance import Floats, Instance, Ints, PlanArrays, plan_costs
from distributary.adaptation.compiled.refinement import refine
from distributary.core.generator import Generator

__all__ = ["SELECTIONS", "improvements"]

SELECTIONS = ("slack", "random")

#: Vertices of a region's multilayer graph, and steps of an exact Steiner tree in it.
_VERTICES_MAX = 512
_EXACT_STEPS_MAX = 1e6


def improvements(
    instance: Instance, plan: PlanArrays, select: str, depth: int, generator: Generator
) -> Iterator[float]:
    """Refine a plan in place, and yield after each iteration what it saved; ends when no node can be refined.

    Args:
        instance: The problem.
        plan: A valid plan; it is changed.
        select: `slack` or `random`.
        depth: How many levels below its node a region has; the paper's is 1.
        generator: Chance, for `random`.
    """
    search = _Search(instance, plan, depth)
    choose = search.by_slack() if select == "slack" else search.by_chance(generator)
    for node in choose:
        yield search.refined(node)


class _Search:
    """Which nodes are worth refining, while their plan changes."""

    def __init__(self, instance: Instance, plan: PlanArrays, depth: int) -> None:
        nodes, formats = instance.requests.shape
        self._instance, self._plan, self._depth = instance, plan, depth
        self._nodes_max = max(2, _VERTICES_MAX // formats)
        self._bounds = link_bounds(instance)
        self._costs = plan_costs(instance, plan)
        self._parent: list[int] = instance.parent.tolist()
        first = instance.first.tolist()
        self._children: list[list[int]] = [instance.children[start:end].tolist() for start, end in pairwise(first)]
        #: How many refinements of each node that gain nothing are enough: one for each part of its children; and how
        #: many of them are still to come.
        self._whole = [max(1, -(-len(children) // (self._nodes_max - 1))) for children in self._children]
        self._open = self._whole.copy()
        self._slack = [self._slack_of(node) for node in range(nodes)]
        #: Nodes whose slack or state has changed since they were last chosen from.
        self._changed: list[int] = []

    def by_slack(self) -> Iterator[int]:
        """Yield the node of the greatest slack that may gain; of equals, the one nearest to the root."""
        heap = [(-slack, node) for node, slack in enumerate(self._slack)]
        heapify(heap)
        while heap:
            slack, node = heappop(heap)
            if not self._open[node] or -slack != self._slack[node]:
                continue
            yield node
            for other in self._changed:
                heappush(heap, (-self._slack[other], other))
            self._changed.clear()
            if self._open[node]:
                heappush(heap, (-self._slack[node], node))

    def by_chance(self, generator: Generator) -> Iterator[int]:
        """Yield nodes that may gain, each with the same chance."""
        waiting = list(range(len(self._slack)))
        there = [True] * len(waiting)
        while waiting:
            place = generator.below(len(waiting))
            node = waiting[place]
            yield node
            if not self._open[node]:
                waiting[place] = waiting[-1]
                waiting.pop()
                there[node] = False
            for other in self._changed:
                if not there[other]:
                    there[other] = True
                    waiting.append(other)
            self._changed.clear()

    def refined(self, node: int) -> float:
        """Refine the plan around a node, and return what that saved."""
        offset = (self._whole[node] - self._open[node]) * (self._nodes_max - 1)
        saved, region = refine(self._instance, self._plan, node, offset, self._depth, self._nodes_max, _EXACT_STEPS_MAX)
        if saved == 0.0:
            self._open[node] -= 1
            return saved
        self._renew(region)
        return saved

    def _renew(self, region: Ints) -> None:
        """Compute costs and slacks of a changed region anew, and open all nodes whose regions it touches."""
        touched: list[int] = region.tolist()
        above = self._parent[touched[0]]
        for _ in range(self._depth):
            if above < 0:
                break
            touched.append(above)
            above = self._parent[above]
        part = PlanArrays(self._plan.received[region], self._plan.maker[region])
        self._costs[:, region] = _costs_of(self._instance, region, part)
        for node in touched:
            self._slack[node] = self._slack_of(node)
            self._open[node] = self._whole[node]
        self._changed.extend(touched)

    def _slack_of(self, node: int) -> float:
        """Return what the region of a node costs beyond the bounds of its links; conversions have none."""
        slack, level = float(self._costs[1, node]), [node]
        for _ in range(self._depth):
            level = [child for parent in level for child in self._children[parent]]
            if not level:
                break
            slack += float(self._costs[:, level].sum() - self._bounds[level].sum())
        return slack


def _costs_of(instance: Instance, nodes: Ints, part: PlanArrays) -> Floats:
    """Return what the links into some nodes and their conversions cost; the root has no link."""
    part_of = instance._replace(link=instance.link[nodes], node=instance.node[nodes])
    costs = plan_costs(part_of, part)
    if nodes[0] > 0:
        costs[0, 0] = (part.received[0] * instance.link[nodes[0]]) @ instance.size
    return costs
