"""Writing files whole: readers see the old content or the new one, never a half; a full disk is named."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributary.core.errors import InputError, NoSpace

__all__ = ["check_place", "room_at", "write_whole"]


def check_place(path: str | Path) -> None:
    """Raise `InputError` where no file could be written, before long work is done for it."""
    place = Path(os.path.abspath(path))
    if place.is_dir():
        raise InputError("is a folder", file=str(path))
    if not place.parent.is_dir():
        raise InputError("its folder does not exist", file=str(path))
    if not os.access(place.parent, os.W_OK):
        raise InputError("its folder may not be written", file=str(path))


@contextmanager
def room_at(place: str | Path) -> Iterator[None]:
    """Turn a full disk into `NoSpace` that names the place: writing to an open file, the system names none."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise NoSpace(str(place), os.strerror(error.errno)) from error
        raise


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file by way of a temporary one beside it and a rename; its folder must be there.

    On any error the temporary file is gone and the old content stands. A full disk is `NoSpace`; the system's other
    errors are passed on.
    """
    with room_at(path):
        _write(Path(path), content)


def _write(target: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            # A temporary file is its owner's only; the result has the rights that a new file would have.
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
