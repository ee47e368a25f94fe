from __future__ import annotations

import numpy as np
import pytest

from distributary.core.errors import InputError
from distributary.matching.hints.numbers import pack, unpack


@pytest.mark.parametrize(
    ("numbers", "limit", "size"),
    [
        ([], 1000, 0),
        ([0], 1, 2),
        ([999], 1000, 1 + 4),
        ([254], 1000, 2),
        ([255], 1000, 3),
        ([0, 1, 2, 500], 4000, 1 + 5),
        (list(range(0, 1000, 2)), 1000, 1 + 125),
        (list(range(1000)), 1000, 1 + 125),
        ([0, 255, 511, 1021, 40_000], 65_000, 1 + 1 + 1 + 2 + 2 + 153),
    ],
)
def test_set_takes_few_bytes_and_comes_back(numbers: list[int], limit: int, size: int) -> None:
    packed = pack(np.array(numbers, np.int64), limit)
    assert len(packed) == size
    assert unpack(packed, limit).tolist() == numbers


@pytest.mark.parametrize(
    ("packed", "limit"),
    [
        ("00", 9),  # steps to nowhere
        ("00ff", 999),  # left out, and then nothing
        ("0000ff", 999),
        ("0009", 9),  # at the limit
        ("00ff00", 255),
        ("0000", 0),
        ("01", 9),  # too short
        ("010000", 8),  # too long
        ("01000000", 9),
        ("010000", 9),  # empty
        ("010040", 9),  # at the limit
        ("01", 0),
        ("02ff", 8),
        ("ff", 8),
    ],
)
def test_bytes_that_are_no_set_below_the_limit_are_refused(packed: str, limit: int) -> None:
    with pytest.raises(InputError, match="hints: is no set of numbers"):
        unpack(bytes.fromhex(packed), limit)


def test_numbers_beyond_all_limits_cost_no_memory() -> None:
    assert unpack(bytes.fromhex("0005"), 2**62).tolist() == [5]
