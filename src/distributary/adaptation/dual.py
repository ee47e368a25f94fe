"""A lower bound for large problems, and a plan close to it, by dual ascent on the multilayer graph.

This is far above the paper's bound, which takes links and conversions each for themselves. A tree that is too large for
one graph is cut into pieces; what comes into a piece may have any format, so that the pieces' bounds add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distributary.adaptation.compiled.digraph import Digraph
from distributary.adaptation.compiled.dual_ascent import ascend, tree_within
from distributary.adaptation.compiled.instance import Floats, Instance, Ints, PlanArrays
from distributary.adaptation.compiled.multilayer import multilayer_graph, wanted_vertices, write_tree
from distributary.adaptation.deadline import Deadline
from distributary.adaptation.numbering import empty_plan

__all__ = ["DualAnswer", "dual_bound"]

#: Arcs of one graph, and those looked at between two looks at the clock; and in all, for when there is no deadline.
_ARCS_MAX = 4_000_000
_STEPS_BETWEEN = 1_000_000
_STEPS_MAX = 200_000_000
#: A bound is a sum of many small steps; their rounding is far below this share of it.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class DualAnswer:
    """What no plan costs less than, and a plan where one was found."""

    bound: float
    plan: PlanArrays | None


def dual_bound(instance: Instance, deadline: Deadline) -> DualAnswer:
    """Return a proven bound, the lower the earlier the deadline; and, where the ascent came to its end, a plan."""
    arcs_of_node = int(np.isfinite(instance.price).sum()) + len(instance.size)
    pieces = _pieces(instance, max(1, _ARCS_MAX // arcs_of_node))
    bound, steps = 0.0, _STEPS_MAX
    for piece in pieces:
        ascent = _Ascent(instance, piece)
        raised, steps = ascent.run(deadline, steps)
        bound += raised
        if len(pieces) == 1 and ascent.ended:
            return DualAnswer(bound * (1.0 - _ROUNDING), ascent.plan())
        if deadline.passed or steps <= 0:
            break
    return DualAnswer(bound * (1.0 - _ROUNDING), None)


class _Ascent:
    """Dual ascent on one piece of the tree: its topmost node first, each other after its parent."""

    def __init__(self, instance: Instance, piece: Ints) -> None:
        nodes, formats = instance.requests.shape
        self._instance, self._piece = instance, piece
        place = np.full(nodes, -1)
        place[piece] = np.arange(len(piece))
        above = place[instance.parent[piece]]
        above[0] = -1
        everything = empty_plan(instance)
        if piece[0] > 0:
            everything.received[piece[0]] = True
        self._graph: Digraph = multilayer_graph(instance, everything, piece, above)
        self._root = len(piece) * formats
        # What is sent to other pieces is not asked for: their bounds have it.
        alone = PlanArrays(np.zeros_like(everything.received), everything.maker)
        self._terminals = wanted_vertices(instance, alone, piece, above)
        self._left: Floats = self._graph.weight.copy()
        if piece[0] > 0:
            entering = self._graph.tail == self._root
            self._left[entering] = instance.link[piece[0]] * instance.size[self._graph.head[entering]]
        self._arcs = np.zeros(len(self._terminals), dtype=np.int64)
        self.ended = False

    def run(self, deadline: Deadline, steps: int) -> tuple[float, int]:
        """Raise the bound while there are time and steps; return it, and the steps that are left."""
        bound = 0.0
        while not self.ended and steps > 0 and not deadline.passed:
            raised, self.ended, taken = ascend(
                self._graph, self._root, self._terminals, self._arcs, self._left, min(steps, _STEPS_BETWEEN)
            )
            bound += raised
            steps -= taken
        return bound, steps

    def plan(self) -> PlanArrays:
        """Return a plan of arcs that are used up, when the ascent on the whole tree is at its end."""
        chosen = tree_within(self._graph, self._root, self._terminals, self._left)
        plan = empty_plan(self._instance)
        write_tree(self._graph, chosen, self._piece, plan)
        return plan


def _pieces(instance: Instance, nodes_max: int) -> list[Ints]:
    """Cut the tree into connected pieces of at most so many nodes, the largest first."""
    nodes = len(instance.parent)
    if nodes <= nodes_max:
        return [np.arange(nodes)]
    parent: list[int] = instance.parent.tolist()
    size, cut = [1] * nodes, [False] * nodes
    for node in range(nodes - 1, 0, -1):
        if size[parent[node]] + size[node] > nodes_max:
            cut[node] = True
        else:
            size[parent[node]] += size[node]
    top = list(range(nodes))
    members: dict[int, list[int]] = {}
    for node in range(nodes):
        if node > 0 and not cut[node]:
            top[node] = top[parent[node]]
        members.setdefault(top[node], []).append(node)
    ordered = sorted(members.values(), key=lambda piece: (-len(piece), piece[0]))
    return [np.array(piece, dtype=np.int64) for piece in ordered]
