"""Paths of least cost in the content adaptation graph of paper 003, section 2.1. It knows no nodes and no links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

__all__ = ["Path", "conversion_paths"]


@dataclass(frozen=True, slots=True)
class Path:
    """The cheapest way to a format: its cost, and the format before it (`None` for the source)."""

    cost: float
    before: str | None


def conversion_paths(source: str, prices: Mapping[tuple[str, str], float]) -> dict[str, Path]:
    """Return the cheapest path to every format that can be made from `source`, nearest first (Dijkstra).

    Prices are not negative. Ties go to the format whose name comes first.

    >>> paths = conversion_paths("F0", {("F0", "F1"): 2.0, ("F1", "F2"): 1.0, ("F0", "F2"): 9.0})
    >>> paths["F2"]
    Path(cost=3.0, before='F1')
    """
    outgoing: dict[str, list[tuple[str, float]]] = {}
    for (start, end), price in prices.items():
        outgoing.setdefault(start, []).append((end, price))
    paths: dict[str, Path] = {}
    heap: list[tuple[float, str, str]] = [(0.0, source, "")]
    while heap:
        cost, name, before = heappop(heap)
        if name in paths:
            continue
        paths[name] = Path(cost, before if name != source else None)
        for end, price in outgoing.get(name, ()):
            if end not in paths:
                heappush(heap, (cost + price, end, name))
    return paths
