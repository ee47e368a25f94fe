"""Containment of tree patterns by homomorphism.

A homomorphism maps the nodes of the covering pattern to nodes of the covered one: the document node to the document
node, edges to ways down, names and comparisons to stronger ones. Where one exists, every document that matches the
covered pattern matches the covering one: the test is sound, for all patterns, in time O(n m) times their depth. It is
complete (Miklau and Suciu, "Containment and equivalence for a fragment of XPath", J. ACM 51(1), 2004) for patterns
without values that have branches and `//` but no `*`, or branches and `*` but no `//`; and, because runs of `*` are
read as distances here, for paths with `*` and `//` and no branches. With all three, containment is coNP-complete, and
a covering pattern may go unrecognised: that costs a larger plan, never a lost item.
"""

from __future__ import annotations

from dataclasses import dataclass

from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode, impossible, name_covers
from distributary.algebra.treepattern_values import implied

__all__ = ["homomorphism"]


@dataclass(frozen=True, slots=True)
class _Edge:
    """The way from a node that matters up to the next one that does, over a run of plain `*`."""

    parent: int
    #: Steps down, each `*` on the way one.
    steps: int
    #: Whether it may be more steps.
    or_more: bool


def homomorphism(general: tuple[PatternNode, ...], special: tuple[PatternNode, ...]) -> bool:
    """Tell whether `general` maps into `special`, or nothing matches `special` at all."""
    if impossible(special):
        return True
    edges = _edges(general)
    #: For each node of `general`, the nodes of `special` below which all its children seen so far can be found.
    open_at: list[set[int]] = [set(range(len(special))) for _ in general]
    for index in range(len(general) - 1, 0, -1):
        edge = edges[index]
        if edge is None:
            continue
        images = {image for image in open_at[index] if _maps(general[index], special[image])}
        open_at[edge.parent] &= _above(images, edge, special)
        if not open_at[edge.parent]:
            return False
    return 0 in open_at[0] and all(implied(wanted, special[0].comparisons) for wanted in general[0].comparisons)


def _maps(general: PatternNode, special: PatternNode) -> bool:
    return (
        general.kind is special.kind
        and name_covers(general.name, special.name)
        and all(implied(wanted, special.comparisons) for wanted in general.comparisons)
    )


def _edges(nodes: tuple[PatternNode, ...]) -> list[_Edge | None]:
    """Return the edge above each node; `None` for the document node and for each `*` that only stands for a step."""
    children = [0] * len(nodes)
    for node in nodes[1:]:
        children[node.parent] += 1
    passed = [
        node.kind is Kind.ELEMENT and node.name == "*" and not node.comparisons and children[index] == 1
        for index, node in enumerate(nodes)
    ]
    edges: list[_Edge | None] = [None] * len(nodes)
    for index in range(1, len(nodes)):
        if passed[index]:
            continue
        node = nodes[index]
        steps, or_more, parent = 1, node.axis is Axis.DESCENDANT, node.parent
        while passed[parent]:
            steps, or_more, parent = steps + 1, or_more or nodes[parent].axis is Axis.DESCENDANT, nodes[parent].parent
        # Something k or more steps below is there exactly when something k steps below is, if it may be anything.
        anything = node.kind is Kind.ELEMENT and node.name == "*" and not node.comparisons and not children[index]
        edges[index] = _Edge(parent, steps, or_more or anything)
    return edges


def _above(images: set[int], edge: _Edge, special: tuple[PatternNode, ...]) -> set[int]:
    """Return the nodes of `special` from which the edge leads to one of `images`."""
    found: set[int] = set()
    for image in images:
        node, steps = image, 0
        while node > 0 and (edge.or_more or steps < edge.steps):
            if not edge.or_more and special[node].axis is Axis.DESCENDANT:
                break
            node, steps = special[node].parent, steps + 1
            if steps >= edge.steps:
                found.add(node)
    return found
