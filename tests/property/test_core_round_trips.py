"""Whatever travels or is stored comes back as it was: messages, answers, headers, subscriptions, result records."""

from __future__ import annotations

import types
import typing
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.core import results, status
from distributary.core.answers import Answered
from distributary.core.errors import InputError, ProtocolError
from distributary.core.headers import Header, decode_header, encode_header
from distributary.core.items import Item, NewItem
from distributary.core.messages import Message, decode_message, encode_message
from distributary.core.subscriptions import FilterText, Quality, Subscription, subscription_of

Struct = TypeVar("Struct", bound=msgspec.Struct)

WORDS = st.text(st.characters(codec="utf-8"), max_size=6)
PLAIN: dict[object, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    str: WORDS,
    bytes: st.binary(max_size=12),
    type(None): st.none(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for all values of a type of a record's field."""
    if kind in PLAIN:
        return PLAIN[kind]
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in {typing.Union, types.UnionType}:
        return st.one_of([values(part) for part in parts])
    if origin is tuple and parts[-1] is Ellipsis:
        return st.lists(values(parts[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*[values(part) for part in parts])
    if origin is dict:
        return st.dictionaries(values(parts[0]), values(parts[1]), max_size=3)
    return records(kind)


def records(kind: type[Struct]) -> st.SearchStrategy[Struct]:
    """Return a strategy for a record with every field drawn."""
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{field: values(hints[field]) for field in kind.__struct_fields__})


def stored(module: types.ModuleType) -> list[type[msgspec.Struct]]:
    return [kind for name in module.__all__ if issubclass(kind := getattr(module, name), msgspec.Struct)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", typing.get_args(Message))
@given(data=st.data())
def test_message_decoded_is_the_one_encoded(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    message = typing.cast(Message, data.draw(records(kind)))
    assert decode_message(encode_message(message), "p") == message


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [*typing.get_args(Answered), Item, NewItem, FilterText, *stored(results), *stored(status)]
)
@given(data=st.data())
def test_record_decoded_is_the_one_encoded(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    record = data.draw(records(kind))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(record), type=kind) == record
    if kind not in {Item, NewItem}:
        assert msgspec.json.decode(msgspec.json.encode(record), type=kind) == record


@given(records(Header))
def test_header_decoded_is_the_one_encoded(header: Header) -> None:
    channels = tuple(sorted({abs(channel) for channel in header.channels if channel > -(2**63)}))
    ordered = msgspec.structs.replace(header, channels=channels)
    assert decode_header(encode_header(ordered)) == ordered


@given(st.binary(max_size=60))
def test_bytes_decode_to_a_message_or_are_an_error_of_the_peer(frame: bytes) -> None:
    try:
        message = decode_message(frame, "p")
    except ProtocolError:
        return
    assert decode_message(encode_message(message), "p") == message


@pytest.mark.slow
@given(st.text(max_size=60))
def test_text_decodes_to_a_header_or_is_an_input_error(text: str) -> None:
    try:
        header = decode_header(text)
    except InputError:
        return
    assert decode_header(encode_header(header)) == header


BOUNDS = st.floats(allow_nan=False, allow_infinity=False)
SUBSCRIPTIONS = st.builds(
    Subscription,
    id=WORDS.filter(bool),
    client=st.none() | WORDS,
    stream=st.none() | st.from_regex(r"[A-Za-z0-9_-]{1,128}", fullmatch=True),
    box=st.none() | st.dictionaries(WORDS, st.tuples(BOUNDS, BOUNDS), max_size=3),
    namespaces=st.dictionaries(WORDS, WORDS, max_size=2),
    fields=st.none() | st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    quality=st.none() | st.builds(Quality, st.floats(0, 1), st.none() | st.floats(0, 1e6)),
    every=st.none() | st.floats(0, 1e6, exclude_min=True),
)


@given(SUBSCRIPTIONS)
def test_subscription_read_is_the_one_written(subscription: Subscription) -> None:
    assert subscription_of(msgspec.json.decode(msgspec.json.encode(subscription))) == subscription


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(Subscription.__struct_fields__)


@given(st.dictionaries(FIELDS, JSON, max_size=4).map(lambda row: {"id": "s", **row}) | JSON)
def test_any_json_is_a_subscription_or_an_input_error(row: Any) -> None:
    try:
        subscription = subscription_of(row)
    except InputError:
        return
    assert subscription.id
