"""A document as arrays: what the tokenizer fills and the matchers read. It knows neither XML nor patterns.

Element 0 is the document node, elements `1 .. elements` follow in preorder; the descendants of `e` are
`e + 1 .. end[e] - 1`. Bytes are UTF-8. Compiled code gets one number, the address of the context: an int64 array of
addresses and counts whose places have the names below (`long(context, NAME)` is the address of the names, see
`compiled.memory`).

Compiled code has the values of these places in it, and what is kept of it on disk does not notice when they change
here: who changes one deletes the kept code (`*.nbi` and `*.nbc` in `__pycache__`).
"""

from __future__ import annotations

from itertools import accumulate, islice
from operator import le
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from distributary.algebra.xml import XmlLimits

__all__ = ["PADDING", "POSITION_MAX", "Bytes", "DocumentArrays", "Integers", "Longs"]

Bytes: TypeAlias = npt.NDArray[np.uint8]
Integers: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]

#: Bytes that may be read beyond the end of every buffer, `text` and `values` and each slice of them included.
PADDING = 64

#: Positions are 32-bit numbers. A document may take twice its bytes once it is decoded.
POSITION_MAX = (1 << 31) - 1

# Places in the context. Counts of the document that was read last.
ELEMENTS = 0  # without the document node
ATTRIBUTES = 1
TEXT_NODES = 2
TEXT_BYTES = 3
# Addresses of int32 arrays by element.
NAME = 4
NAMESPACE = 5
PARENT = 6
END = 7
TEXT_START = 8
TEXT_END = 9
ATTRIBUTE_START = 10
# Addresses of int32 arrays by attribute.
ATTRIBUTE_NAME = 11
ATTRIBUTE_NAMESPACE = 12
ATTRIBUTE_FROM = 13
ATTRIBUTE_TO = 14
# Addresses of int32 arrays by text node.
TEXT_NODE_OWNER = 15
TEXT_NODE_FROM = 16
TEXT_NODE_TO = 17
# Addresses of byte buffers.
TEXT = 18
VALUES = 19
# What may come: the longest document that there is room for, and the limits.
ROOM = 20
DEPTH_MAX = 21
ELEMENTS_MAX = 22
ATTRIBUTES_MAX = 23
# The vocabulary: address of its slots, their number less one, address of the spellings.
SLOTS = 24
SLOTS_MASK = 25
SPELLINGS = 26
# Of the tokenizer: whether the encoding was settled before, addresses of its stacks, its registers, its own address.
DECODED = 27
OPEN = 28
BINDINGS = 29
BINDINGS_USED = 30
PENDING = 31
TEXT_NODE_BEGAN = 32
TOKENIZER = 33
# Another limit: bytes, of what was not decoded before.
LENGTH_MAX = 34
CONTEXT_LENGTH = 40

#: Namespace declarations in force at one place, and attributes of one element; a document with more is not for speed.
BINDINGS_MAX = 64
ELEMENT_ATTRIBUTES_MAX = 64
#: Longs of an open element, of a namespace declaration and of an attribute whose element is not complete yet.
OPEN_WIDTH = 4
BINDING_WIDTH = 6
PENDING_WIDTH = 4

_BY_ELEMENT = ("name", "namespace", "parent", "end", "text_start", "text_end", "attribute_start")
_BY_ATTRIBUTE = ("attribute_name", "attribute_namespace", "attribute_from", "attribute_to")
_BY_TEXT_NODE = ("text_node_owner", "text_node_from", "text_node_to")
_BYTES = ("text", "values")


