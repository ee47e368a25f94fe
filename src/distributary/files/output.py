"""Writing files whole: readers see the old content or the new one, never a half."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file by way of a temporary one beside it and a rename; its folder must be there.

    On any error the temporary file is gone and the old content stands. The system's errors are passed on.
    """
    target = Path(path)
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
