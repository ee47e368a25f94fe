"""What a user decides about a merge: the algorithm and its limits, the procedure, the prices."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from distributary.core.errors import InputError
from distributary.core.results import Costs
from distributary.merging.problem import check_costs

__all__ = ["METRICS", "MergeSettings"]

METRICS = ("heuristic", "exact")


@dataclass(frozen=True, slots=True)
class MergeSettings:
    """The options of a plan; `check` refuses what makes no sense."""

    #: A name in `planner.ALGORITHMS`.
    algorithm: str = "auto"
    #: `rectangle`, `polygon` or `cover`.
    procedure: str = "rectangle"
    costs: Costs = field(default_factory=Costs)
    #: `clustering` leaves apart what this metric separates.
    metric: str = "heuristic"
    #: How many starts `directed` has.
    starts: int = 50
    #: How many physical channels there are; `None`: one for each merged query.
    channels: int | None = None
    #: When an algorithm that can stop ends with the best plan so far.
    time_limit: float | None = None

    def check(self) -> None:
        """Raise `InputError` for the first option that makes no sense."""
        check_costs(self.costs)
        if self.metric not in METRICS:
            raise InputError(f"{self.metric!r} is none of {', '.join(METRICS)}", field="metric")
        if self.starts < 1:
            raise InputError(f"must be at least 1, not {self.starts}", field="starts")
        if self.channels is not None and self.channels < 1:
            raise InputError(f"must be at least 1, not {self.channels}", field="channels")
        if self.time_limit is not None and not (isfinite(self.time_limit) and self.time_limit > 0):
            raise InputError(f"must be a positive number of seconds, not {self.time_limit}", field="time_limit")
