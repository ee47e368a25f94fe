"""CHAIN of paper 001, section 5.2: every node serves one other, in the order of joining; fair, late, and costly."""

from __future__ import annotations

from distributary.delivery.compiled.forest import SOURCE
from distributary.delivery.compiled.joining import grow_chain
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, NotConnected

__all__ = ["chain"]


def chain(network: Network) -> Construction:
    """Grow trees that are chains; `NotConnected` where the next node has no link from the last."""
    alone = grow_chain(network.forest)
    if alone >= 0:
        forest = network.forest
        stream = forest.stream[alone]
        last = forest.members[forest.start[stream] + forest.joined[stream] - 1] if forest.joined[stream] else SOURCE
        raise NotConnected(alone, int(last))
    return Construction()
