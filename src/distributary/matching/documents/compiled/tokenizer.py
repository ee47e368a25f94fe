"""The strict tokenizer: from a document's bytes to arrays, if it can prove that the document is well-formed.

It takes UTF-8 (or what was decoded before), ASCII names, the predefined entities, and no internal DTD subset, within
the limits of the context. It never judges a document malformed: 0 says only that this is for `algebra.xml.parse_xml`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import cfunc, types

from distributary.matching.documents.compiled.attributes import attributes
from distributary.matching.documents.compiled.characters import skip_space
from distributary.matching.documents.compiled.markup import comment, instruction, is_comment, miscellany
from distributary.matching.documents.compiled.memory import (
    BLOCK,
    address_of_bytes,
    byte,
    call,
    clear_block,
    compiled,
    copy_all,
    equal_bytes,
    inlined,
    long,
    store_integer,
    store_long,
    word,
)
from distributary.matching.documents.compiled.names import find, hash_of_bytes, qualified_name
from distributary.matching.documents.compiled.namespaces import UNDECLARED, binding, number_of_namespace
from distributary.matching.documents.compiled.prolog import document_type, xml_declaration
from distributary.matching.documents.compiled.text import cdata_section, character_data, end_text_node
from distributary.matching.documents.layout import (
    ATTRIBUTE_START,
    ATTRIBUTES,
    BINDINGS_USED,
    DECODED,
    DEPTH_MAX,
    ELEMENTS,
    ELEMENTS_MAX,
    END,
    LENGTH_MAX,
    NAME,
    NAMESPACE,
    OPEN,
    OPEN_WIDTH,
    PADDING,
    PARENT,
    ROOM,
    TEXT_BYTES,
    TEXT_END,
    TEXT_NODE_BEGAN,
    TEXT_NODES,
    TEXT_START,
    TOKENIZER,
    VALUES,
)

__all__ = ["tokenize", "tokenize_body", "tokenizer_address"]

_EXCLAMATION, _SLASH, _LESS, _GREATER, _QUESTION, _BRACKET = 33, 47, 60, 62, 63, 91
_CDATA = int.from_bytes(b"<![CDATA", "little")
_BYTE_ORDER_MARK, _THREE_BYTES = int.from_bytes(b"\xef\xbb\xbf", "little"), (1 << 24) - 1


@inlined
def _begin_element(context: int, element: int, parent: int, name: int, namespace: int) -> None:
    """Write what is known of an element at its start."""
    store_integer(long(context, NAME), element, name)
    store_integer(long(context, NAMESPACE), element, namespace)
    store_integer(long(context, PARENT), element, parent)
    store_integer(long(context, TEXT_START), element, long(context, TEXT_BYTES))


@inlined
def _end_element(context: int, element: int) -> None:
    """Write what is known of an element at its end."""
    store_integer(long(context, END), element, long(context, ELEMENTS) + 1)
    store_integer(long(context, TEXT_END), element, long(context, TEXT_BYTES))


@inlined
def _start_tag(context: int, source: int, at: int, parent: int, place: int) -> int:
    """Take the start tag here; `place` is where its element goes if it stays open. Return the place behind, or -1."""
    name = at + 1
    end, local = qualified_name(source, name)
    element = long(context, ELEMENTS) + 1
    if end == 0 or element > long(context, ELEMENTS_MAX):
        return -1
    end_text_node(context, parent)
    store_long(context, ELEMENTS, element)
    store_integer(long(context, ATTRIBUTE_START), element, long(context, ATTRIBUTES))
    used = long(context, BINDINGS_USED)
    at = end if byte(source, end) == _GREATER else attributes(context, source, end)
    if at < 0:
        return -1
    namespace = 0
    if local != name or long(context, BINDINGS_USED) > 0:
        found = binding(context, source, name, 0 if local == name else local - 1 - name)
        if found == UNDECLARED:
            return -1
        namespace = number_of_namespace(found)
    number = find(context, namespace, source + local, end - local, hash_of_bytes(source + local, end - local))
    _begin_element(context, element, parent, number, namespace)
    if byte(source, at) == _GREATER:
        store_long(place, 0, name)
        store_long(place, 1, end - name)
        store_long(place, 2, element)
        store_long(place, 3, used)
        return at + 1
    if byte(source, at + 1) != _GREATER:
        return -1
    _end_element(context, element)
    store_long(context, BINDINGS_USED, used)
    return at + 2


@inlined
def _end_tag(context: int, source: int, at: int, place: int) -> int:
    """Take the end tag here, which must be that of the element at `place`; return the place behind, or -1."""
    name, length, element = long(place, 0), long(place, 1), long(place, 2)
    if not equal_bytes(source + at + 2, source + name, length):
        return -1
    at += 2 + length
    if byte(source, at) != _GREATER:
        at = skip_space(source, at)
        if byte(source, at) != _GREATER:
            return -1
    end_text_node(context, element)
    _end_element(context, element)
    store_long(context, BINDINGS_USED, long(place, 3))
    return at + 1


@compiled
def _other_markup(context: int, source: int, at: int, current: int) -> int:
    """Take the CDATA section, comment or instruction here, inside an element; return the place behind, or -1."""
    if word(source + at) == _CDATA and byte(source, at + 8) == _BRACKET:
        return cdata_section(context, source, at + 9)
    end_text_node(context, current)
    if is_comment(source, at):
        return comment(source, at)
    return instruction(source, at) if byte(source, at + 1) == _QUESTION else -1


@compiled
def _root(context: int, source: int, at: int) -> int:
    """Take the root element that begins here and all within; return the place behind, or -1."""
    bottom = long(context, OPEN)
    # The top of the stack: below it, the element that is open; the document node has a place too.
    top, limit = bottom, bottom + 8 * OPEN_WIDTH * long(context, DEPTH_MAX)
    current = 0
    while True:
        found = byte(source, at + 1)
        if found == _SLASH:
            at = _end_tag(context, source, at, top)
            top -= 8 * OPEN_WIDTH
            current = long(top, 2)
        elif found != _EXCLAMATION and found != _QUESTION:
            if top == limit:
                return -1
            at = _start_tag(context, source, at, current, top + 8 * OPEN_WIDTH)
            if at > 0 and byte(source, at - 2) != _SLASH:
                top += 8 * OPEN_WIDTH
                current = long(top, 2)
        else:
            at = _other_markup(context, source, at, current)
        if at < 0 or top == bottom:
            return at
        if byte(source, at) != _LESS:
            at = character_data(context, source, at)
            if at < 0:
                return -1


@compiled
def _document(context: int, source: int) -> int:
    """Take a whole document; return the place behind, where zeros begin if it is one document, or -1."""
    at = xml_declaration(context, source, 3 if word(source) & _THREE_BYTES == _BYTE_ORDER_MARK else 0)
    at = miscellany(source, at) if at >= 0 else -1
    at = document_type(source, at) if at >= 0 else -1
    at = miscellany(source, at) if at >= 0 else -1
    if at < 0 or byte(source, at) != _LESS or byte(source, at + 1) == _EXCLAMATION or byte(source, at + 1) == _SLASH:
        return -1
    _begin_element(context, 0, -1, -1, -1)
    store_integer(long(context, ATTRIBUTE_START), 0, 0)
    at = _root(context, source, at)
    if at < 0:
        return -1
    _end_element(context, 0)
    store_integer(long(context, ATTRIBUTE_START), long(context, ELEMENTS) + 1, long(context, ATTRIBUTES))
    return miscellany(source, at)


def _tokenize(context: int, address: int, length: int) -> int:
    if length > long(context, ROOM) or (length > long(context, LENGTH_MAX) and not long(context, DECODED)):
        return 0
    source = long(context, VALUES)
    copy_all(source, address, length)
    for at in range(0, PADDING, BLOCK):
        clear_block(source + length + at)
    for counter in (ELEMENTS, ATTRIBUTES, TEXT_NODES, TEXT_BYTES, TEXT_NODE_BEGAN, BINDINGS_USED):
        store_long(context, counter, 0)
    # The element of the stack's bottom is the document node.
    store_long(long(context, OPEN), 2, 0)
    return 1 if _document(context, source) == length else 0


@cache
def _compiled_tokenizer() -> Any:
    # Called through its address it is compiled once, and not again with everything that calls it.
    return cfunc(types.int64(types.int64, types.int64, types.int64), cache=True, error_model="numpy")(_tokenize)


def tokenizer_address() -> int:
    """Return the address of the compiled tokenizer, for `TOKENIZER` of a context."""
    return int(_compiled_tokenizer().address)


@compiled
def tokenize(context: int, address: int, length: int) -> int:
    """Fill the arrays from the document of this length at this address: 1, or 0 when it is not for us.

    The document is copied, so that zeros can follow it and values be normalised in their places. Linear in its bytes.
    """
    return call(long(context, TOKENIZER), context, address, length)


@compiled
def tokenize_body(context: int, body: bytes) -> int:
    """Fill the arrays from a document's bytes, as `tokenize` does."""
    return tokenize(context, address_of_bytes(body), len(body))
