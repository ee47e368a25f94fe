"""An item on its way: identity (stream, seq), content type, header, and a body of bytes that nobody parses here."""

from __future__ import annotations

import msgspec

from distributary.core.headers import Header
from distributary.core.ids import Sequence, StreamName

__all__ = ["JSON", "XML", "Item", "NewItem", "is_json", "is_xml", "media_type"]

JSON = "application/json"
XML = "application/xml"


class NewItem(msgspec.Struct, frozen=True, array_like=True):
    """An item before its source has given it a place."""

    content_type: str
    body: bytes
    header: Header | None = None


class Item(msgspec.Struct, frozen=True, array_like=True):
    """An item with its place; (stream, seq) is its identity within a tree."""

    stream: StreamName
    seq: Sequence
    content_type: str
    body: bytes
    header: Header | None = None


def media_type(content_type: str) -> str:
    """Return the type without parameters, in lower case.

    >>> media_type("Application/JSON; charset=utf-8")
    'application/json'
    """
    return content_type.partition(";")[0].strip().lower()


def is_json(content_type: str) -> bool:
    """Tell whether the body is one JSON value."""
    kind = media_type(content_type)
    return kind == JSON or kind.endswith("+json")


def is_xml(content_type: str) -> bool:
    """Tell whether the body is an XML document."""
    kind = media_type(content_type)
    return kind in {XML, "text/xml"} or kind.endswith("+xml")
