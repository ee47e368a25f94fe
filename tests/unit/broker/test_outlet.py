"""A window bounds what is under way, and never blocks for good."""

from __future__ import annotations

from distributary.broker.outlet import Outlet, Window


def test_window_is_full_by_bytes_and_opens_when_taken() -> None:
    window = Window(100, 10)
    window.add(1, 60)
    assert window.room()
    window.add(5, 60)
    assert not window.room()
    window.taken(4)
    assert window.room()


def test_window_is_full_by_items() -> None:
    window = Window(100, 2)
    window.add(1, 0)
    window.add(2, 0)
    assert not window.room()


def test_window_that_is_empty_takes_one_item_of_any_size() -> None:
    window = Window(100, 10)
    assert window.fits(1, 10**9)
    assert not window.fits(2, 10**9)
    window.add(1, 10**9)
    assert not window.fits(1, 1)


def test_window_cleared_has_room() -> None:
    window = Window(1, 1)
    window.add(1, 5)
    window.clear()
    assert window.fits(1, 1)


def test_position_counts_what_is_being_fetched() -> None:
    outlet = Outlet("in-1", "quakes", Window(1, 1), child=True, sent=5)
    assert outlet.position(100) == 5
    outlet.waiting, outlet.waiting_upto = 1, 50
    assert outlet.position(100) == 50
    outlet.live = True
    assert outlet.position(100) == 100


def test_limit_of_a_held_outlet_is_its_last_release() -> None:
    outlet = Outlet("s", "quakes", Window(1, 1), child=False)
    assert outlet.limit(9) == 9
    outlet.released = 4
    assert outlet.limit(9) == 4
