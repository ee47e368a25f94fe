"""Query merging: how long optima take, how far the greedy plan is from them, and how it grows to a million boxes.

Queries are those of paper 000, section 7.1; beyond a hundred, the database and the clusters grow with their number, so
that they stay as dense. What is compiled is called once before it is timed.
"""

from __future__ import annotations

import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measurement import Measurement, compare
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import MergePlan
from distributary.experiments.queries import BASE_COSTS, Workload, corners_of, members_of
from distributary.merging import Member, MergeSettings, plan
from distributary.merging.compiled.boxes import Boxes, Floats, plan_cost
from distributary.merging.compiled.pair import merge_pairs
from distributary.merging.cost import Pricing
from distributary.merging.pair import pair, plain_pair
from distributary.merging.problem import MergeProblem

__all__ = ["measure"]

DENSITY = UniformDensity(1.0)


def workload(count: int) -> Workload:
    """Return the base case, grown to `count` queries."""
    if count <= 100:
        return Workload(queries=count)
    return Workload(queries=count, cluster_share=30.0 / count, region=400.0 * math.sqrt(count / 100.0))


def planned(members: tuple[Member, ...], algorithm: str, time_limit: float | None = None) -> MergePlan:
    """Return a plan at the base prices; the chance in it is always the same."""
    settings = MergeSettings(algorithm, costs=BASE_COSTS, time_limit=time_limit)
    return plan(members, DENSITY, settings, time.perf_counter, Generator("bench_merging"))


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield the optima, the greedy plan against its reference, and its growth on one machine and in Spark."""
    small = members_of(workload(12), generator.fork("warm"))
    for algorithm in ("pair", "partition", "exact"):
        planned(small, algorithm)
    yield partition_of_few(generator.fork("few"), 2 if quick else 5)
    yield optimum_of_the_base_case(generator.fork("base"), 2 if quick else 10)
    yield optimum_of_many(generator.fork("many"), *((150, 2.0) if quick else (1000, 120.0)))
    yield compiled_pair(generator.fork("pair"), *((200, 1) if quick else (1000, 2)))
    yield without_extent(generator.fork("points"), 400 if quick else 20_000)
    yield dense(generator.fork("dense"), 400 if quick else 20_000)
    yield growth(generator.fork("growth"), 200 if quick else 10_000)
    yield in_spark(generator.fork("spark"), *((20_000, 5_000) if quick else (1_000_000, 40_000)))


def partition_of_few(generator: Generator, rounds: int) -> Measurement:
    """Try all partitions of 12 queries; the peer proves the same optimum by branch and price."""
    members = members_of(workload(12), generator)
    ours_seconds, peer_seconds = compare(
        lambda: round(planned(members, "partition").cost, 9), lambda: round(planned(members, "exact").cost, 9), rounds
    )
    return Measurement(
        name="merging_partition_12",
        work="the best of all partitions of 12 queries",
        peer="exact",
        pieces=1,
        piece="plans",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"queries": 12, "seconds_median": statistics.median(ours_seconds)},
    )


def optimum_of_the_base_case(generator: Generator, seeds: int) -> Measurement:
    """Prove optima of the base case; the peer is the greedy plan, which costs more."""
    found = [
        (planned(members, "exact"), planned(members, "pair"))
        for members in (members_of(workload(100), generator.fork(seed)) for seed in range(seeds))
    ]
    gaps = [greedy.cost / best.cost - 1.0 for best, greedy in found]
    return Measurement(
        name="merging_exact_100",
        work=f"optimum of 100 queries on 400 x 400, {seeds} workloads",
        peer="pair (not optimal)",
        pieces=1,
        piece="plans",
        ours_seconds=tuple(best.seconds for best, _ in found),
        peer_seconds=tuple(greedy.seconds for _, greedy in found),
        configuration={
            "queries": 100,
            "workloads": seeds,
            "proven": sum(best.optimal for best, _ in found),
            "seconds_most": max(best.seconds for best, _ in found),
            "pair_gap_percent_mean": 100.0 * statistics.mean(gaps),
            "pair_gap_percent_most": 100.0 * max(gaps),
        },
    )


def optimum_of_many(generator: Generator, count: int, time_limit: float) -> Measurement:
    """Search the optimum of a larger problem for a limited time, and tell what is proven of it."""
    members = members_of(workload(count), generator)
    best, greedy = planned(members, "exact", time_limit), planned(members, "pair")
    assert best.lower_bound is not None
    return Measurement(
        name=f"merging_exact_{count}",
        work=f"optimum of {count:,} queries, as dense, within {time_limit:g} s",
        peer="pair (not optimal)",
        pieces=1,
        piece="plans",
        ours_seconds=(best.seconds,),
        peer_seconds=(greedy.seconds,),
        configuration={
            "queries": count,
            "time_limit": time_limit,
            "proven": int(best.optimal),
            "gap_to_bound_percent": 100.0 * (best.cost / best.lower_bound - 1.0),
            "pair_gap_to_bound_percent": 100.0 * (greedy.cost / best.lower_bound - 1.0),
        },
    )


def compiled_pair(generator: Generator, count: int, rounds: int) -> Measurement:
    """Merge pairs in compiled code; the peer is the algorithm as it stands in the paper."""
    members = members_of(workload(count), generator)

    def pricing() -> Pricing:
        return Pricing(MergeProblem(members, "rectangle", BASE_COSTS, DENSITY))

    ours_seconds, peer_seconds = compare(
        lambda: sorted(pair(pricing())), lambda: sorted(plain_pair(pricing(), tuple(range(count)))), rounds
    )
    return Measurement(
        name=f"merging_pair_{count}",
        work=f"pair merging of {count:,} queries",
        peer="the plain algorithm",
        pieces=count,
        piece="queries",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"queries": count},
    )


def without_extent(generator: Generator, count: int) -> Measurement:
    """Merge points, which save most along lines and not near by; the peer has as many boxes at the base density."""
    low, high = corners_of(workload(count), generator)
    return _beside_the_base("points", f"pair merging of {count:,} points", low, low, low, high)


def dense(generator: Generator, count: int) -> Measurement:
    """Merge boxes on the database of a hundred; the peer has as many at the base density."""
    crowd = Workload(queries=count, region=400.0)
    low, high = corners_of(workload(count), generator)
    return _beside_the_base(
        "dense", f"pair merging of {count:,} boxes on 400 x 400", *corners_of(crowd, generator), low, high
    )


def _beside_the_base(
    name: str, work: str, low: Floats, high: Floats, base_low: Floats, base_high: Floats
) -> Measurement:
    count = len(low)
    ours, peer = _arrays(low, high), _arrays(base_low, base_high)
    ours_seconds, peer_seconds = compare(
        lambda: len(merge_pairs(ours, np.arange(count))), lambda: len(merge_pairs(peer, np.arange(count))), 2
    )
    return Measurement(
        name=f"merging_{name}_{count}",
        work=work,
        peer="as many boxes at the base density",
        pieces=count,
        piece="queries",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"queries": count},
    )


def growth(generator: Generator, count: int) -> Measurement:
    """Plan ten times as many queries; the peer plans as many in ten problems. Each has a process of its own."""
    seeds = generator.integers(2, 1 << 30)
    many, few = _in_process(10 * count, 1, seeds[0]), _in_process(count, 10, seeds[1])
    return Measurement(
        name=f"merging_growth_{10 * count}",
        work=f"pair merging of {10 * count:,} queries in one problem",
        peer=f"ten problems of {count:,}",
        pieces=10 * count,
        piece="queries",
        ours_seconds=tuple(many["seconds"]),
        peer_seconds=(sum(few["seconds"]),),
        configuration={
            "queries": 10 * count,
            "growth_of_seconds": sum(many["seconds"]) / statistics.mean(few["seconds"]),
            "megabytes": many["megabytes"][0],
            "megabytes_of_a_tenth": few["megabytes"][0],
        },
    )


def _in_process(count: int, problems: int, seed: int) -> dict[str, list[float]]:
    words = [sys.executable, "-m", __name__, str(count), str(problems), str(seed)]
    done = subprocess.run(words, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


def _planned_here(count: int, problems: int, seed: int) -> dict[str, list[float]]:
    """Return the seconds of each plan, and the most memory that this process had."""
    planned(members_of(workload(12), Generator(seed)), "pair")
    seconds = [planned(members_of(workload(count), Generator(seed, each)), "pair").seconds for each in range(problems)]
    return {"seconds": seconds, "megabytes": [_megabytes_most()]}


def _megabytes_most() -> float:
    """Return the most memory that this program had; Linux counts in `ru_maxrss` what the parent had before it, too."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_spark(generator: Generator, count: int, part_boxes: int) -> Measurement:
    """Merge boxes of a Parquet file in Spark; the peer has them in one process, and merges all at once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from distributary.pipeline.merge_many import merge_many
    from distributary.pipeline.session import opened

    boxes = _arrays(*corners_of(workload(count), generator))
    started = time.perf_counter()
    numbers = merge_pairs(boxes, np.arange(count))
    peer_seconds = time.perf_counter() - started
    edges = pa.array(np.arange(0, boxes.low.size + 1, boxes.low.shape[1]), pa.int32())
    low, high = (pa.ListArray.from_arrays(edges, pa.array(each.ravel())) for each in (boxes.low, boxes.high))
    with tempfile.TemporaryDirectory() as folder, opened("local[2]") as spark:
        pq.write_table(pa.table({"id": np.arange(count), "low": low, "high": high}), f"{folder}/boxes.parquet")
        frame = spark.read.parquet(f"{folder}/boxes.parquet").repartition(4)
        started = time.perf_counter()
        merged = merge_many(frame, MergeSettings("pair", costs=BASE_COSTS), part_boxes=part_boxes)
        seconds = time.perf_counter() - started
        assert merged.members.count() == count
        merged.release()
    return Measurement(
        name=f"merging_spark_{count}",
        work=f"pair merging of {count:,} queries in Spark, in {merged.parts} parts",
        peer="one process",
        pieces=count,
        piece="queries",
        ours_seconds=(seconds,),
        peer_seconds=(peer_seconds,),
        configuration={
            "queries": count,
            "part_boxes": part_boxes,
            "clusters": merged.clusters,
            "parts": merged.parts,
            "merged_again": merged.again,
            "cost_over_one_process": merged.cost / plan_cost(boxes, numbers),
        },
    )


def _arrays(low: Floats, high: Floats) -> Boxes:
    return Boxes(
        low=low,
        high=high,
        size=np.prod(high - low, axis=1),
        rate=np.ones(len(low)),
        points=np.empty((0, low.shape[1])),
        weights=np.empty(0),
        density=1.0,
        K_M=BASE_COSTS.K_M,
        K_T=BASE_COSTS.K_T,
        K_U=BASE_COSTS.K_U,
    )


if __name__ == "__main__":
    print(json.dumps(_planned_here(*map(int, sys.argv[1:]))))
