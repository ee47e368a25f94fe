"""TRIAGE, our own: QASDG, then filters move to where all filters together have most of it.

QASD sees to the filter that joins. Once bandwidth is short it spreads what is missing evenly (UNFAA): every node sheds
a little, and nearly all filters are beyond what they tolerate. But a filter's quality is 1 up to its limit, and beyond
it never below half the limit: what is missing is best taken from few filters, wholly, and from those to which it
matters least for the bandwidth that it frees. No rule picks them here: the worth of trees is the sum of the logarithms
of all qualities, and a filter moves, with all below it, to a server where that sum gains. Nodes that shed anyway so
draw the filters that are given up, and the others become free of them. Where a filter is tried says the marginal worth:
its own at the other server, and that of those whom the two servers serve, when its load goes from one to the other. The
two servers that promise most are tried, and the first stays whose gain is there when the nodes have reported.

Three things bound it. A move may not make a link carry what it does not carry yet, nor the total bandwidth exceed that
of QASDG. A move must be worth at least `GAIN_MIN`, so that the search ends and cannot swing. And there are at most
`SWEEPS_MAX` turns for each filter. Filters come worst first, so that the order of joining no longer decides.
Each server that is tried is a temporary assignment, as in QASD, whose outcome nodes report; `rounds` counts them all.
"""

from __future__ import annotations

import numpy as np

from distributary.delivery.compiled.forest import Ints
from distributary.delivery.compiled.moving import improve, worths_of
from distributary.delivery.compiled.settling import equilibrate
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network
from distributary.delivery.qasd import qasd

__all__ = ["GAIN_MIN", "SWEEPS_MAX", "triage", "worst_first"]

#: A hundredth of the quality of one filter.
GAIN_MIN = 0.01
SWEEPS_MAX = 3


def triage(network: Network) -> Construction:
    """Grow the trees of QASDG and let their filters move."""
    begun = qasd(network, everywhere=True)
    equilibrate(network.forest)
    bandwidth = float(network.forest.load.sum())
    order = worst_first(network)
    moves_max = SWEEPS_MAX * network.filters
    _, tried, _ = improve(network.forest, network.qualities, order, GAIN_MIN, moves_max, SWEEPS_MAX, bandwidth)
    return Construction(begun.rounds + tried / network.filters)


def worst_first(network: Network) -> Ints:
    """Return the filters that are in trees, those of least quality first."""
    there = np.flatnonzero(network.forest.parent >= -1)
    return there[np.argsort(worths_of(network.forest, network.qualities)[there], kind="stable")]
