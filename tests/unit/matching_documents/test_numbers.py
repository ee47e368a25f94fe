"""The compiled `number()`, where it decides and where it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from distributary.algebra.treepattern_values import number_of
from distributary.matching.documents.compiled.numbers import number_of_bytes
from distributary.matching.documents.layout import PADDING


def _number(text: str) -> tuple[float, bool]:
    # Digits follow, as they may in a document: none of them belongs to the number.
    letters = np.frombuffer(text.encode() + b"9" * PADDING, dtype=np.uint8)
    return number_of_bytes(int(letters.ctypes.data), len(text.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0",
        "5",
        " 5\t\r\n",
        "-5.",
        ".5",
        "-.5",
        "007.50",
        "0.1",
        "123456789012345678",
        "9007199254740993",
        "0.000",
    ],
)
def test_number_of_plain_decimals_is_decided(text: str) -> None:
    found, decided = _number(text)
    assert decided
    assert (found, math.copysign(1.0, found)) == (number_of(text), math.copysign(1.0, number_of(text)))


@pytest.mark.parametrize("text", ["", " ", "-", ".", "-.", "+5", "1e3", "5 5", "- 5", "1.2.3", "0x1", "five", "\u0665"])
def test_number_of_what_is_none_is_nan_and_decided(text: str) -> None:
    found, decided = _number(text)
    assert decided
    assert math.isnan(found)
    assert math.isnan(number_of(text))


@pytest.mark.parametrize("text", ["1234567890123456789", "9007199254740993.5", "0.00000000000000000000001", "1" * 400])
def test_number_that_takes_more_than_one_operation_is_left_undecided(text: str) -> None:
    assert _number(text) == (0.0, False)
