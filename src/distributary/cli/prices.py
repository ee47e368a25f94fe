"""The option --costs, which planning and Spark's commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.core.results import Costs

__all__ = ["COSTS", "costs_of"]

#: The prices of `core.results.Costs`, as `--help` shows them.
COSTS = "0.00365,0.0000325,0.0000016"


def costs_of(text: str) -> Costs:
    """Return the prices that a user wrote as KM,KT,KU."""
    from distributary.core.results import Costs
    from distributary.merging.problem import check_costs

    try:
        first, second, third = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{text!r} is not three numbers KM,KT,KU", field="--costs") from None
    costs = Costs(first, second, third)
    try:
        check_costs(costs)
    except InputError as error:
        raise InputError(f"{error.field} {error.reason}", field="--costs") from None
    return costs
