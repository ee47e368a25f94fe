"""Namespace declarations in force, innermost last: what a prefix stands for.

A declaration is `BINDING_WIDTH` longs: place and length of the prefix (0 for the default namespace), place and length
of the URI, the hash of the URI, and its number in the vocabulary. What expat refuses, or might, is not taken.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import byte, compiled, equal_bytes, inlined, long, store_long, word
from distributary.matching.documents.compiled.names import URI, find, hash_of_bytes
from distributary.matching.documents.layout import BINDING_WIDTH, BINDINGS, BINDINGS_MAX, BINDINGS_USED

__all__ = ["NO_NAMESPACE", "UNDECLARED", "XML_PREFIX", "binding", "declare", "is_xml", "number_of_namespace"]

#: What `binding` returns besides addresses.
NO_NAMESPACE, UNDECLARED, XML_PREFIX = 0, -1, 1
_BRACE = 125
#: Eight bytes of the two URIs that may not be declared, from their place 18: `XML/1998` and `2000/xml`.
_RESERVED_PLACE = 18
_XML_URI = int.from_bytes(b"XML/1998", "little")
_XMLNS_URI = int.from_bytes(b"2000/xml", "little")


@compiled
def is_xml(source: int, at: int) -> bool:
    """Tell whether these three letters are `xml`, large or small."""
    return byte(source, at) | 32 == 120 and byte(source, at + 1) | 32 == 109 and byte(source, at + 2) | 32 == 108


@compiled
def declare(context: int, source: int, prefix: int, length: int, uri: int, uri_end: int) -> bool:
    """Take a declaration; `False` when it is not for us."""
    used = long(context, BINDINGS_USED)
    # Only the default namespace can be undeclared, and prefixes that begin with these letters are reserved.
    if used == BINDINGS_MAX or (length > 0 and (uri == uri_end or is_xml(source, prefix))):
        return False
    for at in range(uri, uri_end):
        if byte(source, at) == _BRACE:
            return False
    if uri_end - uri > _RESERVED_PLACE:
        part = word(source + uri + _RESERVED_PLACE)
        if part == _XML_URI:
            return False
        if part == _XMLNS_URI:
            return False
    found = long(context, BINDINGS) + 8 * BINDING_WIDTH * used
    store_long(found, 0, prefix)
    store_long(found, 1, length)
    store_long(found, 2, uri)
    store_long(found, 3, uri_end - uri)
    hashed = hash_of_bytes(source + uri, uri_end - uri)
    store_long(found, 4, hashed)
    store_long(found, 5, 0 if uri == uri_end else find(context, URI, source + uri, uri_end - uri, hashed))
    store_long(context, BINDINGS_USED, used + 1)
    return True


@inlined
def binding(context: int, source: int, prefix: int, length: int) -> int:
    """Return the address of the declaration that binds a prefix; `NO_NAMESPACE`, `XML_PREFIX` or `UNDECLARED`."""
    first = long(context, BINDINGS)
    at = first + 8 * BINDING_WIDTH * (long(context, BINDINGS_USED) - 1)
    while at >= first:
        if long(at, 1) == length and equal_bytes(source + long(at, 0), source + prefix, length):
            return at
        at -= 8 * BINDING_WIDTH
    if length == 0:
        return NO_NAMESPACE
    if (
        length == 3
        and byte(source, prefix) == 120
        and byte(source, prefix + 1) == 109
        and byte(source, prefix + 2) == 108
    ):
        return XML_PREFIX
    return UNDECLARED


@inlined
def number_of_namespace(found: int) -> int:
    """Return the number in the vocabulary of the namespace that `binding` found."""
    # The vocabulary gives the URI of `xml` the number 1 before all others.
    return long(found, 5) if found != NO_NAMESPACE and found != XML_PREFIX else found
