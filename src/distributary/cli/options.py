"""What several planning commands share: their options, and how they say that they are at work."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

import typer

__all__ = ["Json", "Seed", "Subscriptions", "plain", "working"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0, max=2**63 - 1)]
Subscriptions = Annotated[str, typer.Argument(help="Subscriptions, one JSON object per line; - is standard input.")]


def working(what: str) -> AbstractContextManager[object]:
    """Show that work goes on, on a terminal; nothing when stderr is piped."""
    from distributary.cli.output import err

    return err.status(what) if err.is_terminal else nullcontext()


def plain(text: object) -> object:
    """Return a text with nothing that rich would take for markup; a number as it is."""
    from rich.markup import escape

    return escape(text) if isinstance(text, str) else text
