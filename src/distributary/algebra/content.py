"""From an item's bytes to what filters look at. It knows no schema: types of fields are checked by those who have one.

A JSON object is a record: strings, numbers, booleans and null are its values; objects and arrays inside it are null,
for no predicate can name what they hold. Of two fields with one name the later counts, as in Spark and in Python.
"""

from __future__ import annotations

import re
from typing import Protocol

import msgspec

from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.documents import Document, UnparsedDocument
from distributary.core.errors import NotAcceptable, TooLarge
from distributary.core.items import is_json, is_xml, media_type
from distributary.core.values import Content, Opaque, Record, Value

__all__ = ["content_of"]

_DEFAULT_LIMITS = XmlLimits()
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_INTEGER_MAX = 2**63 - 1
_INTEGER_MIN = -(2**63)


class _ReadDocument(Protocol):
    def __call__(self, body: bytes, /, *, limits: XmlLimits) -> Document | UnparsedDocument: ...


def content_of(
    content_type: str, body: bytes, limits: XmlLimits = _DEFAULT_LIMITS, *, read_document: _ReadDocument = parse_xml
) -> Content:
    """Return the record, the document or, for any other type, the opaque content that a body is.

    Raises `NotAcceptable` for a body that is not what its type says (an empty one never is JSON or XML) and
    `TooLarge` for one over a limit; opaque bodies are not looked at.

    >>> content_of("application/json", b'{"mag": 4.5, "at": [1, 2], "id": 123456789012345678901}')
    {'mag': 4.5, 'at': None, 'id': 1.2345678901234568e+20}
    """
    if is_json(content_type):
        return _record(body, limits)
    if is_xml(content_type):
        return read_document(body, limits=limits)
    return Opaque(media_type(content_type))


def _record(body: bytes, limits: XmlLimits) -> Record:
    if len(body) > limits.bytes:
        raise TooLarge(f"the record has {len(body)} bytes, more than {limits.bytes}")
    if not body.strip():
        raise NotAcceptable("the record is empty")
    try:
        decoded: object = msgspec.json.decode(body)
    except RecursionError:
        raise TooLarge("the record nests too deep") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotAcceptable(f"not JSON: {error}") from None
    if not isinstance(decoded, dict):
        raise NotAcceptable("the JSON value is not an object")
    if _nests_deeper(body, limits.depth):
        raise TooLarge("the record nests too deep")
    return {name: _value(name, value) for name, value in decoded.items()}


def _nests_deeper(body: bytes, depth: int) -> bool:
    """Tell whether JSON nests deeper; the decoder's own limit is what is left of the stack, another at each node.

    Two counts for the usual body; one with more brackets than that is measured, in time linear in its length.
    """
    if body.count(b"[") + body.count(b"{") <= depth:
        return False
    import numpy as np

    brackets = np.frombuffer(_STRING.sub(b"", body).translate(None, _NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    return int(steps.cumsum().max()) > depth


def _value(name: str, value: object) -> Value:
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return value
    if not isinstance(value, int):
        return None
    if _INTEGER_MIN <= value <= _INTEGER_MAX:
        return value
    try:
        return float(value)
    except OverflowError:
        raise NotAcceptable("is beyond the range of numbers", field=name) from None
