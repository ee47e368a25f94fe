"""A command that is told to stop in the middle of its work leaves nothing half-written."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from distributary.cli.main import main; main()"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_route_that_is_told_to_stop_leaves_no_folder(tmp_path: Path, number: signal.Signals, status: int) -> None:
    (tmp_path / "s.jsonl").write_text('{"id": "s1"}\n')
    words = ["route", "-", "s.jsonl", "--out", "out"]
    with subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        # It has begun to write and waits for its items.
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob(".out.*")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(30) == status
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]
