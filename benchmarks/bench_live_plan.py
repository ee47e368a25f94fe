"""A live merge plan: subscriptions added and removed one by one; the peer plans all of them anew by pair merging."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.measurement import Measurement
from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.merging.live import LivePlan, rebuilt
from distributary.merging.problem import Member
from distributary.merging.settings import MergeSettings

__all__ = ["measure"]

#: The share by which the plan may cost more than a fresh one after all changes.
DRIFT_MAX = 0.01


def drawn(generator: Generator, count: int, side: float, prefix: str) -> list[Member]:
    """Return subscriptions to boxes 20 to 40 wide on a square."""

    def ends() -> tuple[float, float]:
        width = generator.uniform(20, 40)
        low = generator.uniform(0, side - width)
        return low, low + width

    return [Member(f"{prefix}{number}", None, None, Box.of({"x": ends(), "y": ends()})) for number in range(count)]


def changed(
    live: LivePlan, members: list[Member], changes: int, generator: Generator, side: float
) -> tuple[list[float], list[Member]]:
    """Add and remove in turn, who goes drawn from all; return the seconds of each change, and who is there then."""
    present, seconds = list(members), []
    for member in drawn(generator, changes // 2, side, "n"):
        started = time.perf_counter()
        live.add(member)
        seconds.append(time.perf_counter() - started)
        present.append(member)
        gone = generator.below(len(present))
        present[gone], present[-1] = present[-1], present[gone]
        identity = present.pop().id
        started = time.perf_counter()
        live.remove(identity)
        seconds.append(time.perf_counter() - started)
    return seconds, present


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield one measurement for each number of subscriptions, all of them at the paper's density."""
    for count, changes in ((500, 200),) if quick else ((2_000, 10_000), (100_000, 10_000)):
        draws = generator.fork(count)
        side = 400 * (count / 100) ** 0.5
        members = drawn(draws, count, side, "q")
        warm = LivePlan(members[:20], UniformDensity(), MergeSettings())
        warm.add(members[20])
        warm.remove(members[0].id)
        live = LivePlan(members, UniformDensity(), MergeSettings())
        seconds, present = changed(live, members, changes, draws, side)
        fresh_seconds = []
        for _ in range(2 if quick else 5):
            snapshot = live.snapshot()
            started = time.perf_counter()
            rebuilt(snapshot)
            fresh_seconds.append(time.perf_counter() - started)
        anew = LivePlan(present, UniformDensity(), MergeSettings())
        drift = live.cost / anew.cost - 1
        assert drift <= DRIFT_MAX, f"the plan costs {100 * drift:.2f} % more than a fresh one"
        yield Measurement(
            name=f"live_plan_{count}",
            work=f"a change of a plan of {count:,} boxes, the median of {changes:,}, half of them adds",
            peer="planning anew",
            pieces=1,
            piece="changes",
            ours_seconds=tuple(seconds),
            peer_seconds=tuple(fresh_seconds),
            configuration={
                "subscriptions": count,
                "changes": changes,
                "blocks": len(live.blocks()),
                "median_add_ms": 1000 * float(np.median(seconds[::2])),
                "median_remove_ms": 1000 * float(np.median(seconds[1::2])),
                "p99_ms": 1000 * float(np.percentile(seconds, 99)),
                "slowest_ms": 1000 * max(seconds),
                "cost": live.cost,
                "fresh_cost": anew.cost,
                "unmerged_cost": live.unmerged_cost,
                "drift_percent": 100 * drift,
            },
        )
