"""The names that patterns use, numbered: what the tokenizer looks names up in. It knows nothing of patterns.

Numbers are dense and stay; nothing is ever taken out. One thread may add while others read documents: a document that
is being read meanwhile may or may not see the name.
"""

from __future__ import annotations

import numpy as np

from distributary.matching.documents.compiled.names import SLOT_WIDTH, URI, hash_of_bytes, hash_within
from distributary.matching.documents.layout import PADDING, Bytes, Longs

__all__ = ["XML_NAMESPACE", "Vocabulary"]

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"


class Vocabulary:
    """Clark names of elements and attributes, and namespaces, each with a number of its own.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.add("a"), vocabulary.add("{urn:x}a"), vocabulary.add("a"), vocabulary.namespace("urn:x")
    (0, 1, 0, 2)
    """

    def __init__(self) -> None:
        #: Number of each Clark name, and of each URI; no namespace is 0, that of `xml` 1.
        self._names: dict[str, int] = {}
        self._namespaces: dict[str, int] = {"": 0}
        #: An open-addressing hash table: `SLOT_WIDTH` longs for each slot, a power of two of them, half of them free.
        self.slots: Longs = _free_slots(64)
        #: The local parts and URIs, one after the other.
        self.spellings: Bytes = np.zeros(1024 + PADDING, dtype=np.uint8)
        self._used = 0
        self._spelled = 0
        self.namespace(XML_NAMESPACE)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self._names)

    def get(self, name: str) -> int:
        """Return the number of a Clark name, -1 when it has none."""
        return self._names.get(name, -1)

    def get_namespace(self, uri: str) -> int:
        """Return the number of a namespace, -1 when it has none."""
        return self._namespaces.get(uri, -1)

    def add(self, name: str) -> int:
        """Return the number of a Clark name, a new one if need be."""
        if name not in self._names:
            uri, _, local = name[1:].rpartition("}") if name.startswith("{") else ("", "", name)
            number = len(self._names)
            self._insert(self.namespace(uri), local, number)
            self._names[name] = number
        return self._names[name]

    def namespace(self, uri: str) -> int:
        """Return the number of a namespace, a new one if need be."""
        if uri not in self._namespaces:
            number = len(self._namespaces)
            self._insert(URI, uri, number)
            self._namespaces[uri] = number
        return self._namespaces[uri]

    def _insert(self, namespace: int, spelling: str, number: int) -> None:
        letters = np.frombuffer(spelling.encode(), dtype=np.uint8)
        place, end = self._spelled, self._spelled + len(letters)
        if end + PADDING > len(self.spellings):
            # Readers keep the old ones until they look again; new slots never point into those.
            longer = np.zeros(2 * end + PADDING, dtype=np.uint8)
            longer[:place] = self.spellings[:place]
            self.spellings = longer
            self.slots = self.slots.copy()
        self.spellings[place:end] = letters
        self._spelled = end
        hashed = hash_within(namespace, hash_of_bytes(int(self.spellings.ctypes.data) + place, len(letters)))
        if 2 * (self._used + 1) > len(self.slots):
            wider = _free_slots(2 * len(self.slots))
            for slot in self.slots[self.slots[:, 1] >= 0]:
                _put(wider, slot)
            self.slots = wider
        _put(self.slots, np.array([hashed, number, place, (len(letters) << 32) + namespace], dtype=np.int64))
        self._used += 1


def _free_slots(count: int) -> Longs:
    return np.full((count, SLOT_WIDTH), -1, dtype=np.int64)


def _put(slots: Longs, entry: Longs) -> None:
    mask = len(slots) - 1
    at = int(entry[0]) & mask
    while slots[at, 1] >= 0:
        at = (at + 1) & mask
    # The number last: whoever reads meanwhile takes the slot for a free one until all of it is there.
    slots[at, [0, 2, 3]] = entry[[0, 2, 3]]
    slots[at, 1] = entry[1]
