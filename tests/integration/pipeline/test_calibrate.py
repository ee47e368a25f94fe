"""Calibration: the file's own figures, and figures measured with Spark on a few records."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from distributary.cli import calibration
from distributary.core.errors import InputError
from distributary.core.values import ColumnType
from distributary.files.prices import read_prices
from distributary.merging.calibration import Measured, costs_of
from distributary.pipeline.calibrate import client_seconds, measure, per_query_and_object, query_seconds
from distributary.pipeline.histogram import LeafProfile
from distributary.pipeline.items import load, stage
from distributary.pipeline.profile import ColumnProfile, Profile, profile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLE = Path(__file__).parents[3] / "examples" / "prices.toml"
RECORDS = "id,mag,name\n" + "".join(f"{number},{number % 7}.5,n{number}\n" for number in range(500))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known.toml").write_text(EXAMPLE.read_text())
    (tmp_path / "prices.toml").write_text(EXAMPLE.read_text().partition("\n[measured]")[0])
    (tmp_path / "items.csv").write_text(RECORDS)
    (tmp_path / "empty.csv").write_text("id,mag\n")
    (tmp_path / "a.xml").write_text("<a/>")
    return tmp_path


def calibrate(*words: str) -> None:
    """Run the command by itself, whatever other commands there are."""
    app = typer.Typer()
    calibration.register(app)
    typer.main.get_command(app).main(args=list(words), standalone_mode=False)


@pytest.mark.parametrize(
    ("timed", "expected"),
    [
        ([(0, 1.0), (100, 2.0), (200, 3.0), (400, 5.0)], (1.0, 0.01)),
        ([(0, 1.0), (100, 2.0), (200, 2.0)], (1.0, 0.006)),
        ([(0, 1.0), (100, 0.9), (200, 0.8)], (1.0, 0.0)),
        ([(0, 1.0), (0, 1.1)], (1.0, 0.0)),
    ],
)
def test_line_goes_through_the_null_query_and_never_falls(
    timed: list[tuple[int, float]], expected: tuple[float, float]
) -> None:
    assert per_query_and_object(timed) == pytest.approx(expected)


def made_profile(**columns: tuple[ColumnType, list[Any]]) -> Profile:
    rows = len(next(iter(columns.values()))[1])
    described = tuple(
        ColumnProfile(name, kind, 0, 0, min(values), max(values), tuple(sorted(values)))
        for name, (kind, values) in columns.items()
    )
    leaves = LeafProfile((), (rows,), (), (), (), (), (0,) * rows)
    return Profile(rows, 0, 9.0, described, {name: tuple(values) for name, (_, values) in columns.items()}, leaves)


@pytest.mark.parametrize(
    "found",
    [
        made_profile(x=(ColumnType.INTEGER, [1, 2, 3, 4]), y=(ColumnType.DOUBLE, [0.5, 0.5, 1, 9])),
        made_profile(s=(ColumnType.STRING, ["a", "b", "c", "d"])),
        made_profile(x=(ColumnType.DOUBLE, ["-Infinity"] * 4)),
    ],
)
def test_client_seconds_are_the_best_of_several_runs_for_each_object(found: Profile) -> None:
    times = iter([0.0, 8.0, 10.0, 14.0, *(value for start in range(20, 200, 10) for value in (start, start + 6.0))])
    assert client_seconds(found, lambda: next(times)) == 1.0


@pytest.mark.spark
@pytest.mark.slow
def test_queries_have_the_wanted_numbers_of_objects_and_their_best_times(spark: SparkSession, folder: Path) -> None:
    (folder / "staging").mkdir()
    items = load(spark, stage("items.csv", folder / "staging"))
    ticks = count()
    timed = query_seconds(items, profile(items), 0, lambda: float(next(ticks)))
    objects = [rows for rows, _ in timed]
    assert objects[0] == 0
    assert objects[1:] == pytest.approx([25_000, 50_000, 100_000], rel=0.2)
    assert objects[3] == 100_000
    assert [seconds for _, seconds in timed] == [1.0] * 4


@pytest.mark.spark
@pytest.mark.slow
def test_queries_stop_being_repeated_when_they_take_long(spark: SparkSession, folder: Path) -> None:
    (folder / "staging").mkdir()
    items = load(spark, stage("items.csv", folder / "staging"))
    calls = count()
    query_seconds(items, profile(items), 0, lambda: 20.0 * next(calls))
    assert next(calls) == 1 + 8 + 8 + 1  # the start, a turn to warm up, a timed one, and the look at the clock


@pytest.mark.spark
@pytest.mark.slow
def test_measured_items_give_costs_that_can_be_pasted(
    spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibrate("prices.toml", "items.csv", "--json")
    made = json.loads(capsys.readouterr().out)
    measured = made["measured"]
    assert 1e-4 < measured["seconds_per_query"] < 30
    assert 0 <= measured["seconds_per_object"] < 1e-3
    assert measured["bytes_per_object"] == pytest.approx(len('{"id":100,"mag":1.5,"name":"n100"}'), abs=1.5)
    assert 1e-8 < measured["client_seconds_per_object"] < 1e-2
    costs = costs_of(read_prices("prices.toml")[0], Measured(**measured))
    assert (made["K_M"], made["K_T"], made["K_U"]) == (costs.K_M, costs.K_T, costs.K_U)
    assert made["costs"] == f"{costs.K_M!r},{costs.K_T!r},{costs.K_U!r}"
    assert sorted(path.name for path in folder.iterdir()) == [
        "a.xml",
        "empty.csv",
        "items.csv",
        "known.toml",
        "prices.toml",
    ]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "complaint"),
    [
        ("a.xml", "a.xml: holds XML documents; calibration is of records"),
        ("empty.csv", "empty.csv: holds no record to measure"),
        ("none.csv", "none.csv: does not exist"),
    ],
)
def test_items_that_cannot_be_measured_are_refused(
    spark: SparkSession, folder: Path, items: str, complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        measure(lambda: nullcontext(spark), items)
    assert str(caught.value) == complaint


def test_file_with_its_own_figures_needs_no_spark(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibrate("known.toml", "--json")
    made = json.loads(capsys.readouterr().out)
    assert (made["K_M"], made["K_T"]) == pytest.approx((0.0032505, 0.0000325), rel=1e-3)
    assert made["K_U"] == pytest.approx(0.00000463, rel=1e-3)
    assert made["measured"]["bytes_per_object"] == 1000.0
    calibrate("known.toml")
    assert f"--costs {made['costs']}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["prices.toml"], "prices.toml: measured: is not given; name ITEMS to measure them"),
        (["known.toml", "items.csv"], "known.toml: measured: gives what was measured; leave ITEMS out"),
    ],
)
def test_figures_come_from_the_file_or_from_items_and_not_from_both(
    folder: Path, words: list[str], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        calibrate(*words)
