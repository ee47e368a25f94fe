"""One document made ready for the walk: lists by name, rows of children and descendants, signatures.

A row is a set of elements as a bitset; `words` says how wide: a tuple of so many numbers, which compiles to code for
that width alone, or of one number that is the width. Nothing here grows with the square of the document but the rows
of narrow ones.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import compiled, inlined, integer, long, store_integer, store_long
from distributary.matching.documents.layout import (
    ATTRIBUTE_NAME,
    ATTRIBUTE_START,
    ATTRIBUTES,
    ELEMENTS,
    END,
    NAME,
    NAMESPACE,
    PARENT,
    TEXT_NODE_OWNER,
    TEXT_NODES,
)
from distributary.matching.patterns.compiled.terms import attribute_bit, element_bit
from distributary.matching.patterns.layout import (
    ANY,
    ATTRIBUTE_FIRST,
    ATTRIBUTE_NEXT,
    ATTRIBUTE_OWNER,
    CHILD_ROWS,
    DESCENDANT_ROWS,
    ELEMENT_NEXT,
    FIRST_BITS,
    GENERATION,
    MEMO_BITS,
    MEMO_TESTS,
    NAMES_ROOM,
    NEARBY,
    POOL,
    POOL_BYTES,
    POOL_USED,
    STAMP,
    TEST_FIRST,
    TEXT_FIRST,
    TEXT_NEXT,
)

__all__ = ["add_bit", "fresh_row", "next_element", "prepare", "row_of_test", "stamped", "width"]


@inlined
def width(words: tuple[int, ...]) -> int:
    """Return how many words a row has."""
    return words[0] if len(words) == 1 else len(words)


@inlined
def add_bit(row: int, element: int) -> None:
    """Put an element into a row."""
    store_long(row, element >> 6, long(row, element >> 6) | 1 << (element & 63))


@inlined
def stamped(entries: int, place: int, stamp: int) -> int:
    """Return what an entry holds below its stamp; -1 when it is of another document."""
    entry = long(entries, place)
    return entry & ((1 << FIRST_BITS) - 1) if entry >> FIRST_BITS == stamp else -1


@compiled
def prepare(work: int, document: int, words: tuple[int, ...]) -> None:
    """Make everything ready that the walk through a document needs."""
    store_long(work, STAMP, long(work, STAMP) + 1)
    store_long(work, GENERATION, long(work, GENERATION) + 1)
    store_long(work, POOL_USED, 0)
    _elements(work, document)
    _attributes(work, document)
    _gather(work, document)
    first, following = long(work, TEXT_FIRST), long(work, TEXT_NEXT)
    owners = long(document, TEXT_NODE_OWNER)
    for node in range(long(document, TEXT_NODES) - 1, -1, -1):
        owner = integer(owners, node)
        store_integer(following, node, integer(first, owner))
        store_integer(first, owner, node)
    if len(words) > 1:
        _rows(work, document, width(words))


@compiled
def _elements(work: int, document: int) -> None:
    """Chain the elements of each name, forget the last document's text nodes, and note the names of children."""
    stamp, room, nearby = long(work, STAMP), long(work, NAMES_ROOM), long(work, NEARBY)
    names, parents, count = long(document, NAME), long(document, PARENT), long(document, ELEMENTS)
    first, following, texts = long(work, TEST_FIRST), long(work, ELEMENT_NEXT), long(work, TEXT_FIRST)
    for place in range(2 * count + 2):
        store_long(nearby, place, 0)
    store_integer(texts, 0, -1)
    for element in range(count, 0, -1):
        store_integer(texts, element, -1)
        name = integer(names, element)
        if name < 0 or name >= room:
            continue
        test = 2 * name
        store_integer(following, element, max(0, stamped(first, test, stamp)))
        store_long(first, test, stamp << FIRST_BITS | element)
        at = 2 * integer(parents, element) + 1
        store_long(nearby, at, long(nearby, at) | element_bit(test))


