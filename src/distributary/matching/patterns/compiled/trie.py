"""The trie of patterns: finding, adding and removing nodes. Each costs what the pattern is long, whatever else is held.

Signatures only ever lose bits while patterns come, and keep fewer than they could when patterns go: they stay a
necessary condition of everything below. A rebuild makes them tight again.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import compiled, inlined, integer, long, store_integer, store_long
from distributary.matching.patterns.compiled.terms import element_bit, make_term, mixed, release, retain
from distributary.matching.patterns.layout import (
    ABOVE,
    ALL,
    AT,
    BEFORE,
    BELOW,
    BODIES,
    BODY_WIDTH,
    BUCKET,
    BY_CHILD,
    BY_DESCENDANT,
    BY_FILTER,
    CHILD,
    CODE,
    COMPARE,
    DEPTH,
    DESCENDANT,
    EDGE_AT,
    EDGE_BELOW,
    EDGE_WIDTH,
    EDGES,
    FAN,
    FILTER,
    NAMES,
    NEXT,
    NODE_BUCKETS,
    NODE_MASK,
    NODES_DEAD,
    NODES_FREE,
    NODES_USED,
    REST,
    SLOT,
    SLOT_BEFORE,
    SLOT_NEXT,
    SLOT_NODE,
    SLOT_WIDTH,
    SLOTS,
    STEP,
    TERM_WIDTH,
    TERMS,
    WAYS,
)

__all__ = [
    "before_edge",
    "body_of",
    "drop_slot",
    "edge_of",
    "find_node",
    "insert",
    "link_node",
    "rehash_nodes",
    "take_slot",
]

_EMPTY_BODY = (NAMES, REST, SLOT)


@inlined
def edge_of(index: int, node: int) -> int:
    """Return the address of the edge to a node."""
    return long(index, EDGES) + 4 * EDGE_WIDTH * node


@inlined
def body_of(index: int, node: int) -> int:
    """Return the address of a node's body."""
    return long(index, BODIES) + 4 * BODY_WIDTH * node


@inlined
def _bucket(index: int, above: int, code: int) -> int:
    return mixed(above, code) & long(index, NODE_MASK)


@inlined
def find_node(index: int, above: int, code: int) -> int:
    """Return the node that an edge leads to; -1 when there is none."""
    node = integer(long(index, NODE_BUCKETS), _bucket(index, above, code))
    while node >= 0:
        body = body_of(index, node)
        if integer(edge_of(index, node), CODE) == code and integer(body, ABOVE) == above:
            return node
        node = integer(body, BUCKET)
    return -1


@inlined
def _by_name(code: int) -> bool:
    """Tell whether an edge is to children of one exact name: those are found by name where they are many."""
    return code & 3 == BY_CHILD and code & 4 == 0


@compiled
def link_node(index: int, above: int, node: int) -> None:
    """Put a node, whose edge has its code, first among those below another, and into its bucket."""
    edge, body, top = edge_of(index, node), body_of(index, node), body_of(index, above)
    code = integer(edge, CODE)
    head = REST
    if _by_name(code):
        head = NAMES
        store_integer(top, FAN, integer(top, FAN) + 1)
    first = integer(top, head)
    store_integer(edge, NEXT, first)
    store_integer(body, BEFORE, -1)
    store_integer(body, ABOVE, above)
    if first >= 0:
        store_integer(body_of(index, first), BEFORE, node)
    store_integer(top, head, node)
    if code & 3 == BY_CHILD:
        store_integer(top, WAYS, integer(top, WAYS) | 1)
    if code & 3 == BY_DESCENDANT:
        store_integer(top, WAYS, integer(top, WAYS) | 2)
    bucket = _bucket(index, above, code)
    store_integer(body, BUCKET, integer(long(index, NODE_BUCKETS), bucket))
    store_integer(long(index, NODE_BUCKETS), bucket, node)


@compiled
def _new_node(index: int, above: int, code: int) -> int:
    node = long(index, NODES_FREE)
    if node >= 0:
        store_long(index, NODES_FREE, integer(edge_of(index, node), NEXT))
        store_long(index, NODES_DEAD, long(index, NODES_DEAD) - 1)
    else:
        node = long(index, NODES_USED)
        store_long(index, NODES_USED, node + 1)
    body = body_of(index, node)
    for field in _EMPTY_BODY:
        store_integer(body, field, -1)
    store_integer(body, FAN, 0)
    store_integer(body, WAYS, 0)
    store_integer(edge_of(index, node), CODE, code)
    link_node(index, above, node)
    if code & 3 == BY_FILTER:
        retain(index, code >> 2)
    return node


@compiled
def _compared(index: int, program: int, count: int) -> int:
    """Return the list of the comparisons that a program has at this place, as a term."""
    term = -1
    for place in range(count - 1, -1, -1):
        term = make_term(index, COMPARE, long(program, 2 * place), long(program, 2 * place + 1), term)
    return term


@compiled
def _edges(index: int, program: int, length: int, scratch: int) -> int:
    """Make the terms of a program and put the codes of its edges into `scratch`; return how many there are."""
    # The codes grow from the front, the terms that wait for the branch that they are conditions of from the back.
    count, top, at = 0, length, 0
    while at < length:
        kind, first, number = long(program, at), long(program, at + 1), long(program, at + 2)
        at += 3
        if kind == STEP:
            store_long(scratch, count, first)
            count += 1
        elif kind == FILTER:
            store_long(scratch, count, (long(scratch, top) << 2) | BY_FILTER)
            top += 1
            count += 1
        elif kind in (CHILD, DESCENDANT):
            conditions = -1
            for _ in range(number):
                conditions = make_term(index, ALL, long(scratch, top), conditions, -1)
                top += 1
            top -= 1
            store_long(scratch, top, make_term(index, kind, first, conditions, -1))
        else:
            comparisons = _compared(index, program + 8 * at, number)
            at += 2 * number
            top -= 1
            store_long(scratch, top, make_term(index, kind, first, comparisons, -1))
    return count


