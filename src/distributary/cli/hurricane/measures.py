"""What the demonstration cost, stage by stage, as measured, and what it would have cost without merging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from distributary.cli.hurricane.verdict import Verdict
from distributary.core.status import NodeStatus
from distributary.pipeline.route import RouteReport

__all__ = ["Link", "Stage", "hops", "links_of", "stages_of"]


@dataclass(frozen=True, slots=True)
class Link:
    """The link into a node: how many items came over it, and how many would have, one copy for each subscriber."""

    node: str
    parent: str
    #: Links from the source, 1 for its children.
    depth: int
    carried: int
    apart: int


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage's cost under the model of paper 000, with merging and without."""

    name: str
    merged: float
    apart: float


def links_of(statuses: Mapping[str, NodeStatus], verdicts: Sequence[Verdict]) -> list[Link]:
    """Return the links of the tree, from the source outwards. `statuses` is by address."""
    paths = {status.name: status.trees[0].path for status in statuses.values()}
    apart: Counter[str] = Counter()
    for verdict in verdicts:
        for name in paths[statuses[verdict.listener.url].name]:
            apart[name] += verdict.owed
    return sorted(
        (
            Link(
                status.name,
                paths[status.name][-2],
                len(paths[status.name]) - 1,
                status.counters.get("items_received", 0),
                apart[status.name],
            )
            for status in statuses.values()
            if len(paths[status.name]) > 1
        ),
        key=lambda link: (link.depth, link.parent, link.node),
    )


def hops(links: Sequence[Link]) -> list[tuple[int, int, int, int]]:
    """Return for each hop its number, its links, the items carried and those of separate copies."""
    found = []
    for depth in sorted({link.depth for link in links}):
        here = [link for link in links if link.depth == depth]
        found.append((depth, len(here), sum(link.carried for link in here), sum(link.apart for link in here)))
    return found


def stages_of(report: RouteReport, subscriptions: int) -> list[Stage]:
    """Split the measured costs of a routed stream into those of server, network and clients."""
    costs = report.costs
    server, server_apart = costs.K_M * report.queries, costs.K_M * subscriptions
    network, network_apart = costs.K_T * report.sent, report.measured_unmerged_cost - server_apart
    return [
        Stage("server: queries evaluated", server, server_apart),
        Stage("network: items sent", network, network_apart),
        Stage("clients: items received in vain", report.measured_cost - server - network, 0.0),
    ]
