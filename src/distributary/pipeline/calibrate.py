"""Measuring what calibration asks (paper 000, section 7.2), on the user's own items: Spark is the server.

A query here is what the pipeline's queries are: one pass of Spark over all items with a condition on each row. Its
answer is what Spark hands out, as Arrow. The client is this process: it reads an answer's objects as lines of JSON
and extracts. What any of it costs is `merging.calibration`'s.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.core.errors import InputError
from distributary.merging.calibration import Measured
from distributary.merging.extractors import extract
from distributary.merging.problem import Member
from distributary.pipeline.cells import cell_of, value_of
from distributary.pipeline.histogram import numeric_columns
from distributary.pipeline.items import PLACE, RESERVED, Items, load, quoted, stage
from distributary.pipeline.profile import Profile, profile

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

__all__ = ["client_seconds", "measure", "per_query_and_object", "query_seconds"]

#: The answers that are timed, as parts of the largest; the null query first.
_SHARES = (0, 1, 2, 4)
_REPEATS = 6
#: Long streams are timed less often: no turn begins later.
_SECONDS_MAX = 30.0
#: How much the largest answer holds, at least and at most: fewer objects would drown in the time of a query.
_OBJECTS = 100_000
_BYTES_MAX = 64e6
_COPY = f"{RESERVED}copy"


def measure(
    session: Callable[[], AbstractContextManager[SparkSession]],
    items: str,
    *,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Measured:
    """Return what queries on the records of a file or folder take; `items` as in `items.stage`.

    What is not Parquet already is staged in this machine's folder for temporary files: on a cluster, give Parquet.
    Raises `InputError` for documents and for a stream without records: there is nothing to time.
    """
    with tempfile.TemporaryDirectory(prefix="distributary-calibrate-") as folder:
        step("reading")
        staged = stage(items, Path(folder))
        if staged.schema is None:
            raise InputError("holds XML documents; calibration is of records", file=items)
        step("starting Spark")
        with session() as spark:
            loaded = load(spark, staged)
            step("profiling")
            found = profile(loaded, seed=seed)
            if not found.rows:
                raise InputError("holds no record to measure", file=items)
            step("timing queries")
            timed = query_seconds(loaded, found, seed, clock)
    step("timing the client")
    per_query, per_object = per_query_and_object(timed)
    return Measured(per_query, per_object, found.mean_row_bytes, client_seconds(found, clock))


def per_query_and_object(timed: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Return the seconds of a query, and those that each object in its answer adds, from (objects, seconds).

    The first is the null query, which gives the one; the line of least squares through it gives the other. Measured
    times may fall as answers grow; nothing is taken to cost less than nothing.

    >>> per_query_and_object([(0, 1.0), (100, 2.0), (200, 3.0)])
    (1.0, 0.01)
    """
    (_, null), *others = timed
    squares = sum(objects * objects for objects, _ in others)
    slope = sum(objects * (seconds - null) for objects, seconds in others) / squares if squares else 0.0
    return null, max(0.0, slope)


def client_seconds(found: Profile, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that a client takes for each object: reading it, testing it and keeping its fields.

    The best of several runs over the sample, whose filter is a box in the middle of two numeric columns.
    """
    records = found.records()
    lines = [msgspec.json.encode({name: cell_of(value) for name, value in row.items()}) for row in records]
    member = Member("", None, None, _middle(found), tuple(found.schema)[:4])
    best = float("inf")
    for _ in range(_REPEATS):
        started = clock()
        for line in lines:
            extract(member, msgspec.json.decode(line))
        best = min(best, clock() - started)
    return best / len(lines)


def _middle(found: Profile) -> Filter:
    """Return the box of the middle halves of the first two numeric columns; without such columns, everything."""
    ranges = {}
    for column in found.columns:
        edges = [value_of(cell, column.type) for cell in column.histogram]
        if column.name in numeric_columns(found.schema) and edges:
            low, high = edges[len(edges) // 4], edges[3 * len(edges) // 4]
            assert isinstance(low, int | float)
            assert isinstance(high, int | float)
            ranges[column.name] = (float(low), float(high))
    wanted = dict(list(ranges.items())[:2])
    bounded = all(low < float("inf") and high > float("-inf") for low, high in wanted.values())
    return Box.of(wanted) if wanted and bounded else Everything()


def query_seconds(items: Items, found: Profile, seed: int, clock: Callable[[], float]) -> list[tuple[int, float]]:
    """Return (objects, seconds) of queries of several result sizes, the null query first; the best time of several.

    A query keeps the rows whose hash is below a limit, so that all have the same condition. Where the stream is
    short, each row that is kept comes several times over: what each object adds could not be told otherwise.
    """
    assert items.schema is not None
    objects = int(min(max(found.rows, _OBJECTS), max(1000.0, _BYTES_MAX / max(1.0, found.mean_row_bytes))))
    copies = ceil(objects / found.rows)
    part = min(1.0, objects / found.rows)
    hashed = f"pmod(xxhash64({seed}L, {PLACE}.file, {PLACE}.row), {2**30}L)"
    copied = [*map(quoted, items.schema), f"explode(sequence(1, {copies})) as {_COPY}"]
    queries = [
        items.frame.where(f"{hashed} < {round(share / _SHARES[-1] * part * 2**30)}L").selectExpr(*copied).drop(_COPY)
        for share in _SHARES
    ]
    best: dict[int, tuple[float, int]] = {}
    begun = clock()
    # In turns, so that a moment in which the machine is busy does not fall on one size; the first turn warms up.
    for turn in range(_REPEATS + 1):
        if turn > 1 and clock() - begun > _SECONDS_MAX:
            break
        for place, query in enumerate(queries):
            started = clock()
            rows = query.toArrow().num_rows
            seconds = clock() - started
            if turn and (place not in best or seconds < best[place][0]):
                best[place] = (seconds, rows)
    return [(rows, seconds) for seconds, rows in (best[place] for place in range(len(queries)))]
