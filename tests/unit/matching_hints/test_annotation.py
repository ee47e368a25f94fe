from __future__ import annotations

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.matching.hints.annotation import PATH_MAX, Binding, Hints, LastEnd, decode, encode

WHOLE = Hints(
    2**64 - 1,
    positive=True,
    negative=True,
    domain=300,
    matched=b"\0\1\2",
    looked_for=128,
    absent=b"\0\5",
    bindings=(Binding(3, (0, 7, 200)),),
    ends=(LastEnd(5, 12_345, (0,)), LastEnd(6, 9, ())),
)


@pytest.mark.parametrize("hints", [WHOLE, Hints(0), Hints(7, negative=True, domain=3)])
def test_hints_decoded_are_those_encoded(hints: Hints) -> None:
    assert decode(encode(hints)) == hints


def test_hints_with_one_set_are_a_few_bytes_longer_than_the_set() -> None:
    assert len(encode(Hints(2**64 - 1, True, True, 10_000, bytes(100)))) <= 100 + 22


def test_hints_cut_anywhere_or_with_a_byte_more_are_refused() -> None:
    whole = encode(WHOLE)
    for size in range(len(whole)):
        with pytest.raises(InputError, match="hints: are not hints"):
            decode(whole[:size])
    with pytest.raises(InputError):
        decode(whole + b"\0")


def test_hints_with_any_byte_changed_are_hints_or_refused() -> None:
    whole = encode(WHOLE)
    for place in range(len(whole)):
        for value in range(256):
            changed = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                hints = decode(changed)
            except InputError:
                continue
            assert decode(encode(hints)) == hints


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        [],
        ["x"],
        [7, 1],
        [-1],
        [7, True, True, -1],
        [7, True, True, 0, b"", -1],
        [7, True, True, 0, "text"],
        [7, True, True, 0, b"", 0, b"", [[-1, [0]]]],
        [7, True, True, 0, b"", 0, b"", [[1, []]]],
        [7, True, True, 0, b"", 0, b"", [[1, [-1]]]],
        [7, True, True, 0, b"", 0, b"", [[1, [0] * (PATH_MAX + 1)]]],
        [7, True, True, 0, b"", 0, b"", [], [[1, -1, []]]],
        [7, True, True, 0, b"", 0, b"", [], [[-1, 1, []]]],
        [7, True, True, 0, b"", 0, b"", [], [[1, 1, [0] * (PATH_MAX + 1)]]],
        [7, True, True, 0, b"", 0, b"", [], [[1, 1]]],
        [7, True, True, 0, b"", 0, b"", [], [], 0],
        {"version": 7},
    ],
)
def test_hints_of_another_shape_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="hints: are not hints"):
        decode(msgspec.msgpack.encode(value))


def test_hints_nested_without_end_are_refused() -> None:
    with pytest.raises(InputError):
        decode(b"\x98\x07\xc3\xc3\x00\xc4\x00\x00\xc4\x00" + b"\x91" * 100_000)
