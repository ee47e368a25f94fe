"""Frames: exact digits, one line, text where there is text, base64 where there is none."""

from __future__ import annotations

import json
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.core.effects import Gap
from distributary.core.errors import NotAcceptable, Unavailable
from distributary.core.items import Item
from distributary.runtime.frames import error_frame, frame_of, gap_frame

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def item(body: bytes, content_type: str = "application/json") -> Item:
    return Item("news", 7, content_type, body)


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_frame_of_json_is_the_value_on_one_line(value: object, indent: int | str | None) -> None:
    frame = frame_of(item(json.dumps(value, indent=indent).encode()))
    assert b"\n" not in frame
    assert b"\r" not in frame
    found = json.loads(frame)
    assert found == {"stream": "news", "seq": 7, "content_type": "application/json", "item": value}


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.lists(st.text(), min_size=1, max_size=4, unique=True))
def test_frame_projects_like_the_naive_way(record: dict[str, object], fields: list[str]) -> None:
    found = json.loads(frame_of(item(json.dumps(record).encode()), tuple(fields)))["item"]
    assert found == {field: record.get(field) for field in fields}


def test_frame_keeps_digits_and_projects_no_other_values() -> None:
    body = b'{"a": 1.10, "b": 123456789012345678901234567890, "c": 1e400}'
    assert b'{"b":123456789012345678901234567890,"a":1.10,"d":null}' in frame_of(item(body), ("b", "a", "d"))
    assert b'"item":[1,2]' in frame_of(item(b"[1,2]"), ("a",))


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("<a>é</a>".encode(), "application/xml", "<a>é</a>"),
        ("<a>é</a>".encode("utf-16"), "text/xml", "<a>é</a>"),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", "application/cap+xml", None),
        ("é\nü".encode(), "text/plain", "é\nü"),
        (b"\xe9", "text/plain; charset=iso-8859-1", "é"),
        ("\ufeffx".encode(), "text/plain", "x"),
    ],
)
def test_frame_of_text_is_a_string(body: bytes, content_type: str, text: str | None) -> None:
    expected = body.decode("iso-8859-1") if text is None else text
    assert json.loads(frame_of(item(body, content_type)))["item"] == expected


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\x89PNG\0", "image/png"),
        (b"\xff\xfe\xfa", "text/plain; charset=utf-8"),
        (b"x", "text/plain; charset=no-such-thing"),
        (b"{broken", "application/json"),
        (b'"\xff"', "application/json"),
        (b"", "application/octet-stream"),
    ],
)
def test_frame_of_other_bytes_is_base64(body: bytes, content_type: str) -> None:
    found = json.loads(frame_of(item(body, content_type)))
    assert b64decode(found["data"]) == body
    assert "item" not in found


def test_frames_of_gaps_and_errors() -> None:
    assert json.loads(gap_frame(Gap(3, 9))) == {"from": 3, "to": 9}
    refused = json.loads(error_frame(NotAcceptable("is broken", field="body"), 422))
    assert refused == {"error": "body: is broken", "field": "body", "status": 422}
    assert json.loads(error_frame(Unavailable("node", "is stopping"), 503))["field"] is None
