"""The walk: all patterns at once, down the trie, with the set of elements that each of its nodes may be.

A frame holds the set S of a node, and where edges ask for them the children and the descendants of S. An edge costs
one `and` of rows; what is left must also have, below, the names that everything further down the trie needs. Which of
the edges below a node are worth that is found out for all of them at once, from their signatures: the agenda.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from distributary.matching.documents.compiled.memory import (
    compiled,
    emitted,
    first_bit,
    inlined,
    integer,
    long,
    store_integer,
    store_long,
)
from distributary.matching.documents.layout import END, NAME
from distributary.matching.patterns.compiled.conditions import holds_at, is_simple, row_of_term
from distributary.matching.patterns.compiled.document import add_bit, add_range, row_of_test, width
from distributary.matching.patterns.compiled.terms import element_bit
from distributary.matching.patterns.compiled.trie import body_of, edge_of, find_node
from distributary.matching.patterns.layout import (
    AGENDA,
    BY_CHILD,
    BY_FILTER,
    CHILD_ROWS,
    CODE,
    DESCENDANT_ROWS,
    EDGE_AT,
    EDGE_BELOW,
    EDGES_SEEN,
    FAN,
    FRAMES,
    FRAMES_SEEN,
    MARK,
    MARKED_FIRST,
    MARKED_NEXT,
    MATCHED,
    MEMO_TERMS,
    NAMES,
    NAMES_ROOM,
    NEARBY,
    NEXT,
    OUT,
    REST,
    SLOT,
    SLOT_NEXT,
    SLOT_WIDTH,
    SLOTS,
    TERM_WIDTH,
    TERMS,
    UNDECIDED_COUNT,
    UNDECIDED_NUMBERS,
    WAYS,
)

__all__ = ["FRAME_FIELDS", "FRAME_ROWS", "walk"]

#: Longs of a frame before its rows: its place in the agenda and where its part of that ends; what names the elements
#: of S have below them and at them, all together.
FRAME_FIELDS = 4
_NEXT, _LAST, _BELOW, _AT = range(4)
#: Its rows: S, the children and the descendants of S, and room for looking names up.
FRAME_ROWS = 4

#: Elements that a simple term is tested on one by one, without asking for its row.
_FEW = 3
#: Names are looked up where a node has so many children by exact name, and so many times more than S has children.
_FAN_LEAST = 16
_FAN_MORE = 6


@emitted
def _prefetch(_typing: Any, _address: Any) -> Any:
    """Ask for the cache line of an address, which need not be one; the answer means nothing."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        hints = [ir.Constant(number, hint) for hint in (0, 3, 1)]
        builder.call(function, [builder.inttoptr(arguments[0], pointer), *hints])
        return arguments[0]

    return types.int64(types.int64), generate


@inlined
def _emit(index: int, work: int, node: int) -> None:
    """Note all subscriptions that end at a node."""
    slot, out, slots = integer(body_of(index, node), SLOT), long(work, OUT), long(index, SLOTS)
    while slot >= 0:
        add_bit(out, slot)
        slot = integer(slots + 4 * SLOT_WIDTH * slot, SLOT_NEXT)


@inlined
def _children(work: int, document: int, source: int, target: int, words: tuple[int, ...]) -> None:
    """Put the children of a row's elements into another row."""
    W = width(words)
    ends, rows = long(document, END), long(work, CHILD_ROWS)
    for place in range(W):
        store_long(target, place, 0)
    for place in range(W):
        bits = long(source, place)
        while bits != 0:
            element = 64 * place + first_bit(bits)
            bits &= bits - 1
            if len(words) > 1:
                row = rows + 8 * W * element
                for other in range(W):
                    store_long(target, other, long(target, other) | long(row, other))
            else:
                child, end = element + 1, integer(ends, element)
                while child < end:
                    add_bit(target, child)
                    child = integer(ends, child)


@inlined
def _descendants(work: int, document: int, source: int, target: int, words: tuple[int, ...]) -> None:
    """Put the descendants of a row's elements into another row."""
    W = width(words)
    ends, rows = long(document, END), long(work, DESCENDANT_ROWS)
    for place in range(W):
        store_long(target, place, 0)
    done = 0
    for place in range(W):
        bits = long(source, place)
        while bits != 0:
            element = 64 * place + first_bit(bits)
            bits &= bits - 1
            # What is below an element before has been put in with it.
            if element < done:
                continue
            done = integer(ends, element)
            if len(words) > 1:
                row = rows + 8 * W * element
                for other in range(W):
                    store_long(target, other, long(target, other) | long(row, other))
            else:
                add_range(target, element + 1, done)


