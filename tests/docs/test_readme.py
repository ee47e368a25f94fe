"""Runs the README's commands as a reader would, in a folder that holds only the examples.

A fence ```` ```console run ```` is a shell session: lines that begin with `$ ` are commands, the lines below one are
its whole output, in which `...` stands for anything; a command without lines below may print what it likes. A fence
```` ```console serve ```` is a command that goes on in the background until the end, once its node answers.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```console (run|serve)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: The port in the README; another may be free where the tests run.
PORT = "7070"
SECONDS_MAX = 90


@dataclass(frozen=True)
class Session:
    """A fence: whether it goes on in the background, and its commands, each with the output that is shown."""

    serves: bool
    commands: tuple[tuple[str, str], ...]


def sessions(text: str) -> list[Session]:
    found = []
    for kind, body in FENCE.findall(text):
        parts = re.split(r"^\$ ", body, flags=re.MULTILINE)
        assert not parts[0].strip(), f"output without a command: {parts[0]!r}"
        commands = [part.partition("\n") for part in parts[1:]]
        found.append(Session(kind == "serve", tuple((command, shown) for command, _, shown in commands)))
    return found


def agrees(shown: str, printed: str) -> bool:
    """Tell whether a command printed what is shown; `...` stands for anything, nothing shown too."""
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("..."))
    return not shown or re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


@contextmanager
def serving(command: str, folder: Path, environment: dict[str, str], port: int) -> Iterator[None]:
    """Run a node in the background, from the time when it answers."""
    with (folder / "node.log").open("wb") as log:
        process = subprocess.Popen(shlex.split(command), cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1):
                    break
            except OSError:
                assert process.poll() is None, (folder / "node.log").read_text()
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        try:
            status = process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert status == 0, (folder / "node.log").read_text()


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Run one line of a session and return what it printed; its failure is the test's."""
    done = subprocess.run(
        ["bash", "-o", "errexit", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr, f"$ {command}\n{done.stderr}"
    return done.stdout


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.timeout(300)
def test_readme_commands_print_what_is_shown(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    port = free_port()
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    found = sessions((ROOT / "README.md").read_text(encoding="utf-8").replace(PORT, str(port)))
    assert sum(len(session.commands) for session in found) >= 6
    with ExitStack() as stack:
        for session in found:
            for command, shown in session.commands:
                if session.serves:
                    stack.enter_context(serving(command, tmp_path, environment, port))
                    continue
                printed = run(command, tmp_path, environment)
                assert agrees(shown, printed), f"$ {command}\n{printed}"


def test_sessions_are_read_with_their_commands_and_output() -> None:
    text = (
        "a\n```console run\n$ one 1\nout\nput\n$ two\n```\n\n"
        "```console\n$ not run\n```\n```console serve\n$ three\n```\n"
    )
    assert sessions(text) == [
        Session(False, (("one 1", "out\nput\n"), ("two", ""))),
        Session(True, (("three", ""),)),
    ]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [("", "x", True), ("a\n", "a", True), ("a...c", "a\nb\nc\n", True), ("a", "b", False), ("a.c", "abc", False)],
)
def test_output_agrees_when_it_is_what_is_shown(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same


def test_readme_names_the_two_commands_of_a_fresh_machine() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "```console\n$ make demo\n$ make test\n```" in text
