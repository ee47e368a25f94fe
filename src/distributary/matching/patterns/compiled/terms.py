"""Terms: what must hold for an element, stored once however many patterns ask for it, and counted."""

from __future__ import annotations

from distributary.matching.documents.compiled.memory import (
    compiled,
    inlined,
    integer,
    long,
    product,
    store_integer,
    store_long,
)
from distributary.matching.patterns.layout import (
    ALL,
    AT,
    ATTRIBUTE,
    ATTRIBUTE_BELOW,
    BELOW,
    CHAIN,
    CHILD,
    COMPARE,
    DESCENDANT,
    FIRST,
    KIND,
    LENGTH,
    LENGTHS,
    LITERAL,
    NEVER,
    NUMBERS,
    OPERATOR,
    PENDING,
    PLACES,
    REFERENCES,
    SECOND,
    STRING_EQUAL,
    STRING_UNEQUAL,
    TERM_BUCKETS,
    TERM_MASK,
    TERM_WIDTH,
    TERMS,
    TERMS_DEAD,
    TERMS_FREE,
    TERMS_USED,
    THIRD,
    VALUE,
)

__all__ = ["attribute_bit", "element_bit", "make_term", "mixed", "rehash_terms", "release", "retain"]


@inlined
def mixed(first: int, second: int) -> int:
    """Return a hash of two numbers, not negative."""
    found = product(first, 0x1E3779B97F4A7C15) ^ second
    found = product(found ^ (found >> 29), 0x2545F4914F6CDD1D)
    return (found ^ (found >> 32)) & 0x7FFFFFFFFFFFFFFF


@inlined
def element_bit(test: int) -> int:
    """Return the bit that an exact name of an element has in signatures."""
    return 1 << ((product(test + 1, 0x1E3779B97F4A7C15) >> 58) & 63)


@inlined
def attribute_bit(test: int) -> int:
    """Return the bit that an exact name of an attribute has in signatures."""
    return 1 << ((product(test + 1, 0x2545F4914F6CDD1D) >> 58) & 63)


@compiled
def _bucket(index: int, kind: int, first: int, second: int, third: int) -> int:
    return mixed(mixed(kind, first), mixed(second, third)) & long(index, TERM_MASK)


@compiled
def _sign(index: int, fields: int) -> None:
    """Give a term its signatures: the bits of names that must stand below an element, and right at it, for it to hold.

    An attribute is at its element, and it counts as below it, too; a child is both.
    """
    terms, below, at = long(index, TERMS), 0, 0
    kind, first, second = integer(fields, KIND), integer(fields, FIRST), integer(fields, SECOND)
    exact = first & 1 == 0
    if exact and (kind in (ATTRIBUTE, ATTRIBUTE_BELOW)):
        below = attribute_bit(first)
        at = below if kind == ATTRIBUTE else 0
    if exact and (kind in (CHILD, DESCENDANT)):
        below = element_bit(first)
        at = below if kind == CHILD else 0
    if second >= 0 and (kind in (CHILD, DESCENDANT, ALL)):
        below |= long(terms + 4 * TERM_WIDTH * second, BELOW)
    if kind == ALL:
        head = terms + 4 * TERM_WIDTH * first
        below |= long(head, BELOW)
        at = long(head, AT)
        if second >= 0:
            at |= long(terms + 4 * TERM_WIDTH * second, AT)
    store_long(fields, BELOW, below)
    store_long(fields, AT, at)


@compiled
def _copy_literal(index: int, fields: int) -> None:
    """Put what is compared with beside the operator, in a comparison and in a term that has no other."""
    terms, kind, constant = long(index, TERMS), integer(fields, KIND), integer(fields, SECOND)
    store_integer(fields, OPERATOR, -1)
    if kind == COMPARE:
        operator = integer(fields, FIRST)
        store_integer(fields, OPERATOR, operator)
        if operator in (STRING_EQUAL, STRING_UNEQUAL):
            store_long(fields, LITERAL, long(long(index, PLACES), constant))
            store_long(fields, LENGTH, integer(long(index, LENGTHS), constant))
        elif operator != NEVER:
            store_long(fields, LITERAL, long(long(index, NUMBERS), constant))
    elif VALUE <= kind < CHILD and constant >= 0:
        only = terms + 4 * TERM_WIDTH * constant
        if integer(only, THIRD) < 0:
            store_integer(fields, OPERATOR, integer(only, OPERATOR))
            store_long(fields, LITERAL, long(only, LITERAL))
            store_long(fields, LENGTH, long(only, LENGTH))


