"""Printing a tree pattern as XPath 1.0. Equal patterns give equal texts; reading a text gives the pattern again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode
from distributary.algebra.treepattern_values import Comparison

__all__ = ["print_pattern"]

_XML = "http://www.w3.org/XML/1998/namespace"


def print_pattern(nodes: tuple[PatternNode, ...]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the text and its prefixes; namespaces are numbered in the order of their URIs.

    The last child of a node carries on the path; the others, and lone attributes and text nodes, are branches. A
    single comparison at the end of a branch is printed as one, all others as `[. = …]`.
    """
    uris = sorted({node.name[1:].rpartition("}")[0] for node in nodes if node.name.startswith("{")} - {_XML})
    prefixes = {uri: f"n{number}" for number, uri in enumerate(uris)}
    below: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes[1:], 1):
        below[node.parent].append(index)
    # Children come after their parents, so that each text is there when it is asked for: no recursion.
    paths: list[str] = [""] * len(nodes)
    branches: list[str] = [""] * len(nodes)
    for index in range(len(nodes) - 1, 0, -1):
        node, children = nodes[index], below[index]
        step = node.axis.value + _test(node, {**prefixes, _XML: "xml"})
        tail = children[-1] if children and _carries_on(children[-1], nodes, below) else None
        inner = "".join(f"[{_relative(branches[child])}]" for child in children if child != tail)
        own = "".join(f"[. {_compared(comparison)}]" for comparison in node.comparisons)
        paths[index] = step + own + inner + (paths[tail] if tail is not None else "")
        if tail is not None:
            branches[index] = step + own + inner + branches[tail]
        elif len(node.comparisons) == 1:
            branches[index] = f"{step}{inner} {_compared(node.comparisons[0])}"
        else:
            branches[index] = paths[index]
    own_parts = [f". {_compared(comparison)}" for comparison in nodes[0].comparisons]
    text = " and ".join(own_parts + [paths[child] for child in below[0]]) or "/"
    return text, tuple((prefix, uri) for uri, prefix in prefixes.items())


def _carries_on(last: int, nodes: tuple[PatternNode, ...], below: list[list[int]]) -> bool:
    """Tell whether the last child is printed as the path's next step: all but lone attributes and text nodes.

    It is the largest, so brackets nest no deeper than the logarithm of the number of nodes.
    """
    return nodes[last].kind is Kind.ELEMENT or bool(below[last])


def _relative(path: str) -> str:
    """Return a path that starts at the node before the branch."""
    return "." + path if path.startswith(Axis.DESCENDANT.value) else path[1:]


def _test(node: PatternNode, prefixes: Mapping[str, str]) -> str:
    if node.kind is Kind.TEXT:
        return "text()"
    uri, brace, local = node.name[1:].rpartition("}") if node.name.startswith("{") else ("", "", node.name)
    mark = "@" if node.kind is Kind.ATTRIBUTE else ""
    return f"{mark}{prefixes[uri]}:{local}" if brace else mark + local


def _compared(comparison: Comparison) -> str:
    return f"{comparison.operator.value} {_literal(comparison.value)}"


def _literal(value: float | str) -> str:
    r"""Return the literal; XPath 1.0 has no exponents, and infinity is a number with too many digits.

    >>> _literal(1e21), _literal(-0.5), _literal("it's")
    ('1000000000000000000000', '-0.5', '"it\'s"')
    """
    if isinstance(value, str):
        quote = '"' if "'" in value else "'"
        assert quote not in value, "XPath 1.0 has no literal with both quotes"
        return quote + value + quote
    if math.isinf(value):
        return ("-" if value < 0 else "") + "1" + "0" * 309
    return format(Decimal(repr(value)), "f").removesuffix(".0")
