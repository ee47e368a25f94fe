"""Bytes to content: records, documents, opaque files, and what is refused as neither."""

from __future__ import annotations

import pytest

from distributary.algebra.content import content_of
from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.errors import NotAcceptable, TooLarge
from distributary.core.values import Opaque

_JSON = "application/json"


def test_object_is_a_record_with_its_scalars() -> None:
    body = b'{"a": 1, "b": 2.5, "c": "x", "d": true, "e": null, "f": {"g": 1}, "h": [1]}'
    expected = {"a": 1, "b": 2.5, "c": "x", "d": True, "e": None, "f": None, "h": None}
    record = content_of(_JSON, body)
    assert record == expected
    assert isinstance(record, dict)
    assert record["d"] is True


def test_integers_beyond_64_bits_are_floats_and_those_within_are_not() -> None:
    record = content_of(_JSON, b'{"a": 9223372036854775807, "b": 9223372036854775808, "c": -9223372036854775809}')
    assert record == {"a": 2**63 - 1, "b": 2.0**63, "c": -(2.0**63)}
    assert isinstance(record, dict)
    assert [type(record[name]) for name in "abc"] == [int, float, float]


def test_later_of_two_fields_with_one_name_counts() -> None:
    assert content_of("application/geo+json; charset=utf-8", b'{"a": 1, "\\u0061": 2}') == {"a": 2}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "the record is empty"),
        (b" \n", "the record is empty"),
        (b"[1]", "not an object"),
        (b"5", "not an object"),
        (b'{"a": NaN}', "not JSON"),
        (b'{"a": -Infinity}', "not JSON"),
        (b'{"a": 1e999}', "not JSON"),
        (b'{"a": ' + b"9" * 400 + b"}", "a: is beyond the range of numbers"),
        (b'{"a": 1} x', "not JSON"),
        (b'{"a": "\xff"}', "not JSON"),
        (b"{'a': 1}", "not JSON"),
    ],
)
def test_body_that_is_no_json_object_is_not_acceptable(body: bytes, reason: str) -> None:
    with pytest.raises(NotAcceptable) as caught:
        content_of(_JSON, body)
    assert reason in str(caught.value)


@pytest.mark.parametrize("body", [b'{"a":' * 100_000, b'{"a":' + b"[" * 100_000])
def test_json_that_nests_without_end_is_too_large(body: bytes) -> None:
    with pytest.raises(TooLarge, match="nests too deep"):
        content_of(_JSON, body)


def nested(depth: int) -> bytes:
    return b'{"b": "]]]]\\"[[[", "a": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_json_nests_as_deep_as_the_limit_whatever_is_left_of_the_stack() -> None:
    def further_down(calls: int) -> object:
        return further_down(calls - 1) if calls else content_of(_JSON, nested(256))

    assert content_of(_JSON, nested(256)) == further_down(300)
    for depth in (257, 600):
        with pytest.raises(TooLarge, match="nests too deep"):
            content_of(_JSON, nested(depth))
    wide = b'{"a": [' + b"[{}]," * 10_000 + b"[]]}"
    assert content_of(_JSON, wide) == {"a": None}


def test_json_over_the_limit_of_bytes_is_too_large() -> None:
    with pytest.raises(TooLarge, match="has 8 bytes, more than 7"):
        content_of(_JSON, b'{"a": 1}', XmlLimits(bytes=7))


@pytest.mark.parametrize("content_type", ["application/xml", "text/xml; charset=utf-8", "application/cap+xml"])
def test_xml_is_a_document(content_type: str) -> None:
    assert content_of(content_type, b"<a/>") == parse_xml(b"<a/>")


def test_xml_that_is_malformed_or_empty_is_not_acceptable() -> None:
    with pytest.raises(NotAcceptable, match="empty"):
        content_of("application/xml", b"")
    with pytest.raises(NotAcceptable, match="not well-formed"):
        content_of("application/xml", b"<a>")


def test_anything_else_is_opaque() -> None:
    assert content_of("Image/PNG; name=x", b"") == Opaque("image/png")
    assert content_of("text/plain", b"<a>") == Opaque("text/plain")
