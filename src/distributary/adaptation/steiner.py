"""Conversions within one node: minimum directed Steiner trees in the content adaptation graph, by formats."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from distributary.adaptation.compiled.digraph import Digraph, make_digraph
from distributary.adaptation.compiled.instance import Floats, Ints
from distributary.adaptation.compiled.steiner import steiner_tree

__all__ = ["EXACT_STEPS_MAX", "ConversionTrees", "minimum_tree"]

#: An exact tree may take so many steps; this many are done in some hundredths of a second.
EXACT_STEPS_MAX = 1e7


def minimum_tree(
    vertices: int, arcs: Iterable[tuple[int, int, float]], root: int, terminals: Iterable[int], steps_max: float
) -> list[int]:
    """Return the places of the arcs (tail, head, weight) that lead from a root to all terminals at the least weight.

    Exact where 3^terminals x vertices is at most `steps_max`; else the approximation. Terminals must be within reach.

    >>> minimum_tree(4, [(0, 1, 2.0), (0, 2, 2.0), (0, 3, 1.0), (3, 1, 1.0), (3, 2, 0.5)], 0, [1, 2], 1e6)
    [2, 3, 4]
    """
    listed = list(arcs)
    graph = make_digraph(
        vertices,
        np.array([arc[0] for arc in listed], dtype=np.int64),
        np.array([arc[1] for arc in listed], dtype=np.int64),
        np.array([arc[2] for arc in listed], dtype=np.float64),
    )
    wanted = np.array(sorted(set(terminals)), dtype=np.int64)
    found: list[int] = np.flatnonzero(steiner_tree(graph, root, wanted, steps_max)).tolist()
    return found


class ConversionTrees:
    """The cheapest conversions from what a node has to what it must have; each is computed once.

    Args:
        price: What each conversion costs, by input and output; infinite where there is none.
    """

    def __init__(self, price: Floats) -> None:
        formats = len(price)
        tail, head = np.nonzero(np.isfinite(price))
        # One more vertex stands before all that a node has.
        everything = np.arange(formats)
        self._tail = np.concatenate((tail, np.full(formats, formats)))
        self._head = np.concatenate((head, everything))
        self._price = price[tail, head]
        self._found: dict[tuple[bytes, bytes], Ints] = {}

    def makers(self, has: Iterable[int], wanted: Iterable[int]) -> Ints:
        """Return the format that each is made from, -1 for those not made; all that is wanted must be within reach."""
        formats = self._head[-1] + 1
        there = np.zeros(formats, dtype=np.bool_)
        there[list(has)] = True
        need = np.zeros(formats, dtype=np.bool_)
        need[list(wanted)] = True
        key = there.tobytes(), need.tobytes()
        if key not in self._found:
            self._found[key] = self._tree(there, np.flatnonzero(need & ~there))
        return self._found[key]

    def _tree(self, there: np.ndarray[tuple[int], np.dtype[np.bool_]], wanted: Ints) -> Ints:
        formats = len(there)
        makers: Ints = np.full(formats, -1)
        if len(wanted):
            weight = np.concatenate((self._price, np.where(there, 0.0, np.inf)))
            graph: Digraph = make_digraph(formats + 1, self._tail, self._head, weight)
            for arc in np.flatnonzero(steiner_tree(graph, formats, wanted, EXACT_STEPS_MAX)).tolist():
                if self._tail[arc] < formats:
                    makers[self._head[arc]] = self._tail[arc]
        return makers
