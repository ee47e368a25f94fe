"""The attributes of one start tag: values normalised where they stand, names once all declarations are known.

A pending attribute is `PENDING_WIDTH` longs: the hash of its whole name, the place of the name, the place of its local
part, and its end. Two names with one hash give the document up; so does a tag with very many attributes.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.blocks import value_stops
from distributary.matching.documents.compiled.characters import put_character, reference, skip_characters, skip_space
from distributary.matching.documents.compiled.memory import (
    BLOCK,
    byte,
    compiled,
    first_bit,
    inlined,
    long,
    store_byte,
    store_integer,
    store_long,
    word,
)
from distributary.matching.documents.compiled.names import find, hash_of_bytes, qualified_name
from distributary.matching.documents.compiled.namespaces import (
    UNDECLARED,
    XML_PREFIX,
    binding,
    declare,
    number_of_namespace,
)
from distributary.matching.documents.layout import (
    ATTRIBUTE_FROM,
    ATTRIBUTE_NAME,
    ATTRIBUTE_NAMESPACE,
    ATTRIBUTE_TO,
    ATTRIBUTES,
    ATTRIBUTES_MAX,
    ELEMENT_ATTRIBUTES_MAX,
    PENDING,
    PENDING_WIDTH,
)

__all__ = ["attributes"]

_AMPERSAND, _LESS, _GREATER, _SLASH, _EQUALS, _QUOTE, _APOSTROPHE = 38, 60, 62, 47, 61, 34, 39
#: Kinds of attributes: without a prefix, with one, and declarations of the default namespace or of a prefix's.
_PLAIN, _PREFIXED, _DEFAULT, _PREFIX = 0, 1, 2, 3
_XMLNS, _FIVE_BYTES = int.from_bytes(b"xmlns", "little"), (1 << 40) - 1
_TAB, _NEWLINE, _RETURN, _SPACE = 9, 10, 13, 32


@compiled
def _rewritten_value(source: int, at: int, quote: int) -> tuple[int, int]:
    """Normalise the rest of a value in its place, which it never outgrows; return as `_value` does."""
    to = at
    while True:
        found = byte(source, at)
        if found == quote:
            return at, to
        if found == _AMPERSAND:
            character, at = reference(source, at)
            if character == 0:
                return -1, at
            to = put_character(source, to, character)
        elif found >= 0x80:
            end = skip_characters(source, at)
            if end == 0:
                return -1, at
            while at < end:
                store_byte(source, to, byte(source, at))
                to += 1
                at += 1
        elif found == _LESS or (found < _SPACE and found != _TAB and found != _NEWLINE and found != _RETURN):
            return -1, at
        else:
            # One space for each white space, and for the two characters that end a line together.
            if found == _RETURN and byte(source, at + 1) == _NEWLINE:
                at += 1
            store_byte(source, to, max(found, _SPACE))
            to += 1
            at += 1


@inlined
def _value(source: int, at: int, quote: int) -> tuple[int, int]:
    """Return where the quote stands that ends a value (-1: none does), and where the normalised value ends."""
    while True:
        stops = value_stops(source + at, quote)
        if stops == 0:
            at += BLOCK
            continue
        at += first_bit(stops)
        found = byte(source, at)
        if found == quote:
            return at, at
        if found < 0x80:
            return _rewritten_value(source, at, quote)
        at = skip_characters(source, at)
        if at == 0:
            return -1, at


@inlined
def _known(context: int, count: int, hashed: int) -> bool:
    """Tell whether an attribute of the same element has this hash."""
    at = long(context, PENDING)
    end = at + 8 * PENDING_WIDTH * count
    while at < end:
        if long(at, 0) == hashed:
            return True
        at += 8 * PENDING_WIDTH
    return False


@inlined
def _kind(source: int, name: int, local: int, end: int) -> int:
    """Return what kind of attribute has this name."""
    prefixed = local != name
    if (local - 1 if prefixed else end) == name + 5 and word(source + name) & _FIVE_BYTES == _XMLNS:
        return _PREFIX if prefixed else _DEFAULT
    return _PREFIXED if prefixed else _PLAIN


@inlined
def _keep(context: int, name: int, namespace: int, start: int, end: int) -> None:
    """Add an attribute."""
    place = long(context, ATTRIBUTES)
    store_integer(long(context, ATTRIBUTE_NAME), place, name)
    store_integer(long(context, ATTRIBUTE_NAMESPACE), place, namespace)
    store_integer(long(context, ATTRIBUTE_FROM), place, start)
    store_integer(long(context, ATTRIBUTE_TO), place, end)
    store_long(context, ATTRIBUTES, place + 1)


@compiled
def _resolve(context: int, source: int, first: int, count: int) -> bool:
    """Name the attributes that have prefixes; `False` when a prefix is not declared or two names may be the same."""
    pending = long(context, PENDING)
    place = first
    for order in range(count):
        this = pending + 8 * PENDING_WIDTH * order
        name, local, end = long(this, 1), long(this, 2), long(this, 3)
        if local == name:
            # Without a prefix it is in no namespace, and never the same as one in a namespace. Declarations, which end
            # at 0, have no place among the attributes.
            place += end > 0
            continue
        found = binding(context, source, name, local - 1 - name)
        if found == UNDECLARED:
            return False
        namespace = number_of_namespace(found)
        hashed = hash_of_bytes(source + local, end - local)
        number = find(context, namespace, source + local, end - local, hashed)
        store_integer(long(context, ATTRIBUTE_NAME), place, number)
        store_integer(long(context, ATTRIBUTE_NAMESPACE), place, namespace)
        hashed ^= 31 * (XML_PREFIX if found == XML_PREFIX else long(found, 4))
        store_long(this, 0, hashed)
        for other in range(order):
            before = pending + 8 * PENDING_WIDTH * other
            if long(before, 2) != long(before, 1) and long(before, 0) == hashed:
                return False
        place += 1
    return True


@compiled
def _attribute(context: int, source: int, name: int, count: int) -> tuple[int, int]:
    """Take the attribute here; return the place behind (-1: not for us), and its kind."""
    end, local = qualified_name(source, name)
    if end == 0 or count == ELEMENT_ATTRIBUTES_MAX:
        return -1, 0
    equals = skip_space(source, end)
    start = skip_space(source, equals + 1)
    quote = byte(source, start)
    if byte(source, equals) != _EQUALS or (quote != _QUOTE and quote != _APOSTROPHE):
        return -1, 0
    hashed = hash_of_bytes(source + name, end - name)
    if _known(context, count, hashed):
        return -1, 0
    at, value_end = _value(source, start + 1, quote)
    if at < 0:
        return -1, 0
    kind = _kind(source, name, local, end)
    this = long(context, PENDING) + 8 * PENDING_WIDTH * count
    store_long(this, 0, hashed)
    store_long(this, 1, name)
    store_long(this, 2, local if kind == _PREFIXED else name)
    store_long(this, 3, 0 if kind > _PREFIXED else end)
    if kind == _PLAIN:
        _keep(context, find(context, 0, source + name, end - name, hashed), 0, start + 1, value_end)
    elif kind == _PREFIXED:
        _keep(context, -1, -1, start + 1, value_end)
    elif not declare(context, source, local, end - local if kind == _PREFIX else 0, start + 1, value_end):
        return -1, 0
    return at + 1, kind


@compiled
def attributes(context: int, source: int, at: int) -> int:
    """Read the attributes of a tag from behind its name; return the place of its `>` or `/`, or -1."""
    first, count, prefixed = long(context, ATTRIBUTES), 0, False
    while True:
        name = skip_space(source, at)
        found = byte(source, name)
        if found != _GREATER and found != _SLASH:
            # White space before each of them.
            at, kind = _attribute(context, source, name, count) if name > at else (-1, 0)
            if at < 0:
                return -1
            count += 1
            prefixed |= kind == _PREFIXED
        elif long(context, ATTRIBUTES) > long(context, ATTRIBUTES_MAX):
            return -1
        else:
            return name if not prefixed or _resolve(context, source, first, count) else -1
