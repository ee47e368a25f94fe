"""Text files line by line, with the place of what cannot be read. It knows no format.

Everything is UTF-8, with or without a byte order mark; another encoding is refused and never guessed, since a wrong
guess would change names and values without a word.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from distributary.core.errors import InputError

__all__ = ["STANDARD_INPUT", "check_readable", "decoded", "lines_of", "name_of", "read_bytes", "unreadable"]

#: The path that stands for standard input.
STANDARD_INPUT = "-"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def name_of(path: str) -> str:
    """Return the path as messages name it.

    >>> name_of("-"), name_of("a.csv")
    ('standard input', 'a.csv')
    """
    return "standard input" if path == STANDARD_INPUT else path


def read_bytes(path: str) -> bytes:
    """Return a whole file, or standard input for `-`; what cannot be opened is an `InputError` that names it."""
    try:
        return sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None


def lines_of(path: str) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, without a byte order mark; `-` can be read only once."""
    try:
        with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else Path(path).open("rb") as file:
            for number, line in enumerate(file):
                yield line.removeprefix(_BYTE_ORDER_MARK) if number == 0 else line
    except OSError as error:
        raise unreadable(path, error) from None


def decoded(line: bytes) -> str:
    """Return the text of some bytes, or raise `InputError` without a place."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {line[error.start]:#04x})") from None


def check_readable(path: str) -> None:
    """Raise `InputError` unless there is a file that can be opened; nothing is read."""
    try:
        with Path(path).open("rb"):
            return
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: str, error: OSError) -> InputError:
    """Return the system's error as one that names the file."""
    reasons = {errno.ENOENT: "does not exist", errno.EISDIR: "is a folder, not a file", errno.EACCES: "may not be read"}
    return InputError(reasons.get(error.errno or 0, error.strerror or str(error)), file=name_of(path))
