"""The elements for which a term holds, as a row: each term once per document, however many patterns ask for it."""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import compiled, first_bit, inlined, integer, long, store_long
from distributary.matching.documents.layout import (
    ATTRIBUTE_NAME,
    ATTRIBUTE_NAMESPACE,
    ATTRIBUTE_START,
    ATTRIBUTES,
    PARENT,
)
from distributary.matching.patterns.compiled.document import (
    add_bit,
    fresh_row,
    next_element,
    row_of_test,
    stamped,
    width,
)
from distributary.matching.patterns.compiled.values import attribute_value, holds, text_value
from distributary.matching.patterns.layout import (
    ANY,
    AT,
    ATTRIBUTE,
    ATTRIBUTE_BELOW,
    ATTRIBUTE_FIRST,
    ATTRIBUTE_NEXT,
    ATTRIBUTE_OWNER,
    BELOW,
    CHILD,
    DESCENDANT,
    DOCUMENT,
    FIRST,
    GENERATION,
    KIND,
    MEMO_BITS,
    MEMO_TERMS,
    NAMES_ROOM,
    NEARBY,
    POOL,
    SECOND,
    STACK,
    STAMP,
    TERM_WIDTH,
    TERMS,
    TERMS_SEEN,
    TEXT,
    TEXT_BELOW,
    TEXT_FIRST,
    TEXT_NEXT,
    VALUE,
)

__all__ = ["holds_at", "is_simple", "keep_signed", "row_of_term"]


@inlined
def _known_row(work: int, term: int, W: int) -> int:
    """Return the row of a term that the memo holds; 0 when it holds none."""
    entry = long(long(work, MEMO_TERMS), term)
    if entry >> MEMO_BITS != long(work, GENERATION):
        return 0
    return long(work, POOL) + 8 * W * (entry & ((1 << MEMO_BITS) - 1))


@compiled
def keep_signed(nearby: int, row: int, below: int, at: int, W: int) -> bool:
    """Keep of a row the elements that have the names of two signatures, below and at them; tell whether any is left."""
    left = 0
    for place in range(W):
        bits = long(row, place)
        kept = bits
        while bits != 0:
            element = 64 * place + first_bit(bits)
            if (below & ~long(nearby, 2 * element)) | (at & ~long(nearby, 2 * element + 1)) != 0:
                kept ^= bits & -bits
            bits &= bits - 1
        store_long(row, place, kept)
        left |= kept
    return left != 0


@compiled
def row_of_term(index: int, work: int, document: int, term: int, words: tuple[int, ...]) -> int:
    """Return the row of the elements for which a term holds; it stays good until the next row is asked for."""
    W = width(words)
    row = _known_row(work, term, W)
    if row != 0:
        return row
    # A frame of the stack: a branch, what is left of its list, and the row of those that may be its end so far.
    size = 8 * (2 + W)
    bottom = long(work, STACK)
    frame = bottom - size
    while True:
        fields = long(index, TERMS) + 4 * TERM_WIDTH * term
        if integer(fields, KIND) < CHILD:
            store_long(work, TERMS_SEEN, long(work, TERMS_SEEN) + 1)
            row = fresh_row(work, long(work, MEMO_TERMS), term, W)
            for place in range(W):
                store_long(row, place, 0)
            _fill(index, work, document, fields, row)
        else:
            frame += size
            store_long(frame, 0, term)
            store_long(frame, 1, _candidates(index, work, document, fields, frame + 16, words))
        # Whatever has been found now, the branches that wait for it go on.
        while frame >= bottom:
            term = _next_condition(index, work, frame, W)
            if term >= 0:
                break
            row = _ended(index, work, document, frame, W)
            frame -= size
        if frame < bottom:
            return row


@compiled
def _candidates(index: int, work: int, document: int, fields: int, row: int, words: tuple[int, ...]) -> int:
    """Put into a row the elements of a branch's name that may satisfy its conditions; return the list of these.

    -1 when there is none, or nothing left that they could hold for.
    """
    W, named = width(words), row_of_test(work, document, integer(fields, FIRST), words)
    for place in range(W):
        store_long(row, place, long(named, place) if named != 0 else 0)
    conditions = integer(fields, SECOND)
    if named == 0 or conditions < 0:
        return -1
    # The signatures of a list are those of all its terms.
    listed = long(index, TERMS) + 4 * TERM_WIDTH * conditions
    return conditions if keep_signed(long(work, NEARBY), row, long(listed, BELOW), long(listed, AT), W) else -1


@compiled
def _next_condition(index: int, work: int, frame: int, W: int) -> int:
    """Apply the conditions of a branch that are known; return the first that is not, -1 when it is all done."""
    conditions = long(frame, 1)
    while conditions >= 0:
        fields = long(index, TERMS) + 4 * TERM_WIDTH * conditions
        condition = integer(fields, FIRST)
        row = _known_row(work, condition, W)
        if row == 0:
            store_long(frame, 1, conditions)
            return condition
        left = 0
        for place in range(W):
            found = long(frame, 2 + place) & long(row, place)
            store_long(frame, 2 + place, found)
            left |= found
        conditions = integer(fields, SECOND) if left != 0 else -1
    return -1


