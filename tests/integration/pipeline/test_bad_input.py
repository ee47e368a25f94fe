"""Bad input to the Spark commands: one clear line, the right status, nothing half-written, no stack."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from distributary.pipeline.profile import read_profile

pytestmark = [pytest.mark.spark, pytest.mark.slow]

Command = Callable[..., Any]

GOOD = '{"id": "s", "stream": "quakes", "where": "mag > 3"}\n'
BAD: dict[str, tuple[list[str], str]] = {
    "no items": (["route", "none.csv", "s.jsonl", "--out", "out"], "none.csv"),
    "no subscriptions": (["route", "items.csv", "none.jsonl", "--out", "out"], "none.jsonl"),
    "unknown ending": (["route", "items.txt", "s.jsonl", "--out", "out"], "items.txt"),
    "not csv": (["route", "ragged.csv", "s.jsonl", "--out", "out"], "line 3"),
    "not utf-8": (["route", "latin.csv", "s.jsonl", "--out", "out"], "latin.csv"),
    "not json": (["route", "broken.jsonl", "s.jsonl", "--out", "out"], "line 2"),
    "not parquet": (["route", "broken.parquet", "s.jsonl", "--out", "out"], "broken.parquet"),
    "empty file": (["route", "empty.csv", "s.jsonl", "--out", "out"], "empty.csv"),
    "reserved column": (["route", "reserved.csv", "s.jsonl", "--out", "out"], "__distributary_place"),
    "empty folder": (["route", "folder", "s.jsonl", "--out", "out"], "folder"),
    "unknown column": (["route", "items.csv", "unknown.jsonl", "--out", "out"], "depth"),
    "other case": (["route", "items.csv", "case.jsonl", "--out", "out"], "MAG"),
    "unknown field": (["route", "items.csv", "field.jsonl", "--out", "out"], "depth"),
    "two streams": (["route", "items.csv", "streams.jsonl", "--out", "out"], "stream"),
    "same id": (["route", "items.csv", "twice.jsonl", "--out", "out"], "'s'"),
    "unknown algorithm": (["route", "items.csv", "s.jsonl", "--out", "out", "--algorithm", "magic"], "magic"),
    "unknown procedure": (["route", "items.csv", "s.jsonl", "--out", "out", "--procedure", "magic"], "magic"),
    "two costs": (["route", "items.csv", "s.jsonl", "--out", "out", "--costs", "1,2"], "--costs"),
    "negative cost": (["route", "items.csv", "s.jsonl", "--out", "out", "--costs", "1,2,-3"], "--costs"),
    "bad master": (["route", "items.csv", "s.jsonl", "--out", "out", "--master", "here"], "here"),
    "master and remote": (
        ["route", "items.csv", "s.jsonl", "--out", "out", "--master", "local", "--remote", "sc://x"],
        "--remote",
    ),
    "no parent": (["route", "items.csv", "s.jsonl", "--out", "none/out"], "none/out"),
    "unwritable": (["route", "items.csv", "s.jsonl", "--out", "/proc/out"], "/proc/out"),
    "foreign folder": (["route", "items.csv", "s.jsonl", "--out", "full", "--overwrite"], "full"),
    "profile of nothing": (["profile", "none.csv", "--out", "p.json"], "none.csv"),
    "profile into nothing": (["profile", "items.csv", "--out", "none/p.json"], "none/p.json"),
    "profile of documents": (["profile", "a.xml", "--out", "p.json"], "a.xml"),
    "extract from nothing": (["extract", "none", "--subscription", "s"], "none"),
    "extract from a foreign folder": (["extract", "full", "--subscription", "s"], "full"),
    "no subscription named": (["extract", "full"], "--subscription"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files: dict[str, str] = {
        "items.csv": "id,mag\n1,2.5\n2,4\n",
        "items.txt": "id,mag\n",
        "ragged.csv": "id,mag\n1,2\n1,2,3\n",
        "broken.jsonl": '{"mag": 1}\n{"mag": \n',
        "broken.parquet": "PAR1",
        "empty.csv": "",
        "reserved.csv": "__distributary_place,mag\n1,2\n",
        "a.xml": "<a/>",
        "s.jsonl": GOOD,
        "unknown.jsonl": '{"id": "s", "where": "depth > 3"}\n',
        "case.jsonl": '{"id": "s", "where": "MAG > 3"}\n',
        "field.jsonl": '{"id": "s", "where": "mag > 3", "fields": ["depth"]}\n',
        "streams.jsonl": GOOD + '{"id": "t", "stream": "alerts"}\n',
        "twice.jsonl": GOOD * 2,
        "full/cat.jpg": "",
    }
    (tmp_path / "full").mkdir()
    (tmp_path / "folder").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.csv").write_bytes("name,mag\nZürich,2\n".encode("latin-1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(command: Command, folder: Path, case: str) -> None:
    words, told = BAD[case]
    before = sorted(path for path in folder.rglob("*"))
    done = command(*words)
    assert done.status == 2, done.err
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert told in done.err
    assert "Traceback" not in done.err
    assert sorted(path for path in folder.rglob("*")) == before


def test_connect_server_that_does_not_answer_is_named(command: Command, folder: Path) -> None:
    # The test's own session is a local one; a remote address is tried before it is taken for that.
    from distributary.core.errors import Unavailable
    from distributary.pipeline.session import check_reachable

    with pytest.raises(Unavailable, match="sc://127"):
        check_reachable("sc://127.0.0.1:9")


def test_profile_is_the_same_for_a_seed_and_is_read_back(command: Command, folder: Path) -> None:
    rows = "".join(f"{number},{number % 7}.5,{'' if number % 4 else 'x'}\n" for number in range(10_000))
    (folder / "many.csv").write_text("id,mag,name\n" + rows)
    found = []
    for seed in (1, 1, 2):
        done = command("profile", "many.csv", "--out", "p.json", "--seed", seed, "--json")
        assert (done.status, done.err) == (0, "")
        found.append((folder / "p.json").read_bytes())
    assert found[0] == found[1] != found[2]
    profile = read_profile("p.json")
    assert profile.rows == 10_000
    assert [column.nulls for column in profile.columns] == [0.0, 0.0, 0.75]
    assert (profile.columns[1].minimum, profile.columns[1].maximum) == (0.5, 6.5)
    assert len(profile.records()) == 4096
    ids = [record["id"] for record in profile.records()]
    assert len(set(ids)) == 4096
    assert json.loads(found[0])["columns"][0]["histogram"][16] == pytest.approx(5000, rel=0.1)


def test_file_that_is_no_profile_is_refused(folder: Path) -> None:
    from distributary.core.errors import InputError

    for name in ("items.csv", "s.jsonl", "none"):
        with pytest.raises(InputError, match=name):
            read_profile(name)
