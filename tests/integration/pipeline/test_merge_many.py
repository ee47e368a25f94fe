"""Very many boxes merged in Spark: nothing is lost, the cost is what it says, and near that of one machine."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.experiments.queries import Workload, boxes_of
from distributary.merging import Member, MergeSettings, plan
from distributary.pipeline.merge_many import MergedMany, merge_many

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

COUNT, PART_BOXES = 3000, 500
SETTINGS = MergeSettings("pair")
SCHEMA = "id string, low array<double>, high array<double>, rate double"


def queries(towns: int | None = None) -> list[tuple[str, list[float], list[float], float]]:
    """Return boxes as dense as in the paper's base case; or of towns far apart. Some are asked for twice as often."""
    if towns is None:
        workload = Workload(queries=COUNT, cluster_share=0.01, region=400 * math.sqrt(COUNT / 100))
        boxes = boxes_of(workload, Generator(3))
    else:
        some = Workload(queries=COUNT // towns, region=400.0)
        boxes = tuple(
            Box.of({name: (low + 5000 * town, high + 5000 * town) for name, low, high in box.ranges})
            for town in range(towns)
            for box in boxes_of(some, Generator(3, town))
        )
    return [
        (f"q{number:04d}", [low for _, low, _ in box.ranges], [high for _, _, high in box.ranges], 1.0 + number % 2)
        for number, box in enumerate(boxes)
    ]


def table(spark: SparkSession, rows: list[Any], partitions: int) -> DataFrame:
    return spark.createDataFrame(rows, SCHEMA).repartition(partitions)


def blocks_by_name(merged: MergedMany) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for row in merged.members.collect():
        found.setdefault(row["block"], []).append(row["id"])
    return {name: tuple(sorted(members)) for name, members in found.items()}


def single_cost(rows: list[Any]) -> float:
    members = [
        Member(name, None, None, Box.of({"x": (low[0], high[0]), "y": (low[1], high[1])}), every=1 / rate)
        for name, low, high, rate in rows
    ]
    return plan(members, UniformDensity(1.0), SETTINGS, time.perf_counter, Generator(1)).cost


def recomputed(rows: list[Any], blocks: dict[str, tuple[str, ...]]) -> float:
    """Return what blocks cost, from the paper's formula and nothing else."""
    costs, by_id = Costs(), {row[0]: row for row in rows}

    def cost(members: tuple[str, ...]) -> float:
        boxes = [by_id[member] for member in members]
        sides = [max(box[2][axis] for box in boxes) - min(box[1][axis] for box in boxes) for axis in range(2)]
        rate, size = max(box[3] for box in boxes), sides[0] * sides[1]
        own = [box[3] * (box[2][0] - box[1][0]) * (box[2][1] - box[1][1]) for box in boxes]
        irrelevant = math.fsum(rate * size - each for each in own)
        return float(rate * (costs.K_M + costs.K_T * size) + costs.K_U * irrelevant)

    return math.fsum(map(cost, blocks.values()))


@pytest.fixture(scope="module")
def dense(spark: SparkSession) -> Iterator[tuple[list[Any], MergedMany]]:
    rows = queries()
    merged = merge_many(table(spark, rows, 4), SETTINGS, part_boxes=PART_BOXES)
    yield rows, merged
    merged.release()


def test_every_id_is_in_one_block_named_after_its_least(dense: tuple[list[Any], MergedMany]) -> None:
    rows, merged = dense
    names = [row["id"] for row in merged.members.collect()]
    assert sorted(names) == [row[0] for row in rows]
    assert all(members[0] == name for name, members in blocks_by_name(merged).items())


def test_blocks_are_the_bounding_boxes_of_their_members(dense: tuple[list[Any], MergedMany]) -> None:
    rows, merged = dense
    by_id = {row[0]: row for row in rows}
    blocks = blocks_by_name(merged)
    told = {row["block"]: row for row in merged.blocks.collect()}
    assert told.keys() == blocks.keys()
    for name, members in blocks.items():
        boxes = [by_id[member] for member in members]
        assert told[name]["low"] == [min(box[1][axis] for box in boxes) for axis in range(2)]
        assert told[name]["high"] == [max(box[2][axis] for box in boxes) for axis in range(2)]
        assert told[name]["members"] == len(members)


def test_cost_is_that_of_the_blocks(dense: tuple[list[Any], MergedMany]) -> None:
    rows, merged = dense
    assert merged.cost == pytest.approx(recomputed(rows, blocks_by_name(merged)), rel=1e-12)
    assert merged.cost == pytest.approx(math.fsum(row["cost"] for row in merged.blocks.collect()), rel=1e-12)


def test_cost_of_a_cluster_that_was_cut_is_near_that_of_one_machine(dense: tuple[list[Any], MergedMany]) -> None:
    rows, merged = dense
    assert (merged.clusters, merged.parts) == (1, 8)
    assert 0 < merged.again < COUNT / 2
    assert merged.cost == pytest.approx(single_cost(rows), rel=1e-3)
    apart = math.fsum(row[3] * (Costs().K_M + Costs().K_T * math.prod(_sides(row))) for row in rows)
    assert merged.cost < 0.95 * apart


def test_plan_does_not_depend_on_partitions_nor_on_the_order_of_rows(
    spark: SparkSession, dense: tuple[list[Any], MergedMany]
) -> None:
    rows, merged = dense
    other = merge_many(table(spark, rows[::-1], 1), SETTINGS, part_boxes=PART_BOXES)
    assert blocks_by_name(other) == blocks_by_name(merged)
    assert other.cost == merged.cost
    other.release()


def test_clusters_that_fit_into_a_part_are_never_cut(spark: SparkSession) -> None:
    rows = queries(towns=30)
    merged = merge_many(table(spark, rows, 2), SETTINGS, part_boxes=PART_BOXES)
    assert merged.clusters == 30
    assert merged.parts > 1
    assert merged.again == 0
    assert merged.cost == pytest.approx(single_cost(rows), rel=1e-12)
    merged.release()


def test_boxes_that_fit_into_one_part_get_the_plan_of_one_machine(spark: SparkSession) -> None:
    rows = queries()[:400]
    members = [
        Member(name, None, None, Box.of({"x": (low[0], high[0]), "y": (low[1], high[1])}), every=1 / rate)
        for name, low, high, rate in rows
    ]
    merged = merge_many(table(spark, rows, 3), SETTINGS)
    wanted = plan(members, UniformDensity(1.0), SETTINGS, time.perf_counter, Generator(1))
    assert set(blocks_by_name(merged).values()) == {channel.members for channel in wanted.channels}
    assert merged.cost == pytest.approx(wanted.cost, rel=1e-12)
    merged.release()


def test_boxes_on_one_axis_are_merged_too(spark: SparkSession) -> None:
    rows = [(f"q{each:04d}", low[:1], high[:1], 1.0) for each, (_, low, high, _) in enumerate(queries()[:300])]
    merged = merge_many(table(spark, rows, 2), MergeSettings("pair", costs=Costs(1.0, 1.0, 1.0)), part_boxes=50)
    assert sorted(row["id"] for row in merged.members.collect()) == [row[0] for row in rows]
    whole = merge_many(table(spark, rows, 2), MergeSettings("pair", costs=Costs(1.0, 1.0, 1.0)))
    assert merged.cost == pytest.approx(whole.cost, rel=0.01)
    merged.release()
    whole.release()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", [0.0], [1.0], 1.0), ("a", [0.0], [2.0], 1.0)], "two boxes"),
        ([("a", [0.0], [1.0], 1.0), ("b", [3.0], [2.0], 1.0)], "b: .*low <= high"),
        ([("a", [0.0], [math.nan], 1.0)], "a: .*finite"),
        ([("a", [0.0], [1.0, 2.0], 1.0)], "a: .*finite"),
        ([("a", None, [1.0], 1.0)], "a: .*finite"),
        ([("a", [0.0], [1.0], 0.0)], "a: .*rate"),
        ([(None, [0.0], [1.0], 1.0)], "null"),
        ([("a", [0.0], [1.0], 1.0), ("b", [0.0, 0.0], [1.0, 1.0], 1.0)], "same number"),
        ([], "nothing to merge"),
    ],
)
def test_boxes_that_are_none_are_refused(spark: SparkSession, rows: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        merge_many(spark.createDataFrame(rows, SCHEMA), SETTINGS)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (MergeSettings("exact"), "algorithm"),
        (MergeSettings("pair", procedure="cover"), "procedure"),
        (MergeSettings("pair", channels=2), "channels"),
    ],
)
def test_settings_that_do_not_fit_are_refused(spark: SparkSession, settings: MergeSettings, field: str) -> None:
    with pytest.raises(InputError) as refused:
        merge_many(spark.createDataFrame([], SCHEMA), settings)
    assert refused.value.field == field


def _sides(row: Any) -> list[float]:
    return [high - low for low, high in zip(row[1], row[2], strict=True)]
