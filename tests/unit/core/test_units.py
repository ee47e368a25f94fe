from __future__ import annotations

from collections.abc import Callable

import pytest

from distributary.core.errors import InputError
from distributary.core.units import bytes_of, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("30s", 30), ("1.5h", 5400), ("15m", 900), ("15min", 900), (" 7 d ", 604800), ("0s", 0)],
)
def test_seconds_of_a_duration_is_its_number_of_seconds(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("17", 17),
        ("1kB", 1000),
        ("64MiB", 64 * 2**20),
        ("1.5 KiB", 1536),
        ("2TB", 2 * 10**12),
        ("3TiB", 3 * 2**40),
    ],
)
def test_bytes_of_a_size_is_its_number_of_bytes(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "h", "24", "-1h", "1e3s", "24 hours", "1h30m", "1,5h", "24H", "٣h"])
def test_seconds_of_something_else_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(InputError, match="is not a duration") as raised:
        seconds_of(text)
    assert repr(text) in str(raised.value)


@pytest.mark.parametrize("text", ["", "GiB", "-1B", "1e3", "1gib", "1 GiB free", "0x10"])
def test_bytes_of_something_else_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(InputError, match="is not a size") as raised:
        bytes_of(text)
    assert repr(text) in str(raised.value)


@pytest.mark.parametrize("of", [seconds_of, bytes_of])
def test_number_without_end_is_refused(of: Callable[[str], float]) -> None:
    text = "9" * 400 + ("h" if of is seconds_of else "GiB")
    with pytest.raises(InputError):
        of(text)
