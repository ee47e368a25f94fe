"""Items as Spark reads them: record files as one table with the one inference of types, XML files as documents.

Every format is parsed by `files`, never by Spark's own readers, whose rules differ (empty cells, time zones, long
integers): what is not Parquet already is staged as Parquet, in order, in bounded memory. Parquet of plain types is
read by Spark where it lies, so data that is large should come as Parquet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from distributary.core.errors import InputError
from distributary.core.values import ColumnType, Record, Schema, Value
from distributary.files.output import room_at
from distributary.files.records import infer_schema, is_record_file, read_records
from distributary.files.text import read_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "CONTENT",
    "PATH",
    "PLACE",
    "RESERVED",
    "Items",
    "StagedItems",
    "arrow_schema",
    "load",
    "quoted",
    "spark_type",
    "stage",
]

#: The columns of documents.
PATH, CONTENT = "path", "content"
#: How the names of added columns begin; no column of a file may.
RESERVED = "__distributary_"
#: An added column: the file's name and the row in it, the same however Spark splits the files.
PLACE = f"{RESERVED}place"

_BATCH_ROWS = 65_536
_BATCH_DOCUMENTS = 256
_SPARK_TYPES = {
    ColumnType.INTEGER: "bigint",
    ColumnType.DOUBLE: "double",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.TIMESTAMP: "timestamp",
    ColumnType.STRING: "string",
}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class StagedItems:
    """Items in Parquet files. `schema` is None for documents, which have the columns `PATH` and `CONTENT`."""

    files: tuple[str, ...]
    schema: Schema | None
    #: Whether the files are the user's own, whose columns may have narrower types.
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A stream at rest as Spark sees it: its columns and `PLACE`; `schema` as in `StagedItems`."""

    frame: DataFrame
    schema: Schema | None


def spark_type(column: ColumnType) -> str:
    """Return Spark's name of a column's type."""
    return _SPARK_TYPES[column]


