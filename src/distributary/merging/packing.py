"""Putting blocks on a number of channels: the sum of what a channel carries times who listens to it is to be small.

So few should listen where much is sent. Blocks in the order of size per listener are cut into runs by dynamic
programming, and then moved one by one while that saves. It knows neither queries nor prices.
"""

from __future__ import annotations

import numpy as np

from distributary.merging.compiled.boxes import Floats, Ints

__all__ = ["packed_places"]

#: More blocks than this stay in their runs.
_MOVED_MAX = 2000


def packed_places(sizes: Floats, listeners: Floats, channels: int) -> Ints:
    """Return the channel of each block, below `channels`; O(channels · n log n)."""
    order = np.lexsort((np.arange(len(sizes)), sizes / listeners))
    places = np.empty(len(sizes), dtype=np.int64)
    places[order] = _cut(sizes[order], listeners[order], channels)
    if len(sizes) <= _MOVED_MAX:
        _move(sizes, listeners, places, channels)
    return places


def _cut(sizes: Floats, listeners: Floats, channels: int) -> Ints:
    """Return the channel of each block when channels are runs of the order: the best cuts, by dynamic programming."""
    count = len(sizes)
    size, audience = np.concatenate([[0.0], np.cumsum(sizes)]), np.concatenate([[0.0], np.cumsum(listeners)])
    best = size * audience
    froms = np.zeros((channels, count + 1), dtype=np.int64)
    for channel in range(1, channels):
        fresh = np.full(count + 1, np.inf)
        # The best last cut never moves back when the end moves on: halve the ends, and the cuts with them.
        pending = [(0, count, 0, count)]
        while pending:
            start, stop, least, most = pending.pop()
            if start > stop:
                continue
            middle = (start + stop) // 2
            cuts = np.arange(least, min(middle, most) + 1)
            costs = best[cuts] + (size[middle] - size[cuts]) * (audience[middle] - audience[cuts])
            chosen = int(np.argmin(costs))
            fresh[middle] = costs[chosen]
            cut = froms[channel, middle] = int(cuts[chosen])
            pending += [(start, middle - 1, least, cut), (middle + 1, stop, cut, most)]
        best = fresh
    places, end = np.zeros(count, dtype=np.int64), count
    for channel in range(channels - 1, -1, -1):
        begin = int(froms[channel, end])
        places[begin:end] = channel
        end = begin
    return places


def _move(sizes: Floats, listeners: Floats, places: Ints, channels: int) -> None:
    """Move single blocks to better channels until no move saves anything."""
    size = np.bincount(places, weights=sizes, minlength=channels)
    audience = np.bincount(places, weights=listeners, minlength=channels)
    moved = True
    while moved:
        moved = False
        for block in range(len(places)):
            own = places[block]
            size[own] -= sizes[block]
            audience[own] -= listeners[block]
            costs = listeners[block] * size + sizes[block] * audience
            chosen = int(np.argmin(costs))
            if costs[chosen] < costs[own] - 1e-12 * abs(costs[own]):
                moved = True
            else:
                chosen = int(own)
            places[block] = chosen
            size[chosen] += sizes[block]
            audience[chosen] += listeners[block]
