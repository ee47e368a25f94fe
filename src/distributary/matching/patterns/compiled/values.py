"""Values against literals: numbers as XPath 1.0 has them, each found once per document; strings byte by byte.

A value is known by a number of its own: an element, then behind all elements an attribute, then a text node.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from distributary.matching.documents.compiled.memory import (
    compiled,
    emitted,
    equal_bytes,
    inlined,
    integer,
    long,
    store_integer,
    store_long,
)
from distributary.matching.documents.compiled.numbers import number_of_bytes
from distributary.matching.documents.layout import (
    ATTRIBUTE_FROM,
    ATTRIBUTE_TO,
    ATTRIBUTES,
    ELEMENTS,
    TEXT,
    TEXT_END,
    TEXT_NODE_FROM,
    TEXT_NODE_TO,
    TEXT_START,
    VALUES,
)
from distributary.matching.patterns.layout import (
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LENGTH,
    LESS,
    LESS_OR_EQUAL,
    LITERAL,
    NEVER,
    OPERATOR,
    SECOND,
    STAMP,
    STRING_EQUAL,
    STRINGS,
    TERM_WIDTH,
    TERMS,
    THIRD,
    UNDECIDED,
    UNDECIDED_COUNT,
    UNEQUAL,
    VALUES_KNOWN,
    VALUES_NUMBER,
)

__all__ = ["attribute_value", "holds", "text_value"]

_LONG, _DOUBLE = ir.IntType(64), ir.DoubleType()


@emitted
def _double(_typing: Any, _address: Any, _index: Any) -> Any:
    """Return the float64 with this index."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.gep(builder.inttoptr(arguments[0], _DOUBLE.as_pointer()), [arguments[1]]))

    return types.float64(types.int64, types.int64), generate


@emitted
def _store_double(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Put a float64 in the place with this index."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        address, index, value = arguments
        builder.store(value, builder.gep(builder.inttoptr(address, _DOUBLE.as_pointer()), [index]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64), generate


@inlined
def attribute_value(document: int, attribute: int) -> int:
    """Return the number of an attribute's value."""
    return long(document, ELEMENTS) + 1 + attribute


@inlined
def text_value(document: int, node: int) -> int:
    """Return the number of a text node's value."""
    return long(document, ELEMENTS) + 1 + long(document, ATTRIBUTES) + node


@inlined
def _value_at(document: int, value: int) -> tuple[int, int]:
    """Return the address and the length of a value."""
    elements, attributes = long(document, ELEMENTS) + 1, long(document, ATTRIBUTES)
    if value < elements:
        start = integer(long(document, TEXT_START), value)
        return long(document, TEXT) + start, integer(long(document, TEXT_END), value) - start
    value -= elements
    if value < attributes:
        start = integer(long(document, ATTRIBUTE_FROM), value)
        return long(document, VALUES) + start, integer(long(document, ATTRIBUTE_TO), value) - start
    value -= attributes
    start = integer(long(document, TEXT_NODE_FROM), value)
    return long(document, TEXT) + start, integer(long(document, TEXT_NODE_TO), value) - start


@compiled
def _number(work: int, document: int, value: int) -> float:
    """Return the number that a value is. One that is not decided here is noted, and counts as 0 until then."""
    known, numbers, stamp = long(work, VALUES_KNOWN), long(work, VALUES_NUMBER), long(work, STAMP)
    if long(known, value) == stamp:
        return _double(numbers, value)
    address, length = _value_at(document, value)
    number, decided = number_of_bytes(address, length)
    if not decided:
        count = long(work, UNDECIDED_COUNT)
        store_integer(long(work, UNDECIDED), count, value)
        store_long(work, UNDECIDED_COUNT, count + 1)
    store_long(known, value, stamp)
    _store_double(numbers, value, number)
    return number


@inlined
def _holds_number(operator: int, number: float, literal: float) -> bool:
    if operator == EQUAL:
        return number == literal
    if operator == UNEQUAL:
        return number != literal
    if operator == LESS:
        return number < literal
    if operator == LESS_OR_EQUAL:
        return number <= literal
    if operator == GREATER:
        return number > literal
    if operator == GREATER_OR_EQUAL:
        return number >= literal
    return False


@inlined
def _holds_literal(index: int, work: int, document: int, fields: int, operator: int, value: int) -> bool:
    """Tell whether a value satisfies the operator and the literal in the fields of a term."""
    if operator < STRING_EQUAL:
        return _holds_number(operator, _number(work, document, value), _double(fields, LITERAL))
    if operator == NEVER:
        return False
    address, length = _value_at(document, value)
    equal = length == long(fields, LENGTH) and equal_bytes(
        address, long(index, STRINGS) + long(fields, LITERAL), length
    )
    return equal == (operator == STRING_EQUAL)


@compiled
def holds(index: int, work: int, document: int, fields: int, value: int) -> bool:
    """Tell whether a value satisfies the comparisons of a term, given by the address of its fields."""
    operator = integer(fields, OPERATOR)
    if operator >= 0:
        return _holds_literal(index, work, document, fields, operator, value)
    comparison, terms = integer(fields, SECOND), long(index, TERMS)
    while comparison >= 0:
        each = terms + 4 * TERM_WIDTH * comparison
        if not _holds_literal(index, work, document, each, integer(each, OPERATOR), value):
            return False
        comparison = integer(each, THIRD)
    return True
