"""The command demo: a hurricane makes landfall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from distributary.cli.hurricane.landfall import Landfall
    from distributary.cli.hurricane.verdict import Verdict

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    seed: Annotated[int, typer.Option(help="Of the streams and the subscriptions.", min=0, max=2**63 - 1)] = 7,
    subscribers: Annotated[int, typer.Option(min=20, max=2000, help="Shelters, ambulances, newsrooms, screens.")] = 300,
    nodes: Annotated[int, typer.Option(min=2, max=50, help="How many nodes, the source among them.")] = 12,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> int:
    """Let a hurricane make landfall on this machine: Spark, nodes and subscribers; 0 only if all answers are exact."""
    import tempfile

    from distributary.cli.hurricane.landfall import play
    from distributary.cli.hurricane.picture import draw_run
    from distributary.cli.output import err, print_json
    from distributary.files.output import check_place, write_whole

    if picture is not None:
        check_place(picture)

    with tempfile.TemporaryDirectory(prefix="distributary-demo-") as folder, err.status("demo") as status:

        def step(doing: str) -> None:
            # A terminal shows one moving line, a log gets a line for each step.
            status.update(doing) if err.is_terminal else err.print(doing)

        seen = play(seed, subscribers, nodes, Path(folder), step)
    if picture is not None:
        write_whole(picture, draw_run(seen.links, seen.stages, _caption(seen)).encode())
    if as_json:
        print_json(_document(seen))
    else:
        _show(seen)
    return 0 if seen.exact else 1


def _caption(seen: Landfall) -> str:
    nodes = len(seen.links) + 1
    return f"A hurricane makes landfall: {seen.items:,} items, {nodes} nodes, {len(seen.verdicts)} subscribers"


def _document(seen: Landfall) -> dict[str, object]:
    return {
        "exact": seen.exact,
        "items": seen.items,
        "matched_afresh": seen.matched_afresh,
        "stages": [
            {"stream": stream, "stage": each.name, "merged": each.merged, "apart": each.apart}
            for stream, each in seen.stages
        ],
        "links": seen.links,
        "subscribers": [
            {
                "id": each.listener.subscription.id,
                "node": each.listener.url,
                "owed": each.owed,
                "got": each.got,
                "exact": each.exact,
            }
            for each in seen.verdicts
        ],
    }


def _show(seen: Landfall) -> None:
    from rich.columns import Columns

    from distributary.cli.hurricane.measures import hops
    from distributary.cli.output import out, print_table

    out.print(_caption(seen))
    out.print("Items that each subscriber received, of those that the reference matcher finds for it:")
    out.print(Columns(map(_line, seen.verdicts), padding=(0, 3), column_first=True))
    print_table(
        "What each stage cost in Spark, the first router",
        ("stream", "stage", "merged", "without merging"),
        [(stream, each.name, each.merged, each.apart) for stream, each in seen.stages],
    )
    print_table(
        "Items sent per hop",
        ("hop", "links", "sent", "one copy for each subscriber"),
        hops(seen.links),
    )
    kinds = dict.fromkeys(each.listener.kind for each in seen.verdicts)
    print_table(
        "Answers",
        ("subscribers", "count", "exact", "items owed", "items received"),
        [
            (
                f"{kind}s",
                len(mine),
                sum(each.exact for each in mine),
                sum(each.owed for each in mine),
                sum(each.got for each in mine),
            )
            for kind in kinds
            for mine in [[each for each in seen.verdicts if each.listener.kind == kind]]
        ],
    )
    if not seen.clean:
        out.print("A node did not end well.")
    exact = sum(each.exact for each in seen.verdicts)
    out.print(
        f"{exact} of {len(seen.verdicts)} subscribers received exactly their answers; "
        f"nodes matched {seen.matched_afresh} items that Spark had matched"
    )


def _line(verdict: Verdict) -> str:
    outcome = "exact" if verdict.exact else "WRONG"
    return f"{verdict.listener.subscription.id}  {verdict.got} of {verdict.owed}  {outcome}"