@compiled
def before_edge(index: int, code: int, below: int, at: int, wanted: int) -> tuple[int, int]:
    """Return the signatures needed before an edge, from those behind it; put those of the edge into `wanted`."""
    if code & 3 == BY_FILTER:
        fields = long(index, TERMS) + 4 * TERM_WIDTH * (code >> 2)
        below |= long(fields, BELOW)
        at |= long(fields, AT)
        store_long(wanted, 0, below)
        store_long(wanted, 1, at)
        return below, at
    store_long(wanted, 1, at)
    own = element_bit(code >> 2) if code & 4 == 0 else 0
    store_long(wanted, 0, below | own)
    return below | own, own if code & 3 == BY_CHILD else 0


@compiled
def insert(index: int, program: int, length: int, scratch: int, slot: int) -> int:
    """Add the pattern of a program under a slot; return the node where it ends.

    `scratch` has room for three times as many longs as the program is long, and the index for what comes.
    """
    count = _edges(index, program, length, scratch)
    # Behind the codes: what each edge needs of the names, all later edges included.
    needed = scratch + 8 * length
    below, at = 0, 0
    for place in range(count - 1, -1, -1):
        below, at = before_edge(index, long(scratch, place), below, at, needed + 16 * place)
    node = 0
    for place in range(count):
        code, wanted = long(scratch, place), needed + 16 * place
        following = find_node(index, node, code)
        if following < 0:
            following = _new_node(index, node, code)
            edge = edge_of(index, following)
            store_long(edge, EDGE_BELOW, long(wanted, 0))
            store_long(edge, EDGE_AT, long(wanted, 1))
        else:
            edge = edge_of(index, following)
            store_long(edge, EDGE_BELOW, long(edge, EDGE_BELOW) & long(wanted, 0))
            store_long(edge, EDGE_AT, long(edge, EDGE_AT) & long(wanted, 1))
        node = following
    if count > long(index, DEPTH):
        store_long(index, DEPTH, count)
    take_slot(index, node, slot)
    return node


@compiled
def take_slot(index: int, node: int, slot: int) -> None:
    """Put a slot first among those that end at a node."""
    fields, body = long(index, SLOTS) + 4 * SLOT_WIDTH * slot, body_of(index, node)
    first = integer(body, SLOT)
    store_integer(fields, SLOT_NODE, node)
    store_integer(fields, SLOT_NEXT, first)
    store_integer(fields, SLOT_BEFORE, -1)
    if first >= 0:
        store_integer(long(index, SLOTS) + 4 * SLOT_WIDTH * first, SLOT_BEFORE, slot)
    store_integer(body, SLOT, slot)


@compiled
def drop_slot(index: int, slot: int) -> None:
    """Take a slot out, and the nodes and terms that only it needed."""
    slots = long(index, SLOTS)
    fields = slots + 4 * SLOT_WIDTH * slot
    node, after, before = integer(fields, SLOT_NODE), integer(fields, SLOT_NEXT), integer(fields, SLOT_BEFORE)
    store_integer(fields, SLOT_NODE, -1)
    if after >= 0:
        store_integer(slots + 4 * SLOT_WIDTH * after, SLOT_BEFORE, before)
    if before >= 0:
        store_integer(slots + 4 * SLOT_WIDTH * before, SLOT_NEXT, after)
    else:
        store_integer(body_of(index, node), SLOT, after)
    while node > 0 and _needless(index, node):
        above = integer(body_of(index, node), ABOVE)
        _free_node(index, node)
        node = above


@compiled
def _needless(index: int, node: int) -> bool:
    body = body_of(index, node)
    return integer(body, SLOT) < 0 and integer(body, NAMES) < 0 and integer(body, REST) < 0


@compiled
def _free_node(index: int, node: int) -> None:
    edge, body = edge_of(index, node), body_of(index, node)
    above, code = integer(body, ABOVE), integer(edge, CODE)
    top, before, after = body_of(index, above), integer(body, BEFORE), integer(edge, NEXT)
    if after >= 0:
        store_integer(body_of(index, after), BEFORE, before)
    if before >= 0:
        store_integer(edge_of(index, before), NEXT, after)
    else:
        store_integer(top, NAMES if _by_name(code) else REST, after)
    if _by_name(code):
        store_integer(top, FAN, integer(top, FAN) - 1)
    buckets, bucket = long(index, NODE_BUCKETS), _bucket(index, above, code)
    other = integer(buckets, bucket)
    if other == node:
        store_integer(buckets, bucket, integer(body, BUCKET))
    else:
        while integer(body_of(index, other), BUCKET) != node:
            other = integer(body_of(index, other), BUCKET)
        store_integer(body_of(index, other), BUCKET, integer(body, BUCKET))
    if code & 3 == BY_FILTER:
        release(index, code >> 2)
    store_integer(edge, CODE, -1)
    store_integer(edge, NEXT, long(index, NODES_FREE))
    store_long(index, NODES_FREE, node)
    store_long(index, NODES_DEAD, long(index, NODES_DEAD) + 1)


@compiled
def rehash_nodes(index: int) -> None:
    """Fill the buckets, which are empty, anew."""
    buckets = long(index, NODE_BUCKETS)
    for node in range(1, long(index, NODES_USED)):
        code, body = integer(edge_of(index, node), CODE), body_of(index, node)
        if code >= 0:
            bucket = _bucket(index, integer(body, ABOVE), code)
            store_integer(body, BUCKET, integer(buckets, bucket))
            store_integer(buckets, bucket, node)