@inlined
def _consider(index: int, work: int, frame: int, node: int, top: int) -> int:
    """Put a node on the agenda, unless the frame lacks a name that it needs; return where the agenda ends."""
    edge = edge_of(index, node)
    code = integer(edge, CODE)
    at = long(edge, EDGE_AT)
    if code & 3 != BY_FILTER:
        at = element_bit(code >> 2) if code & 7 == BY_CHILD else 0
    if (long(edge, EDGE_BELOW) & ~long(frame, _BELOW)) | (at & ~long(frame, _AT)) != 0:
        return top
    # The index is larger than any cache: whatever will be looked at soon is on its way meanwhile.
    _prefetch(body_of(index, node))
    if code & 3 == BY_FILTER:
        _prefetch(long(index, TERMS) + 4 * TERM_WIDTH * (code >> 2))
        _prefetch(long(work, MEMO_TERMS) + 8 * (code >> 2))
    store_integer(long(work, AGENDA), top, node)
    return top + 1


@inlined
def _consider_all(index: int, work: int, frame: int, node: int, top: int) -> int:
    """Put a node and its siblings that follow on the agenda; return where it ends."""
    edges = 0
    while node >= 0:
        top = _consider(index, work, frame, node, top)
        node = integer(edge_of(index, node), NEXT)
        edges += 1
    store_long(work, EDGES_SEEN, long(work, EDGES_SEEN) + edges)
    return top


@compiled
def _consider_marked(index: int, work: int, frame: int, node: int, top: int) -> int:
    """Put the marked nodes below a node on the agenda; return where it ends."""
    below = integer(long(work, MARKED_FIRST), node)
    while below >= 0:
        top = _consider(index, work, frame, below, top)
        below = integer(long(work, MARKED_NEXT), below)
        store_long(work, EDGES_SEEN, long(work, EDGES_SEEN) + 1)
    return top


@compiled
def _look_up(index: int, work: int, document: int, frame: int, node: int, top: int, words: tuple[int, ...]) -> int:
    """Put the nodes that lead from a node to the names of the children of S on the agenda; return where it ends."""
    W, rows = width(words), frame + 8 * FRAME_FIELDS
    left = rows + 24 * W
    names, room = long(document, NAME), long(work, NAMES_ROOM)
    for place in range(W):
        store_long(left, place, long(rows, W + place))
    for place in range(W):
        while long(left, place) != 0:
            name = integer(names, 64 * place + first_bit(long(left, place)))
            store_long(left, place, long(left, place) & (long(left, place) - 1))
            if name < 0 or name >= room:
                continue
            row = row_of_test(work, document, 2 * name, words)
            for other in range(place, W):
                store_long(left, other, long(left, other) & ~long(row, other))
            below = find_node(index, node, (2 * name) << 2 | BY_CHILD)
            if below >= 0:
                top = _consider(index, work, frame, below, top)
                store_long(work, EDGES_SEEN, long(work, EDGES_SEEN) + 1)
    return top


@compiled
def _are_few(row: int, limit: int, W: int) -> bool:
    """Tell whether a row has at most so many elements."""
    for place in range(W):
        bits = long(row, place)
        while bits != 0:
            if limit == 0:
                return False
            limit -= 1
            bits &= bits - 1
    return True


