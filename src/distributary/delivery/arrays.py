"""A delivery problem as the arrays that compiled code works on: trees in which nothing has joined yet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from distributary.delivery.compiled.choice import Qualities
from distributary.delivery.compiled.forest import EXACT, NOWHERE, Floats, Forest, Ints, Words, Work
from distributary.delivery.problem import DeliveryFilter, DeliveryProblem
from distributary.delivery.qualities import QualityPiece

__all__ = ["Links", "bare_forest", "emptied", "forest_of", "qualities_of", "words_of"]

#: With more filters than this, changes of what arrives that are smaller than `_NEARLY` are not followed while trees
#: grow; what they end with is settled exactly.
_EXACT_MAX = 5_000
_NEARLY = 1e-6

#: The listed links by their first node, ascending by the second: starts, second nodes, delays, numbers of limits.
Links = tuple[Ints, Ints, Floats, Ints]


def forest_of(problem: DeliveryProblem) -> Forest:
    """Return the empty trees of a checked problem."""
    numbers = {node.id: number for number, node in enumerate(problem.nodes)}
    streams = {stream.id: number for number, stream in enumerate(problem.streams)}
    fields = {name: place for place, name in enumerate(problem.fields)}
    projections = [problem.projection(wanted) for wanted in problem.filters]
    physical = problem.model == "physical"
    uploads = [link.capacity for link in problem.links] if physical else [node.upload for node in problem.nodes]
    downloads = [None if physical else node.download for node in problem.nodes]
    shares = np.array(list(problem.fields.values()), dtype=np.float64)
    return bare_forest(
        source=np.array([numbers[stream.source] for stream in problem.streams], dtype=np.int64),
        rate=np.array([stream.rate for stream in problem.streams], dtype=np.float64),
        stream=np.array([streams[wanted.stream] for wanted in problem.filters], dtype=np.int64),
        node=np.array([numbers[wanted.node] for wanted in problem.filters], dtype=np.int64),
        blocks=words_of([wanted.blocks for wanted in problem.filters], problem.blocks),
        fields=words_of([[fields[name] for name in projection] for projection in projections], len(fields)),
        field_share=shares / shares.sum() if len(shares) else shares,
        block_share=1.0 / problem.blocks,
        upload=_limits(uploads),
        download=_limits(downloads),
        links=_links_of(problem, numbers),
        default_delay=math.inf if physical or problem.default_delay is None else problem.default_delay,
        processing_delay=problem.processing_delay,
    )


def bare_forest(
    *,
    source: Ints,
    rate: Floats,
    stream: Ints,
    node: Ints,
    blocks: Words,
    fields: Words,
    field_share: Floats,
    block_share: float,
    upload: Floats,
    download: Floats,
    links: Links,
    default_delay: float,
    processing_delay: float,
) -> Forest:
    """Return trees in which nothing has joined; `upload` is by node or, where links have limits, by link."""
    count, nodes, streams, limits = len(stream), len(download), len(source), len(upload)
    view_of = _views_of(source)
    sizes, at_node = np.bincount(stream, minlength=streams), np.bincount(node, minlength=nodes)
    views = 1 + int(view_of.max())
    return Forest(
        *(source, rate, stream, node, blocks, fields, field_share, block_share),
        *(upload, download, *links, default_delay, processing_delay),
        parent=np.full(count, NOWHERE, dtype=np.int64),
        first_child=np.full(count + streams, -1, dtype=np.int64),
        next_sibling=np.full(count, -1, dtype=np.int64),
        carried_blocks=blocks.copy(),
        carried_fields=fields.copy(),
        load=np.zeros(count),
        depth=np.zeros(count, dtype=np.int64),
        delay=np.zeros(count),
        kept=np.ones(count),
        limit=np.zeros(count, dtype=np.int64),
        forwarded=np.zeros((views, nodes)),
        served_delay=np.zeros((views, nodes)),
        served=np.zeros((views, nodes), dtype=np.int64),
        view_of=view_of,
        start=np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64),
        joined=np.zeros(streams, dtype=np.int64),
        members=np.zeros(count, dtype=np.int64),
        node_start=np.concatenate(([0], np.cumsum(at_node))).astype(np.int64),
        of_node=np.argsort(node, kind="stable").astype(np.int64),
        limit_first=np.full(limits, -1, dtype=np.int64),
        limit_next=np.full(count, -1, dtype=np.int64),
        limit_before=np.full(count, -1, dtype=np.int64),
        offered=np.zeros(limits),
        received=np.zeros(nodes),
        passed_up=np.ones(limits),
        passed_down=np.ones(nodes),
        work=_work(count, nodes, limits),
    )


def _views_of(source: Ints) -> Ints:
    """Return the view of each stream's source; views are numbered in the order of the streams, from 1."""
    views: dict[int, int] = {}
    return np.array([views.setdefault(each, len(views) + 1) for each in source.tolist()], dtype=np.int64)


