"""Cost parameters in money: paper 000, section 7.2, from prices and from what was measured to K_M, K_T and K_U.

Only sums: measuring is `pipeline.calibrate`'s, reading prices `files.prices`'. Any currency will do, for merging only
the ratio between the parameters matters.
"""

from __future__ import annotations

from math import isfinite

import msgspec

from distributary.core.errors import InputError
from distributary.core.results import Costs
from distributary.merging.problem import check_costs

__all__ = ["ClientPrices", "Measured", "NetworkPrices", "Prices", "ServerPrices", "check_calibration", "costs_of"]

_SECONDS_PER_YEAR = 31_536_000.0
#: A month of 30 days, as in the paper.
_SECONDS_PER_MONTH = 2_592_000.0


class ServerPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A server: bought once, written off over `years`, and run for so much a year."""

    price: float
    years: float
    price_per_year: float

    def per_second(self) -> float:
        """Return C_S, the price of a second of processing."""
        return (self.price / self.years + self.price_per_year) / _SECONDS_PER_YEAR


class NetworkPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line: installed once, written off over `months`, so much a month for at most so many megabits a second."""

    price: float
    months: float
    price_per_month: float
    megabits_per_second: float
    #: What setting up the answer to a query takes, whatever its size.
    bytes_per_query: float

    def per_byte(self) -> float:
        """Return C_N, the price of a byte on a line that is always full."""
        bytes_per_month = self.megabits_per_second * 1e6 / 8 * _SECONDS_PER_MONTH
        return (self.price / self.months + self.price_per_month) / bytes_per_month


class ClientPrices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client: what it runs on, which is used up after so many minutes of processing."""

    price: float
    minutes: float

    def per_second(self) -> float:
        """Return C_C, the price of a second of processing."""
        return self.price / (self.minutes * 60)


class Prices(msgspec.Struct, frozen=True):
    """What things cost, all in one currency."""

    server: ServerPrices
    network: NetworkPrices
    client: ClientPrices


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What queries and answers take."""

    #: At the server, for a query that yields nothing.
    seconds_per_query: float
    #: At the server, for each object more in the answer.
    seconds_per_object: float
    bytes_per_object: float
    #: At the client, for each object, whether it is relevant or not.
    client_seconds_per_object: float


def costs_of(prices: Prices, measured: Measured) -> Costs:
    """Return the parameters of the cost model; both arguments have passed `check_calibration`.

    Raises `InputError` for one that is too large for a double.

    The base case of the paper (which gives K_M = 0.003251, K_T = 0.000032, cut off, and K_U = 0.00000463):

    >>> prices = Prices(
    ...     ServerPrices(100_000, 2, 50_000), NetworkPrices(1165, 24, 235, 1.1, 100_000), ClientPrices(5, 1800)
    ... )
    >>> costs = costs_of(prices, Measured(1, 0.01, 1000, 0.1))
    >>> f"{costs.K_M:.7f} {costs.K_T:.7f} {costs.K_U:.8f}"
    '0.0032505 0.0000325 0.00000463'
    """
    server, network, client = prices.server.per_second(), prices.network.per_byte(), prices.client.per_second()
    costs = Costs(
        K_M=server * measured.seconds_per_query + network * prices.network.bytes_per_query,
        K_T=server * measured.seconds_per_object + network * measured.bytes_per_object,
        K_U=client * measured.client_seconds_per_object,
    )
    check_costs(costs)
    return costs


def check_calibration(prices: Prices, measured: Measured | None = None) -> None:
    """Raise `InputError` naming the field that is not finite, negative, or zero where it divides."""
    parts = {"server": prices.server, "network": prices.network, "client": prices.client}
    if measured is not None:
        parts["measured"] = measured
    for section, part in parts.items():
        for name, value in msgspec.structs.asdict(part).items():
            field = f"{section}.{name}"
            if not isfinite(value):
                raise InputError(f"is not a finite number: {value}", field=field)
            if value < 0:
                raise InputError(f"must not be negative, and is {value:g}", field=field)
            if value == 0 and name in {"years", "months", "megabits_per_second", "minutes"}:
                raise InputError("must be more than zero", field=field)
