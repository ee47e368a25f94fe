"""The cells that the edges of boxes draw: which boxes share which part of the space (paper 000, figure 4(c)).

Only positive volumes count. Boxes are compared on one set of attributes at a time: an attribute that a box leaves
free may be null in the records that it matches, and no range holds a null.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from distributary.algebra.box import Box

__all__ = ["Piece", "pieces_of"]

#: A box of positive volume, and the owners of the boxes that it lies in, ascending.
Piece: TypeAlias = tuple[tuple[int, ...], Box]

_Ranges: TypeAlias = tuple[tuple[float, float], ...]


def pieces_of(owned: Sequence[tuple[int, Box]]) -> list[Piece]:
    """Return disjoint boxes (but for their edges) that fill the boxes of all owners, each with its owners.

    >>> pieces_of([(0, Box.of({"x": (0, 2)})), (1, Box.of({"x": (1, 3)}))])  # doctest: +NORMALIZE_WHITESPACE
    [((0,), Box(ranges=(('x', 0.0, 1.0),))), ((0, 1), Box(ranges=(('x', 1.0, 2.0),))),
     ((1,), Box(ranges=(('x', 2.0, 3.0),)))]

    The pieces are at most (2n)^d for n boxes in d dimensions, far fewer where the boxes do not all overlap; neighbours
    with the same owners are joined. Boxes with the same owner may overlap.
    """
    groups: dict[tuple[str, ...], list[tuple[int, _Ranges]]] = {}
    for owner, box in owned:
        ranges = tuple((low, high) for _, low, high in box.ranges)
        groups.setdefault(box.attributes, []).append((owner, ranges))
    pieces: list[Piece] = []
    for attributes, boxes in groups.items():
        for owners, ranges in _swept(boxes, 0, len(attributes)):
            pieces.append((owners, Box.of(dict(zip(attributes, ranges, strict=True)))))
    return pieces


def _swept(boxes: Sequence[tuple[int, _Ranges]], axis: int, axes: int) -> list[tuple[tuple[int, ...], _Ranges]]:
    """Sweep along one axis; within each slab between two neighbouring edges, along the axes after it."""
    if axis == axes:
        return [(tuple(sorted({owner for owner, _ in boxes})), ())]
    edges = sorted({edge for _, ranges in boxes for edge in ranges[axis]})
    slabs: list[tuple[float, float, list[tuple[tuple[int, ...], _Ranges]]]] = []
    for low, high in pairwise(edges):
        inside = [box for box in boxes if box[1][axis][0] <= low and high <= box[1][axis][1]]
        if not inside:
            continue
        parts = _swept(inside, axis + 1, axes)
        if slabs and slabs[-1][1] == low and slabs[-1][2] == parts:
            slabs[-1] = slabs[-1][0], high, parts
        elif parts:
            slabs.append((low, high, parts))
    return [(owners, ((low, high), *ranges)) for low, high, parts in slabs for owners, ranges in parts]
