"""The commands of the studies: experiment list, run, plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from distributary.cli.options import progress
from distributary.cli.output import out, print_json, print_table

if TYPE_CHECKING:
    from distributary.experiments.folder import StudyResult

__all__ = ["register"]

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="A study that `list` names.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    # Without a command it is one line of usage, as for every other mistake; `--help` shows the commands.
    group = typer.Typer(help="Run the studies of the papers' figures with Spark.", no_args_is_help=False)
    group.command("list")(studies)
    group.command()(run)
    group.command()(plot)
    app.add_typer(group, name="experiment")


def studies(json: _Json = False) -> None:
    """List the studies."""
    from distributary.experiments.catalogue import STUDIES, of_the_same_rows

    if json:
        print_json(
            [
                {
                    "name": study.name,
                    "title": study.title,
                    "points": len(study.points),
                    "samples": study.samples,
                    "also": [other.name for other in of_the_same_rows(study)],
                }
                for study in STUDIES.values()
            ]
        )
        return
    rows = [(study.name, study.title, len(study.points), study.samples) for study in STUDIES.values()]
    print_table("studies", ("name", "title", "points", "samples"), rows)


def run(
    name: _Name,
    samples: Annotated[int | None, typer.Option(help="How many at each point; each study has its default.")] = None,
    folder: Annotated[
        str | None, typer.Option("--out", help="The folder to make; by default NAME with - for /.")
    ] = None,
    master: Annotated[str | None, typer.Option(help="Where Spark runs: local[N], spark://HOST:PORT, …")] = None,
    seed: Annotated[int, typer.Option(help="The seed of every random choice.", min=0, max=2**63 - 1)] = 0,
    overwrite: Annotated[bool, typer.Option(help="Replace an earlier result of this command.")] = False,
    json: _Json = False,
) -> None:
    """Run a study: rows as Parquet, the charts, and the paper's claims with our figures."""
    import time

    from distributary.experiments.folder import run as made
    from distributary.pipeline.session import opened

    target = folder or _folder_of(name)
    started = time.perf_counter()
    with progress(name) as step:
        result = made(
            name,
            target,
            lambda: opened(master, None),
            samples=samples,
            seed=seed,
            overwrite=overwrite,
            step=step,
        )
    seconds = time.perf_counter() - started
    if json:
        print_json(
            {
                "study": result.study,
                "title": result.title,
                "seed": result.seed,
                "samples": result.samples,
                "seconds": seconds,
                "out": target,
                "claims": result.claims,
            }
        )
    else:
        _show(result, target, seconds)


def plot(
    name: _Name,
    folder: Annotated[str | None, typer.Option("--out", help="The folder that `run` made.")] = None,
    json: _Json = False,
) -> None:
    """Draw the charts of a study again, from the rows in its folder."""
    from distributary.experiments.folder import redraw

    made = redraw(name, folder or _folder_of(name))
    if json:
        print_json({"study": name, "files": [str(path) for path in made]})
    else:
        for path in made:
            out.print(str(path), markup=False)


def _folder_of(name: str) -> str:
    return name.replace("/", "-")


def _show(result: StudyResult, target: str, seconds: float) -> None:
    rows = [(claim.claim, claim.paper, claim.ours, "yes" if claim.holds else "no") for claim in result.claims]
    print_table(result.title, ("claim", "paper", "ours", "holds"), rows)
    out.print(f"{result.samples} samples at each point, seed {result.seed}, {seconds:.1f} s: {target}", markup=False)
