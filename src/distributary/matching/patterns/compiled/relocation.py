"""An index built anew from another: nothing dead, every node beside its siblings, signatures as tight as can be.

Nodes are numbered so that those below one node follow each other, families in the order in which the walk comes to
them; terms in the order of first use. Nothing is allocated here.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.matching.documents.compiled.memory import compiled, integer, long, store_integer, store_long
from distributary.matching.patterns.compiled.terms import make_term, retain
from distributary.matching.patterns.compiled.trie import before_edge, body_of, edge_of, link_node, take_slot
from distributary.matching.patterns.layout import (
    ABOVE,
    ALL,
    BY_FILTER,
    CODE,
    COMPARE,
    DEPTH,
    EDGE_BELOW,
    FAN,
    FIRST,
    KIND,
    NAMES,
    NEXT,
    NODES_USED,
    PENDING,
    REST,
    SECOND,
    SLOT,
    SLOT_NODE,
    SLOT_WIDTH,
    SLOTS,
    SLOTS_USED,
    TERM_WIDTH,
    TERMS,
    THIRD,
    WAYS,
)

__all__ = ["relocate"]

_Integers: TypeAlias = npt.NDArray[np.int32]
_Longs: TypeAlias = npt.NDArray[np.int64]


@compiled
def _moved_term(old: int, new: int, term: int, terms: _Integers, constants: _Integers) -> int:
    """Return the new number of a term, which is made, with all its parts, when it has none."""
    if term < 0 or terms[term] >= 0:
        return -1 if term < 0 else terms[term]
    waiting, fields = -1, 0
    while True:
        # What waits for its parts is chained through the old terms; their numbers are taken there from `terms`.
        fields = long(old, TERMS) + 4 * TERM_WIDTH * term
        kind = integer(fields, KIND)
        part = integer(fields, FIRST) if kind == ALL else -1
        if part < 0 or terms[part] >= 0:
            part = integer(fields, THIRD if kind == COMPARE else SECOND)
        if part >= 0 and terms[part] < 0:
            store_integer(fields, PENDING, waiting)
            waiting, term = term, part
            continue
        first, second, third = integer(fields, FIRST), integer(fields, SECOND), integer(fields, THIRD)
        if kind == COMPARE:
            second = constants[second]
            third = terms[third] if third >= 0 else -1
        else:
            second = terms[second] if second >= 0 else -1
        if kind == ALL:
            first = terms[first]
        terms[term] = make_term(new, kind, first, second, third)
        if waiting < 0:
            return terms[term]
        term = waiting
        waiting = integer(long(old, TERMS) + 4 * TERM_WIDTH * term, PENDING)


@compiled
def _number_family(old: int, node: int, numbers: _Integers, order: _Integers, count: int) -> int:
    """Give the nodes below a node the numbers that follow; return how many nodes have one."""
    for head in (NAMES, REST):
        below = integer(body_of(old, node), head)
        while below >= 0:
            numbers[below] = count
            order[count] = below
            count += 1
            below = integer(edge_of(old, below), NEXT)
    return count


@compiled
def _number_nodes(old: int, numbers: _Integers, order: _Integers) -> int:
    """Number all nodes: a family, then what is below its first member, then what is below the next. Return how many."""
    numbers[0] = order[0] = 0
    count = _number_family(old, 0, numbers, order, 1)
    node, ends = 0, False
    # Without a stack: down to the first below, else to the next sibling, else up.
    while True:
        body, below = body_of(old, node), -1
        if not ends:
            below = integer(body, NAMES)
            if below < 0:
                below = integer(body, REST)
        if below >= 0:
            node = below
            count = _number_family(old, node, numbers, order, count)
            continue
        if node == 0:
            return count
        after, above = integer(edge_of(old, node), NEXT), integer(body, ABOVE)
        code = integer(edge_of(old, node), CODE)
        if after < 0 and code & 7 == 1:
            after = integer(body_of(old, above), REST)
        ends = after < 0
        if ends:
            node = above
        else:
            node = after
            count = _number_family(old, node, numbers, order, count)


@compiled
def relocate(
    old: int,
    new: int,
    held: _Integers,
    numbers: _Integers,
    order: _Integers,
    terms: _Integers,
    constants: _Integers,
    needed: _Longs,
) -> None:
    """Fill an empty index, with room for all, from another; `held` are the slots that stay, in order.

    `constants` tells the new numbers of literals by the old ones; `numbers` and `terms`, of nodes and terms, hold -1 to
    begin with; `order` is for the old nodes by their new numbers. `needed` is scratch, two by node.
    """
    count = _number_nodes(old, numbers, order)
    # From the last to the first, so that each is put before its siblings that follow, and its family is known.
    store_long(new, NODES_USED, count)
    for node in range(count):
        body = body_of(new, node)
        store_integer(body, NAMES, -1)
        store_integer(body, REST, -1)
        store_integer(body, SLOT, -1)
        store_integer(body, FAN, 0)
        store_integer(body, WAYS, 0)
    for node in range(1, count):
        code = integer(edge_of(old, order[node]), CODE)
        if code & 3 == BY_FILTER:
            term = _moved_term(old, new, code >> 2, terms, constants)
            retain(new, term)
            code = term << 2 | BY_FILTER
        store_integer(edge_of(new, node), CODE, code)
    store_long(new, SLOTS_USED, held.shape[0])
    for slot in range(held.shape[0] - 1, -1, -1):
        node = integer(long(old, SLOTS) + 4 * SLOT_WIDTH * held[slot], SLOT_NODE)
        if node >= 0:
            take_slot(new, numbers[node], slot)
        else:
            store_integer(long(new, SLOTS) + 4 * SLOT_WIDTH * slot, SLOT_NODE, -1)
    _link(old, new, count, numbers, order, needed)


@compiled
def _link(old: int, new: int, count: int, numbers: _Integers, order: _Integers, needed: _Longs) -> None:
    """Link all nodes, and find the signatures from the leaves up."""
    for node in range(count):
        # What all that ends at or below a node needs below its elements, and at them; nothing yet: all bits.
        needed[node, 0] = needed[node, 1] = 0 if integer(body_of(new, node), SLOT) >= 0 else -1
    for node in range(count - 1, 0, -1):
        above, edge = numbers[integer(body_of(old, order[node]), ABOVE)], edge_of(new, node)
        code = integer(edge, CODE)
        below, at = before_edge(new, code, needed[node, 0], needed[node, 1], edge + 8 * EDGE_BELOW)
        needed[above, 0] &= below
        needed[above, 1] &= at
        link_node(new, above, node)
    deepest = 0
    for node in range(count):
        # Depths take the place of what was needed: parents have smaller numbers.
        above = integer(body_of(new, node), ABOVE) if node > 0 else -1
        needed[node, 0] = needed[above, 0] + 1 if node > 0 else 0
        deepest = max(deepest, needed[node, 0])
    store_long(new, DEPTH, deepest)
