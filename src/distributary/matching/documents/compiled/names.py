"""Names of elements and attributes: where they end, what their hash is, which number the vocabulary has for them.

A name that the tokenizer takes is ASCII with at most one colon, which stands between a prefix and a local part.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.blocks import name_stops
from distributary.matching.documents.compiled.memory import (
    BLOCK,
    byte,
    equal_bytes,
    first_bit,
    inlined,
    long,
    product,
    word,
)
from distributary.matching.documents.layout import SLOTS, SLOTS_MASK, SPELLINGS

__all__ = ["SLOT_WIDTH", "URI", "find", "hash_of_bytes", "hash_within", "qualified_name"]

#: Longs of a slot of the vocabulary: hash, number (-1: the slot is free), place of the spelling, length and namespace.
SLOT_WIDTH = 4
#: What stands for the namespace of a namespace's own URI.
URI = -2

_COLON, _UNDERSCORE = 58, 95
# Odd and without pattern.
_FIRST, _SECOND = 0x1E3779B97F4A7C15, 0x2545F4914F6CDD1D


@inlined
def hash_of_bytes(address: int, length: int) -> int:
    """Return the hash of a string; reads up to seven bytes beyond it."""
    found = product(length, _FIRST)
    at = 0
    while at + 8 <= length:
        found = product(found ^ word(address + at), _SECOND)
        found ^= found >> 29
        at += 8
    if at < length:
        found = product(found ^ (word(address + at) & ((1 << 8 * (length - at)) - 1)), _SECOND)
    return found ^ found >> 32


@inlined
def hash_within(namespace: int, local: int) -> int:
    """Return the hash of a name in a namespace, from that of its local part."""
    mixed = local ^ product(namespace + 1, _FIRST)
    return mixed ^ mixed >> 17


@inlined
def find(context: int, namespace: int, address: int, length: int, local: int) -> int:
    """Return the number of a name, or with `URI` for a namespace that of a URI; -1 when the vocabulary has none.

    `local` is the hash of the string.
    """
    if namespace == -1:
        return -1
    wanted = hash_within(namespace, local)
    slots, mask, spellings = long(context, SLOTS), long(context, SLOTS_MASK), long(context, SPELLINGS)
    at = wanted & mask
    while True:
        slot = slots + 8 * SLOT_WIDTH * at
        number = long(slot, 1)
        if number < 0:
            return -1
        if (
            long(slot, 0) == wanted
            and long(slot, 3) == (length << 32) + namespace
            and equal_bytes(spellings + long(slot, 2), address, length)
        ):
            return number
        at = (at + 1) & mask


@inlined
def _part_end(source: int, at: int) -> int:
    """Return where a part of a name ends that begins here; `at` when none does."""
    first = byte(source, at)
    if not (97 <= first | 32 <= 122 or first == _UNDERSCORE):
        return at
    while True:
        stops = name_stops(source + at)
        if stops != 0:
            return at + first_bit(stops)
        at += BLOCK


@inlined
def qualified_name(source: int, at: int) -> tuple[int, int]:
    """Return where a name ends (0: it is none for us) and where its local part begins."""
    end = _part_end(source, at)
    if end == at:
        return 0, at
    if byte(source, end) != _COLON:
        return end, at
    local = end + 1
    end = _part_end(source, local)
    if end == local or byte(source, end) == _COLON:
        return 0, at
    return end, local
