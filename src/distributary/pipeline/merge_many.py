"""Pair merging of more boxes than one machine takes: clusters by cells, clusters that are too large cut by space.

Queries far apart never merge, so that clusters (paper 000, section 6.4) are merged one without the other. They are
found as components of cells rather than of queries: a table of all pairs of queries would be quadratic where they lie
dense, and linking more than the metric does only makes clusters larger. In the paper's base case one cluster has nearly
all queries; therefore a cluster that is larger than a part is cut by a k-d tree, and the blocks near a cut are merged
once more in parts whose cuts run across the first ones.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from math import fsum, isfinite
from typing import TYPE_CHECKING

import numpy as np

from distributary.algebra.histogram import Splits, split
from distributary.core.errors import InputError
from distributary.merging.compiled.boxes import Floats
from distributary.merging.settings import MergeSettings
from distributary.pipeline.histogram import leaf_of
from distributary.pipeline.items import RESERVED
from distributary.pipeline.merging import OUTPUT, Frame, Terms, frame_of, merge_part
from distributary.pipeline.session import exactly, spark_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["PART_BOXES", "MergedMany", "merge_many"]

#: How many boxes are merged by one task: a second's work.
PART_BOXES = 40_000
_SAMPLE_ROWS = 1 << 16
_TASKS_MAX = 200
#: Components of cells are found in about as many rounds as the number of cells has binary digits.
_STAR_ROUNDS_MAX = 50
#: A cell's number is its row and its column, of 32 bits each.
_CELL_MAX = 1 << 30
#: The added columns: where a box is put, in typical boxes.
_PLACES = (f"{RESERVED}first", f"{RESERVED}second")


@dataclass(frozen=True, slots=True)
class MergedMany:
    """A plan for very many boxes; its tables stay in Spark's storage until `release`."""

    #: `id` and `block`: every id once. A block has the smallest id of its members as its name.
    members: DataFrame
    #: `block`, `low`, `high`, how many `members`, `size`, `rate` and `cost`.
    blocks: DataFrame
    #: What all blocks cost together.
    cost: float
    #: Clusters found (1 when there is nothing to cut), parts merged at first, and boxes that were merged again.
    clusters: int
    parts: int
    again: int
    _stored: DataFrame

    def release(self) -> None:
        """Let Spark forget the tables."""
        self._stored.unpersist()


def merge_many(
    boxes: DataFrame, settings: MergeSettings, *, density: float = 1.0, part_boxes: int = PART_BOXES
) -> MergedMany:
    """Return the blocks of pair merging, planned part by part on all cores of a cluster.

    Args:
        boxes: `id` (string or integer), `low` and `high` (array<double>, of one length for all); where they are
            there, `size`, that of the query when it is not that of its box, and `rate`, how often a second it is
            answered (else 1).
        settings: The prices; the algorithm is `pair` or `auto`, the procedure `rectangle`.
        density: The size of a unit of volume.
        part_boxes: About how many boxes are merged by one task (of boxes with one centre, more).

    The plan does not depend on how the table is partitioned. With no more boxes than `part_boxes` it is that of
    `merging.pair`; else what is lost is lost at the cuts: less than a millionth of the cost in the paper's base case,
    a hundredth of points and lines, which merge over any distance, in small parts. Time is about linear in the number
    of boxes. `InputError` for a box that is none, an id that two boxes have, and settings that do not fit.
    """
    _check_settings(settings, density, part_boxes)
    terms = Terms(settings.costs, density)
    with exactly(boxes.sparkSession), spark_errors(), ExitStack() as stored, ExitStack() as failed:
        queries = _stored(stored, _queries(boxes, density))
        count = _checked(queries)
        low, high, size = _sample(queries, "id", count)
        frame = frame_of(low, high, size, terms)
        splits = _splits(frame.places((low + high) / 2), count, part_boxes)
        clusters, placed = 1, queries.selectExpr("*", "false as cut")
        if splits.depth:
            clusters, placed = _clustered(stored, queries, frame, part_boxes)
        first = _stored(stored, _merged(_unmerged(placed), lambda part: merge_part(terms, frame, splits, part), splits))
        blocks, again = _merged_again(first, terms, frame, part_boxes)
        blocks = _stored(failed, blocks)
        # Exactly rounded, so that the order of the rows does not matter.
        cost = fsum(blocks.select("cost").toArrow().column("cost").to_pylist())
        failed.pop_all()
    shown = blocks.select("block", "low", "high", "members", "size", "rate", "cost")
    members = blocks.selectExpr("explode(queries.id) as id", "block")
    return MergedMany(members, shown, cost, clusters, 2**splits.depth, again, blocks)


