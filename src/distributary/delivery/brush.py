"""BRUSH of paper 001, section 5.2: every node is served by the source itself; least bandwidth, least fair."""

from __future__ import annotations

from distributary.delivery.compiled.forest import SOURCE
from distributary.delivery.compiled.joining import grow_brush
from distributary.delivery.construction import Construction
from distributary.delivery.network import Network, NotConnected

__all__ = ["brush"]


def brush(network: Network) -> Construction:
    """Grow trees of depth one; `NotConnected` for a node that has no link from a source it wants."""
    alone = grow_brush(network.forest)
    if alone >= 0:
        raise NotConnected(alone, SOURCE)
    return Construction()
