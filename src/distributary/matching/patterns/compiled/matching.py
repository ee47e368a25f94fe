"""Matching one document or many: the entries into compiled code. Each chooses the width of its rows by the document."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.matching.documents.compiled.memory import (
    compiled,
    first_bit,
    integer,
    long,
    store_integer,
    store_long,
)
from distributary.matching.documents.compiled.tokenizer import tokenize
from distributary.matching.documents.layout import ATTRIBUTES, ELEMENTS, TEXT_NODES
from distributary.matching.patterns.compiled.document import prepare
from distributary.matching.patterns.compiled.trie import body_of
from distributary.matching.patterns.compiled.walk import walk
from distributary.matching.patterns.layout import (
    ABOVE,
    ATTRIBUTES_ROOM,
    ELEMENTS_ROOM,
    GENERATION,
    MARK,
    MARKED,
    MARKED_FIRST,
    MARKED_NEXT,
    MATCHED,
    NO_ROOM,
    NOT_READ,
    OUT,
    POOL_USED,
    SLOT_NODE,
    SLOT_WIDTH,
    SLOTS,
    SLOTS_USED,
    TEXT_NODES_ROOM,
    WORDS_ROOM,
)

__all__ = ["mark", "match_document", "match_many", "take_slots"]

_Slots: TypeAlias = npt.NDArray[np.int32]
_Places: TypeAlias = npt.NDArray[np.int64]


@compiled
def _match(index: int, work: int, document: int, words: tuple[int, ...], again: bool) -> int:
    if again:
        # The rows of terms are stale, the numbers of values are not.
        store_long(work, GENERATION, long(work, GENERATION) + 1)
        store_long(work, POOL_USED, 0)
    else:
        prepare(work, document, words)
    return walk(index, work, document, words)


@compiled
def match_document(index: int, work: int, document: int, again: bool) -> int:
    """Note the slots of all patterns that match; return what it came to.

    `again`: the document is the last one, and numbers that were not decided are known now.
    """
    elements = long(document, ELEMENTS) + 1
    words = (elements + 63) >> 6
    if (
        elements > long(work, ELEMENTS_ROOM)
        or long(document, ATTRIBUTES) > long(work, ATTRIBUTES_ROOM)
        or long(document, TEXT_NODES) > long(work, TEXT_NODES_ROOM)
        or words > long(work, WORDS_ROOM)
    ):
        return NO_ROOM
    if words <= 4:
        return _match(index, work, document, (0, 0, 0, 0), again)
    return _match(index, work, document, (words,), again)


@compiled
def take_slots(index: int, work: int, found: _Slots) -> int:
    """Put the slots that were noted into an array with room for all, in order, and forget them; return how many."""
    out, count = long(work, OUT), 0
    for place in range((long(index, SLOTS_USED) + 63) >> 6):
        bits = long(out, place)
        if bits == 0:
            continue
        store_long(out, place, 0)
        while bits != 0:
            found[count] = 64 * place + first_bit(bits)
            bits &= bits - 1
            count += 1
    return count


@compiled
def match_many(
    index: int, work: int, document: int, base: int, starts: _Places, first: int, found: _Slots, ends: _Places
) -> int:
    """Match documents, the bytes of each up to the start of the next, from `first` on; return the first that is left.

    The slots come into `found` one document after the other, up to its place in `ends`; an end that is less than zero
    is the place's complement, and says that this document must be matched by itself. It stops where room might end.
    """
    count, all_slots = 0, long(index, SLOTS_USED)
    for number in range(first, starts.shape[0] - 1):
        if count + all_slots > found.shape[0]:
            return number
        state = NOT_READ
        if tokenize(document, base + starts[number], starts[number + 1] - starts[number]):
            state = match_document(index, work, document, False)
            added = take_slots(index, work, found[count:])
            if state == MATCHED:
                count += added
        ends[number] = count if state == MATCHED else ~count
    return starts.shape[0] - 1


@compiled
def mark(index: int, work: int, slots: _Slots) -> None:
    """Mark the nodes on the ways to some slots: a walk that follows the marks goes nowhere else."""
    stamp = long(work, MARK)
    marked, first, following = long(work, MARKED), long(work, MARKED_FIRST), long(work, MARKED_NEXT)
    store_long(marked, 0, stamp)
    store_integer(first, 0, -1)
    for slot in slots:
        node = integer(long(index, SLOTS) + 4 * SLOT_WIDTH * slot, SLOT_NODE)
        below = -1
        while node >= 0:
            known = long(marked, node) == stamp
            if not known:
                store_long(marked, node, stamp)
                store_integer(first, node, -1)
            if below >= 0:
                store_integer(following, below, integer(first, node))
                store_integer(first, node, below)
            if known:
                break
            below = node
            node = integer(body_of(index, node), ABOVE) if node > 0 else -1
