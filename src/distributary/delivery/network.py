"""The network in which trees grow: the truth that control points assign in and hear from, but do not see.

`Network` holds the trees of all streams and what is really dropped in them (section 4.2). What control points read of
it is what nodes report: what arrives at them, after what delay, and how much they shed.
"""

from __future__ import annotations

import math

import numpy as np

from distributary.core.errors import InputError
from distributary.delivery.arrays import forest_of, qualities_of
from distributary.delivery.compiled.choice import NOBODY, Qualities
from distributary.delivery.compiled.forest import NOWHERE, SOURCE, Forest, Ints
from distributary.delivery.compiled.settling import plant, settle
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.trees import Trees

__all__ = ["Network", "NotConnected", "downwards", "grown", "network_of", "trees_of"]


class NotConnected(Exception):
    """A filter cannot join: a node that must serve it, or all that may, have no link to its node."""

    def __init__(self, joining: int, above: int = NOBODY) -> None:
        super().__init__(joining, above)
        self.joining = joining
        self.above = above

    def located(self, problem: DeliveryProblem) -> InputError:
        """Return what to tell those who gave the problem."""
        wanted = problem.filters[self.joining]
        server = f"a node that receives {wanted.stream!r}"
        if self.above == SOURCE:
            server = f"{problem.stream_of[wanted.stream].source!r}, the source of {wanted.stream!r},"
        elif self.above != NOBODY:
            server = f"{problem.filters[self.above].node!r}, the last in the chain of {wanted.stream!r},"
        return InputError(f"there is no link from {server} to {wanted.node!r}", record=f"filters[{self.joining}]")


class Network:
    """The trees of one problem; filters are numbered in its order, in which they join."""

    def __init__(self, forest: Forest, qualities: Qualities) -> None:
        self.forest = forest
        self.qualities = qualities

    @property
    def filters(self) -> int:
        """How many filters there are."""
        return len(self.forest.parent)

    def mean_delay(self) -> float:
        """Return the mean delay of all links."""
        forest, nodes = self.forest, len(self.forest.download)
        others = nodes * (nodes - 1) - len(forest.link_delay)
        listed = float(forest.link_delay.sum())
        if math.isfinite(forest.default_delay):
            return (listed + others * forest.default_delay) / max(1, nodes * (nodes - 1))
        return listed / max(1, len(forest.link_delay))


def network_of(problem: DeliveryProblem) -> Network:
    """Return the network of a checked problem, in which nothing has joined."""
    return Network(forest_of(problem), qualities_of(problem.filters))


def grown(problem: DeliveryProblem, trees: Trees) -> tuple[Network, bool]:
    """Return the network with valid trees in it and their drops, and whether these are a fixed point."""
    network = network_of(problem)
    parents = np.full(network.filters, NOWHERE, dtype=np.int64)
    number_of = {(wanted.stream, wanted.node): number for number, wanted in enumerate(problem.filters)}
    for (stream, node), number in number_of.items():
        parents[number] = number_of.get((stream, trees[stream][node]), SOURCE)
    plant(network.forest, parents, downwards(parents))
    return network, settle(network.forest)


def trees_of(problem: DeliveryProblem, forest: Forest) -> dict[str, dict[str, str]]:
    """Return the trees, child to parent, filters in the problem's order."""
    filters = problem.filters
    trees: dict[str, dict[str, str]] = {stream.id: {} for stream in problem.streams}
    for wanted, above in zip(filters, forest.parent.tolist(), strict=True):
        if above != NOWHERE:
            source = problem.stream_of[wanted.stream].source
            trees[wanted.stream][wanted.node] = source if above == SOURCE else filters[above].node
    return trees


def downwards(parents: Ints) -> Ints:
    """Return the filters of trees, parents before those that they serve."""
    below: dict[int, list[int]] = {each: [] for each in (SOURCE, *range(len(parents)))}
    for each, above in enumerate(parents.tolist()):
        if above != NOWHERE:
            below[above].append(each)
    order = list(below[SOURCE])
    for each in order:
        order.extend(below[each])
    return np.array(order, dtype=np.int64)
