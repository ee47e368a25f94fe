"""The query merging problem of paper 000, section 4: members, a procedure, prices and what is known of sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from distributary.algebra.filter import Filter, Statistics
from distributary.core.errors import InputError
from distributary.core.results import Costs

__all__ = ["Member", "MergeProblem", "check_costs", "check_members"]


@dataclass(frozen=True, slots=True)
class Member:
    """One subscription as merging sees it: a query of a client on a stream."""

    id: str
    client: str | None
    #: Members of different streams never merge; `None` is a stream of its own.
    stream: str | None
    filter: Filter
    #: The fields that its extractor keeps; `None` keeps all.
    fields: tuple[str, ...] | None = None
    #: Its answers come together every so many seconds; `None` counts as every second.
    every: float | None = None

    @property
    def rate(self) -> float:
        """How often a second it is answered."""
        return 1.0 if self.every is None else 1.0 / self.every


@dataclass(frozen=True, slots=True)
class MergeProblem:
    """What a merging algorithm works on; members are named by their place in the sequence."""

    members: tuple[Member, ...]
    procedure: str
    costs: Costs
    statistics: Statistics

    def streams(self) -> list[tuple[int, ...]]:
        """Return the members of each stream, streams and members in order of appearance."""
        found: dict[str | None, list[int]] = {}
        for place, member in enumerate(self.members):
            found.setdefault(member.stream, []).append(place)
        return [tuple(places) for places in found.values()]


def check_members(members: Sequence[Member]) -> None:
    """Raise `InputError` unless there are members, each with an id of its own."""
    if not members:
        raise InputError("there is nothing to merge", field="members")
    seen: set[str] = set()
    for member in members:
        if member.id in seen:
            raise InputError("is the id of two members", record=member.id, field="id")
        seen.add(member.id)


def check_costs(costs: Costs) -> None:
    """Raise `InputError` unless every price is finite and not negative (the proofs of all algorithms need that)."""
    for name, price in (("K_M", costs.K_M), ("K_T", costs.K_T), ("K_U", costs.K_U)):
        if not math.isfinite(price) or price < 0:
            raise InputError(f"must be a number, zero or more, not {price}", field=name)
