"""What a subscriber is sent for a delivery: one JSON object on one line, the same for both transports.

The last hop's extraction (`fields`) is done here, on text that nobody parses further than it must: numbers and
nested values go out with the digits that came in.
"""

from __future__ import annotations

import codecs
import re
from base64 import b64encode

import msgspec

from distributary.core.effects import Gap
from distributary.core.errors import DistributaryError, InputError
from distributary.core.items import Item, is_json, is_xml, media_type

__all__ = ["Fields", "error_frame", "frame_of", "gap_frame", "text_of"]

#: The names of the fields that are wanted, in this order; None for the whole item.
Fields = tuple[str, ...] | None

_JSON = msgspec.json.Encoder()
_RAW = msgspec.json.Decoder(msgspec.Raw)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def frame_of(item: Item, fields: Fields = None) -> bytes:
    """Return `{"stream", "seq", "content_type", "item"}`, or with the bytes in base64 under `data`.

    JSON goes out as the value that it is, projected to `fields` when it is an object (a missing one is null, as
    everywhere); XML and text as a string; anything else, and text that cannot be decoded, as `data`.

    >>> frame_of(Item("quakes", 7, "application/json", b'{"mag": 4.10, "place": "x"}'), ("mag",)).decode()
    '{"stream":"quakes","seq":7,"content_type":"application/json","item":{"mag":4.10}}'
    """
    name, value = _payload(item, fields)
    head = _JSON.encode({"stream": item.stream, "seq": item.seq, "content_type": item.content_type})
    return b"%b,%b:%b}" % (head[:-1], name, value)


def gap_frame(gap: Gap) -> bytes:
    """Return `{"from", "to"}`, both included."""
    return _JSON.encode({"from": gap.first, "to": gap.last})


def error_frame(error: DistributaryError, status: int) -> bytes:
    """Return `{"error", "field", "status"}`."""
    field = error.field if isinstance(error, InputError) else None
    return _JSON.encode({"error": str(error), "field": field, "status": status})


def text_of(item: Item) -> str | None:
    """Return the body of an XML or text item as a string, by its charset, mark or declaration; None if it has none."""
    is_markup = is_xml(item.content_type)
    if not is_markup and not media_type(item.content_type).startswith("text/"):
        return None
    charset = _CHARSET.search(item.content_type)
    declared = _XML_ENCODING.match(item.body) if is_markup else None
    mark = next((encoding for mark, encoding in _BOMS if item.body.startswith(mark)), None)
    encoding = mark or (charset[1] if charset else declared[1].decode() if declared else "utf-8")
    try:
        return item.body.decode(encoding)
    except (LookupError, UnicodeError):
        return None


def _payload(item: Item, fields: Fields) -> tuple[bytes, bytes]:
    value = _json_value(item.body, fields) if is_json(item.content_type) else None
    if value is None:
        text = text_of(item)
        value = None if text is None else _JSON.encode(text)
    if value is not None:
        return b'"item"', value
    return b'"data"', b'"%b"' % b64encode(item.body)


def _json_value(body: bytes, fields: Fields) -> bytes | None:
    """Return the value's text on one line; None when it is none, which a node does not let in."""
    try:
        body.decode()
        raw = bytes(_RAW.decode(body))
        if fields is not None and raw.startswith(b"{"):
            found = _OBJECT.decode(raw)
            raw = _JSON.encode({field: found.get(field, msgspec.Raw(b"null")) for field in fields})
    except (UnicodeDecodeError, msgspec.DecodeError):
        return None
    # A line break in JSON stands between tokens, never within a string.
    return raw.replace(b"\r", b" ").replace(b"\n", b" ")
