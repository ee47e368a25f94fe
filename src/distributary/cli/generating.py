"""The commands generate documents and generate subscriptions: drawn from a DTD, or from a grammar of our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from distributary.cli.options import Json, Seed, progress
from distributary.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributary.experiments.documents import DocumentShape
    from distributary.experiments.grammar import Grammar
    from distributary.experiments.subscriptions import SubscriptionShape

__all__ = ["register"]

_Dtd = Annotated[str | None, typer.Option(metavar="FILE", help="The grammar; without it bulletins about a disaster.")]
_Root = Annotated[str | None, typer.Option(metavar="NAME", help="The root element, where the DTD leaves it open.")]
_Count = Annotated[int, typer.Option(help="How many.", min=1, max=10**8)]
_Size = Annotated[int | None, typer.Option(metavar="BYTES", help="The size of each document; 9000 by default.")]

#: As large as the news articles of paper 004, about.
_SIZE = 9_000
#: Digits of the number in a document's file name, at least.
_DIGITS = 6


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(help="Draw documents and subscriptions from a grammar.", no_args_is_help=False)
    group.command()(documents)
    group.command()(subscriptions)
    app.add_typer(group, name="generate")


def documents(
    folder: Annotated[str, typer.Option("--out", metavar="DIR", help="The folder to make.")],
    dtd: _Dtd = None,
    root: _Root = None,
    count: _Count = 1,
    size: _Size = None,
    elements: Annotated[int | None, typer.Option(help="Elements of each document, instead of its size.")] = None,
    depth: Annotated[int, typer.Option(help="Elements inside one another, at most.")] = 12,
    attributes: Annotated[float, typer.Option(help="How likely an attribute is that may lack.", min=0, max=1)] = 0.2,
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option(help="Replace an earlier result of this command.")] = False,
    as_json: Json = False,
) -> None:
    """Draw documents that are valid against a DTD, into a folder: 000000.xml and so on."""
    from distributary.cli.output import out, print_json
    from distributary.core.generator import Generator
    from distributary.experiments.documents import DocumentShape, draw_document
    from distributary.pipeline.folder import whole_folder

    if size is None and elements is None:
        size = _SIZE
    shape = DocumentShape(size, elements, depth, attributes)
    grammar = _grammar(dtd, root)
    generator = Generator("documents", seed)
    digits = max(_DIGITS, len(str(count - 1)))
    written = 0
    with (
        _named(dtd),
        progress("drawing documents") as step,
        whole_folder(folder, overwrite=overwrite, mark=f"{0:0{digits}d}.xml") as place,
    ):
        for number in range(count):
            document = draw_document(grammar, generator.fork(number), shape)
            (place / f"{number:0{digits}d}.xml").write_bytes(document)
            written += len(document)
            step(f"{number + 1} of {count}")
    if as_json:
        print_json({"out": folder, "count": count, "bytes": written, "root": grammar.root, "seed": seed})
    else:
        out.print(f"{count} documents, {written} bytes in all, seed {seed}: {folder}", markup=False)


def subscriptions(
    dtd: _Dtd = None,
    root: _Root = None,
    count: _Count = 1,
    wildcard: Annotated[float, typer.Option(help="p(*): of a step, to be a wildcard.", min=0, max=1)] = 0.2,
    descendant: Annotated[float, typer.Option(help="p(//): of a step, to be reached by //.", min=0, max=1)] = 0.2,
    branch: Annotated[
        float, typer.Option(help="p(branch): of a node, to have more than one child.", min=0, max=1)
    ] = 0.3,
    value: Annotated[float, typer.Option(help="p(value): of a node, to be compared with a value.", min=0, max=1)] = 0.0,
    depth: Annotated[str, typer.Option(metavar="LEAST,MOST", help="Steps of a path.")] = "2,6",
    selectivity: Annotated[
        float | None, typer.Option(help="The mean share of documents that one matches.", min=0, max=1)
    ] = None,
    sample: Annotated[int, typer.Option(help="Documents on which selectivity is measured.", min=1)] = 200,
    size: _Size = None,
    stream: Annotated[str, typer.Option(help="The stream of the subscriptions.")] = "documents",
    seed: Seed = 0,
    target: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write to a file, not stdout.")] = None,
    as_json: Json = False,
) -> None:
    """Draw subscriptions as JSON lines; with --out, --json reports on them.

    The documents on which selectivity is measured are those that `generate documents` draws with the same options.
    """
    from distributary.cli.output import out, print_json, print_json_line
    from distributary.core.ids import check_stream
    from distributary.experiments.documents import DocumentShape
    from distributary.experiments.subscriptions import SubscriptionShape
    from distributary.files.output import check_place, write_whole

    check_stream(stream)
    shape = SubscriptionShape(wildcard, descendant, branch, value, _depth(depth))
    documents_shape = DocumentShape(_SIZE if size is None else size)
    if target is not None:
        check_place(target)
    grammar = _grammar(dtd, root)
    with _named(dtd), progress("drawing subscriptions") as step:
        if selectivity is None:
            texts, share = _drawn(grammar, shape, count, seed), None
        else:
            texts, share = _selected(grammar, shape, count, seed, selectivity, documents_shape, sample, step)
    rows = [{"id": f"s{number}", "stream": stream, "xpath": text} for number, text in enumerate(texts)]
    if target is None:
        for row in rows:
            print_json_line(row)
        return
    write_whole(target, _lines(rows))
    different = len(set(texts))
    if as_json:
        print_json({"out": target, "count": count, "distinct": different, "selectivity": share, "seed": seed})
    else:
        out.print(f"{count} subscriptions, {different} different, seed {seed}: {target}", markup=False)


def _drawn(grammar: Grammar, shape: SubscriptionShape, count: int, seed: int) -> tuple[str, ...]:
    from distributary.core.generator import Generator
    from distributary.experiments.subscriptions import draw_subscription

    generator = Generator("subscriptions", seed)
    return tuple(draw_subscription(grammar, generator, shape) for _ in range(count))


def _selected(
    grammar: Grammar,
    shape: SubscriptionShape,
    count: int,
    seed: int,
    selectivity: float,
    documents_shape: DocumentShape,
    sample: int,
    step: Callable[[str], None],
) -> tuple[tuple[str, ...], float]:
    """Return subscriptions and the selectivity that they have on documents drawn with the same seed."""
    from distributary.core.generator import Generator
    from distributary.experiments.documents import draw_document
    from distributary.experiments.selectivity import draw_selected

    chance = Generator("documents", seed)
    bodies = [draw_document(grammar, chance.fork(number), documents_shape) for number in range(sample)]
    found = draw_selected(grammar, Generator("subscriptions", seed), shape, count, selectivity, bodies, step)
    return found.texts, found.selectivity


def _lines(rows: Iterable[dict[str, str]]) -> bytes:
    import msgspec

    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _grammar(dtd: str | None, root: str | None) -> Grammar:
    from distributary.experiments.dtd import bulletin_grammar, read_dtd
    from distributary.files.text import decoded, read_bytes

    if dtd is None:
        if root is not None:
            raise InputError("is only for a grammar given with --dtd", field="--root")
        return bulletin_grammar()
    with _named(dtd):
        return read_dtd(decoded(read_bytes(dtd)).removeprefix("\ufeff"), root)


@contextmanager
def _named(dtd: str | None) -> Iterator[None]:
    """Name the file of the grammar in what is wrong with it, or cannot be drawn from it."""
    from distributary.files.text import name_of

    try:
        yield
    except InputError as error:
        raise (error if dtd is None else error.at(file=name_of(dtd))) from None


def _depth(text: str) -> tuple[int, int]:
    least, comma, most = text.partition(",")
    try:
        return (int(least), int(most if comma else least))
    except ValueError:
        raise InputError(f"must be two whole numbers with a comma between, not {text!r}", field="--depth") from None
