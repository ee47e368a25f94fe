"""Characters in UTF-8: which bytes make one that XML allows, and what references stand for.

Zero is no length and no character: whoever calls gives the document up.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import byte, compiled, inlined, store_byte

__all__ = ["put_character", "reference", "skip_characters", "skip_space"]

_LAST = 0x10FFFF
_AMPERSAND, _SEMICOLON, _HASH = 38, 59, 35
_A, _G, _L, _M, _O, _P, _Q, _S, _T, _U, _X = (ord(each) for each in "aglmopqstux")


@compiled
def _length(source: int, at: int) -> int:
    """Return how many bytes the character has that begins here and is not ASCII."""
    first, second = byte(source, at), byte(source, at + 1)
    if second & 0xC0 != 0x80:
        return 0
    if 0xC2 <= first <= 0xDF:
        return 2
    third = byte(source, at + 2)
    if third & 0xC0 != 0x80:
        return 0
    if 0xE0 <= first <= 0xEF:
        # Overlong, a surrogate, or one of U+FFFE and U+FFFF.
        if (first == 0xE0 and second < 0xA0) or (first == 0xED and second > 0x9F):
            return 0
        return 0 if first == 0xEF and second == 0xBF and third > 0xBD else 3
    if byte(source, at + 3) & 0xC0 != 0x80:
        return 0
    # Overlong, or beyond U+10FFFF.
    if (first == 0xF0 and second < 0x90) or (first == 0xF4 and second > 0x8F):
        return 0
    return 4 if 0xF0 <= first <= 0xF4 else 0


@compiled
def skip_characters(source: int, at: int) -> int:
    """Return the next place of an ASCII byte, from a place of one that is not; 0 when what is between is malformed."""
    while byte(source, at) >= 0x80:
        length = _length(source, at)
        if length == 0:
            return 0
        at += length
    return at


@inlined
def skip_space(source: int, at: int) -> int:
    """Return the next place that has no white space."""
    while True:
        found = byte(source, at)
        if found != 32 and found != 10 and found != 9 and found != 13:
            return at
        at += 1


@compiled
def _numbered(source: int, at: int) -> tuple[int, int]:
    """Return the character that a reference by number stands for, from behind its `#`, and where it ends."""
    base, digits, value = 10, 0, 0
    if byte(source, at) == _X:
        base = 16
        at += 1
    while value <= _LAST:
        found = byte(source, at)
        if 48 <= found <= 57:
            digit = found - 48
        elif base == 16 and 97 <= found | 32 <= 102:
            digit = (found | 32) - 87
        else:
            break
        value = value * base + digit
        digits += 1
        at += 1
    if byte(source, at) != _SEMICOLON or digits == 0 or value > _LAST:
        return 0, at
    if value < 32 and value != 9 and value != 10 and value != 13:
        return 0, at
    if 0xD800 <= value <= 0xDFFF or value == 0xFFFE or value == 0xFFFF:
        return 0, at
    return value, at + 1


@compiled
def reference(source: int, at: int) -> tuple[int, int]:
    """Return the character that the reference here stands for, and where it ends; only the predefined names."""
    first, second, third, fourth = (
        byte(source, at + 1),
        byte(source, at + 2),
        byte(source, at + 3),
        byte(source, at + 4),
    )
    if first == _HASH:
        return _numbered(source, at + 2)
    if second == _T and third == _SEMICOLON:
        if first == _L:
            return 60, at + 4
        if first == _G:
            return 62, at + 4
    elif first == _A and second == _M and third == _P and fourth == _SEMICOLON:
        return _AMPERSAND, at + 5
    elif byte(source, at + 5) == _SEMICOLON:
        if first == _A and second == _P and third == _O and fourth == _S:
            return 39, at + 6
        if first == _Q and second == _U and third == _O and fourth == _T:
            return 34, at + 6
    return 0, at


@compiled
def put_character(to: int, at: int, character: int) -> int:
    """Write a character; return where the next one goes."""
    if character < 0x80:
        store_byte(to, at, character)
        return at + 1
    if character < 0x800:
        store_byte(to, at, 0xC0 | character >> 6)
        store_byte(to, at + 1, 0x80 | character & 0x3F)
        return at + 2
    if character < 0x10000:
        store_byte(to, at, 0xE0 | character >> 12)
        store_byte(to, at + 1, 0x80 | character >> 6 & 0x3F)
        store_byte(to, at + 2, 0x80 | character & 0x3F)
        return at + 3
    store_byte(to, at, 0xF0 | character >> 18)
    store_byte(to, at + 1, 0x80 | character >> 12 & 0x3F)
    store_byte(to, at + 2, 0x80 | character >> 6 & 0x3F)
    store_byte(to, at + 3, 0x80 | character & 0x3F)
    return at + 4
