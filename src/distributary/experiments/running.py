"""Spreading the samples of a study with Spark. The rows do not depend on partitions, machines or their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from distributary.core.errors import InputError
from distributary.experiments.catalogue import study_of
from distributary.experiments.study import Study, seed_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["check_samples", "sampled"]


def check_samples(samples: int) -> None:
    """Raise `InputError` unless at least one sample is asked for."""
    if samples < 1:
        raise InputError(f"must be at least 1, not {samples}", field="--samples")


def sampled(spark: SparkSession, study: Study, samples: int, seed: int, partitions: int | None = None) -> pa.Table:
    """Return the rows of a study: the point's parameters, the sample's number, the measures; ordered by these.

    Args:
        spark: Where samples are drawn; its workers have this package.
        study: One of the catalogue: workers find it there by its name.
        samples: How many at each point.
        seed: The seed of all of them.
        partitions: Into how many tasks they are split; by default as many as there are cores.
    """
    check_samples(samples)
    total = samples * len(study.points)
    columns = ", ".join(["place long", "sample long", *(f"`{measure}` double" for measure in study.measures)])
    numbers = spark.range(0, total, 1, partitions) if partitions else spark.range(total)
    drawn = numbers.mapInArrow(_sampler(study.name, seed), columns).toArrow()
    return _with_parameters(study, drawn.sort_by([("place", "ascending"), ("sample", "ascending")]).combine_chunks())


def _sampler(name: str, seed: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what turns numbers into samples in a worker.

    Neighbouring numbers are at different points, so that every task has its share of the slow ones.
    """

    def draw(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        study = study_of(name)
        for batch in batches:
            rows = []
            for number in batch.column(0).to_pylist():
                sample, place = divmod(number, len(study.points))
                point = study.points[place]
                measured = study.sample(point, seed_of(study, point, sample, seed))
                assert tuple(measured) == study.measures, (name, tuple(measured))
                rows.append({"place": place, "sample": sample, **measured})
            fields = [("place", pa.int64()), ("sample", pa.int64()), *((each, pa.float64()) for each in study.measures)]
            yield pa.RecordBatch.from_pylist(rows, schema=pa.schema(fields))

    return draw


def _with_parameters(study: Study, drawn: pa.Table) -> pa.Table:
    import pyarrow as pa

    columns = {}
    for parameter, example in study.points[0].items():
        values = [study.points[place][parameter] for place in drawn.column("place").to_pylist()]
        columns[parameter] = pa.array(values, pa.string() if isinstance(example, str) else pa.float64())
    columns |= {name: drawn.column(name) for name in ("sample", *study.measures)}
    return pa.table(columns)
