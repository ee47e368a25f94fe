"""What a user decides about a conversion plan: the algorithm and its limits, the weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from distributary.adaptation.iterative import SELECTIONS
from distributary.core.errors import InputError

__all__ = ["AdaptationSettings"]


@dataclass(frozen=True, slots=True)
class AdaptationSettings:
    """The options of a plan; `check` refuses what makes no sense."""

    #: A name in `planner.ALGORITHMS`.
    algorithm: str = "auto"
    #: The weights of transmission and of conversion.
    alpha: float = 1.0
    beta: float = 1.0
    #: How many refinements `iterative` does; `None`: until none saves anything.
    iterations: int | None = None
    #: How `iterative` chooses the node to refine around: `slack` or `random`.
    select: str = "slack"
    #: How many levels below that node are planned anew with it; the paper's is 1.
    depth: int = 1
    #: Seconds after which the search for a better plan or bound ends.
    time_limit: float | None = None

    def check(self) -> None:
        """Raise `InputError` for the first option that makes no sense."""
        for name, weight in (("alpha", self.alpha), ("beta", self.beta)):
            if not (isfinite(weight) and weight >= 0):
                raise InputError(f"must be a number, zero or more, not {weight}", field=name)
        if self.iterations is not None and self.iterations < 0:
            raise InputError(f"must be at least 0, not {self.iterations}", field="iterations")
        if self.select not in SELECTIONS:
            raise InputError(f"{self.select!r} is none of {', '.join(SELECTIONS)}", field="select")
        if self.depth < 1:
            raise InputError(f"must be at least 1, not {self.depth}", field="depth")
        if self.time_limit is not None and not (isfinite(self.time_limit) and self.time_limit > 0):
            raise InputError(f"must be a positive number of seconds, not {self.time_limit}", field="time_limit")
