from __future__ import annotations

from base64 import b64encode

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.core.headers import Header, decode_header, encode_header


@pytest.mark.parametrize(
    "header", [Header(""), Header("p1", (0,)), Header("ü" * 40, tuple(range(300))), Header("p", (), b"\0\xff")]
)
def test_header_decoded_is_the_one_encoded(header: Header) -> None:
    text = encode_header(header)
    assert text.isascii()
    assert "\n" not in text
    assert decode_header(text) == header


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "p1",
        [],
        [7],
        ["p1", "0"],
        ["p1", [0.5]],
        ["p1", [None]],
        {"version": "p1"},
        ["p1", [2**70 % 2**64, "x"]],
        ["p1", [], "text"],
        ["p1", [], None],
    ],
)
def test_header_of_another_shape_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="Distributary-Header: is not a header"):
        decode_header(b64encode(msgspec.msgpack.encode(value)).decode())


@pytest.mark.parametrize("text", ["", "!", "kqJwMQ", "AAAA AAAA", "é", "a" * 1001])
def test_header_that_is_no_base64_or_no_message_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Distributary-Header: is not a header"):
        decode_header(text)


def test_header_cut_anywhere_is_refused() -> None:
    whole = msgspec.msgpack.encode(Header("p1", (0, 7, 300)))
    for size in range(len(whole)):
        with pytest.raises(InputError):
            decode_header(b64encode(whole[:size]).decode())


def test_header_without_hints_is_that_of_a_sender_who_knows_none() -> None:
    assert decode_header(b64encode(msgspec.msgpack.encode(["p1", [3]])).decode()) == Header("p1", (3,), b"")


def test_header_nested_without_end_is_refused() -> None:
    frame = b"\x93\xa1p\x90" + b"\x91" * 100_000 + b"\x90"
    with pytest.raises(InputError):
        decode_header(b64encode(frame).decode())


@pytest.mark.parametrize("channels", [(-1,), (3, 3), (7, 0)])
def test_header_with_channels_that_are_not_ascending_numbers_is_refused(channels: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        decode_header(encode_header(Header("p1", channels)))
