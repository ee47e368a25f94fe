"""Which of the next `BLOCK` bytes end what is being scanned, as bits: all bytes of a block are looked at together.

Each answer has the bit of a byte's place set, the first byte's lowest. Zero stops every scan, so that none passes the
end of a buffer that zeros follow.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from distributary.matching.documents.compiled.memory import BLOCK, emitted

__all__ = ["name_stops", "plain_stops", "text_stops", "value_stops"]

_BYTE = ir.IntType(8)
_BLOCK = ir.VectorType(_BYTE, BLOCK)
_TAB, _NEWLINE, _SPACE = 9, 10, 32


def _all(value: int) -> ir.Constant:
    return ir.Constant(_BLOCK, [ir.Constant(_BYTE, value)] * BLOCK)


class _Classes:
    """Builds the classes of the bytes at an address."""

    def __init__(self, builder: Any, address: Any) -> None:
        self._builder = builder
        self._bytes = builder.load(builder.inttoptr(address, _BLOCK.as_pointer()))
        self._bytes.align = 1

    def equal(self, value: int) -> Any:
        return self._builder.icmp_unsigned("==", self._bytes, _all(value))

    def same(self, value: Any) -> Any:
        """Return the class of one byte that is known only when it runs."""
        builder = self._builder
        first = builder.insert_element(
            ir.Constant(_BLOCK, ir.Undefined), builder.trunc(value, _BYTE), ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [ir.Constant(ir.IntType(32), 0)] * BLOCK)
        every = builder.shuffle_vector(first, ir.Constant(_BLOCK, ir.Undefined), lanes)
        return builder.icmp_unsigned("==", self._bytes, every)

    def control_or_beyond(self) -> Any:
        """Return the class of control characters, and of all bytes that are not ASCII: as signed numbers, below 32."""
        return self._builder.icmp_signed("<", self._bytes, _all(_SPACE))

    def between(self, low: int, high: int, *, lower: bool = False) -> Any:
        found = self._builder.or_(self._bytes, _all(0x20)) if lower else self._bytes
        return self._builder.icmp_unsigned("<=", self._builder.sub(found, _all(low)), _all(high - low))

    def either(self, *classes: Any) -> Any:
        found = classes[0]
        for each in classes[1:]:
            found = self._builder.or_(found, each)
        return found

    def bits(self, found: Any) -> Any:
        return self._builder.zext(self._builder.bitcast(found, ir.IntType(BLOCK)), ir.IntType(64))

    def unprintable(self) -> Any:
        """Return the class of what is neither printing ASCII nor tab nor newline."""
        blank = self.either(self.equal(_TAB), self.equal(_NEWLINE))
        return self._builder.and_(self.control_or_beyond(), self._builder.not_(blank))


@emitted
def text_stops(_typing: Any, _address: Any) -> Any:
    """Return where character data needs a closer look: markup, references, `]`, controls and all beyond ASCII."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = _Classes(builder, arguments[0])
        markup = found.either(*(found.equal(ord(each)) for each in "<&]"))
        return found.bits(found.either(found.unprintable(), markup))

    return types.int64(types.int64), generate


@emitted
def value_stops(_typing: Any, _address: Any, _quote: Any) -> Any:
    """Return where an attribute's value needs a closer look: its quote, `<`, references, controls, all beyond ASCII."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = _Classes(builder, arguments[0])
        markup = found.either(found.same(arguments[1]), found.equal(ord("<")), found.equal(ord("&")))
        return found.bits(found.either(found.control_or_beyond(), markup))

    return types.int64(types.int64, types.int64), generate


@emitted
def plain_stops(_typing: Any, _address: Any, _wanted: Any) -> Any:
    """Return where one byte is found, or one that is neither printing ASCII nor tab nor newline."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = _Classes(builder, arguments[0])
        return found.bits(found.either(found.unprintable(), found.same(arguments[1])))

    return types.int64(types.int64, types.int64), generate


@emitted
def name_stops(_typing: Any, _address: Any) -> Any:
    """Return where no name goes on: all but ASCII letters and digits, `.`, `-` and `_`."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = _Classes(builder, arguments[0])
        letters = found.between(ord("a"), ord("z"), lower=True)
        digits = found.between(ord("0"), ord("9"))
        inside = found.either(letters, digits, found.between(ord("-"), ord(".")), found.equal(ord("_")))
        return found.bits(builder.not_(inside))

    return types.int64(types.int64), generate
