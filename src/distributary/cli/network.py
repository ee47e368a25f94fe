"""The commands of the network: node, publish, subscribe, status, up. They wire parts and print; they decide nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from distributary.core.errors import InputError

if TYPE_CHECKING:
    from distributary.client import Client
    from distributary.core.status import NodeStatus
    from distributary.runtime.node_process import MakeNode

__all__ = ["register"]

# Everything heavy is imported in the functions: `--help` must not wait for a server that it does not need.

_Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text for people.")]
_Node = Annotated[
    list[str], typer.Option("--node", metavar="URL", help="The node to talk to; several: the first that answers.")
]
_Stream = Annotated[str, typer.Option(help="The stream's name.")]
_TokenFile = Annotated[Path | None, typer.Option(metavar="FILE", help="A file whose first token is shown to the node.")]
_Authorities = Annotated[Path | None, typer.Option("--tls-ca", metavar="FILE", help="Whom to trust, as PEM.")]
_ItemSize = Annotated[str, typer.Option(metavar="SIZE", help="The largest item that a source takes.")]
_ItemDepth = Annotated[int, typer.Option(help="How deep the JSON or XML may nest that a source takes.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (node, publish, subscribe, status, up):
        app.command()(command)


def node(
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0: any.")] = "127.0.0.1:8000",
    join: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="A node of the tree to join; without any, a new tree.")
    ] = None,
    name: Annotated[str, typer.Option(help="A label for people.")] = "",
    fanout: Annotated[int, typer.Option(min=1, help="The greatest number of children.")] = 8,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the log is kept; else distributary-data/NAME here.")
    ] = None,
    retention: Annotated[
        str, typer.Option(metavar="AGE,SIZE", help="How long and how much the source keeps.")
    ] = "24h,1GiB",
    item_size: _ItemSize = "16MiB",
    item_depth: _ItemDepth = 256,
    advertise: Annotated[
        str | None, typer.Option(metavar="URL", help="Where other nodes reach this one, if not where it listens.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tokens, one a line, each with its scopes or for everything.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate to listen with.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key.")] = None,
    tls_ca: _Authorities = None,
    as_json: _Json = False,
) -> int:
    """Run a node: the source of a new tree, or with --join a part of one. It stops on SIGTERM or Ctrl-C."""
    import asyncio

    from distributary.broker import NodeConfig
    from distributary.cli.output import out, print_json_line
    from distributary.client.exchange import checked_urls
    from distributary.runtime.node_process import serve
    from distributary.runtime.options import ProcessOptions, listen_address
    from distributary.runtime.server import Dashboard
    from distributary.web import routes

    age, size = _retention(retention)
    address = listen_address(listen)
    label = name or (f"node-{address.port}" if address.port else "node")
    pages = tuple(routes())
    options = ProcessOptions(
        listen=address,
        data=data or Path("distributary-data") / label.replace("/", "_"),
        advertise=checked_urls(advertise, "--advertise")[0] if advertise else None,
        token_file=token_file,
        tls_certificate=tls_cert,
        tls_key=tls_key,
        tls_authorities=tls_ca,
        dashboard=Dashboard(pages, tuple(page.path for page in pages)),
    )
    joins = checked_urls(join, "--join") if join else ()
    limits = {"item_bytes_max": _size(item_size), "item_depth_max": item_depth}
    config = NodeConfig("", name, joins, fanout, retention_seconds=age, retention_bytes=size, **limits)

    def announce(url: str) -> None:
        shown = {"url": url, "data": str(options.data)}
        print_json_line(shown) if as_json else out.print(f"listening on {url}, data in {options.data}")

    return asyncio.run(serve(config, options, _node_maker(label), announce))


def _node_maker(label: str) -> MakeNode:
    """Return what makes the node: its matchers load and rebuild compiled code beside it."""
    from functools import partial

    from distributary.broker import Node
    from distributary.matching import CompiledMatcher
    from distributary.runtime.preparation import BackgroundPreparation, in_background
    from distributary.runtime.reports import Reports

    ready = BackgroundPreparation(Reports(label).write)
    return partial(Node, matcher=partial(CompiledMatcher, ready=ready, later=in_background))


def publish(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Items, or files of records; - is standard input, JSON lines.")
    ],
    node: _Node,
    stream: _Stream,
    content_type: Annotated[
        str | None, typer.Option("--type", metavar="MIME", help="What the files are, if not what their endings say.")
    ] = None,
    token_file: _TokenFile = None,
    tls_ca: _Authorities = None,
    as_json: _Json = False,
) -> None:
    """Publish files, one item each, or the records of .jsonl, .csv, .parquet and .json arrays, in order."""
    from distributary.cli.output import print_json, print_table
    from distributary.cli.publishing import prepared

    rows = []
    with _client(node, token_file, tls_ca) as client:
        # All files are checked before the first is sent, so that a bad one leaves nothing half published.
        for file, send in [(file, prepared(file, content_type)) for file in files]:
            done = send(client, stream)
            rows.append({"file": file, "items": done.items, "first": done.first, "last": done.last})
    if as_json:
        print_json({"stream": stream, "files": rows})
    else:
        print_table(stream, ("file", "items", "first", "last"), [tuple(row.values()) for row in rows])


def subscribe(
    node: _Node,
    stream: _Stream,
    where: Annotated[str | None, typer.Option(metavar="PREDICATE", help="Which records, as in SQL.")] = None,
    xpath: Annotated[str | None, typer.Option(metavar="XPATH", help="Which XML documents.")] = None,
    namespace: Annotated[
        list[str] | None, typer.Option(metavar="P=URI", help="A namespace prefix of the XPath.")
    ] = None,
    format: Annotated[str | None, typer.Option(metavar="MIME", help="The form to deliver items in.")] = None,  # noqa: A002
    after: Annotated[int | None, typer.Option(min=0, help="Start after this number; 0: all that is kept.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Stop after so many items.")] = None,
    token_file: _TokenFile = None,
    tls_ca: _Authorities = None,
    as_json: _Json = False,
) -> None:
    """Print each matching item as it comes, until Ctrl-C; a lost node is waited for and nothing is missed."""
    from distributary.cli.output import err
    from distributary.cli.publishing import print_delivery
    from distributary.client import Event

    namespaces = dict(_namespace(text) for text in namespace or ())
    with _client(node, token_file, tls_ca) as client:
        deliveries = client.subscribe(
            stream, where=where, xpath=xpath, namespaces=namespaces, format=format, after=after
        )
        err.print(f"subscribed to {stream}", style="dim")
        printed = 0
        for delivery in deliveries:
            print_delivery(delivery, as_json=as_json)
            printed += isinstance(delivery, Event)
            if printed == count:
                return


def status(node: _Node, token_file: _TokenFile = None, tls_ca: _Authorities = None, as_json: _Json = False) -> None:
    """Show a node: its place in its trees, its children, its streams and what it has counted."""
    from distributary.cli.output import print_json

    with _client(node, token_file, tls_ca, patience_seconds=3.0) as client:
        found = client.status()
    if as_json:
        print_json(found)
    else:
        _show(found)


def up(
    nodes: Annotated[int, typer.Option(min=1, max=100, help="How many nodes, the source among them.")] = 3,
    fanout: Annotated[int, typer.Option(min=1, help="The greatest number of children of each.")] = 2,
    data: Annotated[Path, typer.Option(metavar="DIR", help="Where the nodes keep their logs.")] = Path(
        "distributary-data"
    ),
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where the source listens; the others take any port.")
    ] = "127.0.0.1:8000",
    token_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Tokens for all nodes.")] = None,
    as_json: _Json = False,
) -> int:
    """Run a whole tree of nodes on this machine until Ctrl-C or SIGTERM."""
    import sys

    from distributary.cli.local_tree import LocalTree, NotStarted, Stopped
    from distributary.cli.output import err, out, print_json
    from distributary.runtime.options import listen_address

    tree = LocalTree(data, fanout, listen_address(listen), token_file)
    try:
        with tree:
            for _ in range(nodes):
                tree.add()
            if as_json:
                print_json({"nodes": [{"name": name, "url": url} for name, url in tree.urls.items()]})
            else:
                for name, url in tree.urls.items():
                    out.print(f"{name:>10}  {url}")
                out.print("dashboard: any of these addresses in a browser; Ctrl-C stops all")
            sys.stdout.flush()
            tree.ended.wait()
            err.print("a node has ended on its own; stopping the others")
            return 1
    except NotStarted as failed:
        # The node has said why, in the one line that a failure has.
        return failed.status
    except Stopped:
        return 0 if tree.clean else 1


def _retention(text: str) -> tuple[float, int]:
    from distributary.core.units import bytes_of, seconds_of

    age, comma, size = text.partition(",")
    try:
        if not comma:
            raise InputError(f"{text!r} is not AGE,SIZE such as 24h,1GiB")
        return seconds_of(age), bytes_of(size)
    except InputError as error:
        raise error.at(field="--retention") from None


def _size(text: str) -> int:
    from distributary.core.units import bytes_of

    try:
        return bytes_of(text)
    except InputError as error:
        raise error.at(field="--item-size") from None


def _namespace(text: str) -> tuple[str, str]:
    prefix, equals, uri = text.partition("=")
    if not prefix or not equals or not uri:
        raise InputError(f"{text!r} is not PREFIX=URI", field="--namespace")
    return prefix, uri


def _client(
    urls: list[str], token_file: Path | None, authorities: Path | None, patience_seconds: float = 15.0
) -> Client:
    from distributary.client import Client

    token = None
    if token_file is not None:
        from distributary.runtime.tokens import read_tokens

        token = read_tokens(token_file).first()
    tls = None
    if authorities is not None:
        from distributary.runtime.options import client_tls

        tls = client_tls(authorities)
    return Client(urls, token, patience_seconds=patience_seconds, tls=tls)


def _show(found: NodeStatus) -> None:
    from rich.markup import escape
    from rich.tree import Tree

    from distributary.cli.output import out, print_table

    for tree in found.trees:
        branch = drawing = Tree(escape(tree.path[0] if tree.path else found.name))
        for step in tree.path[1:]:
            branch = branch.add(escape(step))
        for child in tree.children:
            branch.add(escape(f"{child.name or child.id}  {child.url}"))
        out.print(f"{escape(found.name)}  {escape(found.url)}  {tree.state}, {found.subscribers} subscribers")
        out.print(drawing)
        rows = [(stream.stream, stream.head, stream.trimmed, stream.filters) for stream in tree.streams]
        print_table("streams", ("stream", "head", "trimmed", "filters"), rows)
    print_table("counters", ("counter", "count"), found.counters.items())
