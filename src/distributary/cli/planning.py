"""The planning commands match, deliver and adapt. They wire files, planners and output; they decide nothing."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from distributary.cli.options import Json, Seed, Subscriptions, plain, working
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributary.core.results import AdaptationResult, DeliveryResult
    from distributary.core.values import Content
    from distributary.files.items import FileItem

__all__ = ["register"]

# Everything heavy is imported in the functions: `--help` must not wait for parsers that it does not need.


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(match)
    app.command()(deliver)
    app.command()(adapt)


def match(
    subscriptions: Subscriptions,
    items: Annotated[list[str], typer.Argument(help="XML files, folders of them, or record files.")],
    as_json: Json = False,
) -> int:
    """Tell which subscriptions each item matches; the status is 1 when an item could not be read."""
    from distributary.cli.output import err, print_json_line, print_table
    from distributary.files.items import open_items
    from distributary.files.subscriptions import read_subscriptions
    from distributary.files.text import STANDARD_INPUT, name_of
    from distributary.matching import ReferenceMatcher

    if STANDARD_INPUT in items and subscriptions == STANDARD_INPUT:
        raise InputError("can be read only once", file=name_of(STANDARD_INPUT))
    opened = open_items(items)
    matcher: ReferenceMatcher[str] = ReferenceMatcher()
    for found, wanted in read_subscriptions(subscriptions, opened.schema):
        matcher.add(found.id, wanted)
    failed = 0
    rows = []
    with nullcontext() if as_json else working("matching"):
        for item in opened:
            answer = _answer(item, matcher.match, named=len(items) > 1)
            failed += "error" in answer
            if as_json:
                print_json_line(answer)
            else:
                rows.append((plain(item.name), *_outcome(answer)))
    if not as_json:
        print_table(f"{len(rows)} items, {len(matcher)} subscriptions", ("item", "matches", "error"), rows)
        if failed:
            err.print(f"{failed} of {len(rows)} items could not be read")
    return 1 if failed else 0


def deliver(
    problem: Annotated[str, typer.Argument(help="Nodes, links, streams and filters, as one JSON object.")],
    algorithm: Annotated[Literal["brush"], typer.Option(help="How the trees are built.")] = "brush",
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Build delivery trees under bandwidth limits and measure the quality that every filter gets."""
    from distributary.cli.output import err, print_json
    from distributary.core.generator import Generator
    from distributary.delivery import plan
    from distributary.files.problems import read_delivery_problem
    from distributary.files.text import name_of

    read = read_delivery_problem(problem)
    with working("building trees"):
        try:
            made = plan(read, algorithm, Generator(seed), err.print)
        except InputError as error:
            raise error.at(file=name_of(problem)) from None
    if as_json:
        print_json(made)
    else:
        _show_delivery(made)


def adapt(
    problem: Annotated[str, typer.Argument(help="Formats, operators, tree and requests, as one JSON object.")],
    algorithm: Annotated[
        Literal["auto", "all-in-root"], typer.Option(help="Where formats are converted; auto chooses.")
    ] = "auto",
    alpha: Annotated[float, typer.Option(help="Weight of transmission.")] = 1.0,
    beta: Annotated[float, typer.Option(help="Weight of conversion.")] = 1.0,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Plan where in a dissemination tree formats are converted."""
    from distributary.adaptation import plan
    from distributary.cli.output import print_json
    from distributary.core.generator import Generator
    from distributary.files.problems import read_adaptation_problem

    read = read_adaptation_problem(problem)
    with working("planning conversions"):
        made = plan(read, algorithm, Generator(seed), alpha=alpha, beta=beta)
    if as_json:
        print_json(made)
    else:
        _show_adaptation(made)


def _answer(item: FileItem, match_one: Callable[[Content], tuple[str, ...]], *, named: bool) -> dict[str, object]:
    """Return the line of one item; rows of several files are told apart by the file's name."""
    answer: dict[str, object] = {"item": item.name}
    if named and isinstance(item.name, int):
        answer["file"] = item.file
    if isinstance(item.content, InputError):
        return answer | {"error": str(item.content)}
    try:
        return answer | {"matches": match_one(item.content)}
    except InputError as error:
        return answer | {"error": str(error)}


def _outcome(answer: dict[str, object]) -> tuple[object, object]:
    matches = answer.get("matches", ())
    return plain(" ".join(matches) if isinstance(matches, tuple) else ""), plain(answer.get("error", ""))


def _show_delivery(made: DeliveryResult) -> None:
    from distributary.cli.output import out, print_table

    rows = [
        (
            plain(got.stream),
            plain(got.node),
            plain(made.trees[got.stream][got.node]),
            got.drop,
            got.delay,
            got.quality,
        )
        for got in made.filters
    ]
    print_table(made.algorithm, ("stream", "node", "parent", "drop", "delay (s)", "quality"), rows)
    out.print(
        f"quality {made.quality:.6g}, bandwidth {made.total_bandwidth:.6g} bytes/s, fairness {made.fairness:.6g}, "
        f"delay variance {made.delay_variance:.6g}, {made.rounds:.3g} rounds per join"
    )


def _show_adaptation(made: AdaptationResult) -> None:
    from distributary.cli.output import out, print_table

    conversions = [(plain(node.id), plain(", ".join(map(" to ".join, node.operators)))) for node in made.nodes]
    print_table(f"{made.algorithm}: conversions", ("node", "operators"), conversions)
    links = [(plain(link.source), plain(link.target), plain(" ".join(link.formats))) for link in made.links]
    print_table("transmissions", ("from", "to", "formats"), links)
    bound = "" if made.lower_bound is None else f", at least {made.lower_bound:.6g}"
    out.print(
        f"cost {made.cost:.6g}: transmission {made.transmission:.6g}, conversion {made.conversion:.6g}"
        f"{', optimal' if made.optimal else bound}"
    )
