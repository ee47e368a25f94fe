"""What several commands share: their options, and how they say that they are at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Annotated

import typer

__all__ = ["Json", "Seed", "Subscriptions", "plain", "progress", "working"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0, max=2**63 - 1)]
Subscriptions = Annotated[str, typer.Argument(help="Subscriptions, one JSON object per line; - is standard input.")]


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """Give a function that shows what is being done, on a terminal only."""
    from distributary.cli.output import err

    if not err.is_terminal:
        yield lambda _: None
        return
    with err.status(title) as status:
        yield lambda doing: status.update(f"{title}: {doing}")


def working(what: str) -> AbstractContextManager[object]:
    """Show that work goes on, on a terminal; nothing when stderr is piped."""
    from distributary.cli.output import err

    return err.status(what) if err.is_terminal else nullcontext()


def plain(text: object) -> object:
    """Return a text with nothing that rich would take for markup; a number as it is."""
    from rich.markup import escape

    return escape(text) if isinstance(text, str) else text
