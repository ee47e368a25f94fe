"""A study's folder and its commands, without Spark: what is refused before anything is computed, and redrawing."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer

from distributary.cli import experiments
from distributary.core.errors import InputError
from distributary.experiments.catalogue import STUDIES, study_of
from distributary.experiments.folder import CLAIMS, ROWS, StudyResult, points_of, redraw, run

NAME = "merging/clustering-factor"


def no_spark() -> AbstractContextManager[Any]:
    raise AssertionError("Spark is not needed to refuse this")


def rows() -> pa.Table:
    points = study_of(NAME).points
    return pa.table(
        {
            "spread": [point["spread"] for point in points],
            "clustered": [point["clustered"] for point in points],
            "sample": [0] * len(points),
            "unmerged": [3.0] * len(points),
            "merged": [2.0 - float(point["clustered"]) for point in points],
            "saved": [1.0 + float(point["clustered"]) for point in points],
        }
    )


@pytest.fixture
def result(tmp_path: Path) -> Path:
    folder = tmp_path / "result"
    folder.mkdir()
    pq.write_table(rows(), folder / ROWS)
    held = {"study": NAME, "title": "t", "seed": 0, "samples": 1, "claims": []}
    (folder / CLAIMS).write_text(json.dumps(held))
    return folder


@pytest.fixture
def command() -> Callable[..., object]:
    app = typer.Typer()
    experiments.register(app)

    def called(*words: object) -> object:
        return typer.main.get_command(app).main(args=["experiment", *map(str, words)], standalone_mode=False)

    return called


def attempt(name: str, target: str, samples: int | None = None, *, overwrite: bool = False) -> StudyResult:
    return run(name, target, no_spark, samples=samples, seed=0, overwrite=overwrite, step=lambda _: None)


def test_unknown_study_few_samples_and_bad_folders_are_refused_before_spark_starts(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("keep")
    file = tmp_path / "file"
    file.write_text("keep")
    refused: list[tuple[Callable[[], StudyResult], str]] = [
        (lambda: attempt("magic", str(tmp_path / "a")), "NAME: 'magic' is none of"),
        (lambda: attempt(NAME, str(tmp_path / "a"), 0), "--samples: must be at least 1, not 0"),
        (lambda: attempt(NAME, str(tmp_path / "none" / "a")), "does not exist"),
        (lambda: attempt(NAME, "/proc/a"), "/proc/a: cannot be written"),
        (lambda: attempt(NAME, str(file)), "exists and is not a folder"),
        (lambda: attempt(NAME, str(full)), "--overwrite replaces an earlier result"),
        (lambda: attempt(NAME, str(full), overwrite=True), f"holds no {CLAIMS}"),
    ]
    for made, complaint in refused:
        with pytest.raises(InputError) as error:
            made()
        assert complaint in str(error.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full"]
    assert [path.name for path in full.iterdir()] == ["mine.txt"]


def test_nothing_is_left_when_a_run_fails_on_its_way(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not needed"):
        attempt(NAME, str(tmp_path / "a"))
    assert list(tmp_path.iterdir()) == []


def test_points_of_rows_keep_the_studys_order_and_miss_what_is_not_there() -> None:
    study = study_of(NAME)
    table = rows()
    points = points_of(study, pa.concat_tables([table.slice(5), table.slice(1, 4)]))
    assert [point.point for point in points] == list(study.points)
    assert points[0].values("saved") == []
    assert points[7].values("saved") == [1.7]


@pytest.mark.slow
def test_plot_draws_again_from_the_rows(result: Path, command: Callable[..., object], capsys: Any) -> None:
    command("plot", NAME, "--out", result, "--json")
    assert json.loads(capsys.readouterr().out) == {
        "study": NAME,
        "files": [str(result / "plot.svg"), str(result / "plot.png")],
    }
    before = [(result / f"plot.{kind}").read_bytes() for kind in ("svg", "png")]
    command("plot", NAME, "--out", result)
    assert [(result / f"plot.{kind}").read_bytes() for kind in ("svg", "png")] == before
    assert capsys.readouterr().out.splitlines() == [str(result / "plot.svg"), str(result / "plot.png")]


def test_plot_refuses_what_is_no_result_of_the_study(result: Path, tmp_path: Path) -> None:
    def refusal(name: str, folder: Path) -> str:
        with pytest.raises(InputError) as error:
            redraw(name, str(folder))
        return str(error.value)

    assert "is none of" in refusal("magic", result)
    assert f"holds no {CLAIMS} of a study" in refusal(NAME, tmp_path)
    assert f"is a result of {NAME}, not of merging/directed" in refusal("merging/directed", result)
    pq.write_table(rows().drop_columns(["saved"]), result / ROWS)
    assert "rows.parquet: has no column 'saved'" in refusal(NAME, result)
    (result / ROWS).write_bytes(b"PAR1, but no more")
    assert "rows.parquet: cannot be read" in refusal(NAME, result)
    (result / ROWS).unlink()
    assert "rows.parquet: cannot be read" in refusal(NAME, result)
    (result / CLAIMS).write_text("[1]")
    assert f"holds no {CLAIMS} of a study" in refusal(NAME, result)


def test_list_names_every_study(command: Callable[..., object], capsys: Any) -> None:
    command("list", "--json")
    listed = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in listed] == list(STUDIES)
    assert set(listed[0]) == {"name", "title", "points", "samples", "also"}
    also = {each["name"]: each["also"] for each in listed}
    assert also["merging/optimality"] == ["merging/distance", "merging/suboptimal-distance"]
    assert also["merging/sensitivity"] == []
    command("list")
    assert "merging/directed" in capsys.readouterr().out


def test_run_takes_the_name_for_the_folder(
    command: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "merging-distance").write_text("in the way")
    with pytest.raises(InputError, match="merging-distance: exists and is not a folder"):
        command("run", "merging/distance")


def test_the_group_without_a_command_is_wrong_usage(command: Callable[..., object]) -> None:
    with pytest.raises(typer.TyperException) as error:
        command()
    assert "Missing command" in error.value.format_message()
