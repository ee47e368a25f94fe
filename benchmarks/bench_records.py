"""Records against boxes and conjunctions in bulk. Peers: shapely's STRtree, DuckDB's and Spark's joins, a scan.

Boxes: points uniform on the globe, boxes whose widths are uniform between 0.2 and 1.8 times a mean that gives about one
match a point. All start from columns of coordinates, with their index or table of boxes made, and end with pairs.

Conjunctions: the shape of PS-Tree's largest workload (122 attributes, 8 predicates a subscription, 20 attributes an
event), over a domain of 1,000 values: an equality with the chance stated, else a range of uniform width. Each event
is made to satisfy a subscription drawn at random; its other attributes and values are uniform.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measurement import Measurement, compare
from distributary.core.generator import Generator
from distributary.core.values import ColumnType
from distributary.matching.records import Column, Columns, RecordMatcher

__all__ = ["measure"]

Array = npt.NDArray[Any]

ATTRIBUTES, PREDICATES, PRESENT, DOMAIN = 122, 8, 20, 1000
#: Events that are also matched by the scan.
SCANNED = 2
#: What PS-Tree is published with: seconds per event at 3 million subscriptions.
PS_TREE_SECONDS = 0.00024


class Pairs:
    """Pairs of a point and a box; equal when they are the same pairs. They are sorted only to be compared."""

    def __init__(self, points: Array, boxes: Array) -> None:
        self._points, self._boxes = points, boxes

    def __len__(self) -> int:
        return len(self._boxes)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Pairs)
        return len(self) == len(other) and bool(np.array_equal(self._sorted(), other._sorted()))

    __hash__ = None  # type: ignore[assignment]

    def _sorted(self) -> Array:
        return np.sort(self._points.astype(np.int64) * (1 << 32) + self._boxes)


@dataclass(frozen=True)
class Places:
    """Boxes and points, latitude first."""

    low: Array
    high: Array
    points: Array

    def head(self, count: int) -> Places:
        return Places(self.low, self.high, self.points[:count])


def places(generator: Generator, boxes: int, points: int) -> Places:
    """Return boxes and points of which each is in about one."""
    random = np.random.default_rng(generator.bits())
    globe = np.array([180.0, 360.0])
    width = random.uniform(0.2, 1.8, (boxes, 2)) * globe / boxes**0.5
    low = random.uniform(0.0, 1.0, (boxes, 2)) * globe - globe / 2
    return Places(low, low + width, random.uniform(0.0, 1.0, (points, 2)) * globe - globe / 2)


def box_matcher(where: Places) -> RecordMatcher[int]:
    """Return the matcher of the boxes."""
    matcher: RecordMatcher[int] = RecordMatcher()
    count = len(where.low)
    start, column = np.arange(count + 1) * 2, np.tile([0, 1], count)
    matcher.add_boxes(range(count), ("lat", "lon"), start, column, where.low.ravel(), where.high.ravel())
    return matcher


def by_matcher(matcher: RecordMatcher[int], where: Places) -> Callable[[], Pairs]:
    """Return the call that matches the points."""
    lat, lon = (np.ascontiguousarray(where.points[:, axis]) for axis in (0, 1))
    columns = Columns(len(lat), {"lat": Column(ColumnType.DOUBLE, lat), "lon": Column(ColumnType.DOUBLE, lon)})

    def call() -> Pairs:
        start, serials = matcher.match_columns(columns)
        return Pairs(np.repeat(np.arange(len(lat)), np.diff(start)), serials)

    return call


def by_tree(where: Places) -> Callable[[], Pairs]:
    """Return the call that asks shapely's tree, which takes geometries: making the points is part of it."""
    import shapely  # type: ignore[import-untyped]

    tree = shapely.STRtree(shapely.box(*where.low.T, *where.high.T))
    lat, lon = (np.ascontiguousarray(where.points[:, axis]) for axis in (0, 1))
    return lambda: Pairs(*tree.query(shapely.points(lat, lon)))


JOIN = "SELECT p.point, b.box FROM p JOIN b ON p.lat BETWEEN b.south AND b.north AND p.lon BETWEEN b.west AND b.east"


