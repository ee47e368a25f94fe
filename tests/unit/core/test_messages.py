from __future__ import annotations

import typing

import msgspec
import pytest

from distributary.core import messages
from distributary.core.errors import ProtocolError
from distributary.core.generator import Generator
from distributary.core.messages import Filters, Items, KeepAlive, Message, NumberedFilter, Taken
from distributary.core.messages import decode_message as decode
from distributary.core.messages import encode_message as encode
from distributary.core.subscriptions import FilterText

KINDS = typing.get_args(Message)


def test_union_of_messages_holds_every_tagged_record_of_the_module() -> None:
    tagged = {
        value
        for value in vars(messages).values()
        if isinstance(value, type)
        and issubclass(value, msgspec.Struct)
        and value.__struct_config__.tag == value.__name__
    }
    of_this_module = {
        kind for kind in tagged if kind.__module__ == messages.__name__ and not kind.__name__.startswith("_")
    }
    assert of_this_module == set(KINDS)


def test_tags_of_messages_are_all_different() -> None:
    assert len({kind.__struct_config__.tag for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_messages_are_frozen(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_defaults_that_are_dictionaries_are_not_shared() -> None:
    first, second = KeepAlive(), KeepAlive()
    first.sent["quakes"] = 1
    assert second.sent == {}


def test_frame_of_a_message_is_small() -> None:
    assert len(encode(Taken("quakes", 7))) < 20


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc0",
        b"\x90",
        b"{}",
        b"GET / HTTP/1.1\r\n",
        b"\x91\xa5Taken",
        b"\x94\xa5Tooth\xa1q\x07\xc3",
        b"\x93\xa5Taken\x07\x07",
        b"\x93\xa5Taken\xa1q\xa17",
        b"\x93\xa5Taken\xa1q\x07extra",
        b"\xc7\x01\x01\x00",
        b"\xdd\xff\xff\xff\xff",
        b"\x93\xa5Taken\xa1q\xca\x40\x00\x00\x00"[:-1],
    ],
)
def test_frame_that_is_no_message_is_an_error_of_the_peer(frame: bytes) -> None:
    with pytest.raises(ProtocolError) as raised:
        decode(frame, "node-3")
    assert raised.value.peer == "node-3"
    assert str(raised.value).startswith("node-3: sent a frame that is no message")


def test_frame_cut_anywhere_is_an_error_of_the_peer() -> None:
    added = (NumberedFilter(3, "quakes", FilterText("where", "mag >= 4", (("a", "urn:a"),))),)
    for message in (Items("quakes", 3, 9), Filters(2, 1, added, (1, 2), {"quakes": 9})):
        whole = encode(message)
        assert decode(whole, "p") == message
        for size in range(len(whole)):
            with pytest.raises(ProtocolError):
                decode(whole[:size], "p")


def test_frame_with_text_that_is_no_utf8_is_an_error_of_the_peer() -> None:
    with pytest.raises(ProtocolError):
        decode(b"\x93\xa5Taken\xa1\xff\x07", "p")


def test_frame_nested_without_end_is_an_error_of_the_peer() -> None:
    with pytest.raises(ProtocolError):
        decode(b"\x95\xa5Taken\xa1q\x07\xc3" + b"\x91" * 100_000 + b"\x90", "p")


def test_frame_with_changed_bytes_is_a_message_or_an_error_of_the_peer() -> None:
    generator = Generator("changed bytes")
    whole = encode(Filters(2, 1, (NumberedFilter(3, "quakes", FilterText("all")),), (1, 2), {"quakes": 9}))
    kinds: set[type] = set()
    for _ in range(2000):
        frame = bytearray(whole)
        for _ in range(1 + generator.below(3)):
            frame[generator.below(len(frame))] = generator.below(256)
        try:
            kinds.add(type(decode(bytes(frame), "p")))
        except ProtocolError as error:
            kinds.add(type(error))
    assert kinds == {Filters, ProtocolError}
