"""The studies on Spark: rows that do not depend on how they were spread, and a folder that is whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import typer

from distributary.cli import experiments
from distributary.experiments.catalogue import study_of
from distributary.experiments.folder import redraw, run
from distributary.experiments.running import sampled
from distributary.experiments.study import seed_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NAME = "merging/clustering-factor"


def test_rows_do_not_depend_on_partitions_and_are_those_of_the_study(spark: SparkSession) -> None:
    study = study_of(NAME)
    one, seven = (sampled(spark, study, 3, 5, partitions) for partitions in (1, 7))
    assert one.equals(seven)
    found = one.to_pylist()
    assert len(found) == 3 * len(study.points)
    at = {name: value for name, value in found[4].items() if name in study.points[0]}
    assert at == study.points[1]
    assert found[4]["sample"] == 1
    expected = study.sample(at, seed_of(study, at, 1, 5))
    assert {name: found[4][name] for name in study.measures} == expected
    assert not one.equals(sampled(spark, study, 3, 6))


def test_run_makes_a_whole_folder_with_the_same_bytes_each_time(spark: SparkSession, tmp_path: Path) -> None:
    @contextmanager
    def opened() -> Iterator[SparkSession]:
        yield spark

    names = ("rows.parquet", "claims.json", "plot.svg", "plot.png")
    made = []
    for _ in range(2):
        run(NAME, str(tmp_path / "a"), opened, samples=2, seed=3, overwrite=True, step=lambda _: None)
        made.append({name: (tmp_path / "a" / name).read_bytes() for name in names})
    assert made[0] == made[1]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == sorted(names)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert pq.read_table(tmp_path / "a" / "rows.parquet").num_rows == 2 * len(study_of(NAME).points)


def test_studies_with_the_same_rows_are_computed_once(spark: SparkSession, tmp_path: Path) -> None:
    times = 0

    @contextmanager
    def opened() -> Iterator[SparkSession]:
        nonlocal times
        times += 1
        yield spark

    run("merging/distance", str(tmp_path / "a"), opened, samples=2, seed=3, overwrite=False, step=lambda _: None)
    assert times == 1
    files = {"rows.parquet", "claims.json", "plot.svg", "plot.png"}
    assert {path.name for path in (tmp_path / "a").iterdir()} == {*files, "optimality", "suboptimal-distance"}
    run("merging/optimality", str(tmp_path / "b"), opened, samples=2, seed=3, overwrite=False, step=lambda _: None)
    for inner, alone in (("a/optimality", "b"), ("a", "b/distance")):
        for name in files:
            assert (tmp_path / inner / name).read_bytes() == (tmp_path / alone / name).read_bytes(), (inner, name)
    before = (tmp_path / "a" / "optimality" / "plot.svg").read_bytes()
    redraw("merging/optimality", str(tmp_path / "a" / "optimality"))
    assert (tmp_path / "a" / "optimality" / "plot.svg").read_bytes() == before


def test_the_command_prints_one_document(spark: SparkSession, tmp_path: Path, capfd: Any) -> None:
    app = typer.Typer()
    experiments.register(app)
    call: Callable[..., object] = typer.main.get_command(app).main
    words = ["experiment", "run", NAME, "--samples", "1", "--out", str(tmp_path / "b"), "--seed", "3", "--json"]
    capfd.readouterr()
    call(args=words, standalone_mode=False)
    printed = json.loads(capfd.readouterr().out)
    assert {name: printed[name] for name in ("study", "seed", "samples", "out")} == {
        "study": NAME,
        "seed": 3,
        "samples": 1,
        "out": str(tmp_path / "b"),
    }
    assert printed["seconds"] > 0
    held = json.loads((tmp_path / "b" / "claims.json").read_text())
    assert printed["claims"] == held["claims"]
    assert set(printed["claims"][0]) == {"claim", "paper", "ours", "holds"}
