"""A graph that runs (section 5.4 leaves it as future work): joins, departures, failures, and bandwidths that change.

The control point of QASDG keeps what it believes and goes on: a filter that joins is assigned by Algorithm 2; those
whom a node served that leaves or fails are served by its own server, with all that is below them. `adjust` revises
assignments that have been made: a bounded number of moves a round, each to the server that is worth most to all filters
together, and none that gains less than `GAIN_MIN`. So adjusting comes to rest where nothing else changes, and does not
swing: no trees are come back to. It is the network as it is that decides, not messages; those are the overlay's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from distributary.core.errors import InputError
from distributary.delivery.compiled.choice import NOBODY
from distributary.delivery.compiled.forest import NOWHERE, detach, move
from distributary.delivery.compiled.joining import ALL_TREES, elsewhere
from distributary.delivery.compiled.moving import improve, worths_of
from distributary.delivery.compiled.settling import equilibrate, settle
from distributary.delivery.network import network_of, trees_of
from distributary.delivery.problem import DeliveryProblem, check_problem
from distributary.delivery.qasd import ControlPoint
from distributary.delivery.triage import GAIN_MIN, worst_first

__all__ = ["Adjustment", "RunningGraph"]


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What one round of adjusting did."""

    #: Filters that have another server now.
    moves: int
    #: Servers that were tried for them and for others.
    tried: int
    #: By how much the sum of the logarithms of all qualities rose.
    gain: float


class RunningGraph:
    """The delivery graph of a problem while its filters come and go; at first none has joined.

    Filters are those of the problem, by their numbers; a node that has failed forwards and receives nothing until it
    has returned.
    """

    def __init__(self, problem: DeliveryProblem) -> None:
        check_problem(problem)
        if problem.model == "physical":
            raise InputError("a running graph is for the logical model", field="model")
        self.problem = problem
        self._network = network_of(problem)
        self._point = ControlPoint(self._network, ALL_TREES, self._network.mean_delay())
        self._number_of = {node.id: number for number, node in enumerate(problem.nodes)}
        self._failed: set[int] = set()

    @property
    def joined(self) -> list[int]:
        """The filters that are in trees, ascending."""
        return [int(each) for each in np.flatnonzero(self._network.forest.parent != NOWHERE)]

    def trees(self) -> dict[str, dict[str, str]]:
        """Return the trees, child to parent."""
        return trees_of(self.problem, self._network.forest)

    def quality(self) -> float:
        """Return the geometric mean of the qualities of the filters that have joined; 1 when none has."""
        joined = self.joined
        if not joined:
            return 1.0
        return math.exp(math.fsum(worths_of(self._network.forest, self._network.qualities)[joined]) / len(joined))

    def join(self, filter_number: int) -> int:
        """Let a filter join that has not; returns how many rounds that took."""
        forest = self._network.forest
        if forest.parent[filter_number] != NOWHERE:
            raise ValueError(f"filter {filter_number} has joined already")
        if {int(forest.node[filter_number]), int(forest.source[forest.stream[filter_number]])} & self._failed:
            raise ValueError(f"the node or the source of filter {filter_number} has failed")
        return self._point.join(filter_number)

    def leave(self, filter_number: int) -> list[int]:
        """Let a filter leave; returns those below it that have to leave too, as nobody else has a link to them.

        Its server takes those whom its node served, for that need not carry more than it does; where it has no link
        to one of them, the nearest other node of the tree does.
        """
        forest = self._network.forest
        if forest.parent[filter_number] == NOWHERE:
            raise ValueError(f"filter {filter_number} has not joined")
        gone: list[int] = []
        for orphan in self._served_by(filter_number):
            above = elsewhere(forest, orphan, filter_number)
            if above == NOBODY:
                gone += [*self.leave(orphan), orphan]
            else:
                move(forest, orphan, above)
        detach(forest, filter_number)
        equilibrate(forest)
        return gone

    def fail(self, node: str) -> list[int]:
        """Let a node fail; returns what left: its filters, those on its streams, and those that nobody else reaches."""
        forest, number = self._network.forest, self._number_of[node]
        self._failed.add(number)
        self._point.slack[number] = np.inf
        gone = [each for each in self.joined if forest.source[forest.stream[each]] == number]
        # Those furthest from the source first: a tree without a source serves nobody anew.
        for each in sorted(gone, key=lambda filter_number: -int(forest.depth[filter_number])):
            detach(forest, each)
        for each in self.joined:
            if forest.node[each] == number and forest.parent[each] != NOWHERE:
                gone += [*self.leave(each), each]
        equilibrate(forest)
        return sorted(gone)

    def restore(self, node: str) -> None:
        """Let a node that failed be there again; its filters have to join anew."""
        self._failed.discard(self._number_of[node])

    def change_bandwidth(self, node: str, *, upload: float | None = None, download: float | None = None) -> None:
        """Change a node's limits; `None`: as it was. What the control point believed of it, it forgets."""
        forest, number = self._network.forest, self._number_of[node]
        for value, limits in ((upload, forest.upload), (download, forest.download)):
            if value is not None:
                if not value > 0:
                    raise InputError(f"must be a positive number, not {value}", field="upload or download")
                limits[number] = value
        self._point.slack[number] = np.inf
        settle(forest)

    def adjust(self, moves_max: int) -> Adjustment:
        """Move at most so many filters, those first that are served worst, to servers that are worth more."""
        network = self._network
        bandwidth = float(network.forest.load.sum())
        order = worst_first(network)
        if not len(order) or moves_max < 1:
            return Adjustment(0, 0, 0.0)
        moves, tried, gain = improve(network.forest, network.qualities, order, GAIN_MIN, moves_max, 1, bandwidth)
        return Adjustment(moves, tried, gain)

    def _served_by(self, above: int) -> list[int]:
        return [int(each) for each in np.flatnonzero(self._network.forest.parent == above)]
