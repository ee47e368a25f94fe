"""From the index back to patterns: the index is all that is kept of them."""

from __future__ import annotations

from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind, flatten
from distributary.algebra.treepattern_values import NEVER, Comparison, Operator
from distributary.matching.patterns import layout
from distributary.matching.patterns.encoding import OPERATORS
from distributary.matching.patterns.index import PatternIndex

__all__ = ["pattern_of"]

_OPERATORS = {code: operator for operator, code in OPERATORS.items()}
_STRING_OPERATORS = {layout.STRING_EQUAL: Operator.EQUAL, layout.STRING_UNEQUAL: Operator.UNEQUAL}
_KINDS = {
    layout.ATTRIBUTE: (Axis.CHILD, Kind.ATTRIBUTE),
    layout.ATTRIBUTE_BELOW: (Axis.DESCENDANT, Kind.ATTRIBUTE),
    layout.TEXT: (Axis.CHILD, Kind.TEXT),
    layout.TEXT_BELOW: (Axis.DESCENDANT, Kind.TEXT),
    layout.CHILD: (Axis.CHILD, Kind.ELEMENT),
    layout.DESCENDANT: (Axis.DESCENDANT, Kind.ELEMENT),
}


def pattern_of(index: PatternIndex, slot: int) -> TreePattern:
    """Return the pattern that a slot holds, which is in the trie."""
    edges, bodies = index.arrays["edges"], index.arrays["bodies"]
    node, codes = index.node_of(slot), []
    while node > 0:
        codes.append(int(edges[node, layout.CODE]))
        node = int(bodies[node, layout.ABOVE])
    root = here = Branch(Axis.CHILD, Kind.DOCUMENT)
    for code in reversed(codes):
        if code & 3 == layout.BY_FILTER:
            _add_term(index, code >> 2, here)
        else:
            axis = Axis.CHILD if code & 3 == layout.BY_CHILD else Axis.DESCENDANT
            here = here.add(Branch(axis, Kind.ELEMENT, index.encoder.names[code >> 2]))
    return TreePattern(flatten(root))


def _add_term(index: PatternIndex, term: int, here: Branch) -> None:
    """Add to a node what a term says of it."""
    pending = [(term, here)]
    while pending:
        term, here = pending.pop()
        kind, first, second = index.arrays["terms"][term, :3].tolist()
        if kind in {layout.VALUE, layout.DOCUMENT}:
            here.comparisons |= _comparisons(index, second)
            continue
        axis, what = _KINDS[kind]
        child = here.add(Branch(axis, what, "" if what is Kind.TEXT else index.encoder.names[first]))
        if what is not Kind.ELEMENT:
            child.comparisons |= _comparisons(index, second)
            continue
        while second >= 0:
            _, condition, second = index.arrays["terms"][second, :3].tolist()
            pending.append((condition, child))


def _comparisons(index: PatternIndex, term: int) -> set[Comparison]:
    found = set()
    while term >= 0:
        _, operator, constant, term = index.arrays["terms"][term, :4].tolist()
        if operator == layout.NEVER:
            found.add(NEVER)
        elif operator in _STRING_OPERATORS:
            found.add(Comparison(_STRING_OPERATORS[operator], index.string(constant)))
        else:
            found.add(Comparison(_OPERATORS[operator], float(index.arrays["numbers"][constant])))
    return found
