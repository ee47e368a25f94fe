"""What commands print: one JSON document, JSON lines, or a table for people; progress goes to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

__all__ = ["err", "out", "print_json", "print_json_line", "print_table"]

#: The console for people's eyes, on stdout.
out = Console(highlight=False, soft_wrap=True)
#: Progress, logs and warnings.
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(document: Any) -> None:
    """Print exactly one JSON document."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n")


def print_json_line(document: Any) -> None:
    """Print one document of a sequence, and at once, so that a pipe's reader sees it."""
    sys.stdout.write(msgspec.json.encode(document).decode() + "\n")
    sys.stdout.flush()


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; numbers are aligned to the right."""
    table = Table(title=title, title_justify="left")
    listed = [list(row) for row in rows]
    for index, column in enumerate(columns):
        numeric = bool(listed) and all(isinstance(row[index], int | float) for row in listed)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(*(f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row))
    out.print(table)