def _check_settings(settings: MergeSettings, density: float, part_boxes: int) -> None:
    settings.check()
    if settings.algorithm not in {"auto", "pair"}:
        raise InputError(f"must be pair, not {settings.algorithm!r}, for very many boxes", field="algorithm")
    if settings.procedure != "rectangle":
        raise InputError(f"must be rectangle, not {settings.procedure!r}, for very many boxes", field="procedure")
    if settings.channels is not None:
        raise InputError("very many boxes are not packed onto channels", field="channels")
    if not (isfinite(density) and density > 0):
        raise InputError(f"must be a positive number, not {density}", field="density")
    if part_boxes < 1:
        raise InputError(f"must be at least 1, not {part_boxes}", field="part_boxes")


def _stored(stored: ExitStack, frame: DataFrame) -> DataFrame:
    """Return a table that is computed once, until the stack is left."""
    kept = frame.persist()
    stored.callback(kept.unpersist)
    return kept


def _queries(boxes: DataFrame, density: float) -> DataFrame:
    """Return the boxes with all columns."""
    for name in ("id", "low", "high"):
        if name not in boxes.columns:
            raise InputError("is missing", field=name)
    if boxes.schema["id"].dataType.simpleString() not in {"string", "bigint", "int", "smallint", "tinyint"}:
        raise InputError("must be a string or an integer", field="id")
    volume = f"aggregate(zip_with(low, high, (l, h) -> h - l), {density!r}D, (volume, width) -> volume * width)"
    cast = boxes.withColumn("low", boxes["low"].cast("array<double>"))
    cast = cast.withColumn("high", boxes["high"].cast("array<double>"))
    size = "cast(size as double)" if "size" in boxes.columns else volume
    rate = "cast(rate as double)" if "rate" in boxes.columns else "1.0D"
    return cast.selectExpr("id", "low", "high", f"{size} as size", f"{rate} as rate")


def _checked(queries: DataFrame) -> int:
    """Return the number of boxes, or raise `InputError` for one that is none, or whose id is not its own."""
    from pyspark.sql import functions as F

    top = "double('Infinity')"
    ordered = f"forall(zip_with(low, high, (l, h) -> l > -{top} and l <= h and h < {top}), each -> each)"
    right = f"size(low) = size(high) and size >= 0 and size < {top} and rate > 0 and rate < {top} and {ordered}"
    found = queries.agg(
        F.count(F.lit(1)).alias("boxes"),
        F.count("id").alias("named"),
        F.count_distinct("id").alias("different"),
        F.min(F.size("low")).alias("least"),
        F.max(F.size("low")).alias("most"),
        F.expr(f"min(if(coalesce({right}, false), null, id))").alias("wrong"),
    ).collect()[0]
    if not found["boxes"]:
        raise InputError("there is nothing to merge", field="members")
    if found["named"] < found["boxes"]:
        raise InputError("is null", field="id")
    if found["wrong"] is not None:
        reason = "needs finite ends with low <= high, a finite size and a positive rate"
        raise InputError(reason, record=str(found["wrong"]))
    if found["different"] < found["boxes"]:
        raise InputError("is the id of two boxes", field="id")
    if found["least"] != found["most"] or found["least"] < 1:
        raise InputError("must have the same number of columns, one or more, in every box", field="low")
    return int(found["boxes"])