@compiled
def _ended(index: int, work: int, document: int, frame: int, W: int) -> int:
    """Return the new row of a branch whose conditions are all applied: the parents or ancestors of its ends."""
    store_long(work, TERMS_SEEN, long(work, TERMS_SEEN) + 1)
    term = long(frame, 0)
    row = fresh_row(work, long(work, MEMO_TERMS), term, W)
    for place in range(W):
        store_long(row, place, 0)
    parents = long(document, PARENT)
    upwards = integer(long(index, TERMS) + 4 * TERM_WIDTH * term, KIND) == DESCENDANT
    for place in range(W):
        bits = long(frame, 2 + place)
        while bits != 0:
            above = integer(parents, 64 * place + first_bit(bits))
            bits &= bits - 1
            if upwards:
                _add_upwards(row, parents, above)
            else:
                add_bit(row, above)
    return row


@compiled
def _add_upwards(row: int, parents: int, element: int) -> None:
    while element >= 0 and (long(row, element >> 6) >> (element & 63)) & 1 == 0:
        add_bit(row, element)
        element = integer(parents, element)


@compiled
def _fill(index: int, work: int, document: int, fields: int, row: int) -> None:
    """Put into a row the elements for which a term holds that looks at values."""
    kind, test = integer(fields, KIND), integer(fields, FIRST)
    if kind == DOCUMENT:
        if holds(index, work, document, fields, 0):
            add_bit(row, 0)
    elif kind in (ATTRIBUTE, ATTRIBUTE_BELOW):
        owners = long(work, ATTRIBUTE_OWNER)
        attribute = _next_attribute(work, document, test, -1)
        while attribute >= 0:
            if holds(index, work, document, fields, attribute_value(document, attribute)):
                _add(document, kind == ATTRIBUTE_BELOW, row, integer(owners, attribute))
            attribute = _next_attribute(work, document, test, attribute)
    else:
        element = next_element(work, document, test, 0)
        while element > 0:
            if _element_holds(index, work, document, fields, kind, element):
                _add(document, kind == TEXT_BELOW, row, element)
            element = next_element(work, document, test, element)


@compiled
def _add(document: int, upwards: bool, row: int, element: int) -> None:
    """Put an element into a row, and if so asked all its ancestors, of which the row has all or none from each up."""
    if upwards:
        _add_upwards(row, long(document, PARENT), element)
    else:
        add_bit(row, element)


@compiled
def _element_holds(index: int, work: int, document: int, fields: int, kind: int, element: int) -> bool:
    """Tell whether a term on the element's own value, or on its text nodes, holds for an element of its name."""
    if kind == VALUE:
        return holds(index, work, document, fields, element)
    node = integer(long(work, TEXT_FIRST), element)
    while node >= 0:
        if holds(index, work, document, fields, text_value(document, node)):
            return True
        node = integer(long(work, TEXT_NEXT), node)
    return False


@inlined
def is_simple(fields: int) -> bool:
    """Tell whether a term looks only at the element itself, and at no other name than that which led to it."""
    kind = integer(fields, KIND)
    return kind in (VALUE, TEXT) or (kind == ATTRIBUTE and integer(fields, FIRST) & 1 == 0)


@compiled
def holds_at(index: int, work: int, document: int, fields: int, element: int) -> bool:
    """Tell whether a simple term holds for an element of its name."""
    kind, test = integer(fields, KIND), integer(fields, FIRST)
    if kind != ATTRIBUTE:
        return _element_holds(index, work, document, fields, kind, element)
    names, starts = long(document, ATTRIBUTE_NAME), long(document, ATTRIBUTE_START)
    for attribute in range(integer(starts, element), integer(starts, element + 1)):
        if 2 * integer(names, attribute) == test:
            return holds(index, work, document, fields, attribute_value(document, attribute))
    return False


@compiled
def _next_attribute(work: int, document: int, test: int, attribute: int) -> int:
    """Return the next attribute after `attribute` that a name test is true of; -1 when there is none."""
    if test & 1 == 0:
        if attribute >= 0:
            return integer(long(work, ATTRIBUTE_NEXT), attribute)
        if test >= 2 * long(work, NAMES_ROOM):
            return -1
        return stamped(long(work, ATTRIBUTE_FIRST), test >> 1, long(work, STAMP))
    namespaces, count = long(document, ATTRIBUTE_NAMESPACE), long(document, ATTRIBUTES)
    attribute += 1
    while attribute < count:
        if test == ANY or integer(namespaces, attribute) == test >> 1:
            return attribute
        attribute += 1
    return -1
