"""Which filters the items of a table match: few filters of records by Spark's own expressions, all others compiled.

The answer is one added column, an array of the matching filters' numbers, ascending. It is computed in the same pass
as whatever is done with it. Nothing is decided here about channels or subscriptions: a filter is a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from distributary.algebra.anyof import AnyOf
from distributary.algebra.box import Box
from distributary.algebra.filter import Filter
from distributary.algebra.predicate import Predicate
from distributary.algebra.sql import spark_sql
from distributary.core.errors import InputError
from distributary.core.values import Content
from distributary.matching import CompiledMatcher, read_document
from distributary.pipeline.columns import columns_of_batch
from distributary.pipeline.items import CONTENT, PATH, RESERVED, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["MANY", "MATCHES", "with_document_matches", "with_record_matches"]

#: The added column.
MATCHES = f"{RESERVED}matches"
#: More filters of records than this are matched by compiled code.
MANY = 100
_COMPILED_TYPES = {"bigint", "boolean", "double", "float", "int", "string", "timestamp"}


def with_record_matches(frame: DataFrame, filters: Sequence[Filter], column: str = MATCHES) -> DataFrame:
    """Return a table of records with the numbers of the filters that each matches.

    Up to `MANY` filters are Spark's own expressions, and no Python runs in the executors; more would be too much code
    for it, so their columns, and nothing else, go through the compiled matcher. Names must be case-sensitive in the
    session (`session.exactly`).
    """
    from pyspark.sql import functions as F

    names = sorted({name for each in filters for name in _columns_of(each)} & set(frame.columns))
    types = {frame.schema[name].dataType.simpleString() for name in names}
    if len(filters) > MANY and names and types <= _COMPILED_TYPES:
        matches = F.arrow_udf(_record_matches(tuple(filters), names), "array<int>")  # type: ignore[attr-defined]
        return frame.withColumn(column, matches(*(F.col(quoted(name)) for name in names)))
    numbers: list[Column] = [F.when(F.expr(spark_sql(each)), F.lit(number)) for number, each in enumerate(filters)]
    empty = F.array().cast("array<int>")
    return frame.withColumn(column, F.array_compact(F.array(*numbers)) if numbers else empty)


def _columns_of(wanted: Filter) -> set[str]:
    if isinstance(wanted, AnyOf):
        return set().union(*(_columns_of(member) for member in wanted.members))
    if isinstance(wanted, Box):
        return set(wanted.attributes)
    return set(wanted.columns()) if isinstance(wanted, Predicate) else set()


def _record_matches(filters: tuple[Filter, ...], names: Sequence[str]) -> Callable[..., Iterator[pa.Array]]:
    import pyarrow as pa

    def matches(batches):  # type: ignore[no-untyped-def]
        from distributary.matching.records import RecordMatcher

        matcher: RecordMatcher[int] = RecordMatcher()
        for number, each in enumerate(filters):
            matcher.add(number, each)
        for arrays in batches:
            # Spark gives a single column by itself.
            columns = list(arrays) if isinstance(arrays, tuple) else [arrays]
            start, numbers = matcher.match_columns(columns_of_batch(pa.RecordBatch.from_arrays(columns, list(names))))
            yield pa.ListArray.from_arrays(pa.array(start, pa.int32()), pa.array(numbers, pa.int32()))

    # Spark reads what kind of function it is from the annotations, as types and not as texts.
    given = pa.Array if len(names) == 1 else tuple[pa.Array, ...]
    matches.__annotations__ = {"batches": Iterator[given], "return": Iterator[pa.Array]}  # type: ignore[valid-type]
    return matches


def with_document_matches(
    frame: DataFrame,
    filters: Sequence[Filter],
    column: str = MATCHES,
    *,
    content: str = CONTENT,
    name: str | None = PATH,
    malformed: bool = False,
) -> DataFrame:
    """Return a table of XML documents with the numbers of the filters that each matches.

    Args:
        frame: Any table; its other columns are passed through.
        filters: Tree patterns, and whatever else may be asked of documents.
        column: The name of the added column.
        content: The column with the documents, binary or string; null matches nothing.
        name: The column that names a document in errors.
        malformed: Whether a document that cannot be read matches nothing; else it ends the job with `InputError`.

    Each document is parsed once. Give it the columns that are needed and no more: all of them pass through Python.
    """
    from pyspark.sql import types as T

    schema = T.StructType([*frame.schema.fields, T.StructField(column, T.ArrayType(T.IntegerType()))])
    return frame.mapInArrow(_document_matches(tuple(filters), column, content, name, malformed), schema)


def _document_matches(
    filters: tuple[Filter, ...], column: str, content: str, name: str | None, malformed: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def matches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        matcher: CompiledMatcher[int] = CompiledMatcher()
        for number, each in enumerate(filters):
            matcher.add(number, each)
        for batch in batches:
            names = batch.column(name).to_pylist() if name is not None else [None] * batch.num_rows
            found = _matched(matcher, batch.column(content).to_pylist(), names, malformed)
            yield batch.append_column(column, pa.array(found, pa.list_(pa.int32())))

    return matches


def _matched(
    matcher: CompiledMatcher[int], documents: Sequence[bytes | str | None], names: Sequence[str | None], malformed: bool
) -> list[tuple[int, ...]]:
    """Return the matches of each document; one that cannot be read has none, or ends the job with its name."""
    read: list[Content] = []
    rows: list[int] = []
    for row, (document, name) in enumerate(zip(documents, names, strict=True)):
        if document is None:
            continue
        try:
            read.append(read_document(document.encode() if isinstance(document, str) else document))
            rows.append(row)
        except InputError as error:
            if not malformed:
                raise error.at(file=name) from None
    found: list[tuple[int, ...]] = [()] * len(documents)
    for row, numbers in zip(rows, matcher.match_batch(read), strict=True):
        found[row] = numbers
    return found
