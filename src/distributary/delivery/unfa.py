"""UNFA of paper 001, section 5.3 and Algorithm 1: uninformed, non-adjusting, fair; UNFAS sees one source's trees."""

from __future__ import annotations

from distributary.delivery.compiled.joining import grow_fair
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, NotConnected

__all__ = ["unfa"]


def unfa(network: Network, *, everywhere: bool) -> Construction:
    """Grow trees in which each joining filter gets the server that keeps Var(A)·Var(D) least.

    `everywhere` counts what nodes forward in all trees (UNFAG), else in those of the stream's source (UNFAS). The
    source is a candidate and among the nodes; the joining node counts with what it forwards already.
    """
    alone = grow_fair(network.forest, everywhere)
    if alone >= 0:
        raise NotConnected(alone)
    return Construction()
