"""The command `calibrate`: from prices, and from what queries take, to the three parameters of the cost model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from distributary.cli.options import progress
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.core.results import Costs
    from distributary.merging.calibration import Measured

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(calibrate)


def calibrate(
    prices: Annotated[str, typer.Argument(help="A .toml or .json file of prices; examples/prices.toml shows one.")],
    items: Annotated[
        str | None, typer.Argument(help="The records to measure, as for `profile`, unless PRICES has [measured].")
    ] = None,
    master: Annotated[
        str | None, typer.Option(help="Where Spark runs: local[N], spark://HOST:PORT, yarn, k8s://…")
    ] = None,
    remote: Annotated[
        str | None, typer.Option(help="A Spark Connect server, sc://HOST:PORT, instead of --master.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.", min=0, max=2**63 - 1)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find the --costs of merging: what a merged query, an item sent and an item in vain cost in money."""
    from distributary.cli.output import print_json
    from distributary.files.prices import read_prices
    from distributary.merging.calibration import costs_of

    known, measured = read_prices(prices)
    if measured is not None and items is not None:
        raise InputError("gives what was measured; leave ITEMS out, or this section", file=prices, field="measured")
    if measured is None:
        if items is None:
            raise InputError("is not given; name ITEMS to measure them", file=prices, field="measured")
        measured = _measured(items, master, remote, seed)
    costs = costs_of(known, measured)
    if as_json:
        option = ",".join(map(repr, (costs.K_M, costs.K_T, costs.K_U)))
        print_json({"K_M": costs.K_M, "K_T": costs.K_T, "K_U": costs.K_U, "measured": measured, "costs": option})
    else:
        _show(costs, measured)


def _measured(items: str, master: str | None, remote: str | None, seed: int) -> Measured:
    from distributary.pipeline.calibrate import measure
    from distributary.pipeline.session import opened

    with progress("calibrate") as step:
        return measure(lambda: opened(master, remote), items, seed=seed, step=step)


def _show(costs: Costs, measured: Measured) -> None:
    from distributary.cli.output import out, print_table

    rows = [
        ("a query at the server (s)", measured.seconds_per_query),
        ("an object at the server (s)", measured.seconds_per_object),
        ("an object on the network (bytes)", measured.bytes_per_object),
        ("an object at the client (s)", measured.client_seconds_per_object),
    ]
    print_table("measured", ("what", "takes"), rows)
    rows = [
        ("K_M: a merged query", costs.K_M),
        ("K_T: an object sent", costs.K_T),
        ("K_U: an object received in vain", costs.K_U),
    ]
    print_table("costs, in the currency of the prices", ("parameter", "value"), rows)
    out.print(f"--costs {costs.K_M!r},{costs.K_T!r},{costs.K_U!r}", markup=False)
