"""Paths of least cost in the content adaptation graph of paper 003, section 2.1. It knows no nodes and no links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

__all__ = ["Path", "conversion_paths", "operators_for"]


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


def operators_for(paths: Mapping[str, Path], formats: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the operators on the paths to `formats`, each once, in an order in which their inputs are there.

    >>> operators_for(conversion_paths("F0", {("F0", "F1"): 2.0, ("F1", "F2"): 1.0}), ["F2", "F1"])
    (('F0', 'F1'), ('F1', 'F2'))
    """
    needed: set[str] = set()
    for name in formats:
        while name not in needed:
            needed.add(name)
            before = paths[name].before
            if before is None:
                break
            name = before
    # Paths come nearest first, and a format before another on a path is nearer or came earlier at the same cost.
    return tuple((path.before, name) for name, path in paths.items() if name in needed and path.before is not None)
