"""The planning commands deliver and adapt. They wire files, planners and output; they decide nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from distributary.cli.options import Json, Seed, plain, working
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.core.results import AdaptationResult, DeliveryResult

__all__ = ["register"]

_Delivery = Literal["brush", "chain", "unfas", "unfag", "qasds", "qasdg", "triage", "annealing", "optimal"]
_Adaptation = Literal["auto", "optimal", "iterative", "all-in-root", "all-in-leaves", "single-format"]

# Everything heavy is imported in the functions: `--help` must not wait for parsers that it does not need.


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(deliver)
    app.command()(adapt)


def deliver(
    problem: Annotated[str, typer.Argument(help="Nodes, links, streams and filters, as one JSON object.")],
    algorithm: Annotated[_Delivery, typer.Option(help="How the trees are built.")] = "brush",
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
    algorithm: Annotated[_Adaptation, typer.Option(help="Where formats are converted; auto chooses.")] = "auto",
    iterations: Annotated[
        int | None, typer.Option(min=0, metavar="K", help="Refinements of `iterative`; until none saves anything.")
    ] = None,
    select: Annotated[
        Literal["slack", "random"], typer.Option(help="Which node `iterative` refines around next.")
    ] = "slack",
    depth: Annotated[int, typer.Option(min=1, help="Levels below it that `iterative` plans anew with it.")] = 1,
    alpha: Annotated[float, typer.Option(help="Weight of transmission.")] = 1.0,
    beta: Annotated[float, typer.Option(help="Weight of conversion.")] = 1.0,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End with the best plan and bound so far.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Plan where in a dissemination tree formats are converted."""
    from distributary.adaptation import AdaptationSettings, plan
    from distributary.cli.output import print_json
    from distributary.core.generator import Generator
    from distributary.files.problems import read_adaptation_problem
    from distributary.files.text import name_of

    settings = AdaptationSettings(algorithm, alpha, beta, iterations, select, depth, time_limit)
    settings.check()
    read = read_adaptation_problem(problem)
    with working("planning conversions"):
        try:
            made = plan(read, settings, time.perf_counter, Generator(seed))
        except InputError as error:
            raise error.at(file=name_of(problem)) from None
    if as_json:
        print_json(made)
    else:
        _show_adaptation(made)


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
        f"{', optimal' if made.optimal else ''}"
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