def tables(where: Places) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the points and the boxes as columns."""
    points = {"point": np.arange(len(where.points)), "lat": where.points[:, 0], "lon": where.points[:, 1]}
    ends = {"south": where.low[:, 0], "north": where.high[:, 0], "west": where.low[:, 1], "east": where.high[:, 1]}
    return points, {"box": np.arange(len(where.low)), **ends}


def by_duckdb(where: Places) -> Callable[[], Pairs]:
    """Return the call that joins in DuckDB, on all cores."""
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    for name, columns in zip(("p", "b"), tables(where), strict=True):
        connection.register("given", pa.table(columns))
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")

    def call() -> Pairs:
        found = connection.execute(JOIN).fetchnumpy()
        return Pairs(found["point"], found["box"])

    return call


def by_spark(where: Places) -> Callable[[], Pairs]:
    """Return the call that joins in Spark, on all cores of this machine."""
    import pyarrow as pa

    from distributary.pipeline.session import session

    spark = session("local[*]")
    for name, columns in zip(("p", "b"), tables(where), strict=True):
        frame = spark.createDataFrame(pa.table(columns).to_pandas()).repartition(2).cache()
        frame.count()
        frame.createOrReplaceTempView(name)

    def call() -> Pairs:
        found = spark.sql(JOIN).toArrow()
        return Pairs(found["point"].to_numpy(), found["box"].to_numpy())

    return call


def box_measurements(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield each number of boxes against each peer; the slow peers get fewer points, and so do we beside them."""
    sizes = (
        ((2_000, {"strtree": 20_000, "duckdb": 2_000}),)
        if quick
        else (
            (10_000, {"strtree": 1_000_000, "duckdb": 20_000, "spark": 5_000}),
            (100_000, {"strtree": 1_000_000, "duckdb": 5_000, "spark": 1_000}),
            (1_000_000, {"strtree": 1_000_000, "duckdb": 2_000, "spark": 200}),
        )
    )
    peers = {"strtree": by_tree, "duckdb": by_duckdb, "spark": by_spark}
    for boxes, points in sizes:
        where = places(generator.fork("boxes", boxes), boxes, max(points.values()))
        started = time.perf_counter()
        matcher = box_matcher(where)
        building = time.perf_counter() - started
        for peer, count in points.items():
            some = where.head(count)
            ours = by_matcher(matcher, some)
            ours_seconds, peer_seconds = compare(ours, peers[peer](some), 5 if peer == "strtree" and not quick else 2)
            yield Measurement(
                name=f"records_boxes_{boxes}_{peer}",
                work=f"{count:,} points in {boxes:,} boxes",
                peer=peer,
                pieces=count,
                piece="points",
                ours_seconds=ours_seconds,
                peer_seconds=peer_seconds,
                configuration={
                    "boxes": boxes,
                    "points": count,
                    "matches_per_point": len(ours()) / count,
                    "building_seconds": building,
                },
            )


@dataclass(frozen=True)
class Workload:
    """Conjunctions of closed ranges, and events with -1 for what they lack."""

    columns: Array
    low: Array
    high: Array
    events: Array


