"""The operator's log: one JSON object on one line of stderr for each report. Files and levels are the host's."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable
from typing import TextIO

import msgspec

__all__ = ["LibraryReports", "Reports"]


class Reports:
    """Writes reports; a reader that has gone away stops nothing."""

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self.name = name
        self._stream = sys.stderr if stream is None else stream

    def write(self, event: str, fields: Iterable[tuple[str, object]] = ()) -> None:
        """Write one line with the time, the node's name, the event and its fields."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        row = {"time": stamp, "node": self.name, "event": event, **dict(fields)}
        try:
            self._stream.write(msgspec.json.encode(row, enc_hook=str).decode() + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            # Nobody reads the log any more (a closed pipe): the node's work goes on.
            return


class LibraryReports(logging.Handler):
    """Turns the warnings of the libraries below into reports, each on one line."""

    def __init__(self, reports: Reports) -> None:
        super().__init__(logging.WARNING)
        self._reports = reports

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; of an exception its kind and message, not its stack."""
        fields: list[tuple[str, object]] = [("library", record.name), ("message", record.getMessage().strip())]
        if record.exc_info is not None and record.exc_info[1] is not None:
            fields.append(("error", repr(record.exc_info[1])))
        self._reports.write("library_warning", fields)
