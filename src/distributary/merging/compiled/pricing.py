"""The pricing problem of branch and price: blocks of boxes that cost less than their members' duals pay for.

Every block's bounding box has its edges from its members' edges, so all such boxes are looked at. Within a box of size
S a query belongs to the block exactly when its dual pays for what it then receives in vain, K_U·(S - s). Boxes are left
out where a bound proves them useless: spread each query's worth evenly over its height; what a strip of the plane can
gain between two heights is at most the integral of that, less the price of the area.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from distributary.merging.compiled.boxes import Boxes, Floats, Ints, compiled, measure

__all__ = ["Found", "list_boxes", "price_boxes"]

#: A search looks at the clock so many times.
_PARTS = 64


class Found(NamedTuple):
    """Boxes whose blocks cost less than their duals: the best for each query, or as many as there is room for."""

    #: Reduced cost, below 0.
    reduced: Floats
    #: Bounds of the boxes, and the highest rate of the block.
    low: Floats
    high: Floats
    rate: Floats


class Strip(NamedTuple):
    """The queries between two edges, as events ascending by height, and what there is to gain."""

    events: Ints
    heights: Floats
    before: Floats
    after: Floats
    #: A box begins at this height or below, and ends at that one or above.
    lowest: float
    highest: float


class Search(NamedTuple):
    """What one search keeps: the answer so far, and room to work in."""

    found: Found
    #: Whether each query has its best box in the place of its own number; else boxes are kept in order of discovery.
    by_query: bool
    #: How many boxes were found, room or not.
    counts: Ints
    low: Floats
    high: Floats


@compiled
def _worth(boxes: Boxes, duals: Floats, rate: float, query: int) -> float:
    """Return what a query pays for being in a block of a rate, but for K_U x rate x S."""
    if boxes.rate[query] > rate:
        return 0.0
    return duals[query] + boxes.K_U * boxes.rate[query] * boxes.size[query]


@compiled
def _note(search: Search, queries: Ints, count: int, reduced: float, rate: float) -> None:
    """Keep a box, whose bounds are in the search's room."""
    found = search.found
    if not search.by_query:
        place = search.counts[0]
        if place < found.reduced.shape[0]:
            found.reduced[place], found.rate[place] = reduced, rate
            found.low[place] = search.low
            found.high[place] = search.high
        search.counts[0] += 1
        return
    for query in queries[:count]:
        if reduced < found.reduced[query]:
            found.reduced[query], found.rate[query] = reduced, rate
            found.low[query] = search.low
            found.high[query] = search.high


@compiled
def _add_event(events: Ints, heights: Floats, count: int, event: int, height: float) -> None:
    """Put an event into a strip's list, ascending by height: 2 x query where one begins, and 1 more where it ends."""
    place = np.searchsorted(heights[:count], height)
    for other in range(count, place, -1):
        heights[other], events[other] = heights[other - 1], events[other - 1]
    heights[place], events[place] = height, event


@compiled
def _gains(boxes: Boxes, worth: Floats, strip: Strip, axis: int, drift: float) -> None:
    """Fill in what a strip can gain at most from its lowest event to each one, before and after it."""
    slope, total = -drift, 0.0
    for step in range(strip.events.shape[0]):
        if step > 0:
            total += slope * (strip.heights[step] - strip.heights[step - 1])
        strip.before[step] = total
        query = strip.events[step] >> 1
        extent = boxes.high[query, axis] - boxes.low[query, axis]
        if extent <= 0.0:
            # Without a height all its worth is gained at once, at its end.
            total += worth[query] if strip.events[step] & 1 else 0.0
        elif strip.events[step] & 1:
            slope -= worth[query] / extent
        else:
            slope += worth[query] / extent
        strip.after[step] = total


@compiled
def _bound(strip: Strip) -> float:
    """Return the most that a box of the strip gains."""
    start, stop = np.inf, -np.inf
    for step in range(strip.heights.shape[0]):
        if strip.heights[step] <= strip.lowest:
            start = min(start, strip.before[step])
        if strip.heights[step] >= strip.highest:
            stop = max(stop, strip.after[step])
    return stop - start


