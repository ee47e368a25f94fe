"""Memory by its address, for compiled code: one number as an argument where arrays would be many.

Nothing here checks a bound: whoever calls has reserved the room. `byte(address, 5)` is the sixth byte, `integer` and
`long` count in int32 and int64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

from distributary.core.kept_code import drop_outdated, package

__all__ = [
    "BLOCK",
    "address_of_bytes",
    "byte",
    "call",
    "clear_block",
    "compiled",
    "copy",
    "copy_all",
    "emitted",
    "equal_bytes",
    "first_bit",
    "inlined",
    "integer",
    "long",
    "product",
    "store_byte",
    "store_integer",
    "store_long",
    "word",
]

drop_outdated(package(__file__))

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Bytes that are copied or classified at once.
BLOCK = 32

_BYTE, _INTEGER, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def compiled(function: _Function) -> _Function:
    """Compile a function that runs without the interpreter's lock; what was compiled once is kept on disk."""
    made: Any = njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast("_Function", made)


def inlined(function: _Function) -> _Function:
    """Compile a function into whatever calls it: for small ones that run for every element."""
    made: Any = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)
    return cast("_Function", made)


def emitted(function: Callable[..., Any]) -> Callable[..., int]:
    """Make a function of what returns the signature and the instructions of one."""
    made: Any = intrinsic(function)
    return cast("Callable[..., int]", made)


def _pointer(builder: Any, address: Any, index: Any, kind: ir.Type) -> Any:
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def _load(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    found = builder.load(_pointer(builder, address, index, kind))
    found.align = kind.width // 8
    return found


def _store(builder: Any, address: Any, index: Any, value: Any, kind: ir.Type) -> None:
    if kind.width < _LONG.width:
        value = builder.trunc(value, kind)
    builder.store(value, _pointer(builder, address, index, kind)).align = kind.width // 8


@emitted
def product(_typing: Any, _first: Any, _second: Any) -> Any:
    """Return the lower 64 bits of a product: numba's own must not overflow."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.mul(*arguments)

    return types.int64(types.int64, types.int64), generate


@emitted
def byte(_typing: Any, _address: Any, _index: Any) -> Any:
    """Return the byte with this index."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.zext(_load(builder, arguments[0], arguments[1], _BYTE), _LONG)

    return types.int64(types.int64, types.int64), generate


@emitted
def integer(_typing: Any, _address: Any, _index: Any) -> Any:
    """Return the int32 with this index."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sext(_load(builder, arguments[0], arguments[1], _INTEGER), _LONG)

    return types.int64(types.int64, types.int64), generate


@emitted
def long(_typing: Any, _address: Any, _index: Any) -> Any:
    """Return the int64 with this index."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _load(builder, arguments[0], arguments[1], _LONG)

    return types.int64(types.int64, types.int64), generate


@emitted
def word(_typing: Any, _address: Any) -> Any:
    """Return the eight bytes at an address, the first one lowest, wherever it is."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found = builder.load(builder.inttoptr(arguments[0], _LONG.as_pointer()))
        found.align = 1
        return found

    return types.int64(types.int64), generate


@emitted
def store_byte(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Put a byte in the place with this index."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _store(builder, arguments[0], arguments[1], arguments[2], _BYTE)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@emitted
def store_integer(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Put an int32 in the place with this index."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _store(builder, arguments[0], arguments[1], arguments[2], _INTEGER)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@emitted
def store_long(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """Put an int64 in the place with this index."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _store(builder, arguments[0], arguments[1], arguments[2], _LONG)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@emitted
def clear_block(_typing: Any, _to: Any) -> Any:
    """Set `BLOCK` bytes to zero."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, BLOCK)
        builder.store(ir.Constant(kind, None), builder.inttoptr(arguments[0], kind.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(types.int64), generate


@emitted
def copy_block(_typing: Any, _to: Any, _source: Any) -> Any:
    """Copy `BLOCK` bytes."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, BLOCK).as_pointer()
        found = builder.load(builder.inttoptr(arguments[1], kind))
        found.align = 1
        builder.store(found, builder.inttoptr(arguments[0], kind)).align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@emitted
def copy_all(_typing: Any, _to: Any, _source: Any, _length: Any) -> Any:
    """Copy bytes that do not overlap, many of them quickly."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = _BYTE.as_pointer()
        function = builder.module.declare_intrinsic("llvm.memcpy", [pointer, pointer, _LONG])
        to, source = (builder.inttoptr(address, pointer) for address in arguments[:2])
        builder.call(function, [to, source, arguments[2], ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@emitted
def first_bit(_typing: Any, _bits: Any) -> Any:
    """Return the place of the lowest bit that is set; there must be one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@emitted
def call(_typing: Any, _function: Any, _first: Any, _second: Any, _third: Any) -> Any:
    """Return what the C function at an address returns for three int64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_LONG, [_LONG] * 3)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(*[types.int64] * 4), generate


@emitted
def address_of_bytes(_typing: Any, value: Any) -> Any:
    """Return where the bytes of a `bytes` object are; they stay there as long as the object lives."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        buffer = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.ptrtoint(buffer.data, _LONG)

    return types.int64(value), generate


@inlined
def copy(to: int, source: int, length: int) -> None:
    """Copy bytes that do not overlap; may write up to `BLOCK` bytes more than there are."""
    # Most of what is copied is shorter than a block, and a call costs more than that.
    at = 0
    while at < length:
        copy_block(to + at, source + at)
        at += BLOCK


@inlined
def equal_bytes(first: int, second: int, length: int) -> bool:
    """Tell whether two strings of one length are the same; may read seven bytes beyond them."""
    at = 0
    while at + 8 <= length:
        if word(first + at) != word(second + at):
            return False
        at += 8
    if at == length:
        return True
    return (word(first + at) ^ word(second + at)) << (8 * (8 - (length - at))) == 0
