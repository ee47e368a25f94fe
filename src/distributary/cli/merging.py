"""The command merge: it wires subscriptions, statistics, the planner and output; it decides nothing."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from distributary.cli.options import Json, Seed, Subscriptions, plain, working
from distributary.cli.prices import COSTS, costs_of
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.algebra.filter import Statistics
    from distributary.core.results import MergePlan
    from distributary.core.values import Schema
    from distributary.merging import Member, MergeSettings

__all__ = ["register"]

# Everything heavy is imported in the functions: `--help` must not wait for parsers that it does not need.

_Algorithm = Literal["auto", "none", "pair", "directed", "clustering", "partition", "exhaustive", "exact"]
_Procedure = Literal["rectangle", "polygon", "cover"]
_Density = Annotated[float | None, typer.Option(help="Size of a region of volume 1; 1 unless given.")]
_Profile = Annotated[
    str | None, typer.Option(metavar="FILE", help="What `profile` wrote: sizes are its estimates, in rows.")
]
_Channels = Annotated[
    int | None,
    typer.Option(min=1, help="Pack the merged queries onto so many channels; who listens gets all of one."),
]
_Limit = Annotated[float | None, typer.Option(metavar="SECONDS", help="End `exact` with the best plan so far.")]
_Plot = Annotated[str | None, typer.Option(metavar="FILE.svg", help="Draw the plan in two numeric columns.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(merge)


def merge(
    subscriptions: Subscriptions,
    algorithm: Annotated[_Algorithm, typer.Option(help="How to search for the plan; auto chooses.")] = "auto",
    procedure: Annotated[_Procedure, typer.Option(help="What several queries become when they merge.")] = "rectangle",
    costs: Annotated[
        str, typer.Option(metavar="KM,KT,KU", help="Prices of a merged query, of size sent, of irrelevant size.")
    ] = COSTS,
    metric: Annotated[
        Literal["heuristic", "exact"], typer.Option(help="What keeps queries apart in `clustering`.")
    ] = "heuristic",
    density: _Density = None,
    profile: _Profile = None,
    starts: Annotated[int, typer.Option(min=1, help="How many starts `directed` has.")] = 50,
    channels: _Channels = None,
    time_limit: _Limit = None,
    seed: Seed = 0,
    plot: _Plot = None,
    as_json: Json = False,
) -> None:
    """Merge overlapping subscriptions into channels at the least cost of server, network and clients."""
    from distributary.cli.output import print_json
    from distributary.cli.plan_picture import check_picture, draw_plan
    from distributary.core.generator import Generator
    from distributary.files.output import write_whole
    from distributary.files.text import name_of
    from distributary.merging import MergeSettings, plan

    settings = MergeSettings(algorithm, procedure, costs_of(costs), metric, starts, channels, time_limit)
    _check(settings)
    statistics, schema = _statistics(density, profile)
    members = _members(subscriptions, schema, one_stream=profile is not None)
    if plot is not None:
        check_picture(plot, members)
    with working("merging"):
        try:
            made = plan(members, statistics, settings, time.perf_counter, Generator(seed))
        except InputError as error:
            raise error.at(file=name_of(subscriptions)) from None
    if plot is not None:
        write_whole(plot, draw_plan(made, members).encode())
    if as_json:
        print_json(made)
    else:
        _show(made)


def _check(settings: MergeSettings) -> None:
    """Refuse an option by its own name, before any file is read."""
    try:
        settings.check()
    except InputError as error:
        raise InputError(error.reason, field=f"--{(error.field or '').replace('_', '-')}") from None


def _members(subscriptions: str, schema: Schema | None, *, one_stream: bool) -> list[Member]:
    from distributary.files.subscriptions import read_subscriptions
    from distributary.merging import Member

    members = [
        Member(found.id, found.client, found.stream, wanted, found.fields, found.every)
        for found, wanted in read_subscriptions(subscriptions, schema)
    ]
    if one_stream and len({member.stream for member in members} - {None}) > 1:
        raise InputError("a profile is of one stream, but the subscriptions name several", field="--profile")
    return members


def _statistics(density: float | None, profile: str | None) -> tuple[Statistics, Schema | None]:
    """Return what measures subscriptions, and the columns that they may name where a profile knows them."""
    from distributary.algebra.statistics import UniformDensity

    if profile is None:
        each = 1.0 if density is None else density
        if not (math.isfinite(each) and each > 0):
            raise InputError(f"must be a positive number, not {each}", field="--density")
        return UniformDensity(each), None
    if density is not None:
        raise InputError("only one of --density and --profile may be given", field="--profile")
    from distributary.pipeline.profile import read_profile

    read = read_profile(profile)
    return read.statistics(), read.schema


def _show(made: MergePlan) -> None:
    from distributary.cli.output import out, print_table

    packed = any(channel.physical for channel in made.channels)
    rows = [
        (
            channel.id,
            *([channel.physical] if packed else []),
            plain(" ".join(channel.members)),
            channel.size,
            plain("; ".join(map(_ranges, channel.regions))),
        )
        for channel in made.channels
    ]
    columns = ("channel", *(["physical"] if packed else []), "members", "size", "regions")
    print_table(f"{made.algorithm}, {made.procedure}", columns, rows)
    proven = "optimal" if made.optimal else f"at least {made.lower_bound:.6g}" if made.lower_bound is not None else ""
    out.print(
        f"cost {made.cost:.6g}, unmerged {made.unmerged_cost:.6g}{proven and f', {proven}'}, {made.seconds:.2f} s"
    )


def _ranges(region: dict[str, tuple[float | None, float | None]]) -> str:
    return ", ".join(
        f"{name} {'' if low is None else f'{low:.6g}'}..{'' if high is None else f'{high:.6g}'}"
        for name, (low, high) in region.items()
    )