@compiled
def _attributes(work: int, document: int) -> None:
    """Chain the attributes of each name, and note the names of those at each element."""
    stamp, room, nearby = long(work, STAMP), long(work, NAMES_ROOM), long(work, NEARBY)
    names, starts = long(document, ATTRIBUTE_NAME), long(document, ATTRIBUTE_START)
    first, following, owners = long(work, ATTRIBUTE_FIRST), long(work, ATTRIBUTE_NEXT), long(work, ATTRIBUTE_OWNER)
    element = long(document, ELEMENTS)
    for attribute in range(long(document, ATTRIBUTES) - 1, -1, -1):
        while integer(starts, element) > attribute:
            element -= 1
        store_integer(owners, attribute, element)
        name = integer(names, attribute)
        if name < 0 or name >= room:
            continue
        store_integer(following, attribute, stamped(first, name, stamp))
        store_long(first, name, stamp << FIRST_BITS | attribute)
        at = 2 * element + 1
        store_long(nearby, at, long(nearby, at) | attribute_bit(2 * name))


@compiled
def _gather(work: int, document: int) -> None:
    """Gather what is at elements into what is below them, and below those above them."""
    nearby, parents = long(work, NEARBY), long(document, PARENT)
    for element in range(long(document, ELEMENTS), -1, -1):
        below = long(nearby, 2 * element) | long(nearby, 2 * element + 1)
        store_long(nearby, 2 * element, below)
        if element > 0:
            above = 2 * integer(parents, element)
            store_long(nearby, above, long(nearby, above) | below)


@compiled
def _rows(work: int, document: int, W: int) -> None:
    """Fill the rows of the children and of the descendants of every element."""
    children, below = long(work, CHILD_ROWS), long(work, DESCENDANT_ROWS)
    parents, ends, count = long(document, PARENT), long(document, END), long(document, ELEMENTS)
    for place in range((count + 1) * W):
        store_long(children, place, 0)
        store_long(below, place, 0)
    for element in range(1, count + 1):
        add_bit(children + 8 * W * integer(parents, element), element)
    for element in range(count + 1):
        add_range(below + 8 * W * element, element + 1, integer(ends, element))


@inlined
def add_range(row: int, low: int, high: int) -> None:
    """Put the elements `low .. high - 1` into a row."""
    while low < high:
        place = low >> 6
        end = min(high, (place + 1) << 6)
        # Twice half a shift: all 64 bits cannot be shifted out at once.
        bits = (-1 << (low & 63)) & ~((-1 << ((end - 1) & 63)) << 1)
        store_long(row, place, long(row, place) | bits)
        low = end


@inlined
def next_element(work: int, document: int, test: int, element: int) -> int:
    """Return the next element after `element` that a name test is true of, in document order; 0 when there is none."""
    if test & 1 == 0:
        if element > 0:
            return integer(long(work, ELEMENT_NEXT), element)
        if test >= 2 * long(work, NAMES_ROOM):
            return 0
        return max(0, stamped(long(work, TEST_FIRST), test, long(work, STAMP)))
    namespaces, count = long(document, NAMESPACE), long(document, ELEMENTS)
    element += 1
    while element <= count:
        if test == ANY or integer(namespaces, element) == test >> 1:
            return element
        element += 1
    return 0


@inlined
def fresh_row(work: int, entries: int, place: int, W: int) -> int:
    """Return the address of a new row of the pool, not cleared, and note it in an entry of the memo.

    When the pool is full, the whole memo is forgotten: rows got before may be overwritten from then on.
    """
    row = long(work, POOL_USED)
    if (row + 1) * 8 * W > long(work, POOL_BYTES):
        row = 0
        store_long(work, GENERATION, long(work, GENERATION) + 1)
    store_long(work, POOL_USED, row + 1)
    store_long(entries, place, long(work, GENERATION) << MEMO_BITS | row)
    return long(work, POOL) + 8 * W * row


@compiled
def row_of_test(work: int, document: int, test: int, words: tuple[int, ...]) -> int:
    """Return the row of the elements that a name test is true of; 0 when there is none."""
    W, entries = width(words), long(work, MEMO_TESTS)
    if test >= 2 * long(work, NAMES_ROOM):
        return 0
    entry = long(entries, test)
    if entry >> MEMO_BITS == long(work, GENERATION):
        return long(work, POOL) + 8 * W * (entry & ((1 << MEMO_BITS) - 1))
    element = next_element(work, document, test, 0)
    if element == 0:
        return 0
    row = fresh_row(work, entries, test, W)
    for place in range(W):
        store_long(row, place, 0)
    if test == ANY:
        add_range(row, 1, long(document, ELEMENTS) + 1)
        return row
    while element > 0:
        add_bit(row, element)
        element = next_element(work, document, test, element)
    return row
