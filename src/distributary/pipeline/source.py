"""The data source `distributary` for Spark: publishes tables and streams to a node, and subscribes to streams there.

Importing this module imports pyspark; `distributary.pipeline.register` does that. The classes are those that Spark's
interface asks for; what they do is in `publishing` and `subscribing`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamArrowWriter,
    InputPartition,
    SimpleDataSourceStreamReader,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from distributary.core.errors import InputError
from distributary.pipeline.publishing import publish_rows
from distributary.pipeline.source_options import SourceOptions, source_options
from distributary.pipeline.source_rows import ENVELOPE, RowMaker
from distributary.pipeline.subscribing import Follower, events_between, head_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DistributarySource"]

#: A streaming batch has at most this many items, and waits this long for the first.
_BATCH_ITEMS = 10_000
_WAIT_SECONDS = 0.5


class DistributarySource(DataSource):
    """`format("distributary")`; the options are those of `source_options`."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `format`."""
        return "distributary"

    def schema(self) -> str:
        """Return the columns of items as they come; with `.schema(…)` records come as the user's own columns."""
        return ENVELOPE

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of what is retained now."""
        return NodeReader(source_options(self.options), RowMaker(schema))

    def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:  # noqa: N802 - Spark's name
        """Return the reader of a stream without end."""
        return NodeStreamReader(source_options(self.options), RowMaker(schema))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Return the writer of a table."""
        _check_append(overwrite)
        options = source_options(self.options)
        return NodeWriter(options, options.key or str(uuid.uuid4()))

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802 - Spark's name
        """Return the writer of a streaming query."""
        _check_append(overwrite)
        return NodeStreamWriter(source_options(self.options))


def _check_append(overwrite: bool) -> None:
    if overwrite:
        raise InputError("what is published stays: use mode append", field="mode")


@dataclass(frozen=True)
class _Span(InputPartition):
    after: int
    upto: int


class NodeReader(DataSourceReader):
    """Reads what is retained when the query is planned, in one task: a stream has one order."""

    def __init__(self, options: SourceOptions, rows: RowMaker) -> None:
        self._options = options
        self._rows = rows

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition that ends where the stream ends now."""
        return [_Span(self._options.after, head_of(self._options))]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Yield the rows."""
        assert isinstance(partition, _Span)
        return map(self._rows.row, events_between(self._options, partition.after, partition.upto))


class NodeStreamReader(SimpleDataSourceStreamReader):
    """Reads a stream; offsets are sequence numbers, so a restart from a checkpoint loses and repeats nothing."""

    def __init__(self, options: SourceOptions, rows: RowMaker) -> None:
        self._options = options
        self._rows = rows
        #: The subscription that is read from, if its place is the one that is asked for.
        self._follower: Follower | None = None

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
        """Return the place after which a new query starts."""
        return {"seq": self._options.after}

    def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[Any, ...]], dict[str, int]]:
        """Return what has arrived after `start`, and where it ends."""
        if self._follower is None or self._follower.seq != start["seq"]:
            if self._follower is not None:
                self._follower.close()
            self._follower = Follower(self._options, start["seq"])
        try:
            events = self._follower.take(_BATCH_ITEMS, _WAIT_SECONDS)
        except Exception:
            self._follower.close()
            self._follower = None
            raise
        return map(self._rows.row, events), {"seq": self._follower.seq}

    def readBetweenOffsets(self, start: dict[str, int], end: dict[str, int]) -> Iterator[tuple[Any, ...]]:  # noqa: N802 - Spark's name
        """Yield a batch once more."""
        return map(self._rows.row, events_between(self._options, start["seq"], end["seq"], replay=True))


@dataclass
class _Published(WriterCommitMessage):
    rows: int


class NodeWriter(DataSourceArrowWriter):
    """Publishes a table. There is nothing to commit: what a task published is published."""

    def __init__(self, options: SourceOptions, job: str) -> None:
        self._options = options
        self._job = job

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Publish the rows of a partition."""
        context = TaskContext.get()
        assert context is not None
        return _Published(publish_rows(self._options, _rows(iterator), f"{self._job}-{context.partitionId()}"))


class NodeStreamWriter(DataSourceStreamArrowWriter):
    """Publishes a streaming query; the query's id and the batch's number make a repeated batch harmless."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Publish the rows of a partition of a batch."""
        context = TaskContext.get()
        assert context is not None
        query = context.getLocalProperty("sql.streaming.queryId")
        batch = context.getLocalProperty("streaming.sql.batchId")
        assert query is not None, "Spark names no query"
        assert batch is not None, "Spark names no batch"
        return _Published(publish_rows(self._options, _rows(iterator), f"{query}-{batch}-{context.partitionId()}"))


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist(maps_as_pydicts="strict")