def _work(count: int, nodes: int, limits: int) -> Work:
    return Work(
        queue=np.zeros(limits + nodes + count, dtype=np.int64),
        queued=np.zeros(limits + nodes + count, dtype=np.bool_),
        ends=np.zeros(2, dtype=np.int64),
        touched=np.zeros(count, dtype=np.int64),
        is_touched=np.zeros(count, dtype=np.bool_),
        kept=np.zeros(count),
        touched_count=np.zeros(1, dtype=np.int64),
        offered=np.zeros(limits),
        received=np.zeros(nodes),
        passed_up=np.zeros(limits),
        passed_down=np.zeros(nodes),
        growth=np.zeros(count),
        squares=np.zeros(count),
        is_summed=np.zeros(count, dtype=np.bool_),
        path=np.zeros(count, dtype=np.int64),
        still=np.full(1, EXACT if count <= _EXACT_MAX else _NEARLY),
    )


def emptied(forest: Forest) -> Forest:
    """Return the forest as it was before anything joined; what does not change is shared."""
    return bare_forest(
        source=forest.source,
        rate=forest.rate,
        stream=forest.stream,
        node=forest.node,
        blocks=forest.blocks,
        fields=forest.fields,
        field_share=forest.field_share,
        block_share=forest.block_share,
        upload=forest.upload,
        download=forest.download,
        links=(forest.link_start, forest.link_to, forest.link_delay, forest.link_limit),
        default_delay=forest.default_delay,
        processing_delay=forest.processing_delay,
    )


def qualities_of(filters: Sequence[DeliveryFilter]) -> Qualities:
    """Return the quality functions of filters."""
    pieces = [wanted.pieces for wanted in filters]
    flat: list[QualityPiece] = [piece for each in pieces for piece in each]
    return Qualities(
        start=np.concatenate(([0], np.cumsum([len(each) for each in pieces]))).astype(np.int64),
        drop=np.array([piece.drop for piece in flat], dtype=np.float64),
        delay=np.array([math.inf if piece.delay is None else piece.delay for piece in flat], dtype=np.float64),
        quality=np.array([piece.quality for piece in flat], dtype=np.float64),
        over_drop=np.array([piece.over_drop for piece in flat], dtype=np.float64),
    )


def words_of(sets: Sequence[Iterable[int]], bits: int) -> Words:
    """Return sets of small numbers as rows of 64-bit words."""
    words = np.zeros((len(sets), max(1, -(-bits // 64))), dtype=np.uint64)
    for row, numbers in enumerate(sets):
        for number in numbers:
            words[row, number >> 6] |= np.uint64(1 << (number & 63))
    return words


def _limits(values: Iterable[float | None]) -> Floats:
    return np.array([math.inf if value is None else value for value in values], dtype=np.float64)


def _links_of(problem: DeliveryProblem, numbers: dict[str, int]) -> Links:
    """Return both directions of the listed links; only in the physical model do they have limits."""
    place = {(link.source, link.target): number for number, link in enumerate(problem.links)}
    rows = sorted(
        (numbers[first], numbers[second], link.delay, place[link.source, link.target])
        for (first, second), link in problem.link_of.items()
    )
    limits = [row[3] for row in rows] if problem.model == "physical" else []
    starts = np.bincount(np.array([row[0] for row in rows], dtype=np.int64), minlength=len(numbers))
    return (
        np.concatenate(([0], np.cumsum(starts))).astype(np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=np.float64),
        np.array(limits, dtype=np.int64),
    )
