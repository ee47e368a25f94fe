"""Statistics of a stream of records, by Spark: counts over all rows, and a uniform sample that depends on a seed.

The sample is taken by a hash of the seed and the row's place, so it is the same however many cores split the work.
Histograms are cut by the sample and not by Spark's approximate percentiles, which depend on the order in which tasks
end; the one over all numeric columns together has exact counts. Sizes of filters are estimated from the sample and
that histogram; nothing here plans.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from distributary.algebra.histogram import Splits
from distributary.algebra.sample import Sample
from distributary.algebra.stratified import StratifiedSample
from distributary.core.errors import InputError
from distributary.core.values import ColumnType, Record, Schema, Value
from distributary.files.json_text import decode_json
from distributary.files.output import write_whole
from distributary.files.text import decoded, read_bytes
from distributary.pipeline.cells import Cell, cell_of, value_of
from distributary.pipeline.histogram import LEAF, LeafProfile, leaf_of, leaves_of, numeric_columns, splits_of
from distributary.pipeline.items import PLACE, RESERVED, Items, arrow_schema, load, quoted, stage

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["HISTOGRAM_BINS", "SAMPLE_ROWS", "ColumnProfile", "Profile", "profile", "profile_file", "read_profile"]

#: How many rows are kept at most, and how many parts of equal count a histogram has.
SAMPLE_ROWS = 4096
HISTOGRAM_BINS = 32

_HASH = f"{RESERVED}hash"
_ORDERED = (ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.TIMESTAMP)


class ColumnProfile(msgspec.Struct, frozen=True):
    """One column. `minimum` and `maximum` leave NaN out; `histogram` has the edges of parts of equal count."""

    name: str
    type: ColumnType
    #: Fractions of all rows.
    nulls: float
    not_a_number: float
    minimum: Cell
    maximum: Cell
    histogram: tuple[Cell, ...]


class Profile(msgspec.Struct, frozen=True):
    """What is known of a stream: exact counts, and a sample of its rows, column by column."""

    rows: int
    seed: int
    #: Mean length of a row as a line of JSON, without nulls.
    mean_row_bytes: float
    columns: tuple[ColumnProfile, ...]
    sample: dict[str, tuple[Cell, ...]]
    #: The leaves of the histogram over all numeric columns together.
    leaves: LeafProfile

    @property
    def schema(self) -> Schema:
        """The columns."""
        return {column.name: column.type for column in self.columns}

    def records(self) -> list[Record]:
        """Return the rows of the sample."""
        cells = [[value_of(cell, column.type) for cell in self.sample[column.name]] for column in self.columns]
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]

    def statistics(self) -> StratifiedSample:
        """Return what estimates sizes of filters, in rows of the whole stream."""
        # A stream without rows has no sample: everything has size 0.
        sample = Sample(self.records() or [{}], float(self.rows))
        return StratifiedSample(sample, self.leaves.histogram(), self.leaves.of_sample())

    def encoded(self) -> bytes:
        """Return the profile as its file holds it."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def profile(items: Items, *, seed: int = 0, sample_rows: int = SAMPLE_ROWS) -> Profile:
    """Return the profile of records, in two passes over them: one draws the sample, one counts.

    Raises `InputError` for documents: their statistics are another kind (`algebra.summary`).
    """
    if items.schema is None:
        raise InputError("profiles are of records; these are XML documents")
    table = _sample(items, items.schema, seed, sample_rows)
    sample = {name: table.column(index).to_pylist() for index, name in enumerate(items.schema)}
    splits = splits_of(items.schema, sample)
    leaves = _counts(items, items.schema, splits)
    counted = _totals(leaves, items.schema)
    rows = counted["rows"]
    return Profile(
        rows,
        seed,
        counted["bytes"] / rows if rows else 0.0,
        tuple(
            _column(name, column, counted, index, sample[name])
            for index, (name, column) in enumerate(items.schema.items())
        ),
        {name: tuple(map(cell_of, values)) for name, values in sample.items()},
        leaves_of(items.schema, sample, splits, leaves),
    )


def read_profile(path: str) -> Profile:
    """Return the profile that a file holds, or raise `InputError` that names it."""
    try:
        found = msgspec.convert(decode_json(decoded(read_bytes(path))), Profile)
        found.statistics()
        if sum(found.leaves.rows) != found.rows:
            raise InputError("does not add up to the number of rows", field="leaves")
    except InputError as error:
        raise error.at(file=path) from None
    except (msgspec.ValidationError, ValueError, KeyError, OverflowError) as error:
        raise InputError(f"is not a profile as `distributary profile` writes it: {error}", file=path) from None
    return found