@compiled
def make_term(index: int, kind: int, first: int, second: int, third: int) -> int:
    """Return the term with these parts, made if there is none; it is not counted before someone retains it."""
    bucket, terms = _bucket(index, kind, first, second, third), long(index, TERMS)
    term = integer(long(index, TERM_BUCKETS), bucket)
    while term >= 0:
        fields = terms + 4 * TERM_WIDTH * term
        if (
            integer(fields, KIND) == kind
            and integer(fields, FIRST) == first
            and integer(fields, SECOND) == second
            and integer(fields, THIRD) == third
        ):
            return term
        term = integer(fields, CHAIN)
    term = long(index, TERMS_FREE)
    if term >= 0:
        store_long(index, TERMS_FREE, integer(terms + 4 * TERM_WIDTH * term, PENDING))
        store_long(index, TERMS_DEAD, long(index, TERMS_DEAD) - 1)
    else:
        term = long(index, TERMS_USED)
        store_long(index, TERMS_USED, term + 1)
    fields = terms + 4 * TERM_WIDTH * term
    store_integer(fields, KIND, kind)
    store_integer(fields, FIRST, first)
    store_integer(fields, SECOND, second)
    store_integer(fields, THIRD, third)
    store_integer(fields, REFERENCES, 0)
    store_integer(fields, CHAIN, integer(long(index, TERM_BUCKETS), bucket))
    store_integer(long(index, TERM_BUCKETS), bucket, term)
    _sign(index, fields)
    _copy_literal(index, fields)
    if kind == ALL:
        retain(index, first)
    if kind != COMPARE:
        retain(index, second)
    else:
        retain(index, third)
    return term


@compiled
def retain(index: int, term: int) -> None:
    """Count one more that needs the term; -1 is none."""
    if term >= 0:
        fields = long(index, TERMS) + 4 * TERM_WIDTH * term
        store_integer(fields, REFERENCES, integer(fields, REFERENCES) + 1)


@compiled
def _given_up(index: int, term: int, pending: int) -> int:
    """Count one less; return what is to be freed next: the term, when it was the last one, else `pending`."""
    if term < 0:
        return pending
    fields = long(index, TERMS) + 4 * TERM_WIDTH * term
    left = integer(fields, REFERENCES) - 1
    store_integer(fields, REFERENCES, left)
    if left > 0:
        return pending
    store_integer(fields, PENDING, pending)
    return term


@compiled
def release(index: int, term: int) -> None:
    """Count one less that needs the term, and free it with all that only it needed when that was the last one."""
    terms = long(index, TERMS)
    pending = _given_up(index, term, -1)
    while pending >= 0:
        term, fields = pending, terms + 4 * TERM_WIDTH * pending
        pending = integer(fields, PENDING)
        kind, first = integer(fields, KIND), integer(fields, FIRST)
        second, third = integer(fields, SECOND), integer(fields, THIRD)
        _unlink(index, term, _bucket(index, kind, first, second, third))
        store_integer(fields, KIND, -1)
        store_integer(fields, PENDING, long(index, TERMS_FREE))
        store_long(index, TERMS_FREE, term)
        store_long(index, TERMS_DEAD, long(index, TERMS_DEAD) + 1)
        if kind == ALL:
            pending = _given_up(index, first, pending)
        pending = _given_up(index, third if kind == COMPARE else second, pending)


@compiled
def _unlink(index: int, term: int, bucket: int) -> None:
    terms, buckets = long(index, TERMS), long(index, TERM_BUCKETS)
    after = integer(terms + 4 * TERM_WIDTH * term, CHAIN)
    other = integer(buckets, bucket)
    if other == term:
        store_integer(buckets, bucket, after)
        return
    while integer(terms + 4 * TERM_WIDTH * other, CHAIN) != term:
        other = integer(terms + 4 * TERM_WIDTH * other, CHAIN)
    store_integer(terms + 4 * TERM_WIDTH * other, CHAIN, after)


@compiled
def rehash_terms(index: int) -> None:
    """Fill the buckets, which are empty, anew."""
    terms, buckets = long(index, TERMS), long(index, TERM_BUCKETS)
    for term in range(long(index, TERMS_USED)):
        fields = terms + 4 * TERM_WIDTH * term
        if integer(fields, KIND) >= 0:
            bucket = _bucket(
                index, integer(fields, KIND), integer(fields, FIRST), integer(fields, SECOND), integer(fields, THIRD)
            )
            store_integer(fields, CHAIN, integer(buckets, bucket))
            store_integer(buckets, bucket, term)
