"""What subscribers extract from routed channels is what the reference matcher says, for every procedure and format."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from distributary.algebra.parse import filter_of_subscription
from distributary.core.subscriptions import subscription_of
from distributary.files.records import read_records
from distributary.matching.reference import ReferenceMatcher
from distributary.pipeline import matching
from distributary.pipeline.cells import cell_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Command = Callable[..., Any]
Rows = Callable[[int, int], list[dict[str, Any]]]
Lines = Callable[[Path, list[dict[str, Any]]], Path]

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SUBSCRIPTIONS: list[dict[str, Any]] = [
    {"id": "strong", "where": "mag >= 4"},
    {"id": "weak", "where": "mag < 4.5 or mag is null"},
    {"id": "not", "where": "not (mag > 1)"},
    {"id": "nan", "where": "mag = 4 or mag > 1e308"},
    {"id": "zero", "where": "mag = 0"},
    {"id": "big", "where": "big >= 9007199254740993"},
    {"id": "exact", "where": "big in (9007199254740992, 7) or big = 9223372036854775807"},
    {"id": "rounded", "where": "big > 9007199254740992.0"},
    {"id": "case", "where": "Net = 'ci' and net <> 'ci'"},
    {"id": "like", "where": "net like '%r_ch' or net like '100\\\\%' or Net like 'a\\\\_b'"},
    {"id": "quote", "where": "net in ('it''s', 'a\\\\b', 'line\\nbreak')"},
    {"id": "null", "where": "net is null and channel = true"},
    {"id": "same", "where": "not (net <=> 'ci')"},
    {"id": "world", "where": "net >= 'Z'"},
    {"id": "late", "where": "at > timestamp '2026-01-01T00:00:00Z' or at <= '1900-01-01'"},
    {"id": "odd", "box": {"a `b`.c": [-3, 4.5]}, "fields": ["a `b`.c", "id"]},
    {"id": "near", "box": {"a `b`.c": [0, 12], "mag": [0, 4.5]}},
    {"id": "all"},
    {"id": "none", "where": "mag > 5 and mag < 5"},
    {"id": "document", "xpath": "//a"},
]


def reference(items: Path) -> dict[str, list[dict[str, Any]]]:
    """Return each subscription's answer by one loop over all filters."""
    file = read_records(str(items))
    matcher: ReferenceMatcher[str] = ReferenceMatcher()
    subscriptions = [subscription_of(row) for row in SUBSCRIPTIONS]
    for each in subscriptions:
        matcher.add(each.id, filter_of_subscription(each, file.schema))
    answers: dict[str, list[dict[str, Any]]] = {each.id: [] for each in subscriptions}
    fields = {each.id: each.fields or tuple(file.schema) for each in subscriptions}
    for record in file:
        for key in matcher.match(record):
            answers[key].append({name: cell_of(record.get(name)) for name in fields[key]})
    return answers


def check_answers(command: Command, out: Path, items: Path) -> None:
    for key, wanted in reference(items).items():
        found = command("extract", out, "--subscription", key, "--json")
        assert found.status == 0, found.err
        # As texts: they tell -0.0 from 0.0 and true from 1, and the order is that of the items.
        assert [json.dumps(row) for row in found.lines()] == [json.dumps(row) for row in wanted], key


@pytest.mark.parametrize(
    ("procedure", "many"), [("rectangle", None), ("polygon", None), ("cover", None), ("rectangle", 0)]
)
def test_answers_are_the_references_in_every_procedure(
    command: Command,
    awkward_rows: Rows,
    write_lines: Lines,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    procedure: str,
    many: int | None,
) -> None:
    if many is not None:  # compiled code matches what else are Spark's expressions
        monkeypatch.setattr(matching, "MANY", many)
    items = write_lines(tmp_path / "items.jsonl", awkward_rows(1, 700))
    subscriptions = write_lines(tmp_path / "subscriptions.jsonl", SUBSCRIPTIONS)
    out = tmp_path / "out"
    done = command(
        "route", items, subscriptions, "--out", out, "--procedure", procedure, "--algorithm", "pair",
        "--costs", "5,0.01,0.001", "--json",
    )  # fmt: skip
    assert (done.status, done.err) == (0, "")
    report = json.loads(done.out)
    assert report["channels"] < len(SUBSCRIPTIONS), "nothing was merged, so nothing was tried"
    assert report["measured_cost"] < report["measured_unmerged_cost"]
    check_answers(command, out, items)
    check_measured(report, out, reference(items))


def check_measured(report: dict[str, Any], out: Path, answers: dict[str, list[Any]]) -> None:
    """Count again from the files what was counted while they were written."""
    plan = json.loads((out / "plan.json").read_text())
    sizes = {
        channel["id"]: sum(
            pq.read_metadata(path).num_rows for path in (out / "channels").glob(f"channel={channel['id']}/*")
        )
        for channel in plan["channels"]
    }
    costs = report["costs"]
    queries = sum(len(channel.get("queries", [None])) for channel in plan["channels"])
    vain = sum(
        sizes[channel["id"]] - len(answers[member]) for channel in plan["channels"] for member in channel["members"]
    )
    vain = 0 if plan["procedure"] == "cover" else vain
    cost = costs["K_M"] * queries + costs["K_T"] * sum(sizes.values()) + costs["K_U"] * vain
    assert report["measured_cost"] == pytest.approx(cost)
    kept = sum(map(len, answers.values()))
    assert report["measured_unmerged_cost"] == pytest.approx(costs["K_M"] * len(answers) + costs["K_T"] * kept)
    assert report["sent"] == sum(sizes.values())


