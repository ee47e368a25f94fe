"""The commands of the Spark pipeline: profile, route, extract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from distributary.cli.options import progress
from distributary.cli.output import out, print_json, print_json_line, print_table
from distributary.cli.prices import COSTS, costs_of

if TYPE_CHECKING:
    from distributary.pipeline.route import RouteReport

__all__ = ["register"]

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Seed = Annotated[int, typer.Option(help="The seed of every random choice.", min=0, max=2**63 - 1)]
_Master = Annotated[str | None, typer.Option(help="Where Spark runs: local[N], spark://HOST:PORT, yarn, k8s://…")]
_Remote = Annotated[str | None, typer.Option(help="A Spark Connect server, sc://HOST:PORT, instead of --master.")]
_Items = Annotated[
    str, typer.Argument(help="A .csv, .jsonl, .json, .parquet or .xml file, a folder of them, or - for JSON lines.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(profile)
    app.command()(route)
    app.command()(extract)


def profile(
    items: _Items,
    file: Annotated[str, typer.Option("--out", help="The file to write.")],
    master: _Master = None,
    remote: _Remote = None,
    seed: _Seed = 0,
    json: _Json = False,
) -> None:
    """Measure a stream of records with Spark: statistics for size estimates."""
    from distributary.pipeline.profile import profile_file
    from distributary.pipeline.session import opened

    with progress("profile") as step:
        found = profile_file(lambda: opened(master, remote), items, file, seed=seed, step=step)
    if json:
        print_json({"rows": found.rows, "mean_row_bytes": found.mean_row_bytes, "columns": found.columns, "out": file})
        return
    rows = [
        (each.name, str(each.type), f"{each.nulls:.1%}", _shown(each.minimum), _shown(each.maximum))
        for each in found.columns
    ]
    print_table(
        f"{found.rows} rows of {found.mean_row_bytes:.0f} bytes", ("column", "type", "null", "least", "greatest"), rows
    )


def route(
    items: _Items,
    subscriptions: Annotated[str, typer.Argument(help="A file of subscriptions of one stream.")],
    folder: Annotated[str, typer.Option("--out", help="The folder to make.")],
    algorithm: Annotated[str, typer.Option(help="How to merge, as in `merge`.")] = "auto",
    procedure: Annotated[str, typer.Option(help="rectangle, polygon or cover.")] = "rectangle",
    costs: Annotated[
        str, typer.Option(metavar="KM,KT,KU", help="Prices of a merged query, of a row sent, of a row in vain.")
    ] = COSTS,
    master: _Master = None,
    remote: _Remote = None,
    seed: _Seed = 0,
    overwrite: Annotated[bool, typer.Option(help="Replace an earlier result of this command.")] = False,
    json: _Json = False,
) -> None:
    """Merge the subscriptions, and route each item to the channels of the merged queries with Spark."""
    from distributary.merging import MergeSettings
    from distributary.pipeline.route import RouteSettings
    from distributary.pipeline.route import route as routed
    from distributary.pipeline.session import opened

    settings = RouteSettings(MergeSettings(algorithm, procedure, costs_of(costs)), seed, overwrite)
    with progress("route") as step:
        report = routed(lambda: opened(master, remote), items, subscriptions, folder, settings, step)
    if json:
        print_json(report)
    else:
        _print_report(report, folder)


def extract(
    folder: Annotated[str, typer.Argument(help="A folder that `route` made.")],
    subscription: Annotated[str, typer.Option(help="The id of a subscription.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON lines, as without it.")] = False,
) -> None:
    """Print what a subscriber keeps of its channel, as JSON lines."""
    from distributary.pipeline.extract import answer

    for row in answer(folder, subscription):
        print_json_line(row)


def _print_report(report: RouteReport, folder: str) -> None:
    rows = [
        ("estimated", report.unmerged_cost, report.cost),
        ("measured", report.measured_unmerged_cost, report.measured_cost),
    ]
    print_table(f"{report.algorithm}, {report.procedure}", ("cost", "unmerged", "merged"), rows)
    places = f"{report.rows} items, {report.channels} channels, {report.sent} sent, {report.seconds:.1f} s"
    out.print(f"{places}: {Path(folder)}", markup=False)


def _shown(cell: object) -> str:
    return "" if cell is None else str(cell)
