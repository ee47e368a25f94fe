"""Simulated annealing (named in section 4.1 of paper 001): one filter at a time moves to another server.

It starts from the trees of QASDG and knows all that nodes report. A move that is worth something stays, another stays
with probability exp(Δ / T), where Δ is the change of the sum of the logarithms of all qualities. T falls geometrically
from 1 (a filter's quality falls to a third) to 0.002 in 20 tries for each filter, at least 3,000; the best trees that
were seen are the answer, so that it never ends below QASDG.
"""

from __future__ import annotations

import numpy as np

from distributary.core.generator import Generator
from distributary.delivery.arrays import emptied
from distributary.delivery.compiled.moving import anneal
from distributary.delivery.compiled.settling import equilibrate, plant
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, downwards
from distributary.delivery.qasd import qasd

__all__ = ["annealing"]

_TRIES_PER_FILTER = 20
_TRIES_MIN = 3_000
_HOT, _COLD = 1.0, 0.002


def annealing(network: Network, generator: Generator) -> Construction:
    """Grow the best trees that a seeded search finds; `rounds` counts those of its start only."""
    begun = qasd(network, everywhere=True)
    tries = max(_TRIES_MIN, _TRIES_PER_FILTER * network.filters)
    state = np.array([generator.state], dtype=np.int64)
    equilibrate(network.forest)
    parents = anneal(network.forest, network.qualities, state, tries, _HOT, _COLD)
    network.forest = emptied(network.forest)
    plant(network.forest, parents, downwards(parents))
    equilibrate(network.forest)
    return begun
