"""Character data: appended to one buffer in document order, and cut into text nodes.

Line ends become newlines, references characters, CDATA sections what they hold. A text node ends where an element, a
comment or a processing instruction does or begins; `TEXT_NODE_BEGAN` is how much text there was at the last such place.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.blocks import plain_stops, text_stops
from distributary.matching.documents.compiled.characters import put_character, reference, skip_characters
from distributary.matching.documents.compiled.memory import (
    BLOCK,
    byte,
    compiled,
    copy,
    first_bit,
    inlined,
    long,
    store_byte,
    store_integer,
    store_long,
)
from distributary.matching.documents.layout import (
    TEXT,
    TEXT_BYTES,
    TEXT_NODE_BEGAN,
    TEXT_NODE_FROM,
    TEXT_NODE_OWNER,
    TEXT_NODE_TO,
    TEXT_NODES,
)

__all__ = ["cdata_section", "character_data", "end_text_node"]

_NEWLINE, _RETURN, _AMPERSAND, _LESS, _GREATER, _BRACKET = 10, 13, 38, 60, 62, 93


@inlined
def end_text_node(context: int, owner: int) -> None:
    """End the text node that is open, if one is: a child of `owner`."""
    began, used = long(context, TEXT_NODE_BEGAN), long(context, TEXT_BYTES)
    if used > began:
        place = long(context, TEXT_NODES)
        store_integer(long(context, TEXT_NODE_OWNER), place, owner)
        store_integer(long(context, TEXT_NODE_FROM), place, began)
        store_integer(long(context, TEXT_NODE_TO), place, used)
        store_long(context, TEXT_NODES, place + 1)
        store_long(context, TEXT_NODE_BEGAN, used)


@inlined
def character_data(context: int, source: int, at: int) -> int:
    """Take text up to the next `<`; return its place, or -1."""
    text, used = long(context, TEXT), long(context, TEXT_BYTES)
    began = at
    while True:
        stops = text_stops(source + at)
        if stops == 0:
            at += BLOCK
            continue
        at += first_bit(stops)
        found = byte(source, at)
        if found == _LESS:
            copy(text + used, source + began, at - began)
            store_long(context, TEXT_BYTES, used + at - began)
            return at
        if found >= 0x80:
            at = skip_characters(source, at)
            if at == 0:
                return -1
        elif found == _BRACKET:
            if byte(source, at + 1) == _BRACKET and byte(source, at + 2) == _GREATER:
                return -1
            at += 1
        elif found != _AMPERSAND and found != _RETURN:
            return -1
        else:
            copy(text + used, source + began, at - began)
            used += at - began
            if found == _RETURN:
                at += 2 if byte(source, at + 1) == _NEWLINE else 1
                character = _NEWLINE
            else:
                character, at = reference(source, at)
                if character == 0:
                    return -1
            used = put_character(text, used, character)
            began = at


@compiled
def cdata_section(context: int, source: int, at: int) -> int:
    """Take the text of a CDATA section from behind its opening; return the place behind it, or -1."""
    text, used = long(context, TEXT), long(context, TEXT_BYTES)
    began = at
    while True:
        stops = plain_stops(source + at, _BRACKET)
        if stops == 0:
            at += BLOCK
            continue
        at += first_bit(stops)
        found = byte(source, at)
        if found == _BRACKET:
            if byte(source, at + 1) == _BRACKET and byte(source, at + 2) == _GREATER:
                copy(text + used, source + began, at - began)
                store_long(context, TEXT_BYTES, used + at - began)
                return at + 3
            at += 1
        elif found >= 0x80:
            at = skip_characters(source, at)
            if at == 0:
                return -1
        elif found == _RETURN:
            copy(text + used, source + began, at - began)
            used += at - began
            store_byte(text, used, _NEWLINE)
            used += 1
            at += 2 if byte(source, at + 1) == _NEWLINE else 1
            began = at
        else:
            return -1
