from __future__ import annotations

from math import inf, nan
from typing import Any

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.merging.calibration import (
    ClientPrices,
    Measured,
    NetworkPrices,
    Prices,
    ServerPrices,
    check_calibration,
    costs_of,
)

PRICES = Prices(
    ServerPrices(price=100_000, years=2, price_per_year=50_000),
    NetworkPrices(price=1165, months=24, price_per_month=235, megabits_per_second=1.1, bytes_per_query=100_000),
    ClientPrices(price=5, minutes=1800),
)
MEASURED = Measured(seconds_per_query=1, seconds_per_object=0.01, bytes_per_object=1000, client_seconds_per_object=0.1)


def test_costs_of_the_papers_figures_are_the_papers() -> None:
    check_calibration(PRICES, MEASURED)
    costs = costs_of(PRICES, MEASURED)
    assert pytest.approx(0.0032505, rel=1e-3) == costs.K_M
    assert pytest.approx(0.0000325, rel=1e-3) == costs.K_T
    assert pytest.approx(0.00000463, rel=1e-3) == costs.K_U


def test_prices_of_a_second_and_a_byte_are_the_papers() -> None:
    assert PRICES.server.per_second() == pytest.approx(0.003171, rel=1e-3)
    assert PRICES.network.per_byte() * 1e6 == pytest.approx(0.0007956, rel=1e-3)
    assert PRICES.client.per_second() == pytest.approx(0.0000463, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("seconds_per_query", {"K_M"}),
        ("seconds_per_object", {"K_T"}),
        ("bytes_per_object", {"K_T"}),
        ("client_seconds_per_object", {"K_U"}),
    ],
)
def test_each_measurement_counts_where_the_model_has_it(name: str, changed: set[str]) -> None:
    before = msgspec.structs.asdict(costs_of(PRICES, MEASURED))
    doubled = msgspec.structs.replace(MEASURED, **{name: 2 * getattr(MEASURED, name)})
    after = msgspec.structs.asdict(costs_of(PRICES, doubled))
    assert {key for key in before if after[key] > before[key]} == changed
    assert {key for key in before if after[key] != before[key]} == changed


def test_nothing_measured_leaves_what_setting_up_an_answer_costs() -> None:
    costs = costs_of(PRICES, Measured(0, 0, 0, 0))
    assert (PRICES.network.per_byte() * 100_000, 0.0, 0.0) == (costs.K_M, costs.K_T, costs.K_U)


@pytest.mark.parametrize(
    ("section", "change", "complaint"),
    [
        ("server", {"price": -1.0}, "server.price: must not be negative, and is -1"),
        ("server", {"years": 0.0}, "server.years: must be more than zero"),
        ("server", {"price_per_year": nan}, "server.price_per_year: is not a finite number: nan"),
        ("network", {"months": 0.0}, "network.months: must be more than zero"),
        ("network", {"megabits_per_second": 0.0}, "network.megabits_per_second: must be more than zero"),
        ("network", {"bytes_per_query": inf}, "network.bytes_per_query: is not a finite number: inf"),
        ("client", {"minutes": 0.0}, "client.minutes: must be more than zero"),
        ("client", {"price": -inf}, "client.price: is not a finite number: -inf"),
    ],
)
def test_prices_that_make_no_sense_are_refused_by_name(section: str, change: dict[str, Any], complaint: str) -> None:
    part = msgspec.structs.replace(getattr(PRICES, section), **change)
    with pytest.raises(InputError) as caught:
        check_calibration(msgspec.structs.replace(PRICES, **{section: part}))
    assert str(caught.value) == complaint


def test_measurement_that_makes_no_sense_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"^measured\.seconds_per_query: must not be negative"):
        check_calibration(PRICES, msgspec.structs.replace(MEASURED, seconds_per_query=-1.0))


def test_costs_too_large_for_a_double_are_refused() -> None:
    dear = msgspec.structs.replace(PRICES, server=ServerPrices(1e300, 1e-300, 0))
    with pytest.raises(InputError, match="K_M: must be a number"):
        costs_of(dear, MEASURED)
