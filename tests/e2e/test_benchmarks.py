from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.run", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.timeout(600)
def test_every_benchmark_runs_and_keeps_what_it_measured(tmp_path: Path) -> None:
    done = bench("--quick", "--seed", "5", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    results = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json"))]
    assert len(results) == len(done.stdout.splitlines()) >= len(list(ROOT.glob("benchmarks/bench_*.py")))
    for result in results:
        assert result["seed"] == 5
        assert result["commit"]
        assert result["configuration"]
        assert result["ratio"] == pytest.approx(result["ours_rate"] / result["peer_rate"])


@pytest.mark.slow
def test_benchmark_that_is_not_there_is_refused_by_name() -> None:
    done = bench("nothing-like-it")
    assert done.returncode == 1
    assert "nothing-like-it" in done.stderr