@compiled
def _search_strip(
    boxes: Boxes, worth: Floats, rate: float, strip: Strip, axis: int, eps: float, search: Search
) -> None:
    """Look at the boxes of a strip, whose bounds on all axes but the last are in the search's room."""
    fixed = rate * boxes.K_M + eps
    events, heights, before, after = strip.events, strip.heights, strip.before, strip.after
    count = events.shape[0]
    later = np.empty(count)
    best = -np.inf
    for step in range(count - 1, -1, -1):
        best = max(best, after[step])
        later[step] = best
    inside, members = np.empty(count), np.empty(count, dtype=np.int64)
    for first in range(count):
        bottom = heights[first]
        if bottom > strip.lowest:
            break
        if events[first] & 1 or (first > 0 and heights[first - 1] == bottom and not events[first - 1] & 1):
            continue
        # Several events may share a height; the bound counts what is gained from the first of them on.
        begin = first
        while begin > 0 and heights[begin - 1] == bottom:
            begin -= 1
        start = before[begin]
        if later[begin] - start <= fixed:
            continue
        number = 0
        for step in range(begin, count):
            query = events[step] >> 1
            if not events[step] & 1 or boxes.low[query, axis] < bottom:
                continue
            inside[number], members[number] = worth[query], query
            number += 1
            top = heights[step]
            if top < strip.highest:
                continue
            if later[step] - start <= fixed and after[step] - start <= fixed:
                break
            search.low[axis], search.high[axis] = bottom, top
            size = measure(boxes, search.low, search.high)
            vain = boxes.K_U * rate * size
            reduced = rate * (boxes.K_M + boxes.K_T * size)
            for other in range(number):
                if inside[other] > vain:
                    reduced -= inside[other] - vain
            if reduced < -eps:
                _note(search, members, number, reduced, rate)


@compiled
def _search_plane(
    boxes: Boxes,
    duals: Floats,
    rate: float,
    plane: Ints,
    axis: int,
    drift: float,
    eps: float,
    search: Search,
    part: int,
    parts: int,
) -> None:
    """Look at the boxes of some queries on the last two axes: for each two edges on the first of them, a strip.

    Of the left edges, every one whose turn it is: the search is cut into parts so that a caller can stop it.
    """
    worth = np.zeros(boxes.size.shape[0])
    for query in plane:
        worth[query] = _worth(boxes, duals, rate, query)
    plane = plane[worth[plane] > 0.0]
    by_low = plane[np.argsort(boxes.low[plane, axis])]
    by_high = plane[np.argsort(boxes.high[plane, axis])]
    for left_at in range(part, plane.shape[0], parts):
        left = boxes.low[by_low[left_at], axis]
        if left_at == 0 or boxes.low[by_low[left_at - 1], axis] != left:
            _search_from(boxes, worth, rate, by_high, axis, left, drift, eps, search)


