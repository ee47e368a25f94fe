"""The tree of errors: theirs (`InputError`, `ProtocolError`), the world's (`Unavailable`, ...); ours are assertions.

Every error carries fields and prints as one line. What a caller does with it is the caller's: the command line
prints it, a node answers with a status. Nothing here knows of exit codes or HTTP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "Conflict",
    "DistributaryError",
    "InputError",
    "MissingExtra",
    "NoSpace",
    "NotAcceptable",
    "ProtocolError",
    "TimedOut",
    "TooLarge",
    "Unavailable",
]


class DistributaryError(Exception):
    """The root of all errors that are not our own mistakes; `str()` of it is one line."""

    def __str__(self) -> str:
        return " ".join(self.line().split())

    def __reduce__(self) -> tuple[Callable[..., DistributaryError], tuple[Any, ...]]:
        # Constructors take other arguments than `args` holds; errors travel between processes all the same.
        return _remade, (type(self), self.args, vars(self))

    def line(self) -> str:
        """Return the message, for `str()` to print on one line."""
        return super().__str__()


def _remade(kind: type[DistributaryError], args: tuple[Any, ...], fields: dict[str, Any]) -> DistributaryError:
    error = kind.__new__(kind, *args)
    vars(error).update(fields)
    return error


class InputError(DistributaryError):
    """Bad input: names the file, the record or line, the field and what is wrong, as far as each is known.

    >>> str(InputError("is inverted: 5 > 1", field="x", record=3, file="boxes.jsonl"))
    'boxes.jsonl: line 3: x: is inverted: 5 > 1'
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        record: int | str | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        #: A line number (counted from 1) or the name of a record.
        self.record = record
        self.field = field

    def line(self) -> str:
        """Return `file: record: field: reason` without the parts that are unknown."""
        record = f"line {self.record}" if isinstance(self.record, int) else self.record
        return ": ".join(part for part in (self.file, record, self.field, self.reason) if part)

    def at(
        self,
        *,
        file: str | None = None,
        record: int | str | None = None,
        field: str | None = None,
    ) -> InputError:
        """Return the same error with places filled in that were not known where it arose."""
        return type(self)(
            self.reason,
            file=self.file or file,
            record=self.record if self.record is not None else record,
            field=self.field or field,
        )


class TooLarge(InputError):
    """An item, document or request over its configured limit of size or depth."""


class NotAcceptable(InputError):
    """An item that cannot be read as what it says it is, or that its stream's schema refuses."""


class Conflict(InputError):
    """The same idempotency key with another body."""


class ProtocolError(DistributaryError):
    """A peer broke the protocol; names the peer and what it sent."""

    def __init__(self, peer: str, reason: str) -> None:
        super().__init__(reason)
        self.peer = peer
        self.reason = reason

    def line(self) -> str:
        """Return `peer: reason`."""
        return f"{self.peer}: {self.reason}"


class Unavailable(DistributaryError):
    """Something that is needed cannot be reached now; trying again later may help."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(reason)
        self.what = what
        self.reason = reason

    def line(self) -> str:
        """Return `what: reason`."""
        return f"{self.what}: {self.reason}"


class TimedOut(Unavailable):
    """Something did not happen within its time."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(what, f"no answer within {seconds:g} s")
        self.seconds = seconds


class NoSpace(Unavailable):
    """The disk is full."""


class MissingExtra(Unavailable):
    """An optional dependency is not installed; the message says how to install it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, f"is not installed; run: pip install 'distributary[{extra}]'")
        self.package = package
        self.extra = extra
