"""What the Spark tests share: rows of every awkward kind, and commands run in this process."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from distributary.cli.main import main
from distributary.core.generator import Generator

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def command(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process, on the session that runs already."""

    def run(*words: object) -> Done:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        captured = capfd.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return run


def _awkward_rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Return records with nulls, NaN, both zeros, long integers, odd names and texts, and times at odd places."""
    generator = Generator(seed, "awkward rows")
    doubles = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300, 0.1, 4.0, 4.5]
    integers = [0, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 7]
    texts = ["", "ci", "CI", "Zürich", "\U0001f30d", "it's", "100%", "a_b", "a\\b", "line\nbreak", "ci "]
    times = [
        "2026-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "2026-01-01T00:00:00.000001Z",
        "1850-06-01T12:00:00Z",
    ]

    def one_of(values: list[Any]) -> Any:
        return None if generator.random() < 0.15 else generator.choice(values)

    return [
        {
            "id": number,
            "mag": one_of([*doubles, round(generator.uniform(0, 8), 1)]),
            "big": one_of(integers),
            "Net": one_of(texts),
            "net": one_of(texts),
            "channel": one_of([True, False]),
            "a `b`.c": round(generator.normal(0, 10), 3),
            "at": one_of(times),
        }
        for number in range(count)
    ]


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write JSON lines, with NaN as Python and Spark write it."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


@pytest.fixture
def awkward_rows() -> Callable[[int, int], list[dict[str, Any]]]:
    """Make records from a seed and a count."""
    return _awkward_rows


@pytest.fixture
def write_lines() -> Callable[[Path, list[dict[str, Any]]], Path]:
    """Write records as JSON lines, and return the path."""
    return _write_lines


@pytest.fixture
def node(tmp_path: Path) -> Iterator[str]:
    """Run a source, and give its address."""
    program = Path(sys.executable).parent / "distributary"
    words = [str(program), "node", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "node"), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()