def workload(generator: Generator, count: int, events: int, equalities: float, width: float) -> Workload:
    """Return conjunctions with ranges of mean width `width` (of the domain), and events that match at least one."""
    random = np.random.default_rng(generator.bits())
    columns = np.concatenate(
        [
            np.argsort(random.random((part, ATTRIBUTES), dtype=np.float32), axis=1)[:, :PREDICATES]
            for part in [100_000] * (count // 100_000) + [count % 100_000]
        ]
    )
    spread = random.integers(0, int(2 * width * DOMAIN) + 1, (count, PREDICATES))
    spread[random.random((count, PREDICATES)) < equalities] = 0
    low = (random.random((count, PREDICATES)) * (DOMAIN - spread)).astype(np.int64)
    made = np.full((events, ATTRIBUTES), -1, dtype=np.int64)
    for row, chosen in enumerate(random.integers(0, count, events)):
        others = np.setdiff1d(np.arange(ATTRIBUTES), columns[chosen])
        more = random.choice(others, PRESENT - PREDICATES, replace=False)
        made[row, more] = random.integers(0, DOMAIN, len(more))
        made[row, columns[chosen]] = random.integers(low[chosen], low[chosen] + spread[chosen] + 1)
    return Workload(columns, low, low + spread, made)


def conjunction_measurements(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield the PS-Tree shape: selective predicates, and ranges alone that each hold much of the domain."""
    counts = ((3_000, 256),) if quick else ((300_000, 16_384), (3_000_000, 16_384))
    for count, events in counts:
        for name, equalities, width in (("mixed", 0.3, 0.1), ("ranges", 0.0, 0.3)):
            draws = generator.fork("conjunctions", count, name)
            yield _conjunctions(workload(draws, count, events, equalities, width), name, equalities, width)


def columns_of(events: Array) -> Columns:
    """Return events as columns of integers; what an event lacks is null."""
    values = [np.ascontiguousarray(events[:, number]) for number in range(ATTRIBUTES)]
    return Columns(
        len(events),
        {f"a{number}": Column(ColumnType.INTEGER, of, of >= 0) for number, of in enumerate(values)},
    )


def conjunction_matcher(made: Workload) -> RecordMatcher[int]:
    """Return the matcher of the conjunctions."""
    matcher: RecordMatcher[int] = RecordMatcher()
    count = len(made.columns)
    names = [f"a{number}" for number in range(ATTRIBUTES)]
    start = np.arange(count + 1) * PREDICATES
    low, high = made.low.ravel().astype(np.float64), made.high.ravel().astype(np.float64)
    matcher.add_boxes(range(count), names, start, made.columns.ravel(), low, high)
    return matcher


def scan(made: Workload, events: Array) -> list[list[int]]:
    """Return the conjunctions that each event satisfies, by comparing it with all."""
    found = []
    for event in events:
        values = event[made.columns]
        found.append(np.flatnonzero(((made.low <= values) & (values <= made.high)).all(axis=1)).tolist())
    return found


def answers(matcher: RecordMatcher[int], events: Array) -> list[list[int]]:
    """Return the conjunctions that each event satisfies, by the matcher."""
    start, serials = matcher.match_columns(columns_of(events))
    return [serials[start[row] : start[row + 1]].tolist() for row in range(len(events))]


def _conjunctions(made: Workload, name: str, equalities: float, width: float) -> Measurement:
    count, events = len(made.columns), len(made.events)
    started = time.perf_counter()
    matcher = conjunction_matcher(made)
    building = time.perf_counter() - started
    scanned = made.events[:SCANNED]
    assert answers(matcher, scanned) == scan(made, scanned), "ours and the scan's answers differ"
    given = columns_of(made.events)
    matches = len(matcher.match_columns(given)[1])
    calls: tuple[tuple[Callable[[], object], float], ...] = (
        (lambda: matcher.match_columns(given), 1.0),
        # A scan takes the same time for each event; all of them would take minutes.
        (lambda: scan(made, scanned), events / SCANNED),
    )
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(3):
        for (call, scale), into in zip(calls, seconds, strict=True):
            begun = time.perf_counter()
            call()
            into.append((time.perf_counter() - begun) * scale)
    return Measurement(
        name=f"records_conjunctions_{count}_{name}",
        work=f"{events:,} events against {count:,} conjunctions ({name}; PS-Tree: {1 / PS_TREE_SECONDS:,.0f}/s at 3 M)",
        peer="a scan in NumPy",
        pieces=events,
        piece="events",
        ours_seconds=tuple(seconds[0]),
        peer_seconds=tuple(seconds[1]),
        configuration={
            "conjunctions": count,
            "attributes": ATTRIBUTES,
            "predicates": PREDICATES,
            "present": PRESENT,
            "domain": DOMAIN,
            "equalities": equalities,
            "mean_range": width,
            "events": events,
            "events_scanned": SCANNED,
            "matches_per_event": matches / events,
            "building_seconds": building,
        },
    )


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield boxes against each peer, then conjunctions."""
    yield from box_measurements(generator, quick)
    yield from conjunction_measurements(generator, quick)
