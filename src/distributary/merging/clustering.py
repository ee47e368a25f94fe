"""The Clustering Algorithm of paper 000, section 6.4: queries that a metric holds far apart are never compared."""

from __future__ import annotations

from collections.abc import Iterator

from distributary.merging.compiled.links import cluster_boxes
from distributary.merging.cost import Block, Pricing
from distributary.merging.geometry import blocks_of, boxes_of
from distributary.merging.metrics import separates
from distributary.merging.pair import pair_of

__all__ = ["clustering", "clusters"]


def clustering(pricing: Pricing, metric: str) -> list[Block]:
    """Return the blocks of pair merging within each cluster."""
    return [
        block
        for stream in pricing.problem.streams()
        for cluster in clusters(pricing, stream, metric)
        for block in pair_of(pricing, cluster)
    ]


def clusters(pricing: Pricing, stream: Block, metric: str) -> list[Block]:
    """Return the clusters of a stream's queries: the components of the pairs that the metric does not separate."""
    boxes = boxes_of(pricing, stream)
    if boxes is not None:
        return blocks_of(stream, cluster_boxes(boxes, exact=metric == "exact"))
    return list(_components(pricing, stream, metric))


def _components(pricing: Pricing, stream: Block, metric: str) -> Iterator[Block]:
    left = dict.fromkeys(stream)
    while left:
        pending = [next(iter(left))]
        del left[pending[0]]
        found = []
        while pending:
            place = pending.pop()
            found.append(place)
            near = [other for other in left if not separates(pricing, place, other, metric)]
            for other in near:
                del left[other]
            pending.extend(near)
        yield tuple(sorted(found))
