"""The best trees of a small problem, proven: all sets of trees are gone through, but for those that bounds rule out.

A linear programme is no help here: drops are a fixed point of ratios of sums that depend on each other through the
trees, and shedding above may be what saves those below, so that nothing is convex or even monotone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.delivery.annealing import annealing
from distributary.delivery.arrays import emptied
from distributary.delivery.compiled.exhausting import Trees, best_of, trees_of_stream
from distributary.delivery.compiled.forest import Floats, Ints
from distributary.delivery.compiled.moving import worths_of
from distributary.delivery.compiled.settling import plant, settle
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, NotConnected, downwards
from distributary.delivery.qasd import qasd

__all__ = ["TREES_MAX", "optimal"]

#: Sets of trees, one for each stream, that a problem may have.
TREES_MAX = 2_000_000


def optimal(network: Network, generator: Generator) -> Construction:
    """Grow trees of the best quality there is; a problem with more than `TREES_MAX` sets of trees is refused."""
    forest = network.forest
    sizes = np.bincount(forest.stream, minlength=len(forest.source)).tolist()
    sets = math.prod((size + 1) ** (size - 1) for size in sizes if size)
    if sets > TREES_MAX:
        raise InputError(
            f"optimal is for problems with at most {TREES_MAX:,} sets of trees, and this has {sets:,}", field="filters"
        )
    trees = _all_trees(network, sizes)
    parents, most = _good_trees(network, generator)
    best_of(forest, network.qualities, trees, parents, most)
    network.forest = emptied(forest)
    plant(network.forest, parents, downwards(parents))
    settle(network.forest)
    return Construction(optimal=True)


def _all_trees(network: Network, sizes: list[int]) -> Trees:
    filters, parents, bounds = [], [], []
    for stream, size in enumerate(sizes):
        if size:
            own = np.flatnonzero(network.forest.stream == stream)
            found, bound = trees_of_stream(network.forest, network.qualities, own, (size + 1) ** (size - 1))
            if not len(bound):
                # Where there are no trees, growing them names the filter that cannot join.
                qasd(Network(emptied(network.forest), network.qualities), everywhere=True)
                raise AssertionError("trees grew where there are none")
            filters.append(own)
            parents.append(found.ravel())
            bounds.append(bound)
    return Trees(
        filters=np.concatenate(filters),
        first=_starts(filters),
        parents=np.concatenate(parents),
        parents_first=_starts(parents),
        bound=np.concatenate(bounds),
        bound_first=_starts(bounds),
    )


def _starts(parts: Sequence[Ints | Floats]) -> Ints:
    return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)


def _good_trees(network: Network, generator: Generator) -> tuple[Ints, float]:
    """Return trees to start from, and what they are worth."""
    start = Network(emptied(network.forest), network.qualities)
    try:
        annealing(start, generator)
    except NotConnected:
        # An order of joining that leads nowhere says nothing about other trees.
        return np.full(network.filters, -2, dtype=np.int64), -math.inf
    settle(start.forest)
    return start.forest.parent, math.fsum(worths_of(start.forest, start.qualities))
