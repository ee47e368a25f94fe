"""The dissemination problem of paper 003, section 2: a content adaptation graph, a tree of nodes, and requests.

Records and their checks only. Costs are taken as given; factors scale what a link or a node costs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import msgspec

from distributary.adaptation.graph import conversion_paths
from distributary.core.errors import InputError

__all__ = ["AdaptationProblem", "Format", "NodeFactor", "Operator", "TreeLink", "check_problem"]


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format and what it costs to send the content over a link in it."""

    id: str
    cost: float


class Operator(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A conversion and what it costs at a node."""

    source: str
    target: str
    cost: float


class TreeLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A link of the tree, from parent to child."""

    source: str
    target: str
    factor: float = 1.0


class NodeFactor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What scales the cost of conversions at a node."""

    id: str
    factor: float = 1.0


class AdaptationProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One problem; the order of the records decides nothing but ties and the order of results."""

    source: str
    formats: tuple[Format, ...]
    root: str
    requests: Mapping[str, tuple[str, ...]]
    operators: tuple[Operator, ...] = ()
    links: tuple[TreeLink, ...] = ()
    nodes: tuple[NodeFactor, ...] = ()

    @cached_property
    def size_of(self) -> dict[str, float]:
        """Transmission costs by format, in the order of the problem."""
        return {form.id: form.cost for form in self.formats}

    @cached_property
    def price_of(self) -> dict[tuple[str, str], float]:
        """Conversion costs by (from, to)."""
        return {(operator.source, operator.target): operator.cost for operator in self.operators}

    @cached_property
    def link_factor(self) -> dict[tuple[str, str], float]:
        """Factors of links by (parent, child)."""
        return {(link.source, link.target): link.factor for link in self.links}

    @cached_property
    def children(self) -> dict[str, tuple[str, ...]]:
        """Children of each node that has some."""
        found: dict[str, list[str]] = {}
        for link in self.links:
            found.setdefault(link.source, []).append(link.target)
        return {node: tuple(below) for node, below in found.items()}

    @cached_property
    def top_down(self) -> tuple[str, ...]:
        """Nodes, each after its parent, the root first."""
        order = [self.root]
        for node in order:
            order.extend(self.children.get(node, ()))
        return tuple(order)

    @cached_property
    def requested_below(self) -> dict[str, frozenset[str]]:
        """What each node and all nodes below it request together."""
        found: dict[str, frozenset[str]] = {}
        for node in reversed(self.top_down):
            below = [found[child] for child in self.children.get(node, ())]
            found[node] = frozenset(self.requests.get(node, ())).union(*below)
        return found

    def node_factor(self, node: str) -> float:
        """Return what scales conversions at a node."""
        return self._node_factors.get(node, 1.0)

    @cached_property
    def _node_factors(self) -> dict[str, float]:
        return {node.id: node.factor for node in self.nodes}


def check_problem(problem: AdaptationProblem) -> None:
    """Raise `InputError` naming the record and the field of the first thing that is wrong."""
    _check_formats(problem)
    _check_tree(problem)
    _check_requests(problem)


def _check_formats(problem: AdaptationProblem) -> None:
    known = problem.size_of
    _different("formats", [form.id for form in problem.formats])
    for number, form in enumerate(problem.formats):
        _not_negative(form.cost, "cost", f"formats[{number}]")
    _known(problem.source, known, "format", "source", None)
    seen: set[tuple[str, str]] = set()
    for number, operator in enumerate(problem.operators):
        record = f"operators[{number}]"
        _known(operator.source, known, "format", "from", record)
        _known(operator.target, known, "format", "to", record)
        if operator.source == operator.target:
            raise InputError(f"converts {operator.source!r} into itself", record=record)
        if (operator.source, operator.target) in seen:
            raise InputError(f"is the second from {operator.source!r} to {operator.target!r}", record=record)
        seen.add((operator.source, operator.target))
        _not_negative(operator.cost, "cost", record)


def _check_tree(problem: AdaptationProblem) -> None:
    parents: dict[str, str] = {}
    for number, link in enumerate(problem.links):
        record = f"links[{number}]"
        if link.target == problem.root:
            raise InputError(f"leads into the root {problem.root!r}", record=record, field="to")
        if link.target in parents:
            raise InputError(
                f"{link.target!r} has the parent {parents[link.target]!r} already", record=record, field="to"
            )
        parents[link.target] = link.source
        _not_negative(link.factor, "factor", record)
    reached = frozenset(problem.top_down)
    for number, link in enumerate(problem.links):
        if link.target not in reached:
            raise InputError(
                f"{link.target!r} is not reached from the root {problem.root!r}", record=f"links[{number}]", field="to"
            )
    _different("nodes", [node.id for node in problem.nodes])
    for number, node in enumerate(problem.nodes):
        _known(node.id, reached, "node", "id", f"nodes[{number}]")
        _not_negative(node.factor, "factor", f"nodes[{number}]")


def _check_requests(problem: AdaptationProblem) -> None:
    nodes = frozenset(problem.top_down)
    reachable = conversion_paths(problem.source, problem.price_of)
    for node, formats in problem.requests.items():
        _known(node, nodes, "node", None, f"requests[{node!r}]")
        for name in formats:
            _known(name, problem.size_of, "format", None, f"requests[{node!r}]")
            if name not in reachable:
                raise InputError(
                    f"no operators make the format {name!r} from {problem.source!r}", record=f"requests[{node!r}]"
                )


def _different(field: str, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, identity in enumerate(ids):
        if identity in seen:
            raise InputError(f"{identity!r} is there already", record=f"{field}[{number}]", field="id")
        seen.add(identity)


def _known(identity: str, known: Collection[str], noun: str, field: str | None, record: str | None) -> None:
    if identity not in known:
        raise InputError(f"there is no {noun} {identity!r}", record=record, field=field)


def _not_negative(value: float, field: str, record: str) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"must be a number, zero or more, not {value}", record=record, field=field)