@inlined
def _enter(index: int, work: int, document: int, frame: int, node: int, top: int, words: tuple[int, ...]) -> None:
    """Make a frame, whose set S is there, ready for the edges below a node; its agenda begins at `top`."""
    W, body, rows = width(words), body_of(index, node), frame + 8 * FRAME_FIELDS
    ways, fan = integer(body, WAYS), integer(body, FAN)
    if ways & 1:
        _children(work, document, rows, rows + 8 * W, words)
    if ways & 2:
        _descendants(work, document, rows, rows + 16 * W, words)
    store_long(frame, _NEXT, top)
    if long(work, MARK) != 0:
        top = _consider_marked(index, work, frame, node, top)
    else:
        if fan >= _FAN_LEAST and _are_few(rows + 8 * W, fan // _FAN_MORE, W):
            top = _look_up(index, work, document, frame, node, top, words)
        else:
            top = _consider_all(index, work, frame, integer(body, NAMES), top)
        top = _consider_all(index, work, frame, integer(body, REST), top)
    store_long(frame, _LAST, top)


@compiled
def _filter(index: int, work: int, document: int, source: int, target: int, term: int, words: tuple[int, ...]) -> bool:
    """Put the elements of a row for which a term holds into another row; tell whether there are any."""
    W, count, left = width(words), 0, 0
    for place in range(W):
        bits = long(source, place)
        store_long(target, place, bits)
        if bits != 0:
            count += 2 if bits & (bits - 1) else 1
    fields = long(index, TERMS) + 4 * TERM_WIDTH * term
    if count <= _FEW and is_simple(fields):
        for place in range(W):
            bits = long(target, place)
            kept = bits
            while bits != 0:
                if not holds_at(index, work, document, fields, 64 * place + first_bit(bits)):
                    kept ^= bits & -bits
                bits &= bits - 1
            store_long(target, place, kept)
            left |= kept
        return left != 0
    row = row_of_term(index, work, document, term, words)
    for place in range(W):
        found = long(target, place) & long(row, place)
        store_long(target, place, found)
        left |= found
    return left != 0


@inlined
def _keep_able(work: int, edge: int, code: int, following: int, W: int) -> bool:
    """Keep in a new frame the elements that have what is needed below the edge to it, and note what they have.

    Tell whether any is left.
    """
    below, at, nearby = long(edge, EDGE_BELOW), long(edge, EDGE_AT), long(work, NEARBY)
    if code & 3 != BY_FILTER and code & 4 == 0:
        below &= ~element_bit(code >> 2)
    rows = following + 8 * FRAME_FIELDS
    having_below, having_at, left = 0, 0, 0
    for place in range(W):
        bits = long(rows, place)
        kept = bits
        while bits != 0:
            element = 64 * place + first_bit(bits)
            found_below, found_at = long(nearby, 2 * element), long(nearby, 2 * element + 1)
            if (below & ~found_below) | (at & ~found_at) != 0:
                kept ^= bits & -bits
            else:
                having_below |= found_below
                having_at |= found_at
            bits &= bits - 1
        store_long(rows, place, kept)
        left |= kept
    store_long(following, _BELOW, having_below)
    store_long(following, _AT, having_at)
    return left != 0


@inlined
def _follow(
    index: int, work: int, document: int, frame: int, edge: int, following: int, words: tuple[int, ...]
) -> bool:
    """Put the set that an edge leads to into the frame that follows; tell whether there is anything in it."""
    code = integer(edge, CODE)
    W, rows, target = width(words), frame + 8 * FRAME_FIELDS, following + 8 * FRAME_FIELDS
    way, left = code & 3, 0
    if way == BY_FILTER:
        return _filter(index, work, document, rows, target, code >> 2, words) and _keep_able(
            work, edge, code, following, W
        )
    row = row_of_test(work, document, code >> 2, words)
    if row == 0:
        return False
    source = rows + 8 * W * way
    for place in range(W):
        found = long(source, place) & long(row, place)
        store_long(target, place, found)
        left |= found
    return left != 0 and _keep_able(work, edge, code, following, W)


@compiled
def walk(index: int, work: int, document: int, words: tuple[int, ...]) -> int:
    """Note the slots of all patterns that match a document which has been prepared; return what it came to."""
    W = width(words)
    size = 8 * (FRAME_FIELDS + FRAME_ROWS * W)
    bottom = long(work, FRAMES)
    store_long(work, UNDECIDED_COUNT, 0)
    frame, frames = bottom, 1
    for place in range(W):
        store_long(frame, FRAME_FIELDS + place, 0)
    store_long(frame, FRAME_FIELDS, 1)
    store_long(frame, _BELOW, long(long(work, NEARBY), 0))
    store_long(frame, _AT, long(long(work, NEARBY), 1))
    _emit(index, work, 0)
    _enter(index, work, document, frame, 0, 0, words)
    while True:
        place = long(frame, _NEXT)
        if place == long(frame, _LAST):
            if frame == bottom:
                break
            frame -= size
            continue
        store_long(frame, _NEXT, place + 1)
        node = integer(long(work, AGENDA), place)
        body = body_of(index, node)
        _prefetch(edge_of(index, integer(body, NAMES)))
        _prefetch(edge_of(index, integer(body, REST)))
        if not _follow(index, work, document, frame, edge_of(index, node), frame + size, words):
            continue
        _emit(index, work, node)
        if integer(body, NAMES) >= 0 or integer(body, REST) >= 0:
            top = long(frame, _LAST)
            frame += size
            frames += 1
            _enter(index, work, document, frame, node, top, words)
    store_long(work, FRAMES_SEEN, long(work, FRAMES_SEEN) + frames)
    return UNDECIDED_NUMBERS if long(work, UNDECIDED_COUNT) > 0 else MATCHED
