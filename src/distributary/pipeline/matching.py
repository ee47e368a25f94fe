"""Which filters the items of a table match: for records by Spark's own expressions, for documents by the matcher.

The answer is one added column, an array of the matching filters' numbers, ascending. It is computed in the same pass
as whatever is done with it. Nothing is decided here about channels or subscriptions: a filter is a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from distributary.algebra.filter import Filter
from distributary.algebra.sql import spark_sql
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.matching.reference import ReferenceMatcher
from distributary.pipeline.items import CONTENT, PATH, RESERVED

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["MATCHES", "with_document_matches", "with_record_matches"]

#: The added column.
MATCHES = f"{RESERVED}matches"


def with_record_matches(frame: DataFrame, filters: Sequence[Filter], column: str = MATCHES) -> DataFrame:
    """Return a table of records with the numbers of the filters that each matches; no Python runs in the executors.

    Names must be case-sensitive in the session (`session.exactly`).
    """
    from pyspark.sql import functions as F

    numbers: list[Column] = [F.when(F.expr(spark_sql(each)), F.lit(number)) for number, each in enumerate(filters)]
    empty = F.array().cast("array<int>")
    return frame.withColumn(column, F.array_compact(F.array(*numbers)) if numbers else empty)


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

        matcher: ReferenceMatcher[int] = ReferenceMatcher()
        for number, each in enumerate(filters):
            matcher.add(number, each)
        for batch in batches:
            names = batch.column(name).to_pylist() if name is not None else [None] * batch.num_rows
            found = [
                _matched(matcher, document.as_py(), title, malformed)
                for document, title in zip(batch.column(content), names, strict=True)
            ]
            yield batch.append_column(column, pa.array(found, pa.list_(pa.int32())))

    return matches


def _matched(
    matcher: ReferenceMatcher[int], document: bytes | str | None, title: str | None, malformed: bool
) -> tuple[int, ...]:
    if document is None:
        return ()
    try:
        return matcher.match(parse_xml(document.encode() if isinstance(document, str) else document))
    except InputError as error:
        if malformed:
            return ()
        raise error.at(file=title) from None
