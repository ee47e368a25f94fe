"""Routing a stream at rest: profile it, merge the subscriptions, evaluate the merged queries, write the channels.

This is the first router of paper 000's figure 1, as a batch job. What subscribers do with their channels is
`extract`; items that keep coming are `source`'s.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from distributary.algebra.anyof import AnyOf
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.parse import filter_of
from distributary.algebra.summary import DataSummary
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Channel, Costs, MergePlan
from distributary.core.subscriptions import Subscription
from distributary.files.subscriptions import read_subscriptions
from distributary.merging.extractors import extractor_of
from distributary.merging.planner import filter_text, plan
from distributary.merging.problem import Member
from distributary.merging.settings import MergeSettings
from distributary.pipeline.channels import Counts, measured_cost, measured_unmerged_cost, queries_of, write_channels
from distributary.pipeline.folder import whole_folder
from distributary.pipeline.items import CONTENT, PATH, Items, StagedItems, load, stage
from distributary.pipeline.plan_file import PLAN, ChannelExtractor, RoutePlan, write_plan
from distributary.pipeline.profile import profile

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

__all__ = ["RouteReport", "RouteSettings", "route"]


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """How to merge, and whether an earlier result is replaced."""

    merging: MergeSettings = field(default_factory=MergeSettings)
    seed: int = 0
    overwrite: bool = False


class RouteReport(msgspec.Struct, frozen=True):
    """What was done, estimated and measured; the measured costs count items, as the estimates do."""

    algorithm: str
    procedure: str
    costs: Costs
    cost: float
    unmerged_cost: float
    measured_cost: float
    measured_unmerged_cost: float
    lower_bound: float | None
    optimal: bool
    rows: int
    channels: int
    #: Merged queries, each evaluated once on every item.
    queries: int
    #: Items written, each once for every channel that it is in.
    sent: int
    seconds: float


def route(
    session: Callable[[], AbstractContextManager[SparkSession]],
    items: str,
    subscriptions: str,
    out: str,
    settings: RouteSettings | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> RouteReport:
    """Route the items of a file or folder to the channels of a new folder.

    Args:
        session: Opens the Spark session; it is not called before everything else has been checked.
        items: What `items.stage` takes.
        subscriptions: A file of subscriptions of one stream, or of none.
        out: The folder to make; all of it is there at the end, or nothing.
        settings: How to merge.
        step: Is told what is being done.

    Raises `InputError` for bad input and `Unavailable` for what Spark could not do.
    """
    settings = settings or RouteSettings()
    started = time.perf_counter()
    with whole_folder(out, overwrite=settings.overwrite, mark=PLAN) as folder:
        staging = folder / "items"
        staging.mkdir()
        step("reading")
        staged = stage(items, staging)
        stream, members = _members(read_subscriptions(subscriptions, staged.schema), subscriptions)
        step("starting Spark")
        with session() as spark:
            loaded = load(spark, staged)
            step("profiling")
            merged = _plan(
                [_measurable(each, staged) for each in members], _statistics(loaded, staged, settings.seed), settings
            )
            step("routing")
            filters = {channel.id: _channel_filter(channel) for channel in merged.channels}
            wanted = {each.id: _measurable(each, staged).filter for each in members}
            counts = write_channels(loaded, filters, wanted, folder)
        shutil.rmtree(staging)
        write_plan(folder, _route_plan(merged, stream, members, staged, counts))
    return _report(merged, counts, time.perf_counter() - started)


def _members(read: Sequence[tuple[Subscription, Filter]], path: str) -> tuple[str | None, list[Member]]:
    """Return the one stream that the subscriptions name, if any, and the subscriptions as merging sees them."""
    streams = list(dict.fromkeys(each.stream for each, _ in read if each.stream is not None))
    if len(streams) > 1:
        raise InputError(
            f"names several streams ({', '.join(streams[:3])}), but the items are one: route each stream by itself",
            file=path,
            field="stream",
        )
    stream = streams[0] if streams else None
    return stream, [Member(each.id, each.client, stream, wanted, each.fields, each.every) for each, wanted in read]


def _measurable(member: Member, staged: StagedItems) -> Member:
    """Return the member with a filter that the items can be asked: tree patterns match no record."""
    if staged.schema is not None and isinstance(member.filter, TreePattern):
        return replace(member, filter=AnyOf())
    return member


def _statistics(items: Items, staged: StagedItems, seed: int) -> Statistics:
    if items.schema is not None:
        return profile(items, seed=seed).statistics()
    summary = DataSummary()
    for path, content in _documents(staged):
        try:
            summary.add(parse_xml(content))
        except InputError as error:
            raise error.at(file=path) from None
    return summary


def _documents(staged: StagedItems) -> Iterator[tuple[str, bytes]]:
    import pyarrow.parquet as pq

    for file in staged.files:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=256):
            for row in batch.to_pylist():
                yield row[PATH], row[CONTENT]


def _plan(members: Sequence[Member], statistics: Statistics, settings: RouteSettings) -> MergePlan:
    return plan(members, statistics, settings.merging, time.perf_counter, Generator(settings.seed))


def _channel_filter(channel: Channel) -> Filter:
    """Return what a channel carries: the union of its merged queries, so that an item is in it once."""
    first, *rest = (filter_of(filter_text(text)) for text in channel.queries)
    for query in rest:
        first = first.union(query)
    return first


def _route_plan(
    merged: MergePlan, stream: str | None, members: Sequence[Member], staged: StagedItems, counts: Counts
) -> RoutePlan:
    channel_of = {name: channel.id for channel in merged.channels for name in channel.members}
    extractors = {}
    for member in members:
        extractor = extractor_of(member)
        extractors[member.id] = ChannelExtractor(channel_of[member.id], extractor.filter, extractor.fields)
    return RoutePlan(
        **{name: getattr(merged, name) for name in MergePlan.__struct_fields__},
        stream=stream,
        rows=counts.rows,
        schema=None if staged.schema is None else dict(staged.schema),
        extractors=extractors,
    )


def _report(merged: MergePlan, counts: Counts, seconds: float) -> RouteReport:
    return RouteReport(
        algorithm=merged.algorithm,
        procedure=merged.procedure,
        costs=merged.costs,
        cost=merged.cost,
        unmerged_cost=merged.unmerged_cost,
        measured_cost=measured_cost(merged, counts),
        measured_unmerged_cost=measured_unmerged_cost(merged, counts),
        lower_bound=merged.lower_bound,
        optimal=merged.optimal,
        rows=counts.rows,
        channels=len(merged.channels),
        queries=queries_of(merged),
        sent=sum(counts.channels.values()),
        seconds=seconds,
    )