def quoted(name: str) -> str:
    """Return a column's name as Spark SQL writes it.

    >>> quoted("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def stage(path: str, staging: Path) -> StagedItems:
    """Return the items of a record file or an XML file, of a folder of either, or of standard input (`-`).

    `staging` is an empty folder that Spark's executors see; what is written there must outlive every frame. A file
    that cannot be read and a folder that holds both kinds or neither are `InputError`s.
    """
    paths, documents = _paths(path)
    target = staging / "items.parquet"
    if documents:
        _stage_documents(paths, Path(path), target)
        return StagedItems((str(target.absolute()),), None)
    if len(paths) == 1:
        source = read_records(paths[0])
        sources, schema = [source], _checked(source.schema, path)
    else:
        schema = _checked(infer_schema(paths), path)
        sources = [read_records(each, schema=schema, strict=False) for each in paths]
    if all(_is_plain_parquet(each) for each in paths):
        return StagedItems(tuple(str(Path(each).absolute()) for each in paths), schema, foreign=True)
    names = list(schema)

    def columns(records: list[Record]) -> list[list[Value]]:
        return [[record.get(name) for record in records] for name in names]

    rows = (record for source in sources for record in source)
    _write(target, rows, columns, arrow_schema(schema), _BATCH_ROWS, path)
    return StagedItems((str(target.absolute()),), schema)


def load(spark: SparkSession, staged: StagedItems) -> Items:
    """Return staged items as Spark reads them; nothing is read yet."""
    if staged.schema is None:
        return Items(_placed(spark, staged.files, f"{PATH} string, {CONTENT} binary"), None)
    types = {name: spark_type(column) for name, column in staged.schema.items()}
    if not staged.foreign:
        ddl = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        return Items(_placed(spark, staged.files, ddl), staged.schema)
    # A file that lacks a column has nulls there.
    frame = _placed(spark, staged.files, None, merged=len(staged.files) > 1)
    casts = [f"cast({quoted(name)} as {kind}) as {quoted(name)}" for name, kind in types.items()]
    return Items(frame.selectExpr(*casts, PLACE), staged.schema)


def arrow_schema(schema: Schema | None) -> pa.Schema:
    """Return the Arrow columns of records, or of documents for None."""
    import pyarrow as pa

    if schema is None:
        return pa.schema([(PATH, pa.string()), (CONTENT, pa.binary())])
    kinds = {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.DOUBLE: pa.float64(),
        ColumnType.BOOLEAN: pa.bool_(),
        ColumnType.TIMESTAMP: pa.timestamp("us", tz="UTC"),
        ColumnType.STRING: pa.string(),
    }
    return pa.schema([(name, kinds[column]) for name, column in schema.items()])


def _paths(path: str) -> tuple[list[str], bool]:
    """Return the files that a path stands for, in order, and whether they are documents."""
    folder = Path(path)
    if path == "-" or not folder.is_dir():
        return [path], folder.suffix.lower() == ".xml"
    files = sorted(each for each in folder.rglob("*") if each.is_file() and not _is_hidden(each.relative_to(folder)))
    documents = [str(each) for each in files if each.suffix.lower() == ".xml"]
    records = [str(each) for each in files if is_record_file(str(each))]
    if documents and records:
        raise InputError("holds XML documents and records; they cannot be one stream", file=path)
    if not documents and not records:
        raise InputError("holds no .xml, .json, .jsonl, .csv or .parquet file", file=path)
    return documents or records, bool(documents)


def _is_hidden(path: Path) -> bool:
    # Spark's and Hadoop's own markers start so.
    return any(part.startswith((".", "_")) for part in path.parts)


def _placed(spark: SparkSession, paths: Sequence[str], ddl: str | None, *, merged: bool = False) -> DataFrame:
    reader = spark.read.option("mergeSchema", merged) if ddl is None else spark.read.schema(ddl)
    place = f"struct(_metadata.file_name as file, _metadata.row_index as row) as {PLACE}"
    # Not a glob: a path may hold brackets and stars of its own.
    return reader.parquet(*map(_literal, paths)).selectExpr("*", place)


def _literal(path: str) -> str:
    """Return a path that Hadoop does not take for a pattern."""
    return "".join(f"\\{letter}" if letter in "{}[]*?\\" else letter for letter in path)


def _is_plain_parquet(path: str) -> bool:
    """Tell whether Spark reads a file's columns as `files` does: no decimals, dates, nesting, bytes or nanoseconds."""
    if Path(path).suffix.lower() != ".parquet":
        return False
    import pyarrow.parquet as pq
    import pyarrow.types as kinds

    def plain(arrow: Any) -> bool:
        return (
            (kinds.is_integer(arrow) and not kinds.is_uint64(arrow))
            or kinds.is_float32(arrow)
            or kinds.is_float64(arrow)
            or kinds.is_boolean(arrow)
            or kinds.is_string(arrow)
            or (kinds.is_timestamp(arrow) and arrow.unit != "ns" and arrow.tz is not None)
        )

    return all(plain(field.type) for field in pq.read_schema(path))


def _checked(schema: Schema, path: str) -> Schema:
    if not schema:
        raise InputError("has no columns", file=path)
    for name in schema:
        if name.startswith(RESERVED):
            raise InputError(f"no column's name may begin with {RESERVED}", file=path, field=name)
    return schema


def _stage_documents(paths: Sequence[str], root: Path, target: Path) -> None:
    base = root if root.is_dir() else root.parent
    rows = ((str(Path(path).relative_to(base)), read_bytes(path)) for path in paths)
    columns = partial(_transposed, width=2)
    _write(target, rows, columns, arrow_schema(None), _BATCH_DOCUMENTS, str(root))


def _transposed(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [[row[index] for row in rows] for index in range(width)]


def _write(
    target: Path,
    rows: Iterable[_T],
    columns: Callable[[list[_T]], Iterable[Sequence[Any]]],
    schema: pa.Schema,
    batch_rows: int,
    path: str,
) -> None:
    """Write rows as one Parquet file, a batch in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with room_at(target.parent), pq.ParquetWriter(target, schema) as writer:
        for batch in _batches(rows, batch_rows):
            try:
                arrays = [pa.array(cells, kind) for cells, kind in zip(columns(batch), schema.types, strict=True)]
            except (pa.ArrowException, UnicodeError) as error:
                raise InputError(f"holds a value that no column can hold: {error}", file=path) from None
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _batches(rows: Iterable[_T], size: int) -> Iterator[list[_T]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
