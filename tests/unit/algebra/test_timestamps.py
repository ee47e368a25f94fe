from __future__ import annotations

from datetime import UTC, datetime

import pytest

from distributary.algebra.timestamps import instant_of, instant_text, microseconds_of, timestamp_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2018-02-01", datetime(2018, 2, 1, tzinfo=UTC)),
        ("2018-02-01 10:30", datetime(2018, 2, 1, 10, 30, tzinfo=UTC)),
        ("2018-02-01T10:30:00Z", datetime(2018, 2, 1, 10, 30, tzinfo=UTC)),
        ("2018-02-01T10:30:00.1234567+01:30", datetime(2018, 2, 1, 9, 0, 0, 123456, tzinfo=UTC)),
        ("2018-02-01 10:30:00 -0800", datetime(2018, 2, 1, 18, 30, tzinfo=UTC)),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_timestamp_of_iso_text_is_a_time_in_utc(text: str, expected: datetime) -> None:
    assert timestamp_of(text) == expected
    assert instant_of(text) == microseconds_of(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "2018", "2018-02", "2018-2-1", "2018-02-30", "2018-02-01T24:00:00", "20180201", "2018-02-01 10"),
        *("0000-01-01", "0001-01-01T00:00:00+01:00", "2018-02-01 10:30:00+19:00", "2018-02-01 10:30:00+01:60"),
        *("2018-02-01Z", "2018-02-01 10:30:00 CET", " 2018-02-01", "٢٠١٨-02-01", "2018-02-01 10:30:00." + "1" * 10),
    ],
)
def test_timestamp_of_anything_else_is_none(text: str) -> None:
    assert timestamp_of(text) is None
    assert instant_of(text) is None


@pytest.mark.parametrize("instant", [0, -1, 1_517_443_200_000_000, 1_500_000])
def test_instant_text_is_read_back(instant: int) -> None:
    assert instant_of(instant_text(instant)) == instant


def test_microseconds_of_time_without_zone_takes_it_as_utc() -> None:
    assert microseconds_of(datetime(1970, 1, 1, 0, 0, 1)) == 1_000_000
