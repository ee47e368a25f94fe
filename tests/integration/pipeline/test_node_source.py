"""The data source against a node: tables and streams are published once and read whole, over restarts too."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from distributary.client import Client
from distributary.core.errors import InputError
from distributary.pipeline import register
from distributary.pipeline.session import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def registered(spark: SparkSession) -> SparkSession:
    register(spark)
    return spark


def publish(table: DataFrame, node: str, stream: str, **options: object) -> None:
    writer = table.write.format("distributary").mode("append").option("node", node).option("stream", stream)
    writer.options(**{name: str(value) for name, value in options.items()}).save()


def read(spark: SparkSession, node: str, stream: str, **options: str) -> DataFrame:
    return spark.read.format("distributary").option("node", node).option("stream", stream).options(**options).load()


def items(table: DataFrame) -> list[dict[str, Any]]:
    return [json.loads(row["item"]) for row in table.orderBy("seq").collect()]


def wait_for(query: StreamingQuery, condition: Any) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert query.exception() is None, query.exception()
        assert time.monotonic() < deadline, query.lastProgress
        time.sleep(0.2)


def test_table_is_published_once_however_often_the_job_runs(registered: SparkSession, node: str) -> None:
    table = registered.range(0, 300, numPartitions=3).selectExpr("id", "id / 10.0D as mag")
    for _ in range(2):
        publish(table, node, "quakes", key="nightly", batchRows=40)
    found = items(read(registered, node, "quakes"))
    assert sorted(row["id"] for row in found) == list(range(300))
    assert found[0].keys() == {"id", "mag"}
    strong = read(registered, node, "quakes", where="mag >= 29.5", idle="1s")
    assert sorted(row["id"] for row in items(strong)) == [295, 296, 297, 298, 299]
    own = registered.read.format("distributary").schema("mag double, id bigint, none string")
    rows = own.option("node", node).option("stream", "quakes").option("after", 290).load().collect()
    assert len(rows) == 10
    assert all(row["none"] is None and row["mag"] == row["id"] / 10 for row in rows)


def test_job_with_other_rows_under_the_same_key_is_refused(registered: SparkSession, node: str) -> None:
    publish(registered.range(3), node, "quakes", key="nightly")
    with pytest.raises(InputError, match="another body"), spark_errors():
        publish(registered.range(4), node, "quakes", key="nightly")
    assert read(registered, node, "quakes").count() == 3


def test_documents_are_published_as_they_are(registered: SparkSession, node: str) -> None:
    rows = [("application/xml", "<alert><a/></alert>"), ("application/xml", "<other/>")]
    publish(registered.createDataFrame(rows, "content_type string, item string").coalesce(1), node, "alerts")
    found = read(registered, node, "alerts", xpath="/alert", idle="1s").collect()
    assert [(row["content_type"], row["item"], row["data"]) for row in found] == [
        ("application/xml", "<alert><a/></alert>", None)
    ]


def test_stream_is_copied_without_loss_or_doubles_over_a_lost_commit(
    registered: SparkSession, node: str, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"

    def copying() -> StreamingQuery:
        source = registered.readStream.format("distributary").option("node", node).option("stream", "quakes")
        sink = source.option("where", "mag >= 1").load().select("content_type", "item").writeStream
        sink = sink.format("distributary").option("node", node).option("stream", "copy")
        return sink.option("checkpointLocation", str(checkpoint)).start()

    def copied(count: int) -> bool:
        """Tell whether so many items are in the copy, and their batches are committed, however many there were."""
        heads = [found.head for tree in client.status().trees for found in tree.streams if found.stream == "copy"]
        return max(heads, default=0) >= count and names("offsets") == names("commits")

    def names(log: str) -> list[str]:
        return sorted((path.name for path in (checkpoint / log).glob("[0-9]*")), key=int)

    with Client(node) as client:
        client.publish_many("quakes", [{"id": number, "mag": number % 3} for number in range(90)])
        query = copying()
        wait_for(query, lambda: copied(60))
        query.stop()
        # As if the process had died after the sink and before Spark noted it: the last batch is done once more.
        last = names("commits")[-1]
        for name in (last, f".{last}.crc"):
            (checkpoint / "commits" / name).unlink(missing_ok=True)
        query = copying()
        wait_for(query, lambda: (checkpoint / "commits" / last).exists())
        client.publish_many("quakes", [{"id": number, "mag": 2} for number in range(90, 100)])
        wait_for(query, lambda: copied(70))
        query.stop()
    wanted = [number for number in range(90) if number % 3 >= 1] + list(range(90, 100))
    assert [row["id"] for row in items(read(registered, node, "copy"))] == wanted


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"stream": "a b"}, "a b"),
        ({"streem": "quakes"}, "streem"),
        ({"where": "mag >"}, "where"),
        ({"after": "soon"}, "after"),
    ],
)
def test_options_that_make_no_sense_end_in_one_line(
    registered: SparkSession, node: str, options: dict[str, str], told: str
) -> None:
    with Client(node) as client:
        client.publish("quakes", {"mag": 1})
    reader = registered.read.format("distributary").options(**{"node": node, "stream": "quakes", **options})
    with pytest.raises(Exception, match=told) as raised, spark_errors():
        reader.load().collect()
    assert "\n" not in str(raised.value)
