"""The oldest goes first, by age and by size, at the ends of runs."""

from __future__ import annotations

from distributary.broker.retention import Segments, oldest_over
from distributary.core.inputs import RecoveredSegment

DAY = 86400.0


def test_add_extends_a_run_until_it_is_old_or_large() -> None:
    segments = Segments()
    segments.add(1, 10, 0.0, DAY)
    segments.add(2, 10, 1.0, DAY)
    segments.add(3, 1 << 16, 2.0, DAY)
    segments.add(4, 10, 3.0, DAY)
    assert segments.drop_oldest() == 3
    assert (segments.trimmed, segments.bytes) == (3, 10)


def test_add_after_a_pause_begins_a_run() -> None:
    segments = Segments()
    segments.add(1, 10, 0.0, DAY)
    segments.add(2, 10, DAY / 1000 + 1, DAY)
    assert segments.drop_oldest() == 1


def test_oldest_over_takes_the_older_log_when_the_size_is_over() -> None:
    first, second = Segments(), Segments()
    first.add(1, 60, 10.0, DAY)
    second.add(1, 60, 5.0, DAY)
    assert oldest_over([first, second], 20.0, DAY, 100) is second
    assert oldest_over([first, second], 20.0, DAY, 120) is None


def test_oldest_over_takes_what_is_too_old() -> None:
    segments = Segments()
    segments.add(1, 1, 0.0, 10.0)
    assert oldest_over([segments], 10.0, 10.0, 100) is None
    assert oldest_over([segments], 10.1, 10.0, 100) is segments


def test_oldest_over_of_nothing_is_nothing() -> None:
    assert oldest_over([Segments()], 1e9, 0.0, 0) is None


def test_recovered_runs_count_as_before() -> None:
    segments = Segments.recovered(4, [RecoveredSegment(7, 30, 1.0), RecoveredSegment(9, 20, 2.0)])
    assert (segments.trimmed, segments.bytes, segments.oldest()) == (4, 50, 1.0)
    assert segments.drop_oldest() == 7


def test_drop_all_keeps_nothing() -> None:
    segments = Segments.recovered(4, [RecoveredSegment(7, 30, 1.0)])
    segments.drop_all(12)
    assert (segments.trimmed, segments.bytes, segments.oldest()) == (12, 0, None)
