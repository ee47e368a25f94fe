"""A study's result as a folder: the rows, the claims, the charts; and the whole way from a name to that folder.

Studies that measure the same samples are computed once: the folder of one holds the results of the others too, each
whole in a folder of its own name.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from distributary.core.errors import InputError, MissingExtra
from distributary.experiments.catalogue import of_the_same_rows, study_of
from distributary.experiments.running import check_samples, sampled
from distributary.experiments.study import Claim, Sampled, Study
from distributary.files.output import write_whole
from distributary.pipeline.folder import whole_folder

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["CLAIMS", "ROWS", "StudyResult", "points_of", "redraw", "run"]

ROWS = "rows.parquet"
#: Also the mark by which a folder is known as a result.
CLAIMS = "claims.json"
_KINDS = ("svg", "png")


class StudyResult(msgspec.Struct, frozen=True):
    """What `claims.json` holds; the same seed gives the same bytes."""

    study: str
    title: str
    seed: int
    samples: int
    claims: tuple[Claim, ...]


def run(
    name: str,
    target: str,
    opened: Callable[[], AbstractContextManager[SparkSession]],
    *,
    samples: int | None,
    seed: int,
    overwrite: bool,
    step: Callable[[str], None],
) -> StudyResult:
    """Run a study and make its folder, whole or not at all; `opened` gives the session when it is needed.

    The results of the studies with the same rows are folders inside, as `run` would make them elsewhere.

    `InputError` for an unknown name, too few samples or a folder that cannot be made, before anything is computed.
    """
    study = study_of(name)
    count = study.samples if samples is None else samples
    check_samples(count)
    _needs_packages()
    with whole_folder(target, overwrite=overwrite, mark=CLAIMS) as folder:
        step("starting Spark")
        with opened() as spark:
            step(f"{count} samples at each of {len(study.points)} points")
            rows = sampled(spark, study, count, seed)
        step("drawing")
        result = _write(study, rows, count, seed, folder)
        for other in of_the_same_rows(study):
            inner = folder / other.name.rpartition("/")[2]
            inner.mkdir()
            _write(other, rows, count, seed, inner)
    return result


def redraw(name: str, target: str) -> list[Path]:
    """Draw a study's charts again from the rows in its folder, and return their files."""
    study = study_of(name)
    _needs_packages()
    folder = Path(target)
    try:
        held = msgspec.json.decode((folder / CLAIMS).read_bytes(), type=StudyResult)
    except (OSError, msgspec.DecodeError):
        raise InputError(f"holds no {CLAIMS} of a study; `experiment run` makes it", file=target) from None
    if held.study != study.name:
        raise InputError(f"is a result of {held.study}, not of {study.name}", file=target)
    return _draw(study, points_of(study, _read_rows(study, folder / ROWS)), folder)


def points_of(study: Study, rows: pa.Table) -> list[Sampled]:
    """Return the points of a study with their samples; a point without one has none of any measure."""
    columns = {name: rows.column(name).to_pylist() for name in (*study.points[0], *study.measures)}
    places: dict[tuple[str | float, ...], list[int]] = {}
    for place, key in enumerate(zip(*(columns[name] for name in study.points[0]), strict=True)):
        places.setdefault(key, []).append(place)
    return [
        Sampled(
            point,
            {
                measure: [columns[measure][place] for place in places.get(tuple(point.values()), ())]
                for measure in study.measures
            },
        )
        for point in study.points
    ]


def _write(study: Study, rows: pa.Table, samples: int, seed: int, folder: Path) -> StudyResult:
    points = points_of(study, rows)
    result = StudyResult(study.name, study.title, seed, samples, tuple(study.claims(points)))
    _write_rows(rows, folder / ROWS)
    write_whole(folder / CLAIMS, msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    _draw(study, points, folder)
    return result


def _write_rows(rows: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(rows, path, compression="zstd")


def _read_rows(study: Study, path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot be read: {str(error).splitlines()[0]}", file=str(path)) from None
    missing = [name for name in (*study.points[0], *study.measures) if name not in rows.column_names]
    if missing:
        raise InputError(f"has no column {missing[0]!r}", file=str(path))
    return rows


def _draw(study: Study, points: list[Sampled], folder: Path) -> list[Path]:
    from distributary.experiments.drawing import draw

    charts = study.charts(points)
    made = []
    for kind in _KINDS:
        path = folder / f"plot.{kind}"
        try:
            write_whole(path, draw(study.title, charts, kind))
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", file=str(path)) from None
        made.append(path)
    return made


def _needs_packages() -> None:
    for package in ("matplotlib", "pyarrow"):
        if find_spec(package) is None:
            raise MissingExtra(package, "experiments")
