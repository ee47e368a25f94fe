"""Profiles: what Spark counts in the leaves is what one loop counts, and estimates keep to their bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.files.records import read_records
from distributary.pipeline.histogram import numeric_columns, splits_of
from distributary.pipeline.profile import SAMPLE_ROWS, Profile, read_profile

pytestmark = [pytest.mark.spark, pytest.mark.slow]

Command = Callable[..., Any]
Rows = Callable[[int, int], list[dict[str, Any]]]
Lines = Callable[[Path, list[dict[str, Any]]], Path]

EARTHQUAKES = Path(__file__).parents[4] / "shared" / "data" / "located" / "usgs_earthquakes_2018-02_week.csv"


def profiled(command: Command, items: Path, tmp_path: Path) -> Profile:
    out = tmp_path / "p.json"
    done = command("profile", items, "--out", out)
    assert (done.status, done.err) == (0, "")
    return read_profile(str(out))


def check_leaves(profile: Profile, items: Path) -> None:
    """Compare the leaves with a count of all rows by the tree of the sample."""
    columns = numeric_columns(profile.schema)
    sample = profile.records()
    splits = splits_of(profile.schema, {name: [row[name] for row in sample] for name in profile.schema})
    rows = [[row.get(name) for name in columns] for row in read_records(str(items))]
    numbers = np.array([[float(v) if isinstance(v, int | float) else nan for v in row] for row in rows])
    leaves = splits.leaves_of(numbers)
    kept = sorted({*leaves.tolist()})
    assert profile.leaves.rows == tuple(int((leaves == leaf).sum()) for leaf in kept)
    assert len(kept) > 64
    found = profile.leaves.histogram()
    for place in range(len(columns)):
        for number, leaf in enumerate(kept):
            values = [row[place] for row, where in zip(rows, leaves, strict=True) if where == leaf]
            assert found.nulls[number, place] == sum(value is None for value in values)
            assert found.not_a_number[number, place] == sum(value != value for value in values)
            present = [float(value) for value in values if isinstance(value, int | float) and value == value]
            ends = (found.low[number, place], found.high[number, place])
            assert ends == ((min(present), max(present)) if present else (np.inf, -np.inf))


def test_leaves_of_awkward_rows_are_counted_exactly(
    command: Command, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    items = write_lines(tmp_path / "items.jsonl", awkward_rows(5, 9000))
    profile = profiled(command, items, tmp_path)
    assert len(profile.leaves.sample) == SAMPLE_ROWS < profile.rows
    check_leaves(profile, items)
    statistics = profile.statistics()
    records = list(read_records(str(items)))
    for tried in (
        Everything(),
        Box.of({"a `b`.c": (-5, 3), "mag": (1, 5)}),
        parse_where("mag > 3 or mag is null"),
        parse_where("net = 'ci' and `a ``b``.c` < 0"),
        parse_where("at > timestamp '1969-01-01' and id < 4000"),
    ):
        true = sum(map(tried.matches, records))
        found = statistics.estimate(tried)
        assert found.low <= true <= found.high
        assert abs(found.size - true) <= 2 * found.error


def test_columns_named_as_the_expression_names_its_own_are_told_apart(
    command: Command, write_lines: Lines, tmp_path: Path
) -> None:
    generator = Generator(1)
    names = ("node", "level", "leaf", "__distributary")
    rows = [{name: round(generator.normal(0, 9), 1) for name in names} for _ in range(6000)]
    items = write_lines(tmp_path / "items.jsonl", rows)
    check_leaves(profiled(command, items, tmp_path), items)


@pytest.mark.parametrize("text", ["s\n" + "a\nb\n" * 40, "x,s\n" + "1,a\n" * 80, "x,s\n"])
def test_profile_without_anything_to_split_has_one_leaf(command: Command, tmp_path: Path, text: str) -> None:
    items = tmp_path / "items.csv"
    items.write_text(text)
    profile = profiled(command, items, tmp_path)
    assert sum(profile.leaves.rows) == profile.rows
    found = profile.statistics().estimate(Everything())
    assert (found.size, found.error) == (profile.rows, 0.0)


@pytest.mark.skipif(not EARTHQUAKES.is_file(), reason="the shared data is not here")
def test_estimates_of_earthquakes_that_are_all_in_the_sample_are_exact(command: Command, tmp_path: Path) -> None:
    statistics = profiled(command, EARTHQUAKES, tmp_path).statistics()
    records = list(read_records(str(EARTHQUAKES)))
    for tried in (Box.of({"lat": (30, 42), "lon": (-125, -114)}), parse_where("mag >= 4 or place like '%Alaska'")):
        found = statistics.estimate(tried)
        true = sum(map(tried.matches, records))
        assert (found.size, found.error, found.low, found.high) == (true, 0.0, true, true)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda made: made["leaves"]["rows"].append(1), "is not a profile"),
        (lambda made: made["leaves"]["sample"].pop(), "leaves: does not give each sampled row a leaf"),
        (lambda made: made.update(rows=7), "leaves: does not add up to the number of rows"),
        (lambda made: made["leaves"]["minimum"][0].__setitem__(0, "low"), "is not a profile"),
        (lambda made: made["leaves"]["rows"].__setitem__(0, 10**30), "is not a profile"),
        (lambda made: made.pop("leaves"), "is not a profile"),
        (lambda made: made["sample"].pop("x"), "is not a profile"),
    ],
)
def test_profile_whose_parts_disagree_is_refused(
    command: Command, tmp_path: Path, change: Callable[[Any], Any], complaint: str
) -> None:
    items = tmp_path / "items.csv"
    items.write_text("x,y\n" + "".join(f"{number},{number % 5}\n" for number in range(100)))
    profiled(command, items, tmp_path)
    path = tmp_path / "p.json"
    made = json.loads(path.read_text())
    change(made)
    path.write_text(json.dumps(made))
    with pytest.raises(InputError, match=complaint) as caught:
        read_profile(str(path))
    assert caught.value.file == str(path)
