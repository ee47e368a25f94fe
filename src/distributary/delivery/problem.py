"""The stream delivery problem of paper 001, sections 2.2 and 3: nodes, links, streams and filters over blocks.

Records and their checks only; trees are `trees`, their measures `model`. A filter selects numbered blocks of its stream
and, where the problem names fields, projects onto some of them: it is applicable over another when its blocks and its
fields are subsets, and its amortized size Φ is its share of the blocks times its share of a tuple's size. Of several
filters together the selections are joined, and so are the projections (section 2.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from distributary.core.errors import InputError
from distributary.core.subscriptions import Quality
from distributary.delivery.qualities import QualityPiece, check_pieces, template

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
    """What one node wants of one stream, and what delivery is worth to it."""

    node: str
    stream: str
    blocks: frozenset[int]
    #: The drop and the delay that it tolerates: the template of section 4.1.
    quality: Quality = Quality()
    #: The fields that it projects onto; without them, all.
    fields: frozenset[str] | None = None
    #: Any other quality function, in place of the template; see `qualities`.
    function: tuple[QualityPiece, ...] = ()

    @property
    def pieces(self) -> tuple[QualityPiece, ...]:
        """The quality function C(r, d) of the filter."""
        return self.function or template(self.quality)


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
    #: The fields of a tuple with their sizes, which only their shares matter of; empty: filters do not project.
    fields: dict[str, float] = {}

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

    def bandwidth(self, stream: str, filters: Iterable[DeliveryFilter]) -> float:
        """Return λ·Φ: the bytes per second of a stream after these filters together."""
        blocks: set[int] = set()
        fields: set[str] = set()
        for each in filters:
            blocks |= each.blocks
            fields |= self.projection(each)
        share = math.fsum(self.fields[name] for name in fields) / math.fsum(self.fields.values()) if self.fields else 1
        return self.stream_of[stream].rate * len(blocks) / self.blocks * share

    def projection(self, wanted: DeliveryFilter) -> frozenset[str]:
        """Return the fields that a filter lets through."""
        return frozenset(self.fields) if wanted.fields is None else wanted.fields


def check_problem(problem: DeliveryProblem) -> None:
    """Raise `InputError` naming the record and the field of the first thing that is wrong."""
    _positive(problem.blocks, "blocks", None)
    _not_negative(problem.processing_delay, "processing_delay", None)
    _not_negative(problem.default_delay, "default_delay", None)
    if problem.model == "physical" and problem.default_delay is not None:
        raise InputError("is only for the logical model: nodes without a link are not connected", field="default_delay")
    for name, size in problem.fields.items():
        _positive(size, name, "fields")
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
        check_pieces(wanted.function, record)
        unknown = sorted((wanted.fields or frozenset()) - problem.fields.keys())
        if unknown:
            raise InputError(f"there is no field {unknown[0]!r}", record=record, field="fields")


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