@compiled
def _search_from(
    boxes: Boxes,
    worth: Floats,
    rate: float,
    by_high: Ints,
    axis: int,
    left: float,
    drift: float,
    eps: float,
    search: Search,
) -> None:
    """Look at the boxes with one left edge: the right edge moves on, and the strip between fills with queries."""
    fixed = rate * boxes.K_M + eps
    room = 2 * by_high.shape[0]
    events, heights = np.empty(room, dtype=np.int64), np.empty(room)
    before, after = np.empty(room), np.empty(room)
    count, total = 0, 0.0
    # A box with these edges has a query at either: it begins below the highest of them, and ends above the lowest.
    left_low, left_high = -np.inf, np.inf
    right_low, right_high = -np.inf, np.inf
    fresh = True
    for step in range(by_high.shape[0]):
        query = by_high[step]
        right = boxes.high[query, axis]
        if fresh:
            right_low, right_high = -np.inf, np.inf
        fresh = step == by_high.shape[0] - 1 or boxes.high[by_high[step + 1], axis] != right
        if boxes.low[query, axis] >= left:
            low, high = boxes.low[query, axis + 1], boxes.high[query, axis + 1]
            _add_event(events, heights, count, 2 * query, low)
            _add_event(events, heights, count + 1, 2 * query + 1, high)
            count += 2
            total += worth[query]
            right_low, right_high = max(right_low, low), min(right_high, high)
            if boxes.low[query, axis] == left:
                left_low, left_high = max(left_low, low), min(left_high, high)
        if not fresh or np.isinf(right_low) or np.isinf(left_low) or total <= fixed:
            continue
        lowest, highest = min(left_low, right_low), max(left_high, right_high)
        strip = Strip(events[:count], heights[:count], before[:count], after[:count], lowest, highest)
        _gains(boxes, worth, strip, axis + 1, drift * (right - left))
        if _bound(strip) > fixed:
            search.low[axis], search.high[axis] = left, right
            _search_strip(boxes, worth, rate, strip, axis + 1, eps, search)


@compiled
def _search(boxes: Boxes, duals: Floats, rates: Floats, eps: float, search: Search, part: int, parts: int) -> None:
    axes = boxes.low.shape[1]
    everything = np.arange(boxes.size.shape[0])
    for rate in rates:
        # Points have no even density: there the bound has no price for the area.
        drift = rate * boxes.K_T * boxes.density if boxes.points.shape[0] == 0 else 0.0
        if axes == 2:
            _search_plane(boxes, duals, rate, everything, 0, drift, eps, search, part, parts)
            continue
        for left in np.unique(boxes.low[:, 0])[part::parts]:
            for right in np.unique(boxes.high[:, 0]):
                if right < left:
                    continue
                plane = everything[(boxes.low[:, 0] >= left) & (boxes.high[:, 0] <= right)]
                if plane.shape[0] == 0 or boxes.low[plane, 0].min() > left or boxes.high[plane, 0].max() < right:
                    continue
                search.low[0], search.high[0] = left, right
                _search_plane(boxes, duals, rate, plane, 1, drift * (right - left), eps, search, 0, 1)


def price_boxes(boxes: Boxes, duals: Floats, eps: float, late: Callable[[], bool]) -> tuple[Found, Floats | None]:
    """Return for each query the best box whose block holds it and has a reduced cost below -eps, where there is one.

    The second part is that reduced cost for every query, 0 where there is none; `None` when it became late, so that
    better ones may be missing. There are two or three axes.
    """
    found, _, whole = _searched(boxes, duals, eps, boxes.size.shape[0], late, by_query=True)
    kept = np.flatnonzero(found.reduced < 0.0)
    return Found(*(each[kept] for each in found)), found.reduced if whole else None


def list_boxes(boxes: Boxes, duals: Floats, eps: float, room: int, late: Callable[[], bool]) -> tuple[Found, bool]:
    """Return boxes of a reduced cost below -eps, no more than `room`, and whether these are all."""
    found, count, whole = _searched(boxes, duals, eps, room, late, by_query=False)
    return Found(*(each[: min(room, count)] for each in found)), whole and count <= room


def _searched(
    boxes: Boxes, duals: Floats, eps: float, room: int, late: Callable[[], bool], *, by_query: bool
) -> tuple[Found, int, bool]:
    axes = boxes.low.shape[1]
    assert axes in {2, 3}, axes
    found = Found(np.zeros(room), np.zeros((room, axes)), np.zeros((room, axes)), np.zeros(room))
    search = Search(found, by_query, np.zeros(1, dtype=np.int64), np.zeros(axes), np.zeros(axes))
    rates = np.unique(boxes.rate)
    for part in range(_PARTS):
        if part > 0 and late():
            return found, int(search.counts[0]), False
        _search(boxes, duals, rates, eps, search, part, _PARTS)
    return found, int(search.counts[0]), True