def _sample(frame: DataFrame, key: str, count: int) -> tuple[Floats, Floats, Floats]:
    """Return `low`, `high` and `size` of some thousand rows, chosen by their keys."""
    every = -(-count // _SAMPLE_ROWS)
    table = frame.where(f"pmod(xxhash64({key}), {every}) = 0").select("low", "high", "size").toArrow()
    low, high = (np.array(table.column(name).to_pylist(), dtype=np.float64) for name in ("low", "high"))
    return low, high, table.column("size").to_numpy()


def _splits(places: Floats, count: int, part_boxes: int) -> Splits:
    """Return the tree that cuts `count` boxes into parts, from the places of a sample of them."""
    if count <= part_boxes:
        return Splits()
    return split(places, max(1, len(places) * part_boxes // (2 * count)))


def _placed(frame: Frame) -> list[Column]:
    """Return the columns with the middle of a box in a frame."""
    from pyspark.sql import functions as F

    return [
        ((F.col("low")[axis] + F.col("high")[axis]) / F.lit(2.0) / F.lit(width)).alias(name)
        for axis, width, name in zip(frame.axes, frame.widths, _PLACES, strict=False)
    ]


def _clustered(stored: ExitStack, queries: DataFrame, frame: Frame, part_boxes: int) -> tuple[int, DataFrame]:
    """Return the number of clusters, and the queries with their places and whether their cluster is cut.

    The boxes of a cluster that is not cut are all in one place.
    """
    from pyspark.sql import functions as F

    names = _PLACES[: len(frame.axes)]
    cell = F.lit(0).cast("bigint")
    for name, width in zip(names, frame.cells, strict=True):
        number = F.floor(F.col(name) / F.lit(width)).cast("bigint")
        cell = cell * F.lit(1 << 32) + F.greatest(F.least(number, F.lit(_CELL_MAX)), F.lit(-_CELL_MAX))
    placed = queries.select("*", *_placed(frame)).withColumn("cell", cell)
    ends = [function(name).alias(f"{kind}{name}") for name in names for kind, function in (("l", F.min), ("h", F.max))]
    cells = _stored(stored, placed.groupBy("cell").agg(F.count(F.lit(1)).alias("boxes"), *ends))
    steps = [1] if len(names) == 1 else [1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1]
    near = cells.selectExpr(
        f"explode(transform(array({', '.join(map(str, steps))}), step -> cell + step)) as near", "cell"
    )
    edges = near.join(cells.selectExpr("cell as near"), "near", "left_semi").toDF("larger", "smaller")
    roots = _components(edges).toDF("cell", "root")
    rooted = _stored(stored, cells.join(roots, "cell", "left").withColumn("root", F.expr("coalesce(root, cell)")))
    wholes = [F.expr(f"(min(l{name}) + max(h{name})) / 2").alias(f"m{name}") for name in names]
    clusters = _stored(stored, rooted.groupBy("root").agg((F.sum("boxes") > part_boxes).alias("cut"), *wholes))
    found = placed.join(rooted.select("cell", "root").join(clusters, "root"), "cell")
    places = [f"if(cut, {name}, m{name}) as {name}" for name in names]
    return clusters.count(), found.selectExpr(*queries.columns, *places, "cut")


def _components(edges: DataFrame) -> DataFrame:
    """Return edges from all nodes of a component to the smallest, which has none; `larger` and `smaller` end one.

    Large star and small star in turn (Kiveris and others, "Connected Components in MapReduce and Beyond", 2014).
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    known = None
    for _ in range(_STAR_ROUNDS_MAX):
        ends = edges.selectExpr("stack(2, larger, smaller, smaller, larger) as (one, other)")
        least = F.least("one", F.min("other").over(Window.partitionBy("one")))
        large = ends.withColumn("smallest", least).where("other > one").select("other", "smallest").distinct()
        small = large.toDF("larger", "smaller")
        small = small.withColumn("smallest", F.min("smaller").over(Window.partitionBy("larger")))
        linked = "stack(2, larger, smallest, smaller, smallest) as (larger, smaller)"
        small = small.selectExpr(linked).where("larger > smaller").distinct()
        edges = small.localCheckpoint()
        state = edges.agg(F.count(F.lit(1)), F.sum(F.xxhash64("larger", "smaller").cast("decimal(38,0)"))).collect()[0]
        if state == known:
            break
        known = state
    return edges


def _unmerged(placed: DataFrame) -> DataFrame:
    """Return each query as a block that has no cost yet."""
    places = [name for name in _PLACES if name in placed.columns]
    queries = "array(struct(id, low, high, size, rate)) as queries"
    return placed.selectExpr(queries, "double('Infinity') as cost", "cut", *places)


def _merged(blocks: DataFrame, merge: Callable[[pa.Table], pa.Table], splits: Splits) -> DataFrame:
    """Return the blocks that the queries of some merge to, part by part; `splits` says which part each is in.

    `merge` is a lambda: Spark would look for hints of Arrow's types, and Arrow is not imported here.
    """
    from pyspark.sql import types as T

    kind = blocks.schema["queries"].dataType
    assert isinstance(kind, T.ArrayType)
    assert isinstance(kind.elementType, T.StructType)
    name, low, high = (kind.elementType[field].dataType for field in ("id", "low", "high"))
    number, truth = T.DoubleType(), T.BooleanType()
    kinds = [name, kind, low, high, T.LongType(), number, number, number, truth, truth]
    schema = T.StructType([T.StructField(*each) for each in zip(OUTPUT, kinds, strict=True)])
    places = [name for name in _PLACES if name in blocks.columns]
    parted = blocks.selectExpr("*", f"{leaf_of(splits, places)} as part").drop(*places)

    tasks = min(2**splits.depth, _TASKS_MAX)
    return parted.repartition(tasks, "part").groupBy("part").applyInArrow(merge, schema)


def _merged_again(first: DataFrame, terms: Terms, frame: Frame, part_boxes: int) -> tuple[DataFrame, int]:
    """Return all blocks after those near a cut were merged again, and how many boxes these have.

    The second tree stands askew to the first: where cuts of both meet they have one point in common, no more. (On one
    axis there is no askew, and a cut may be the same.)
    """
    from pyspark.sql import functions as F

    touching = first.where("touching")
    blocks, again = touching.agg(F.count(F.lit(1)), F.coalesce(F.sum("members"), F.lit(0))).collect()[0]
    if not again:
        return first, 0
    low, high, _ = _sample(touching, "block", blocks)
    places = frame.places((low + high) / 2)
    middles = _placed(frame)
    if len(frame.axes) > 1:
        places = np.column_stack([places[:, 0] + places[:, 1], places[:, 0] - places[:, 1]])
        middles = [(middles[0] + middles[1]).alias(_PLACES[0]), (middles[0] - middles[1]).alias(_PLACES[1])]
    splits = _splits(places, again, part_boxes)
    second = _merged(touching.select("*", *middles), lambda part: merge_part(terms, frame, Splits(), part), splits)
    return first.where("not touching").unionByName(second), again
