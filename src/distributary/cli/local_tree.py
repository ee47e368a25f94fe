"""A tree of nodes on this machine, each a process of its own, for `up` and `demo`. It stops only what it started."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from distributary.core.errors import Unavailable
from distributary.runtime.options import ListenAddress

__all__ = ["LocalTree", "NotStarted", "Stopped"]

_STOP_SECONDS = 10.0
_PROGRAM = "from distributary.cli.main import main; main()"


class Stopped(KeyboardInterrupt):
    """A signal asked for the end. An event loop lets only this kind through."""


class NotStarted(Unavailable):
    """A node ended before it listened; without `LocalTree.events` it has said why on the stderr that it shares."""

    def __init__(self, name: str, reason: str, status: int) -> None:
        super().__init__(name, reason)
        self.status = status


@dataclass(slots=True)
class LocalTree:
    """The nodes; a context at whose end all of them are stopped, also when SIGINT or SIGTERM ends it (`Stopped`)."""

    data: Path
    fanout: int
    listen: ListenAddress
    token_file: Path | None = None
    #: Where the nodes write their events; without it, where we do.
    events: Path | None = None
    #: The address of each node by its name, the source first.
    urls: dict[str, str] = field(default_factory=dict)
    #: Set when a node ends on its own.
    ended: threading.Event = field(default_factory=threading.Event)
    #: Whether every node ended well; known after the context.
    clean: bool = True
    _processes: list[subprocess.Popen[str]] = field(default_factory=list)
    _handlers: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> Self:
        """Take the signals over; no node runs yet."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._handlers[number] = signal.signal(number, _stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, story: TracebackType | None
    ) -> None:
        """Stop all nodes, whatever signals come meanwhile."""
        for number in self._handlers:
            signal.signal(number, signal.SIG_IGN)
        self.clean = _stop_all(self._processes)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def add(self) -> str:
        """Start one node more, the source first; return its name once it listens."""
        name = f"node-{len(self.urls)}" if self.urls else "source"
        listen = f"{_bracketed(self.listen.host)}:{0 if self.urls else self.listen.port}"
        words = ["--listen", listen, "--name", name, "--fanout", str(self.fanout), "--data", str(self.data / name)]
        words += ["--token-file", str(self.token_file)] if self.token_file is not None else []
        words += ["--join", self.urls["source"]] if self.urls else []
        process = self._start([*words, "--json"])
        self._processes.append(process)
        self.urls[name] = self._url_of(process, name)
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()
        return name

    def _start(self, words: list[str]) -> subprocess.Popen[str]:
        """Start a node in a group of its own: Ctrl-C at the terminal is for us, and we tell the nodes."""
        with nullcontext() if self.events is None else self.events.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, "node", *words],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def _url_of(self, process: subprocess.Popen[str], name: str) -> str:
        """Wait for the line that a node prints when it listens."""
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            told = self.events.read_text(errors="replace").splitlines() if self.events is not None else []
            raise NotStarted(name, (told or [f"did not start (exit status {status})"])[-1], status)
        url = json.loads(line)["url"]
        assert isinstance(url, str)
        return url

    def _watch(self, process: subprocess.Popen[str]) -> None:
        process.wait()
        self.ended.set()


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _stop_all(processes: list[subprocess.Popen[str]]) -> bool:
    """Ask all nodes to end, the last that came first; tell whether each ended well."""
    for process in reversed(processes):
        if process.poll() is None:
            process.terminate()
    clean = True
    for process in processes:
        try:
            clean = process.wait(_STOP_SECONDS) == 0 and clean
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            clean = False
        if process.stdout is not None:
            process.stdout.close()
    return clean
