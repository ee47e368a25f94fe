"""One Spark session for a command or a program: quiet, local by default, and with the settings that make it exact.

It leaves nothing in the working directory and nothing of Spark's chatter on stderr: the virtual machine writes its
log beside its scratch files, in a folder that goes with the process. It reads no data.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from distributary.core import errors
from distributary.core.errors import DistributaryError, InputError, MissingExtra, Unavailable
from distributary.pipeline.java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["EXACT", "check_reachable", "exactly", "needs_spark", "opened", "scratch", "session", "spark_errors"]

#: What answers depend on; `exactly` gives them to any session for a while.
EXACT = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.ansi.enabled": "true",
}
_MASTER = re.compile(r"local(\[[^\]]+\])?|local-cluster\[.+\]|spark://.+|k8s://.+|yarn")
_REMOTE_SECONDS_MAX = 10.0
#: How an error that we raised in a Python worker stands in Spark's report of it.
_RAISED = re.compile(r"distributary\.core\.errors\.(?P<kind>\w+): (?P<text>.*)")
_CAUSE = re.compile(r"(?:Caused by)?: [\w.$]+: (?P<text>.+)")
#: A file that Spark could open and not read.
_DAMAGED = re.compile(r"\[FAILED_READ_FILE\.(?!FILE_NOT_EXIST)\w+\] .*? reading file (?P<file>\S+?)\.?(?=\s|$)")

# Jobs here take seconds: the optimising compiler would spend more on them than it saves (start and first job
# 17 s with it, 7.5 s without, on two cores).
_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"


@cache
def scratch() -> Path:
    """Return this process's folder for Spark's files; it is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="distributary-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def needs_spark(*packages: str) -> None:
    """Raise `MissingExtra` unless pyspark, pyarrow and the named packages are installed."""
    for package in ("pyspark", "pyarrow", "pandas", *packages):
        if find_spec(package) is None:
            raise MissingExtra(package, "spark")


def session(master: str | None = None, remote: str | None = None) -> SparkSession:
    """Return the active Spark session, or start one: on `master` (default `local[*]`) or at a Connect server.

    `InputError` for an address that is none, `Unavailable` for a missing Java or a server out of reach.
    """
    _check_addresses(master, remote)
    needs_spark(*(("grpc",) if remote else ()))
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("distributary")
    for key, value in EXACT.items():
        builder = builder.config(key, value)
    if remote is not None and remote.startswith("sc://"):
        check_reachable(remote)
        with spark_errors():
            return builder.remote(remote).getOrCreate()
    where = master or remote or "local[*]"
    _prepare_environment(where)
    for key, value in _settings(where).items():
        builder = builder.config(key, value)
    builder = builder.remote(remote) if remote else builder.master(where)
    log = scratch() / "spark.log"
    try:
        with _stderr_to(log):
            return builder.getOrCreate()
    except Exception as error:
        raise Unavailable("Spark", f"does not start: {_last_words(log) or _first_line(error)}") from error


@contextlib.contextmanager
def opened(master: str | None = None, remote: str | None = None) -> Iterator[SparkSession]:
    """Give a session, stop it afterwards if it was started here, and turn Spark's errors into ours."""
    _check_addresses(master, remote)
    needs_spark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession() is not None
    spark = session(master, remote)
    try:
        with spark_errors(), exactly(spark):
            yield spark
    finally:
        if not running:
            with contextlib.suppress(Exception):
                # Whatever a dying session says, the outcome of the command has been decided before.
                spark.stop()


@contextlib.contextmanager
def exactly(spark: SparkSession) -> Iterator[None]:
    """Run with the settings that answers depend on, and give the session its own back."""
    before = {key: spark.conf.get(key, None) for key in EXACT}
    for key, value in EXACT.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        with contextlib.suppress(Exception):
            for key, earlier in before.items():
                if earlier is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, earlier)


@contextlib.contextmanager
def spark_errors() -> Iterator[None]:
    """Raise what Spark raises as `Unavailable`, with the line that says what happened and without its stack."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    # It prints whole stacks on stderr, of what is raised here anyway.
    logging.getLogger("SQLQueryContextLogger").disabled = True
    logging.getLogger("DataFrameQueryContextLogger").disabled = True
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _ours(error) from error


def _check_addresses(master: str | None, remote: str | None) -> None:
    if master is not None and remote is not None:
        raise InputError("only one of --master and --remote may be given", field="--remote")
    if master is not None and not _MASTER.fullmatch(master):
        raise InputError(f"{master!r} is not local[N], spark://HOST:PORT, k8s://… or yarn", field="--master")
    if remote is not None and not re.fullmatch(r"sc://[^/]+.*|local(\[[^\]]+\])?", remote):
        raise InputError(f"{remote!r} is not sc://HOST[:PORT] or local[N]", field="--remote")


def check_reachable(remote: str) -> None:
    """Fail within seconds: Spark's own client would try for ten minutes."""
    try:
        parts = urlsplit(remote)
        host, port = parts.hostname, parts.port or 15002
    except ValueError as error:
        raise InputError(f"{remote!r} is no address: {error}", field="--remote") from None
    try:
        socket.create_connection((host or "", port), timeout=_REMOTE_SECONDS_MAX).close()
    except OSError as error:
        raise Unavailable(remote, f"no Spark Connect server answers: {error.strerror or error}") from error


def _prepare_environment(master: str) -> None:
    """Tell the launcher which Java, which Python and which address to take; on a cluster the user's own stand."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _QUICK_JAVA)
    if master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def _settings(master: str) -> dict[str, str]:
    folder = scratch()
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    if master.startswith("local"):
        settings |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"{_QUICK_JAVA} -Dderby.system.home={folder}",
            "spark.local.dir": str(folder / "local"),
            "spark.sql.shuffle.partitions": "2",
            "spark.connect.grpc.binding.address": "127.0.0.1",
        }
    return settings


@contextlib.contextmanager
def _stderr_to(log: Path) -> Iterator[None]:
    """Let processes started meanwhile write their errors to a file.

    The virtual machine inherits the descriptor, and Spark gives no other way to say where its console is.
    """
    sys.stderr.flush()
    saved = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(saved, 2)
            os.close(saved)


def _last_words(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    told = [line.strip() for line in lines if "Exception" in line or "Error" in line]
    return told[0][:500] if told else ""


def _first_line(error: BaseException) -> str:
    """Return the cause that the virtual machine's report names last, else the first line: it is of the caller."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [found["text"] for line in lines if (found := _CAUSE.match(line))]
    return (causes[-1:] or lines or [type(error).__name__])[0][:500]


def _ours(error: BaseException) -> DistributaryError:
    """Return Spark's error as one of ours: bad input where we raised that in a Python worker."""
    found = [match for line in str(error).splitlines() if (match := _RAISED.match(line.strip()))]
    damaged = _DAMAGED.search(str(error))
    if damaged:
        return InputError("cannot be read; is it damaged?", file=unquote(urlsplit(damaged["file"]).path))
    if not found:
        return Unavailable("Spark", _first_line(error))
    kind = getattr(errors, found[-1]["kind"], None)
    if isinstance(kind, type) and issubclass(kind, InputError):
        return InputError(found[-1]["text"][:500])
    return Unavailable("Spark", found[-1]["text"][:500])
