"""The command match: which subscriptions each item matches. It wires files, matcher and output; it decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from distributary.cli.options import Json, Subscriptions, plain, progress
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.algebra.filter import Filter
    from distributary.core.values import Content
    from distributary.files.items import FileItem
    from distributary.matching import Matcher
    from distributary.matching.explanation import Reason

__all__ = ["register"]

#: Items that are matched together.
_BATCH = 256


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(match)


def match(
    subscriptions: Subscriptions,
    items: Annotated[list[str], typer.Argument(help="XML files, folders of them, or record files.")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of every subscription why it matches, or why not; slow.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Tell which subscriptions each item matches; the status is 1 when an item could not be read."""
    from distributary.cli.output import err, print_json_line, print_table
    from distributary.files.items import open_items
    from distributary.files.subscriptions import read_subscriptions
    from distributary.files.text import STANDARD_INPUT, name_of
    from distributary.matching import CompiledMatcher, prepare

    if STANDARD_INPUT in items and subscriptions == STANDARD_INPUT:
        raise InputError("can be read only once", file=name_of(STANDARD_INPUT))
    opened = open_items(items)
    failed = 0
    rows: list[tuple[object, ...]] = []
    reasons: list[tuple[object, ...]] = []
    with progress("matching") as tell:

        def ready() -> bool:
            prepare(tell)
            return True

        matcher: CompiledMatcher[str] = CompiledMatcher(ready=ready)
        explained: dict[str, Filter] = {}
        for found, wanted in read_subscriptions(subscriptions, opened.schema):
            matcher.add(found.id, wanted)
            if explain:
                explained[found.id] = wanted
        for item, answer in _answers(opened, matcher):
            line = _line(item, answer, named=len(items) > 1)
            why = _reasons(explained, item)
            failed += "error" in line
            if as_json:
                print_json_line(line | ({"why": why} if explain else {}))
            else:
                rows.append((plain(item.name), *_outcome(line)))
                reasons.extend((plain(item.name), plain(name), plain(_said(each))) for name, each in why.items())
    if not as_json:
        if explain:
            print_table("reasons", ("item", "subscription", "why, or why not"), reasons)
        print_table(f"{len(rows)} items, {len(matcher)} subscriptions", ("item", "matches", "error"), rows)
        if failed:
            err.print(f"{failed} of {len(rows)} items could not be read")
    return 1 if failed else 0


def _answers(
    items: Iterable[FileItem], matcher: Matcher[str]
) -> Iterator[tuple[FileItem, tuple[str, ...] | InputError]]:
    """Yield each item with what it matches or what is wrong with it, in order."""
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        readable: list[Content] = [item.content for item in batch if not isinstance(item.content, InputError)]
        found = iter(matcher.match_batch(readable))
        for item in batch:
            yield item, item.content if isinstance(item.content, InputError) else next(found)


def _line(item: FileItem, answer: tuple[str, ...] | InputError, *, named: bool) -> dict[str, object]:
    """Return the line of one item; rows of several files are told apart by the file's name."""
    line: dict[str, object] = {"item": item.name}
    if named and isinstance(item.name, int):
        line["file"] = item.file
    return line | ({"error": str(answer)} if isinstance(answer, InputError) else {"matches": answer})


def _reasons(filters: Mapping[str, Filter], item: FileItem) -> dict[str, Reason]:
    """Return why each filter matches the item or not; nothing of an item that cannot be read."""
    from distributary.matching.explanation import reason

    content = item.content
    return {} if isinstance(content, InputError) else {name: reason(each, content) for name, each in filters.items()}


def _said(why: Reason) -> str:
    if not why.matches:
        return f"no: {why.missing}"
    return "yes" + "".join(f"; {step} is {path}" for step, path in why.bindings)


def _outcome(line: dict[str, object]) -> tuple[object, object]:
    matches = line.get("matches", ())
    return plain(" ".join(matches) if isinstance(matches, tuple) else ""), plain(line.get("error", ""))
