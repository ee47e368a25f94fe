"""Slots in groups, a linked list each, and the one pass over them that a document's hints start.

A slot is a filter of a router. Its group is the aggregated filter under which it hangs: all documents that the slot's
filter matches are matched by that one too.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.matching.hints.compiled.numbers import Bytes, Numbers, compiled, unpack_into

__all__ = ["NO_SET", "Groups", "Slots", "begin", "make_groups"]

#: Numbers of slots.
Slots: TypeAlias = npt.NDArray[np.int32]

#: The first count of a header whose sets are none.
NO_SET = -1
#: Room for data patterns.
_PATTERNS = 128


class Groups(NamedTuple):
    """The groups of a router, and what is known of each slot."""

    #: The first slot of each group, by its filter's number; -1 for none.
    first: Slots
    #: The next slot of the same group, -1 after the last.
    next: Slots
    #: Whether the slot's filter is the group's own, 1 or 0.
    exact: npt.NDArray[np.int8]
    #: The data patterns that the slot's filter implies, in two words.
    needs: npt.NDArray[np.uint64]
    #: Slots whose answer is known to be yes have the document's stamp.
    decided: Numbers
    #: Room for all numbers, for the pass itself.
    hits: Numbers


def make_groups(groups: int, slots: int) -> Groups:
    """Return arrays for so many groups and slots, all empty."""
    return Groups(
        np.full(groups, -1, np.int32),
        np.full(slots, -1, np.int32),
        np.zeros(slots, np.int8),
        np.zeros((slots, 2), np.uint64),
        np.zeros(slots, np.int64),
        np.zeros(max(groups, _PATTERNS), np.int64),
    )


@compiled
def _masks(packed: Bytes, looked_for: int, room: Numbers) -> tuple[bool, np.uint64, np.uint64]:
    """Return whether these are data patterns, and a bit for each."""
    low, high = np.uint64(0), np.uint64(0)
    count = unpack_into(packed, looked_for, room)
    for place in room[: max(count, 0)]:
        if place < 64:
            low |= np.uint64(1) << np.uint64(place)
        else:
            high |= np.uint64(1) << np.uint64(place - 64)
    return count >= 0, low, high


@compiled
def begin(
    groups: Groups,
    size: int,
    known: tuple[bool, bool],
    subscriptions: tuple[int, Bytes],
    patterns: tuple[int, Bytes],
    stamp: int,
    matched: Slots,
    candidates: Slots,
) -> tuple[int, int, int]:
    """Divide the slots: write those that match and those that are to be tested, and return how many there are of each.

    Args:
        groups: The slots.
        size: How many numbers there are.
        known: Whether the hits are known to match, and the rest of their domain not to.
        subscriptions: How many numbers the hits are from, and the hits, packed.
        patterns: How many data patterns were looked for, and those that do not occur, packed.
        stamp: The mark of the slots that are known to match from elsewhere.
        matched: Where the slots that match are written.
        candidates: Where those are written whose answer is not known.

    The third count is of the slots that absent patterns ruled out; the others are ruled out by their groups.
    """
    positive, negative = known
    good, low, high = _masks(patterns[1], patterns[0], groups.hits)
    domain = subscriptions[0]
    hits = unpack_into(subscriptions[1], domain, groups.hits)
    if hits < 0 or not good:
        return NO_SET, 0, 0
    found, left, dropped = 0, 0, 0
    hit, group = 0, 0
    while group < size:
        is_hit = hit < hits and groups.hits[hit] == group
        if negative and group < domain and not is_hit:
            # On to the next hit, or to what lies beyond the domain.
            group = groups.hits[hit] if hit < hits else domain
            continue
        hit += is_hit
        slot = groups.first[group]
        while slot >= 0:
            if groups.decided[slot] == stamp or (is_hit and positive and groups.exact[slot] == 1):
                matched[found] = slot
                found += 1
            elif (groups.needs[slot, 0] & low) | (groups.needs[slot, 1] & high):
                dropped += 1
            else:
                candidates[left] = slot
                left += 1
            slot = groups.next[slot]
        group += 1
    return found, left, dropped
