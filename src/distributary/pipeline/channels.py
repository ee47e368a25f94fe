"""Writing the channels of a plan: one pass over the items, which also counts what each query and subscriber gets.

The counts are true ones; with the prices of the plan they are the measured costs, beside the estimates that planned.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from distributary.algebra.filter import Filter
from distributary.core.results import Costs, MergePlan
from distributary.pipeline.items import PLACE, RESERVED, Items, quoted
from distributary.pipeline.matching import MATCHES, with_document_matches, with_record_matches
from distributary.pipeline.plan_file import channel_folder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Counts", "measured_cost", "measured_unmerged_cost", "queries_of", "write_channels"]

# Not `channel`, as the folders are called: a column of the items may have that name.
_CHANNEL, _ORDER = f"{RESERVED}channel", f"{RESERVED}order"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items there were, how many each channel carries, and how many each subscription keeps, by their ids."""

    rows: int
    channels: Mapping[str, int]
    subscriptions: Mapping[str, int]


def write_channels(
    items: Items, channels: Mapping[str, Filter], subscriptions: Mapping[str, Filter], folder: Path
) -> Counts:
    """Write each item once into each channel whose filter it matches, in the items' order, and count.

    The files are `folder/channels/channel=<id>/part-<number>.parquet`; `folder` must be seen by Spark's executors.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    observation = Observation()
    matched, tests = _matched(items, [*channels.values(), *subscriptions.values()])
    counted = [F.count(F.lit(1)).alias("rows")]
    counted += [F.count_if(test).alias(f"count_{number}") for number, test in enumerate(tests)]
    columns = [quoted(name) for name in items.frame.columns if name != PLACE]
    routed = (
        matched.observe(observation, *counted)
        .withColumn(_ORDER, F.monotonically_increasing_id())
        .selectExpr(*columns, _ORDER, f"explode({_channel_numbers(len(channels))}) as {_CHANNEL}")
        # Spark keeps this order when it writes, and so the order of the items in each channel.
        .sortWithinPartitions(_CHANNEL, _ORDER)
        .drop(_ORDER)
    )
    raw = folder / "raw"
    routed.write.partitionBy(_CHANNEL).parquet(str(raw))
    _collect(raw, folder, list(channels))
    found = observation.get
    counts = iter([found[f"count_{number}"] for number in range(len(tests))])
    return Counts(
        found["rows"], {name: next(counts) for name in channels}, {name: next(counts) for name in subscriptions}
    )


def queries_of(plan: MergePlan) -> int:
    """Return how many merged queries a plan has."""
    return sum(max(1, len(channel.queries)) for channel in plan.channels)


def measured_cost(plan: MergePlan, counts: Counts) -> float:
    """Return what the plan cost on the items: the prices of the model times true counts of items.

    In `cover` nothing irrelevant is received, by the procedure's definition: a client takes the queries it shares.
    """
    irrelevant = 0
    if plan.procedure != "cover":
        for channel in plan.channels:
            irrelevant += sum(counts.channels[channel.id] - counts.subscriptions[name] for name in channel.members)
    return _cost(plan.costs, queries_of(plan), sum(counts.channels.values()), irrelevant)


def measured_unmerged_cost(plan: MergePlan, counts: Counts) -> float:
    """Return what the subscriptions would have cost on the items, each with a query of its own."""
    return _cost(plan.costs, len(counts.subscriptions), sum(counts.subscriptions.values()), 0)


def _cost(costs: Costs, queries: int, sent: int, irrelevant: int) -> float:
    return math.fsum((costs.K_M * queries, costs.K_T * sent, costs.K_U * irrelevant))


def _matched(items: Items, filters: Sequence[Filter]) -> tuple[DataFrame, list[Column]]:
    """Return the items with their matches, and one condition for each filter on that table."""
    from pyspark.sql import functions as F

    with_matches = with_record_matches if items.schema is not None else with_document_matches
    frame = with_matches(items.frame.drop(PLACE), filters)
    return frame, [F.array_contains(MATCHES, number) for number in range(len(filters))]


def _channel_numbers(channels: int) -> str:
    # Channels were numbered before the subscriptions.
    return f"filter({MATCHES}, number -> number < {channels})"


def _collect(raw: Path, folder: Path, names: Sequence[str]) -> None:
    """Move what Spark wrote to where the channels belong, under names that are the same in every run."""
    (folder / "channels").mkdir()
    for number, name in enumerate(names):
        written = sorted(raw.glob(f"{_CHANNEL}={number}/part-*.parquet"))
        if written:
            target = channel_folder(folder, name)
            target.mkdir()
            for part, path in enumerate(written):
                os.rename(path, target / f"part-{part:05}.parquet")
    shutil.rmtree(raw)
