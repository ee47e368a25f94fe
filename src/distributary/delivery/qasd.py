"""QASD of paper 001, section 5.4 and Algorithm 2: informed and adjusting while a filter joins.

A control point assigns a server, hears whether it sheds, and if it does takes the filter back and looks for another.
QASDG has one control point for all trees, QASDS one for each source, which knows and hears of its own trees only.
Deviations, as the paper's text has misprints: `B_k >= r̄·W` is read with r̄ the fraction that arrives; line 19 sets
`B_a = (1 - z_a)(X + r̄·W) - X`, with X and r̄ after unassigning; a node refused in a join is not tried again in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from distributary.delivery.compiled.forest import Booleans, Floats
from distributary.delivery.compiled.joining import ALL_TREES, join
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, NotConnected

__all__ = ["ControlPoint", "control_points", "qasd"]


@dataclass(slots=True)
class ControlPoint:
    """One control point: the trees that it knows, and what it believes that nodes can still forward."""

    network: Network
    #: The view of the forest that it has: all trees, or those of one source.
    view: int
    mean_delay: float
    #: B, by node; infinite before anything was heard.
    slack: Floats = field(init=False)
    _refused: Booleans = field(init=False)

    def __post_init__(self) -> None:
        nodes = len(self.network.forest.download)
        self.slack, self._refused = np.full(nodes, np.inf), np.zeros(nodes, dtype=np.bool_)

    def join(self, joining: int) -> int:
        """Find a server for a filter; returns how many rounds it took."""
        network = self.network
        rounds = join(network.forest, network.qualities, joining, self.view, self.slack, self._refused, self.mean_delay)
        if rounds == 0:
            raise NotConnected(joining)
        return rounds


def qasd(network: Network, *, everywhere: bool) -> Construction:
    """Grow the trees of QASDG (`everywhere`) or QASDS."""
    points = control_points(network, everywhere=everywhere)
    rounds = sum(points[stream].join(joining) for joining, stream in enumerate(network.forest.stream.tolist()))
    return Construction(rounds / network.filters)


def control_points(network: Network, *, everywhere: bool) -> list[ControlPoint]:
    """Return the control point of each stream."""
    views = [ALL_TREES] * len(network.forest.source) if everywhere else network.forest.view_of.tolist()
    mean = network.mean_delay()
    of_view = {view: ControlPoint(network, view, mean) for view in dict.fromkeys(views)}
    return [of_view[view] for view in views]