def _counts(items: Items, schema: Schema, splits: Splits) -> list[Mapping[str, Any]]:
    """Count rows, bytes, nulls and NaN, and find the ends of every column, leaf by leaf, in one pass."""
    from pyspark.sql import functions as F

    values = [quoted(name) for name in schema]
    wanted = [
        F.count(F.lit(1)).alias("rows"),
        F.expr(f"coalesce(sum(octet_length(to_json(struct({', '.join(values)})))), 0)").alias("bytes"),
    ]
    for index, (name, column) in enumerate(schema.items()):
        value = quoted(name)
        number = f"nanvl({value}, cast(null as double))" if column is ColumnType.DOUBLE else value
        wanted.append(F.expr(f"count({value})").alias(f"present_{index}"))
        wanted.append(F.expr(f"min({number})").alias(f"minimum_{index}"))
        wanted.append(F.expr(f"max({number})").alias(f"maximum_{index}"))
        wanted.append(F.expr(f"count({number})").alias(f"numbers_{index}"))
    leaf = f"{leaf_of(splits, numeric_columns(schema))} as {LEAF}"
    grouped = items.frame.selectExpr(*values, leaf).groupBy(LEAF).agg(*wanted)
    # Through Arrow: it carries instants, where rows would carry the local time of this machine.
    return sorted(grouped.toArrow().to_pylist(), key=lambda counted: int(counted[LEAF]))


def _totals(leaves: Sequence[Mapping[str, Any]], schema: Schema) -> dict[str, Any]:
    """Return what was counted, over all leaves."""

    def found(key: str) -> list[Any]:
        return [leaf[key] for leaf in leaves if leaf[key] is not None]

    totals: dict[str, Any] = {"rows": sum(found("rows")), "bytes": sum(found("bytes"))}
    for index in range(len(schema)):
        totals[f"present_{index}"] = sum(found(f"present_{index}"))
        totals[f"numbers_{index}"] = sum(found(f"numbers_{index}"))
        totals[f"minimum_{index}"] = min(found(f"minimum_{index}"), default=None)
        totals[f"maximum_{index}"] = max(found(f"maximum_{index}"), default=None)
    return totals


def _sample(items: Items, schema: Schema, seed: int, rows: int) -> pa.Table:
    hashed = f"xxhash64({seed}L, {PLACE}.file, {PLACE}.row)"
    drawn = items.frame.selectExpr(*map(quoted, schema), PLACE, f"{hashed} as {_HASH}")
    return drawn.orderBy(_HASH, PLACE).limit(rows).drop(_HASH, PLACE).toArrow().cast(arrow_schema(schema))


def _column(
    name: str, column: ColumnType, counted: Mapping[str, Any], index: int, sampled: Sequence[Value]
) -> ColumnProfile:
    rows = max(1, counted["rows"])
    present, numbers = counted[f"present_{index}"], counted[f"numbers_{index}"]
    return ColumnProfile(
        name,
        column,
        nulls=(counted["rows"] - present) / rows,
        not_a_number=(present - numbers) / rows,
        minimum=cell_of(counted[f"minimum_{index}"]),
        maximum=cell_of(counted[f"maximum_{index}"]),
        histogram=_histogram(sampled) if column in _ORDERED else (),
    )


def _histogram(sampled: Sequence[Value]) -> tuple[Cell, ...]:
    """Return the edges of parts that hold equal counts of the sampled values, from least to greatest."""
    values: list[Any] = [value for value in sampled if value is not None and value == value]
    if not values:
        return ()
    values.sort()
    return tuple(
        cell_of(values[round(part * (len(values) - 1) / HISTOGRAM_BINS)]) for part in range(HISTOGRAM_BINS + 1)
    )


def profile_file(
    session: Callable[[], AbstractContextManager[SparkSession]],
    items: str,
    out: str,
    *,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
) -> Profile:
    """Profile a file or folder of records and write the profile, whole; Spark starts when all else has been checked.

    What Spark reads is staged in a folder beside `out`, which its executors must see.
    """
    place = Path(os.path.abspath(out))
    if place.is_dir() or not place.parent.is_dir():
        raise InputError("is a folder" if place.is_dir() else "its folder does not exist", file=out)
    try:
        staging = tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.", suffix=".partial")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from None
    with staging as folder:
        step("reading")
        staged = stage(items, Path(folder))
        if staged.schema is None:
            raise InputError("holds XML documents; a profile is of records", file=items)
        step("starting Spark")
        with session() as spark:
            step("profiling")
            found = profile(load(spark, staged), seed=seed)
    write_whole(place, found.encoded())
    return found
