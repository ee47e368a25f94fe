"""The planning commands: merge, match, deliver, adapt. They wire files, planners and output; they decide nothing."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from distributary.cli.prices import COSTS, costs_of
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributary.core.results import AdaptationResult, DeliveryResult, MergePlan
    from distributary.core.values import Content
    from distributary.files.items import FileItem

__all__ = ["register"]

# Everything heavy is imported in the functions: `--help` must not wait for parsers that it does not need.

_Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
_Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]
_Subscriptions = Annotated[str, typer.Argument(help="Subscriptions, one JSON object per line; - is standard input.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(merge)
    app.command()(match)
    app.command()(deliver)
    app.command()(adapt)


def merge(
    subscriptions: _Subscriptions,
    algorithm: Annotated[
        Literal["auto", "none", "pair"], typer.Option(help="How to search for the plan; auto chooses.")
    ] = "auto",
    procedure: Annotated[
        Literal["rectangle", "polygon", "cover"], typer.Option(help="What several queries become when they merge.")
    ] = "rectangle",
    costs: Annotated[
        str, typer.Option(metavar="KM,KT,KU", help="Prices of a merged query, of size sent, of irrelevant size.")
    ] = COSTS,
    density: Annotated[float, typer.Option(help="Size of a region of volume 1.")] = 1.0,
    seed: _Seed = 0,
    as_json: _Json = False,
) -> None:
    """Merge overlapping subscriptions into channels at the least cost of server, network and clients."""
    from distributary.algebra.statistics import UniformDensity
    from distributary.cli.output import print_json
    from distributary.core.generator import Generator
    from distributary.files.subscriptions import read_subscriptions
    from distributary.files.text import name_of
    from distributary.merging import Member, MergeSettings, plan

    settings = MergeSettings(algorithm, procedure, costs_of(costs))
    if not (math.isfinite(density) and density > 0):
        raise InputError(f"must be a positive number, not {density}", field="--density")
    members = [
        Member(found.id, found.client, found.stream, wanted, found.fields)
        for found, wanted in read_subscriptions(subscriptions)
    ]
    with _working("merging"):
        try:
            made = plan(members, UniformDensity(density), settings, time.perf_counter, Generator(seed))
        except InputError as error:
            raise error.at(file=name_of(subscriptions)) from None
    if as_json:
        print_json(made)
    else:
        _show_merge(made)


def match(
    subscriptions: _Subscriptions,
    items: Annotated[list[str], typer.Argument(help="XML files, folders of them, or record files.")],
    as_json: _Json = False,
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
    with nullcontext() if as_json else _working("matching"):
        for item in opened:
            answer = _answer(item, matcher.match, named=len(items) > 1)
            failed += "error" in answer
            if as_json:
                print_json_line(answer)
            else:
                rows.append((_plain(item.name), *_outcome(answer)))
    if not as_json:
        print_table(f"{len(rows)} items, {len(matcher)} subscriptions", ("item", "matches", "error"), rows)
        if failed:
            err.print(f"{failed} of {len(rows)} items could not be read")
    return 1 if failed else 0


def deliver(
    problem: Annotated[str, typer.Argument(help="Nodes, links, streams and filters, as one JSON object.")],
    algorithm: Annotated[Literal["brush"], typer.Option(help="How the trees are built.")] = "brush",
    seed: _Seed = 0,
    as_json: _Json = False,
) -> None:
    """Build delivery trees under bandwidth limits and measure the quality that every filter gets."""
    from distributary.cli.output import err, print_json
    from distributary.core.generator import Generator
    from distributary.delivery import plan
    from distributary.files.problems import read_delivery_problem
    from distributary.files.text import name_of

    read = read_delivery_problem(problem)
    with _working("building trees"):
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
    seed: _Seed = 0,
    as_json: _Json = False,
) -> None:
    """Plan where in a dissemination tree formats are converted."""
    from distributary.adaptation import plan
    from distributary.cli.output import print_json
    from distributary.core.generator import Generator
    from distributary.files.problems import read_adaptation_problem

    read = read_adaptation_problem(problem)
    with _working("planning conversions"):
        made = plan(read, algorithm, Generator(seed), alpha=alpha, beta=beta)
    if as_json:
        print_json(made)
    else:
        _show_adaptation(made)


def _working(what: str) -> AbstractContextManager[object]:
    """Show that work goes on, on a terminal; nothing when stderr is piped."""
    from distributary.cli.output import err

    return err.status(what) if err.is_terminal else nullcontext()


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
    return _plain(" ".join(matches) if isinstance(matches, tuple) else ""), _plain(answer.get("error", ""))


def _plain(text: object) -> object:
    """Return a text with nothing that rich would take for markup; a number as it is."""
    from rich.markup import escape

    return escape(text) if isinstance(text, str) else text


def _show_merge(made: MergePlan) -> None:
    from distributary.cli.output import out, print_table

    rows = [
        (channel.id, _plain(" ".join(channel.members)), channel.size, _plain("; ".join(map(_ranges, channel.regions))))
        for channel in made.channels
    ]
    print_table(f"{made.algorithm}, {made.procedure}", ("channel", "members", "size", "regions"), rows)
    proven = "optimal" if made.optimal else f"at least {made.lower_bound:.6g}" if made.lower_bound is not None else ""
    out.print(
        f"cost {made.cost:.6g}, unmerged {made.unmerged_cost:.6g}{proven and f', {proven}'}, {made.seconds:.2f} s"
    )


def _ranges(region: dict[str, tuple[float | None, float | None]]) -> str:
    return ", ".join(
        f"{name} {'' if low is None else f'{low:.6g}'}..{'' if high is None else f'{high:.6g}'}"
        for name, (low, high) in region.items()
    )


def _show_delivery(made: DeliveryResult) -> None:
    from distributary.cli.output import out, print_table

    rows = [
        (
            _plain(got.stream),
            _plain(got.node),
            _plain(made.trees[got.stream][got.node]),
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

    conversions = [(_plain(node.id), _plain(", ".join(map(" to ".join, node.operators)))) for node in made.nodes]
    print_table(f"{made.algorithm}: conversions", ("node", "operators"), conversions)
    links = [(_plain(link.source), _plain(link.target), _plain(" ".join(link.formats))) for link in made.links]
    print_table("transmissions", ("from", "to", "formats"), links)
    bound = "" if made.lower_bound is None else f", at least {made.lower_bound:.6g}"
    out.print(
        f"cost {made.cost:.6g}: transmission {made.transmission:.6g}, conversion {made.conversion:.6g}"
        f"{', optimal' if made.optimal else bound}"
    )
