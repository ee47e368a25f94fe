"""One part of very many boxes: an Arrow table of blocks comes in, and their queries are merged anew by compiled code.

This is what runs in the executors, and the arrays from which `merge_many` decides where to cut. It knows no Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from distributary.algebra.histogram import Splits
from distributary.core.results import Costs
from distributary.merging.compiled.boxes import Boxes, Floats, Ints
from distributary.merging.compiled.pair import merge_pairs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OUTPUT", "Frame", "Terms", "frame_of", "merge_part"]

#: The columns of a merged part.
OUTPUT = ["block", "queries", "low", "high", "members", "size", "rate", "cost", "cut", "touching"]

#: The share of the boxes whose reach no cell is narrower than; the reach of thin ones has no end.
_REACHED = 0.99
#: How far from a cut a block must lie to be out of its way, in widths of a typical box.
_MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Terms:
    """What the size of a box and the cost of a block depend on."""

    costs: Costs
    #: The size of a unit of volume.
    density: float


@dataclass(frozen=True, slots=True)
class Frame:
    """How space is measured: in typical boxes, on the one or two axes on which the boxes spread most."""

    axes: tuple[int, ...]
    #: The width of a typical box on each of them.
    widths: tuple[float, ...]
    #: The width of a cell, in typical boxes: boxes that are linked are in one cell or in neighbours.
    cells: tuple[float, ...]

    def places(self, points: Floats) -> Floats:
        """Return points on the axes, in typical boxes."""
        found: Floats = points[:, list(self.axes)] / np.array(self.widths)
        return found


def frame_of(low: Floats, high: Floats, size: Floats, terms: Terms) -> Frame:
    """Return the frame of a sample of boxes.

    Neither metric links a box to one that makes it larger than its size and what it would cost alone over K_U
    (`merging.metrics`): with its extents on the other axes that says how far the other may stick out. Of the few whose
    reach is longest, links may be missed; what that leaves apart is at worst merged less.
    """
    extents = high - low
    spans = high.max(axis=0) - low.min(axis=0)
    widths = np.array([np.median(each[each > 0]) if (each > 0).any() else 0.0 for each in extents.T])
    # Where all boxes are points, how far from each other they lie must do.
    widths = np.where(widths > 0, widths, np.where(spans > 0, spans / len(low) ** 0.5, 1.0))
    axes = tuple(int(axis) for axis in np.argsort(-(spans / widths), kind="stable")[:2])
    costs, cells = terms.costs, []
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = size + (costs.K_M + costs.K_T * size) / costs.K_U if costs.K_U else np.full(len(size), np.inf)
        for axis in axes:
            across = terms.density * np.prod(np.delete(extents, axis, axis=1), axis=1)
            reach = np.where(across > 0, limit / across, np.inf) - extents[:, axis] / 2
            reach = np.quantile(reach, _REACHED, method="higher") / widths[axis]
            cells.append(float(np.clip(reach, 1.0, max(1.0, 2.0 * spans[axis] / widths[axis]))))
    return Frame(axes, tuple(float(widths[axis]) for axis in axes), tuple(cells))


def merge_part(terms: Terms, frame: Frame, splits: Splits, table: pa.Table) -> pa.Table:
    """Return the blocks that the queries of some blocks merge to, or these, if they cost less.

    Args:
        terms: Prices and density.
        frame: How the parts measure space.
        splits: The tree that cut space into parts; without depth, there are no cuts.
        table: `queries`, `cost` and `cut` of each block; the part has all of them. The cost of blocks that are not
            merged yet is infinite.

    A block has the smallest id of its queries as its name. It is `touching` when there are queries in it of a cluster
    that was cut, and a cut is near. Ties are broken by ids, so that the order of the table does not matter.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = table.combine_chunks()
    queries = pc.list_flatten(table.column("queries")).combine_chunks()
    cuts = table.column("cut").take(pc.list_parent_indices(table.column("queries"))).combine_chunks()
    # By id, and then by block: the first query of a block is the one with the smallest id.
    order = pc.sort_indices(pc.struct_field(queries, "id"))
    queries, cuts = queries.take(order), cuts.take(order)
    boxes = _boxes(queries, terms)
    numbers = merge_pairs(boxes, np.arange(len(boxes.size)))
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    low = np.minimum.reduceat(boxes.low[order], starts)
    high = np.maximum.reduceat(boxes.high[order], starts)
    counts = np.diff(starts, append=len(order))
    size, rate, cost = _priced(boxes, order, starts, counts, low, high)
    if fsum(cost) >= fsum(table.column("cost").to_numpy()):
        return table.select(OUTPUT)
    cut = np.logical_or.reduceat(np.asarray(cuts.to_numpy(zero_copy_only=False))[order], starts)
    queries = queries.take(pa.array(order))
    edges = np.arange(0, low.size + 1, low.shape[1])
    return pa.table(
        {
            "block": pc.struct_field(queries, "id").take(pa.array(starts)),
            "queries": _lists(np.append(starts, len(order)), queries, table.column("queries").type),
            "low": _lists(edges, pa.array(low.ravel()), queries.type.field("low").type),
            "high": _lists(edges, pa.array(high.ravel()), queries.type.field("high").type),
            "members": pa.array(counts, pa.int64()),
            "size": pa.array(size),
            "rate": pa.array(rate),
            "cost": pa.array(cost),
            "cut": pa.array(cut),
            "touching": pa.array(cut & _near_cuts(frame, splits, low, high)),
        }
    )


def _boxes(queries: pa.StructArray, terms: Terms) -> Boxes:
    import pyarrow.compute as pc

    def column(name: str) -> Floats:
        values: Floats = pc.struct_field(queries, name).to_numpy(zero_copy_only=False)
        return values

    def matrix(name: str) -> Floats:
        flat: Floats = pc.list_flatten(pc.struct_field(queries, name)).to_numpy(zero_copy_only=False)
        return np.ascontiguousarray(flat.reshape(len(queries), -1))

    low = matrix("low")
    return Boxes(
        low=low,
        high=matrix("high"),
        size=np.array(column("size")),
        rate=np.array(column("rate")),
        points=np.empty((0, low.shape[1])),
        weights=np.empty(0),
        density=terms.density,
        K_M=terms.costs.K_M,
        K_T=terms.costs.K_T,
        K_U=terms.costs.K_U,
    )


def _priced(
    boxes: Boxes, order: Ints, starts: Ints, counts: Ints, low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the size, rate and cost of each block; `compiled.boxes.block_cost`, over all of them."""
    own = boxes.size[order]
    rates = boxes.rate[order]
    # A query alone is itself, which may be smaller than its box.
    size = np.where(counts == 1, own[starts], boxes.density * np.prod(high - low, axis=1))
    rate = np.maximum.reduceat(rates, starts)
    irrelevant = np.maximum(0.0, counts * rate * size - np.add.reduceat(rates * own, starts))
    return size, rate, rate * (boxes.K_M + boxes.K_T * size) + boxes.K_U * irrelevant


def _near_cuts(frame: Frame, splits: Splits, low: Floats, high: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which boxes come near a cut: a leaf is a box, so one with both corners in a leaf lies inside it."""
    first = splits.leaves_of(frame.places(low) - _MARGIN)
    return np.asarray(first != splits.leaves_of(frame.places(high) + _MARGIN))


def _lists(edges: Ints, values: pa.Array, kind: pa.DataType) -> pa.ListArray:
    """Return the values between one edge and the next as a list; Spark wants just the type that it gave."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(edges, pa.int32()), values, type=kind)