class DocumentArrays:
    """The arrays of one document, and the room for the next: filled anew for every document, never by two threads.

    All arrays are longer than the document needs; `elements`, `attributes` and `text_nodes` tell how much is in use.
    They are replaced when a longer document comes: do not keep them over a `read`.
    """

    #: By element. Number of the Clark name in the vocabulary; -1 for one that it does not hold, and for element 0.
    name: Integers
    #: Number of the namespace's URI: 0 for none, -1 for one that the vocabulary does not hold, and for element 0.
    namespace: Integers
    #: -1 for element 0.
    parent: Integers
    end: Integers
    #: The string value, a slice of `text`.
    text_start: Integers
    text_end: Integers
    #: The attributes of `e` are `attribute_start[e] .. attribute_start[e + 1] - 1`.
    attribute_start: Integers
    #: By attribute, in document order; numbers as for elements.
    attribute_name: Integers
    attribute_namespace: Integers
    #: The normalised value, a slice of `values`.
    attribute_from: Integers
    attribute_to: Integers
    #: By text node, in document order: the element that it is a child of, and its slice of `text`.
    text_node_owner: Integers
    text_node_from: Integers
    text_node_to: Integers
    #: All character data in document order.
    text: Bytes
    #: Holds the attributes' values, and other bytes between them.
    values: Bytes

    def __init__(self, limits: XmlLimits) -> None:
        #: Addresses and counts, for compiled code.
        self.context: Longs = np.zeros(CONTEXT_LENGTH, dtype=np.int64)
        #: The address of `context`: what compiled code takes.
        self.address = int(self.context.ctypes.data)
        self.context[[DEPTH_MAX, ELEMENTS_MAX, ATTRIBUTES_MAX]] = limits.depth, limits.elements, limits.attributes
        self.context[LENGTH_MAX] = min(limits.bytes, POSITION_MAX // 2)
        #: All memory that the context points to, besides the vocabulary's; none before the first document.
        self._memory: Bytes
        #: Where each array begins and ends in it.
        self._places: dict[str, slice] = {}
        #: How long the arrays are: by element, by attribute, by text node.
        self._lengths: tuple[int, int, int]
        self.release()

    def __getattr__(self, name: str) -> Integers:
        # Most documents are looked at by compiled code alone, and views of all the arrays take longer than reading.
        place = self.__dict__.get("_places", {}).get(name)
        if place is None:
            raise AttributeError(name)
        part = self._memory[place]
        found: Integers = part.view(np.uint8 if name in _BYTES else np.int32)
        setattr(self, name, found)
        return found

    @property
    def elements(self) -> int:
        """How many elements there are, without the document node."""
        return int(self.context[ELEMENTS])

    @property
    def attributes(self) -> int:
        """How many attributes there are."""
        return int(self.context[ATTRIBUTES])

    @property
    def text_nodes(self) -> int:
        """How many text nodes there are."""
        return int(self.context[TEXT_NODES])

    @property
    def room(self) -> int:
        """The length in bytes of the longest document that fits; -1 when none does."""
        return int(self.context[ROOM])

    def contents(self) -> dict[str, list[int] | list[bytes]]:
        """Return what the arrays say, slices as the bytes that they stand for: equal for equal documents."""
        nodes, text, values = self.elements + 1, self.text.tobytes(), self.values.tobytes()
        found: dict[str, list[int] | list[bytes]] = {
            **{name: getattr(self, name)[:nodes].tolist() for name in _BY_ELEMENT},
            "attribute_start": self.attribute_start[: nodes + 1].tolist(),
            **{name: getattr(self, name)[: self.attributes].tolist() for name in _BY_ATTRIBUTE[:2]},
            **{name: getattr(self, name)[: self.text_nodes].tolist() for name in _BY_TEXT_NODE},
            "text": [text[: int(self.context[TEXT_BYTES])]],
        }
        places = zip(self.attribute_from.tolist(), self.attribute_to.tolist(), strict=True)
        found["attribute_value"] = [values[start:end] for start, end in islice(places, self.attributes)]
        return found

    def reserve(self, length: int, elements: int = 0, attributes: int = 0, text_nodes: int = 0) -> None:
        """See to it that there is room: for a document of so many bytes, and for so many of the others.

        Memory that is never written to costs nothing but addresses, so there is no need to be sparing.
        """
        room = self.room
        wanted = (elements + 2, attributes + 1, text_nodes + 1)
        if length <= room and all(map(le, wanted, self._lengths)):
            return
        length = max(length, room, 0)
        # What is shortest: `<a>` begins an element, ` a=""` is an attribute, `x<a>` ends a text node. Documents that
        # are given up in the middle need room too.
        most = int(self.context[ELEMENTS_MAX]), int(self.context[ATTRIBUTES_MAX]) + ELEMENT_ATTRIBUTES_MAX
        self._allocate(
            length,
            max(wanted[0], min(length // 3, most[0]) + 2),
            max(wanted[1], min(length // 5, most[1]) + 1),
            max(wanted[2], length // 4 + 1),
        )

    def release(self) -> None:
        """Give the memory up; there is no room for anything before the next `reserve`."""
        self._memory = np.empty(0, dtype=np.uint8)
        self._lengths = (0, 0, 0)
        # Not even for the empty document, which is tokenized like all others.
        self.context[ROOM] = -1

    def _allocate(self, length: int, elements: int, attributes: int, text_nodes: int) -> None:
        self._lengths = elements, attributes, text_nodes
        sizes = (
            *((4 * elements,) * len(_BY_ELEMENT)),
            *((4 * attributes,) * len(_BY_ATTRIBUTE)),
            *((4 * text_nodes,) * len(_BY_TEXT_NODE)),
            *((length + PADDING,) * len(_BYTES)),
            8 * OPEN_WIDTH * (int(self.context[DEPTH_MAX]) + 1),
            8 * BINDING_WIDTH * BINDINGS_MAX,
            8 * PENDING_WIDTH * ELEMENT_ATTRIBUTES_MAX,
        )
        # Every array begins on a cache line of its own.
        places = [0, *accumulate((size + 63) // 64 * 64 for size in sizes)]
        self._memory = np.empty(places[-1] + 64, dtype=np.uint8)
        address = int(self._memory.ctypes.data)
        first = -address % 64
        names = (*_BY_ELEMENT, *_BY_ATTRIBUTE, *_BY_TEXT_NODE, *_BYTES)
        for name, place, size in zip(names, places, sizes, strict=False):
            vars(self).pop(name, None)
            self._places[name] = slice(first + place, first + place + size)
        addresses = [address + first + place for place in places]
        self.context[NAME : VALUES + 1] = addresses[: len(names)]
        self.context[OPEN], self.context[BINDINGS], self.context[PENDING] = addresses[len(names) : -1]
        self.context[ROOM] = length
