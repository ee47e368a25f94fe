"""The stream delivery problem of paper 001, sections 2.2 and 3: nodes, links, streams and filters over blocks.

Records and their checks only; trees are `trees`, their measures `model`. A filter is a set of numbered blocks of its
stream: it is applicable over another when its blocks are a subset, and its amortized size Φ is its share of the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from distributary.core.errors import InputError
from distributary.core.subscriptions import Quality

__all__ = ["DeliveryFilter", "DeliveryNode", "DeliveryProblem", "DeliveryStream", "Link", "check_problem"]


class DeliveryNode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node with its bandwidths in bytes per second; none given: no limit. The physical model does not use them."""

    id: str
    upload: float | None = None
    download: float | None = None


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A link with its delay in seconds and, in the physical model, its capacity in bytes per second."""

    source: str
    target: str
    delay: float = 0.0
    capacity: float | None = None


class DeliveryStream(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stream, the node it comes from, and its rate λ·ζ in bytes per second."""

    id: str
    source: str
    rate: float


class DeliveryFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one node wants of one stream, and the drop and delay that it tolerates."""

    node: str
    stream: str
    blocks: frozenset[int]
    quality: Quality = Quality()


class DeliveryProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One problem; filters join the trees in the order given."""

    nodes: tuple[DeliveryNode, ...]
    streams: tuple[DeliveryStream, ...]
    filters: tuple[DeliveryFilter, ...]
    #: How many blocks each stream is made of.
    blocks: int
    links: tuple[Link, ...] = ()
    model: Literal["logical", "physical"] = "logical"
    #: Seconds that each node on the way takes to forward.
    processing_delay: float = 0.0
    #: The delay of links that are not listed, in the logical model; without it they must not be used.
    default_delay: float | None = None

    @cached_property
    def link_of(self) -> dict[tuple[str, str], Link]:
        """The link that carries each direction: links are symmetric unless both directions are listed."""
        listed = {(link.source, link.target): link for link in self.links}
        return {(link.target, link.source): link for link in self.links} | listed

    @cached_property
    def stream_of(self) -> dict[str, DeliveryStream]:
        """Streams by id."""
        return {stream.id: stream for stream in self.streams}

    @cached_property
    def filter_of(self) -> dict[tuple[str, str], DeliveryFilter]:
        """Filters by (stream, node)."""
        return {(wanted.stream, wanted.node): wanted for wanted in self.filters}

    def delay(self, source: str, target: str) -> float | None:
        """Return the delay from a node to another over their link, or `None` when they are not connected."""
        link = self.link_of.get((source, target))
        if link is not None:
            return link.delay
        return self.default_delay if self.model == "logical" else None

    def bandwidth(self, stream: str, blocks: Iterable[int]) -> float:
        """Return λ·Φ: the bytes per second of a stream after a filter of these blocks, without repetitions."""
        return self.stream_of[stream].rate * len(list(blocks)) / self.blocks


def check_problem(problem: DeliveryProblem) -> None:
    """Raise `InputError` naming the record and the field of the first thing that is wrong."""
    _positive(problem.blocks, "blocks", None)
    _not_negative(problem.processing_delay, "processing_delay", None)
    _not_negative(problem.default_delay, "default_delay", None)
    if problem.model == "physical" and problem.default_delay is not None:
        raise InputError("is only for the logical model: nodes without a link are not connected", field="default_delay")
    _check_nodes(problem)
    _check_links(problem)
    _check_streams(problem)
    _check_filters(problem)


def _check_nodes(problem: DeliveryProblem) -> None:
    _different("nodes", [node.id for node in problem.nodes])
    for number, node in enumerate(problem.nodes):
        _positive(node.upload, "upload", f"nodes[{number}]")
        _positive(node.download, "download", f"nodes[{number}]")


def _check_links(problem: DeliveryProblem) -> None:
    known = {node.id for node in problem.nodes}
    seen: set[tuple[str, str]] = set()
    for number, link in enumerate(problem.links):
        record = f"links[{number}]"
        _known(link.source, known, "from", record)
        _known(link.target, known, "to", record)
        if link.source == link.target:
            raise InputError(f"leads from {link.source!r} to itself", record=record)
        if (link.source, link.target) in seen:
            raise InputError(f"is the second link from {link.source!r} to {link.target!r}", record=record)
        seen.add((link.source, link.target))
        _not_negative(link.delay, "delay", record)
        _positive(link.capacity, "capacity", record)


def _check_streams(problem: DeliveryProblem) -> None:
    known = {node.id for node in problem.nodes}
    _different("streams", [stream.id for stream in problem.streams])
    for number, stream in enumerate(problem.streams):
        _known(stream.source, known, "source", f"streams[{number}]")
        _positive(stream.rate, "rate", f"streams[{number}]")


def _check_filters(problem: DeliveryProblem) -> None:
    if not problem.filters:
        raise InputError("is empty: there is nothing to deliver", field="filters")
    known = {node.id for node in problem.nodes}
    seen: set[tuple[str, str]] = set()
    for number, wanted in enumerate(problem.filters):
        record = f"filters[{number}]"
        _known(wanted.node, known, "node", record)
        _known(wanted.stream, problem.stream_of.keys(), "stream", record)
        if problem.stream_of[wanted.stream].source == wanted.node:
            raise InputError(f"{wanted.node!r} is the source of {wanted.stream!r} itself", record=record, field="node")
        if (wanted.stream, wanted.node) in seen:
            raise InputError(f"is the second filter of {wanted.node!r} on {wanted.stream!r}", record=record)
        seen.add((wanted.stream, wanted.node))
        outside = sorted(block for block in wanted.blocks if not 0 <= block < problem.blocks)
        if outside:
            raise InputError(f"there is no block {outside[0]}: blocks are 0 to {problem.blocks - 1}", record=record)
        if not 0 <= wanted.quality.drop <= 1:
            raise InputError(f"must lie between 0 and 1, not {wanted.quality.drop}", record=record, field="drop")
        _not_negative(wanted.quality.delay, "delay", record)


def _different(field: str, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, identity in enumerate(ids):
        if identity in seen:
            raise InputError(f"{identity!r} is there already", record=f"{field}[{number}]", field="id")
        seen.add(identity)


def _known(identity: str, known: Iterable[str], field: str, record: str) -> None:
    if identity not in known:
        raise InputError(
            f"there is no {field if field in {'stream'} else 'node'} {identity!r}", record=record, field=field
        )


def _positive(value: float | None, field: str, record: str | None) -> None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise InputError(f"must be a positive number, not {value}", record=record, field=field)


def _not_negative(value: float | None, field: str, record: str | None) -> None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise InputError(f"must be a number, zero or more, not {value}", record=record, field=field)
