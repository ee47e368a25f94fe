"""An index as a file: written once, and mapped read-only by as many processes as like, which share its memory.

The file has a header (MessagePack: names, literals, keys, counts, and the shape of every array) and then the arrays as
they are, each on a boundary of 64 bytes. Keys are strings or integers. The format is this version's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath, fstat
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.core.errors import InputError
from distributary.matching.patterns.encoding import Encoder
from distributary.matching.patterns.index import ARRAYS, PatternIndex

__all__ = ["open_index", "save_index"]

_MAGIC = b"DSTPIX01"
_BOUNDARY = 64


class _Header(msgspec.Struct, frozen=True):
    tests: list[str]
    constants: list[float | str]
    keys: list[str | int]
    #: Patterns that are in no trie since nothing matches them: key, text and prefixes.
    impossible: list[tuple[str | int, str, tuple[tuple[str, str], ...]]]
    counts: list[int]
    longest: int
    shapes: dict[str, list[int]]


def save_index(
    path: str | PathLike[str],
    index: PatternIndex,
    keys: Sequence[str | int],
    impossible: Mapping[str | int, TreePattern],
) -> None:
    """Write an index in which every slot is held, and the keys of the slots in order."""
    assert index.slots_used == len(keys), "only what was just rebuilt is saved"
    used = {
        name: index.arrays[name][: index.used(name)] if index.used(name) is not None else index.arrays[name]
        for name in ARRAYS
    }
    header = msgspec.msgpack.encode(
        _Header(
            list(index.encoder.tests),
            list(index.encoder.constants),
            list(keys),
            [(key, pattern.text().text, pattern.text().namespaces) for key, pattern in impossible.items()],
            index.context.tolist(),
            index.longest,
            {name: list(array.shape) for name, array in used.items()},
        )
    )
    with open(path, "wb") as file:
        file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        for array in used.values():
            file.write(bytes(-file.tell() % _BOUNDARY))
            file.write(np.ascontiguousarray(array).tobytes())


def open_index(path: str | PathLike[str]) -> tuple[PatternIndex, list[str | int], dict[str | int, TreePattern]]:
    """Return an index whose arrays are mapped from a file, and what was saved with it; `InputError` for other files."""
    with open(path, "rb") as file:
        start = file.read(16)
        if len(start) < 16 or not start.startswith(_MAGIC):
            raise InputError("is no index of patterns that this version reads", file=fspath(path))
        length = min(int.from_bytes(start[8:], "little"), fstat(file.fileno()).st_size)
        try:
            header = msgspec.msgpack.decode(file.read(length), type=_Header)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise InputError(f"is no index of patterns: {error}", file=fspath(path)) from None
    memory = np.memmap(path, dtype=np.uint8, mode="r")
    arrays: dict[str, npt.NDArray[Any]] = {}
    at = 16 + length
    for name, kind in ARRAYS.items():
        at += -at % _BOUNDARY
        shape = header.shapes[name]
        size = int(np.prod(shape)) * np.dtype(kind.dtype).itemsize
        if at + size > len(memory):
            raise InputError("is an index of patterns that was cut off", file=fspath(path))
        arrays[name] = memory[at : at + size].view(kind.dtype).reshape(shape)
        at += size
    encoder = Encoder()
    for test in header.tests:
        encoder.test(test)
    encoder.constants.update((value, number) for number, value in enumerate(header.constants))
    index = PatternIndex.of(encoder, arrays, np.array(header.counts, dtype=np.int64), header.longest)
    return index, header.keys, {key: parse_xpath(text, dict(prefixes)) for key, text, prefixes in header.impossible}
