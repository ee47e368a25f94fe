"""Writing a folder whole: it is filled beside its place and renamed into it, or nothing is there.

A folder that holds something is never written into. It is replaced only when its owner asks and it is of our making.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from distributary.core.errors import InputError
from distributary.files.output import room_at

__all__ = ["whole_folder"]


@contextlib.contextmanager
def whole_folder(target: str, *, overwrite: bool, mark: str) -> Iterator[Path]:
    """Give an empty folder beside `target`, and rename it there when the block ends without an error.

    Args:
        target: The folder to make; it may be there if it is empty, or with `overwrite` if it holds `mark`.
        overwrite: Whether an earlier result is replaced.
        mark: The file by which an earlier result is known.

    Raises `InputError` before anything is written when that cannot be. Replacing takes two renames: between them
    there is no folder, never half a one.
    """
    place = Path(os.path.abspath(target))
    _check(place, target, overwrite=overwrite, mark=mark)
    try:
        made = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.", suffix=".partial"))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=target) from None
    try:
        with room_at(target):
            yield made
        mask = os.umask(0o077)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
        _check(place, target, overwrite=overwrite, mark=mark)
        _put(made, place)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _check(place: Path, target: str, *, overwrite: bool, mark: str) -> None:
    if not place.parent.is_dir():
        raise InputError(f"the folder {place.parent} does not exist", file=target)
    if not place.exists():
        return
    if not place.is_dir():
        raise InputError("exists and is not a folder", file=target)
    if not any(place.iterdir()):
        return
    if not overwrite:
        raise InputError("is a folder that is not empty; --overwrite replaces an earlier result", file=target)
    if not (place / mark).is_file():
        raise InputError(f"holds no {mark}, so it is not an earlier result and is not replaced", file=target)


def _put(made: Path, place: Path) -> None:
    if not place.exists() or not any(place.iterdir()):
        os.rename(made, place)
        return
    aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.", suffix=".replaced"))
    os.rename(place, aside)
    try:
        os.rename(made, place)
    except OSError:
        os.rename(aside, place)
        raise
    shutil.rmtree(aside, ignore_errors=True)
