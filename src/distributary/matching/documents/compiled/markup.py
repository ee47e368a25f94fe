"""Comments and processing instructions: passed, and checked on the way.

Each function takes the place where the thing begins and returns the place behind it, or -1 when it is malformed or not
for us.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.blocks import plain_stops
from distributary.matching.documents.compiled.characters import skip_characters, skip_space
from distributary.matching.documents.compiled.memory import BLOCK, byte, compiled, first_bit
from distributary.matching.documents.compiled.names import qualified_name
from distributary.matching.documents.compiled.namespaces import is_xml

__all__ = ["comment", "instruction", "is_comment", "miscellany"]

_EXCLAMATION, _HYPHEN, _LESS, _GREATER, _QUESTION = 33, 45, 60, 62, 63
_RETURN = 13


@compiled
def _until(source: int, at: int, last: int) -> int:
    """Return the place of the next byte that is `last`; what is before must be characters, else -1."""
    while True:
        stops = plain_stops(source + at, last)
        if stops == 0:
            at += BLOCK
            continue
        at += first_bit(stops)
        found = byte(source, at)
        if found == last:
            return at
        if found >= 0x80:
            at = skip_characters(source, at)
            if at == 0:
                return -1
        elif found == _RETURN:
            at += 1
        else:
            return -1


@compiled
def is_comment(source: int, at: int) -> bool:
    """Tell whether the `<` here begins a comment."""
    return byte(source, at + 1) == _EXCLAMATION and byte(source, at + 2) == _HYPHEN and byte(source, at + 3) == _HYPHEN


@compiled
def comment(source: int, at: int) -> int:
    """Pass a comment."""
    at += 4
    while True:
        at = _until(source, at, _HYPHEN)
        if at < 0:
            return -1
        if byte(source, at + 1) == _HYPHEN:
            return at + 3 if byte(source, at + 2) == _GREATER else -1
        at += 1


@compiled
def instruction(source: int, at: int) -> int:
    """Pass a processing instruction."""
    target = at + 2
    at, local = qualified_name(source, target)
    if at == 0 or local != target or (at == target + 3 and is_xml(source, target)):
        return -1
    if byte(source, at) == _QUESTION:
        return at + 2 if byte(source, at + 1) == _GREATER else -1
    if skip_space(source, at) == at:
        return -1
    while True:
        at = _until(source, at, _QUESTION)
        if at < 0:
            return -1
        at += 1
        if byte(source, at) == _GREATER:
            return at + 1


@compiled
def miscellany(source: int, at: int) -> int:
    """Pass white space, comments and processing instructions outside the root."""
    while True:
        at = skip_space(source, at)
        if byte(source, at) != _LESS:
            return at
        if byte(source, at + 1) == _QUESTION:
            at = instruction(source, at)
        elif is_comment(source, at):
            at = comment(source, at)
        else:
            return at
        if at < 0:
            return -1
