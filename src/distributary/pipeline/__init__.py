"""The PySpark pipeline: profile, route and extract a stream at rest; publish and subscribe from Spark programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distributary.client.exchange import require_httpx
from distributary.pipeline.session import needs_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]


def register(spark: SparkSession) -> None:
    """Make the data source `distributary` known to a session.

    `df.writeStream.format("distributary").option("node", URL).option("stream", NAME)` publishes then, and
    `spark.readStream.format("distributary")` with the same options, and `where` or `xpath`, subscribes. Its other
    options are those of `source_options.SourceOptions`.
    """
    needs_spark()
    require_httpx()
    from distributary.pipeline.source import DistributarySource

    spark.dataSource.register(DistributarySource)
