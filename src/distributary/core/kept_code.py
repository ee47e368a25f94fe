"""Compiled code that numba keeps on disk is dropped here when what it was compiled from has changed.

numba compares what it kept with the file of the function alone. Functions and constants of other files are compiled in,
and when one of those has changed, by an update that leaves the rest as it is, the old code would run on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator

from distributary.core import generator

__all__ = ["drop_outdated", "package"]

_MARK = "compiled.sources"


def package(path: str) -> str:
    """Return the folder of the row's package that a module is in.

    >>> os.path.basename(package(generator.__file__))
    'core'
    """
    root = os.path.dirname(os.path.dirname(generator.__file__))
    return os.path.join(root, os.path.relpath(path, root).split(os.sep)[0])


def drop_outdated(folder: str, *others: str) -> None:
    """Remove the code kept below a folder unless its sources, and those of other folders, are those of the last call.

    Sources are the modules of folders named `compiled`, those named `layout.py`, and the generator. Where nothing can
    be written, nothing was kept either.
    """
    mark = os.path.join(folder, "__pycache__", _MARK)
    sources = _fingerprint(folder, *others)
    with contextlib.suppress(OSError):
        if _read(mark) == sources:
            return
        for path in _files(folder):
            if path.endswith((".nbi", ".nbc")):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path)
        os.makedirs(os.path.dirname(mark), exist_ok=True)
        with open(f"{mark}.{os.getpid()}", "w") as file:
            file.write(sources)
        os.replace(file.name, mark)


def _fingerprint(*folders: str) -> str:
    found = [generator.__file__]
    for path in (path for folder in folders for path in _files(folder)):
        parent, name = os.path.split(path)
        if name.endswith(".py") and (name == "layout.py" or os.path.basename(parent) == "compiled"):
            found.append(path)
    stated = [(path, os.stat(path)) for path in sorted(found)]
    texts = [f"{path} {state.st_mtime_ns} {state.st_size}\n" for path, state in stated]
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def _files(folder: str) -> Iterator[str]:
    for parent, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(parent, name)


def _read(path: str) -> str | None:
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