def test_answers_from_csv_and_parquet_are_the_references(
    command: Command, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    rows = awkward_rows(2, 300)
    table = tmp_path / "items.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        # `nan` and `inf`, as Python has them, are words to everybody else.
        writer.writerows({name: cell_of(value) for name, value in row.items()} for row in rows)
    parquet = tmp_path / "items.parquet"
    columns: dict[str, Any] = {
        "id": pa.array([row["id"] for row in rows], pa.int32()),
        "mag": pa.array([row["mag"] for row in rows], pa.float32()),
        "at": pa.array(
            [None if row["at"] is None else row["at"][:19] for row in rows], pa.string()
        ).cast(pa.timestamp("ms")).cast(pa.timestamp("ms", "Europe/Berlin")),
    }  # fmt: skip
    for name in ("big", "Net", "net", "channel", "a `b`.c"):
        columns[name] = [row[name] for row in rows]
    pq.write_table(pa.table(columns), parquet, row_group_size=50)
    subscriptions = write_lines(tmp_path / "subscriptions.jsonl", SUBSCRIPTIONS)
    for items in (table, parquet):
        out = tmp_path / f"out-{items.name}"
        done = command("route", items, subscriptions, "--out", out, "--json")
        assert (done.status, done.err) == (0, "")
        check_answers(command, out, items)


def test_same_seed_gives_the_same_bytes(
    command: Command, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    items = write_lines(tmp_path / "items.jsonl", awkward_rows(3, 200))
    subscriptions = write_lines(tmp_path / "subscriptions.jsonl", SUBSCRIPTIONS)
    found = []
    for _ in range(2):
        out = tmp_path / "out"
        assert command("route", items, subscriptions, "--out", out, "--seed", 7, "--overwrite").status == 0
        files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.parquet"))}
        plan = json.loads((out / "plan.json").read_text())
        del plan["seconds"]
        found.append((files, plan))
        assert [path.name for path in sorted(tmp_path.iterdir())] == ["items.jsonl", "out", "subscriptions.jsonl"]
        assert sorted(path.name for path in out.iterdir()) == ["channels", "plan.json"]
    assert found[0] == found[1]


def test_items_without_rows_make_empty_channels(
    command: Command, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    items = tmp_path / "items.csv"
    items.write_text("id,mag\n")
    subscriptions = write_lines(tmp_path / "s.jsonl", [{"id": "s", "where": "mag is null"}, {"id": "t"}])
    done = command("route", items, subscriptions, "--out", tmp_path / "out", "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["rows"] == 0
    assert command("extract", tmp_path / "out", "--subscription", "t").lines() == []


def test_extract_in_spark_is_the_reference(
    spark: SparkSession, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    from distributary.pipeline.extract import extract
    from distributary.pipeline.items import load, stage
    from distributary.pipeline.session import exactly

    items = write_lines(tmp_path / "items.jsonl", awkward_rows(4, 300))
    (tmp_path / "staging").mkdir()
    table = load(spark, stage(str(items), tmp_path / "staging")).frame
    answers = reference(items)
    with exactly(spark):
        for row in SUBSCRIPTIONS:
            if "xpath" not in row:
                kept = extract(table, row)
                found = sorted(each["id"] for each in kept.select("id").collect())
                assert found == sorted(each["id"] for each in answers[row["id"]]), row
                assert kept.columns[: len(row.get("fields", []))] == row.get("fields", [])


def test_documents_are_routed_by_their_patterns(
    command: Command, awkward_rows: Rows, write_lines: Lines, tmp_path: Path
) -> None:
    folder = tmp_path / "alerts"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.xml").write_text("<alert><severity>Extreme</severity><area>x</area></alert>")
    (folder / "deep" / "b.xml").write_bytes('<?xml version="1.0" encoding="latin-1"?><alert a="ü"/>'.encode("latin-1"))
    (folder / "c.xml").write_text("<other/>")
    subscriptions = write_lines(
        tmp_path / "s.jsonl",
        [
            {"id": "extreme", "xpath": "/alert[severity='Extreme']"},
            {"id": "alerts", "xpath": "//alert"},
            {"id": "all"},
            {"id": "record", "where": "mag > 1"},
        ],
    )
    out = tmp_path / "out"
    done = command("route", folder, subscriptions, "--out", out, "--costs", "1,0.1,0.01", "--json")
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["rows"] == 3

    def paths(key: str) -> list[str]:
        return [row["path"] for row in command("extract", out, "--subscription", key).lines()]

    assert paths("extreme") == ["a.xml"]
    assert paths("alerts") == ["a.xml", "deep/b.xml"]
    assert paths("all") == ["a.xml", "c.xml", "deep/b.xml"]
    assert paths("record") == []
    [_, latin] = command("extract", out, "--subscription", "alerts").lines()
    assert "data" in latin
    shutil.rmtree(out)
    (folder / "d.xml").write_text("<broken>")
    done = command("route", folder, subscriptions, "--out", out)
    assert done.status == 2
    assert "d.xml" in done.err
    assert not out.exists()
