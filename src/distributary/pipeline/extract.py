"""What a subscriber keeps of its channel: from the files of a routed folder, or of any table in Spark.

The files are read with pyarrow and tested with the algebra's own matcher, the reference for all others; no Spark is
started and none is needed.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributary.algebra.parse import filter_of, filter_of_subscription
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError, MissingExtra
from distributary.core.subscriptions import Subscription, subscription_of
from distributary.core.values import ColumnType, Schema
from distributary.pipeline.cells import Cell, cell_of
from distributary.pipeline.plan_file import PLAN, RoutePlan, channel_folder, read_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["answer", "extract", "schema_of"]

#: Spark's names of the types that filters know.
_COLUMN_TYPES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ColumnType.INTEGER),
    **dict.fromkeys(("float", "double"), ColumnType.DOUBLE),
    "boolean": ColumnType.BOOLEAN,
    "timestamp": ColumnType.TIMESTAMP,
    "string": ColumnType.STRING,
}


def answer(folder: str, subscription: str) -> Iterator[dict[str, Cell]]:
    """Yield what a subscription keeps of a routed folder, in the items' order, as JSON can hold it.

    A record has the columns that were asked for, nulls included. A document has its `path` and its text as `item`,
    or as base64 under `data` when it is not UTF-8. Raises `InputError` for a folder that is no result of `route` and
    for an id that is not in it; both before anything is yielded.
    """
    plan = read_plan(folder)
    if subscription not in plan.extractors:
        raise InputError(f"there is no subscription {subscription!r} in {folder}", field="--subscription")
    return _answer(Path(folder), plan, subscription)


def _answer(folder: Path, plan: RoutePlan, subscription: str) -> Iterator[dict[str, Cell]]:
    extractor = plan.extractors[subscription]
    try:
        wanted = filter_of(extractor.filter)
    except InputError as error:
        raise error.at(file=str(folder / PLAN), field="extractors") from None
    fields = extractor.fields
    columns = {"path", "content"} if plan.schema is None else set(plan.schema)
    for row in _rows(channel_folder(folder, extractor.channel), columns):
        if plan.schema is None:
            if wanted.matches(parse_xml(row["content"])):
                yield _document(row)
        elif wanted.matches(row):
            yield {name: cell_of(row[name]) for name in fields or row}


def _rows(folder: Path, columns: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a channel's files, one batch in memory at a time; a file without the columns is refused."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("pyarrow", "spark") from None
    for path in sorted(folder.glob("part-*.parquet")):
        try:
            file = pq.ParquetFile(path)
            lacking = sorted(columns.difference(file.schema_arrow.names))
            if lacking:
                raise InputError(f"has no column {lacking[0]!r}", file=str(path))
            for batch in file.iter_batches(batch_size=8192):
                yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"is damaged: {error}", file=str(path)) from None


def _document(row: dict[str, Any]) -> dict[str, Cell]:
    try:
        return {"path": row["path"], "item": row["content"].decode()}
    except UnicodeDecodeError:
        return {"path": row["path"], "data": b64encode(row["content"]).decode()}


def extract(df: DataFrame, subscription: Subscription | dict[str, Any]) -> DataFrame:
    """Return what a subscription keeps of a table of records, as a table: its rows, then its fields.

    The table may be a whole stream or a channel of it. Names are compared as the session does; `session.exactly`
    makes them case-sensitive. Raises `InputError` for a column that is not there and for an `xpath`.
    """
    from distributary.algebra.sql import spark_sql
    from distributary.pipeline.items import quoted

    wanted = subscription_of(subscription) if isinstance(subscription, dict) else subscription
    if wanted.xpath is not None:
        raise InputError("is of documents; `matching.with_document_matches` evaluates it", field="xpath")
    schema = schema_of(df)
    condition = filter_of_subscription(wanted, schema)
    for name in wanted.fields or ():
        if name not in df.columns:
            raise InputError(f"there is no column {name!r}; there are {', '.join(df.columns)}", field="fields")
    kept = df.filter(spark_sql(condition))
    return kept.select(*map(quoted, wanted.fields)) if wanted.fields else kept


def schema_of(df: DataFrame) -> Schema:
    """Return the columns of a table that filters can look at."""
    kinds = {field.name: field.dataType.simpleString() for field in df.schema.fields}
    return {name: _COLUMN_TYPES[kind] for name, kind in kinds.items() if kind in _COLUMN_TYPES}
