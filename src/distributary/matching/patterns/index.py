"""The index of patterns: the arrays of the trie, its terms and slots, which grow; saved, and opened again, as one file.

It knows subscriptions as slots, which are numbered in the order of adding and not used again before a rebuild. Keys are
the matcher's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from distributary.algebra.treepattern_nodes import PatternNode
from distributary.matching.documents.layout import PADDING, Longs
from distributary.matching.patterns import layout
from distributary.matching.patterns.compiled.terms import rehash_terms
from distributary.matching.patterns.compiled.trie import drop_slot, insert, rehash_nodes
from distributary.matching.patterns.encoding import Encoder

__all__ = ["ARRAYS", "ArrayKind", "PatternIndex"]


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """One array of the index: the place of its address in the context, its type, its width, what fills it."""

    place: int
    dtype: type[np.generic]
    width: int = 1
    fill: int = 0


#: The arrays by name. Those of one group (nodes, terms, slots, constants) have the same length.
ARRAYS: Mapping[str, ArrayKind] = {
    "edges": ArrayKind(layout.EDGES, np.int32, layout.EDGE_WIDTH),
    "bodies": ArrayKind(layout.BODIES, np.int32, layout.BODY_WIDTH),
    "node_buckets": ArrayKind(layout.NODE_BUCKETS, np.int32, fill=-1),
    "terms": ArrayKind(layout.TERMS, np.int32, layout.TERM_WIDTH),
    "term_buckets": ArrayKind(layout.TERM_BUCKETS, np.int32, fill=-1),
    "slots": ArrayKind(layout.SLOTS, np.int32, layout.SLOT_WIDTH),
    "numbers": ArrayKind(layout.NUMBERS, np.float64),
    "places": ArrayKind(layout.PLACES, np.int64),
    "lengths": ArrayKind(layout.LENGTHS, np.int32),
    "strings": ArrayKind(layout.STRINGS, np.uint8),
}
_NODES, _TERMS, _CONSTANTS = ("edges", "bodies"), ("terms",), ("numbers", "places", "lengths")
_LEAST = 64


def _length(name: str, nodes: int, terms: int, slots: int) -> int:
    """Return how long an array is to be; buckets are a power of two, and as many as what they hold."""
    if name == "slots":
        return slots
    if name.endswith("_buckets"):
        return 1 << (max(_LEAST, nodes if name == "node_buckets" else terms) - 1).bit_length()
    return nodes if name in _NODES else terms if name in _TERMS else 0


class PatternIndex:
    """All patterns in one structure; adding and removing one costs what it is long."""

    def __init__(self, encoder: Encoder | None = None, *, nodes: int = 0, terms: int = 0, slots: int = 0) -> None:
        #: Numbers of names and literals. Names stay for good; literals until a rebuild.
        self.encoder = encoder or Encoder()
        #: The arrays by name, as `ARRAYS` describes them.
        self.arrays: dict[str, npt.NDArray[Any]] = {}
        #: Counts, and where the arrays are, for compiled code.
        self.context: Longs = np.zeros(layout.INDEX_LENGTH, dtype=np.int64)
        self.address = int(self.context.ctypes.data)
        #: The instructions of the longest program: what evaluating a pattern may nest.
        self.longest = 0
        #: Nodes that stand where a rebuild has put them.
        self.placed = 1
        #: Literals that stand in the arrays, and the bytes of strings.
        self._constants = 0
        self._string_bytes = 0
        self._scratch: Longs = np.zeros(0, dtype=np.int64)
        for name, kind in ARRAYS.items():
            length = max(_LEAST, _length(name, nodes, terms, slots))
            self._put(name, np.full((length, kind.width) if kind.width > 1 else length, kind.fill, dtype=kind.dtype))
        self.context[[layout.NODES_FREE, layout.TERMS_FREE]] = -1
        self.context[layout.NODES_USED] = 1
        # The root: the document node, with no edge to it.
        self.arrays["edges"][0] = -1
        self.arrays["bodies"][0] = (-1, -1, -1, 0, 0, -1, -1, -1)

    @classmethod
    def of(cls, encoder: Encoder, arrays: Mapping[str, npt.NDArray[Any]], counts: Longs, longest: int) -> PatternIndex:
        """Return an index of arrays that are there, with the counts of the context that they belong to."""
        index = cls(encoder)
        addresses = [kind.place for kind in ARRAYS.values()] + [layout.NODE_MASK, layout.TERM_MASK]
        others = np.delete(np.arange(layout.INDEX_LENGTH), addresses)
        index.context[others] = counts[others]
        for name, array in arrays.items():
            index._put(name, array)
        index._constants = len(encoder.constants)
        index._string_bytes = sum(len(each.encode()) for each in encoder.constants if isinstance(each, str))
        index.longest, index.placed = longest, int(counts[layout.NODES_USED])
        return index

    def copy(self) -> PatternIndex:
        """Return an index that stays as this one is now."""
        encoder = replace(self.encoder, constants=dict(self.encoder.constants))
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        return PatternIndex.of(encoder, arrays, self.context, self.longest)

    def _put(self, name: str, array: npt.NDArray[Any]) -> None:
        self.arrays[name] = array
        self.context[ARRAYS[name].place] = array.ctypes.data
        if name == "node_buckets":
            self.context[layout.NODE_MASK] = len(array) - 1
        if name == "term_buckets":
            self.context[layout.TERM_MASK] = len(array) - 1

    def add(self, nodes: tuple[PatternNode, ...]) -> int:
        """Add a pattern and return its slot, greater than all before."""
        self._thaw()
        program = self.encoder.program(nodes)
        slot = int(self.context[layout.SLOTS_USED])
        if slot == len(self.arrays["slots"]):
            self._lengthen(("slots",), slot + 1)
        self.context[layout.SLOTS_USED] = slot + 1
        if program is None:
            self.arrays["slots"][slot] = -1
            return slot
        self._reserve(program)
        address, length = int(self._scratch.ctypes.data), len(program)
        self._scratch[:length] = program
        insert(self.address, address, length, address + 8 * length, slot)
        return slot

    def remove(self, slot: int) -> None:
        """Remove what a slot holds."""
        self._thaw()
        if self.node_of(slot) >= 0:
            drop_slot(self.address, slot)

    def node_of(self, slot: int) -> int:
        """Return the node where the pattern of a slot ends; -1 for one that nothing matches."""
        return int(self.arrays["slots"][slot, layout.SLOT_NODE])

    @property
    def slots_used(self) -> int:
        """How many slots there are, those that hold nothing any more included."""
        return int(self.context[layout.SLOTS_USED])

    def disorder(self, held: int) -> float:
        """Return which part of nodes, terms and slots is dead, or stands where it came and not where it belongs."""
        context = self.context
        used = context[layout.NODES_USED] + context[layout.TERMS_USED] + context[layout.SLOTS_USED]
        dead = context[layout.NODES_DEAD] + context[layout.TERMS_DEAD] + context[layout.SLOTS_USED] - held
        return float(min(1.0, (dead + max(0, context[layout.NODES_USED] - self.placed)) / max(1, used)))

    @property
    def bytes(self) -> int:
        """How much memory the arrays take."""
        return sum(array.nbytes for array in self.arrays.values())

    def used(self, name: str) -> int | None:
        """Return how much of an array is in use; `None` for one that is used as a whole."""
        if name.endswith("_buckets"):
            return None
        if name == "strings":
            return self._string_bytes + PADDING
        counts = {"slots": layout.SLOTS_USED} | dict.fromkeys(_NODES, layout.NODES_USED)
        counts |= dict.fromkeys(_TERMS, layout.TERMS_USED)
        return int(self.context[counts[name]]) if name in counts else self._constants

    def _thaw(self) -> None:
        """Copy arrays that cannot be written to, which are those mapped from a file."""
        if self.arrays["edges"].flags.writeable:
            return
        for name, array in self.arrays.items():
            self._put(name, array.copy())

    def string(self, constant: int) -> str:
        """Return a literal that is a string."""
        start, length = int(self.arrays["places"][constant]), int(self.arrays["lengths"][constant])
        return self.arrays["strings"][start : start + length].tobytes().decode()

    def _reserve(self, program: list[int]) -> None:
        """Make room for what a program can add, and put its new literals into their places."""
        length = len(program)
        self.longest = max(self.longest, length // 3)
        if len(self._scratch) < 4 * length:
            self._scratch = np.zeros(6 * length, dtype=np.int64)
        if self.context[layout.NODES_USED] + length > len(self.arrays["edges"]):
            self._lengthen(_NODES, int(self.context[layout.NODES_USED]) + length)
            self._widen("node_buckets", len(self.arrays["edges"]))
            rehash_nodes(self.address)
        if self.context[layout.TERMS_USED] + length > len(self.arrays["terms"]):
            self._lengthen(_TERMS, int(self.context[layout.TERMS_USED]) + length)
            self._widen("term_buckets", len(self.arrays["terms"]))
            rehash_terms(self.address)
        self.append_constants()

    def append_constants(self) -> None:
        """Put literals that are new in the encoder into the arrays."""
        missing = len(self.encoder.constants) - self._constants
        for value in reversed(list(islice(reversed(self.encoder.constants), missing))):
            self._append_constant(value)

    def _append_constant(self, value: float | str) -> None:
        number = self._constants
        if number == len(self.arrays["numbers"]):
            self._lengthen(_CONSTANTS, number + 1)
        if isinstance(value, str):
            letters = value.encode()
            end = self._string_bytes + len(letters)
            if end + PADDING > len(self.arrays["strings"]):
                self._lengthen(("strings",), end + PADDING)
            self.arrays["strings"][self._string_bytes : end] = np.frombuffer(letters, dtype=np.uint8)
            self.arrays["places"][number], self.arrays["lengths"][number] = self._string_bytes, len(letters)
            self._string_bytes = end
        else:
            self.arrays["numbers"][number] = value
        self._constants = number + 1

    def _lengthen(self, names: tuple[str, ...], least: int) -> None:
        for name in names:
            old = self.arrays[name]
            length = max(_LEAST, 2 * len(old), 1 << (least - 1).bit_length())
            new = np.zeros((length, *old.shape[1:]), dtype=old.dtype)
            new[: len(old)] = old
            self._put(name, new)

    def _widen(self, name: str, length: int) -> None:
        self._put(name, np.full(length, ARRAYS[name].fill, dtype=np.int32))
