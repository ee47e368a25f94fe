"""A tree of nodes on this machine, each a process of its own: what `up` runs. It stops only what it started."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType

from distributary.cli.output import err, out, print_json
from distributary.core.errors import Unavailable
from distributary.runtime.options import ListenAddress

__all__ = ["run_local_tree"]

_STOP_SECONDS = 10.0
_PROGRAM = "from distributary.cli.main import main; main()"


class _Stopped(Exception):
    """A signal asked for the end."""


def run_local_tree(
    count: int, fanout: int, data: Path, listen: ListenAddress, token_file: Path | None, *, as_json: bool
) -> int:
    """Run the nodes until a signal comes or one of them ends on its own; return the exit status."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _Stopped

    processes: list[subprocess.Popen[str]] = []
    ended = threading.Event()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    failed = False
    try:
        rows: list[dict[str, str]] = []
        for index in range(count):
            name = "source" if index == 0 else f"node-{index}"
            words = ["--listen", listen.url("").removeprefix("://") if index == 0 else f"{_bracketed(listen.host)}:0"]
            words += ["--name", name, "--fanout", str(fanout), "--data", str(data / name), "--json"]
            words += ["--token-file", str(token_file)] if token_file is not None else []
            words += ["--join", rows[0]["url"]] if rows else []
            process = _start(words)
            processes.append(process)
            rows.append({"name": name, "url": _url_of(process, name)})
            threading.Thread(target=_watch, args=(process, ended), daemon=True).start()
        if as_json:
            print_json({"nodes": rows})
        else:
            for row in rows:
                out.print(f"{row['name']:>10}  {row['url']}")
            out.print("dashboard: any of these addresses in a browser; Ctrl-C stops all")
        sys.stdout.flush()
        ended.wait()
        failed = True
        err.print("a node has ended on its own; stopping the others")
    except _Stopped:
        pass
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        clean = _stop_all(processes)
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0 if clean and not failed else 1


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _start(words: list[str]) -> subprocess.Popen[str]:
    """Start a node in a group of its own: Ctrl-C at the terminal is for us, and we tell the nodes."""
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, "node", *words], stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def _url_of(process: subprocess.Popen[str], name: str) -> str:
    """Wait for the line that a node prints when it listens."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise Unavailable(name, f"did not start (exit status {process.wait()})")
    url = json.loads(line)["url"]
    assert isinstance(url, str)
    return url


def _watch(process: subprocess.Popen[str], ended: threading.Event) -> None:
    process.wait()
    ended.set()


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
