"""`PatternMatcher`: all tree patterns at once on a document. Compiled; what it answers is what `evaluate` would."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from os import PathLike
from typing import Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

from distributary.algebra.filter import Filter
from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_values import number_of
from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.documents import Document, UnparsedDocument
from distributary.core.errors import InputError
from distributary.core.values import Content
from distributary.matching.documents import DocumentArrays, DocumentReader
from distributary.matching.patterns import layout
from distributary.matching.patterns.compiled.matching import mark, match_document, match_many, take_slots
from distributary.matching.patterns.decoding import pattern_of
from distributary.matching.patterns.explanation import Explanation, explain
from distributary.matching.patterns.index import PatternIndex
from distributary.matching.patterns.rebuilding import Rebuild
from distributary.matching.patterns.storing import open_index, save_index
from distributary.matching.patterns.workspace import Workspace

__all__ = ["PatternMatcher"]

Key = TypeVar("Key", bound=Hashable)

_DEFAULT_LIMITS = XmlLimits()
#: Slots that a batch has room for at least, before it is interrupted to take them out.
_FOUND_LEAST = 1 << 16
#: Slots that hold nothing any more are let be until there are so many more than others.
_SLOTS_LEAST = 4096


class PatternMatcher(Generic[Key]):
    """Tree patterns, each under a key; for one thread, others `share` it."""

    def __init__(self, *, limits: XmlLimits = _DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._index = PatternIndex()
        #: Keys by slot, and slots by key. What a slot held whose key is gone is whatever.
        self._keys: list[Key] = []
        self._slots: dict[Key, int] = {}
        #: Patterns that nothing matches, since something stands below an attribute or a text node.
        self._impossible: dict[Key, TreePattern] = {}
        #: The rebuild that was begun last and is not adopted yet, and the keys it knows that are gone since.
        self._rebuild: Rebuild[Key] | None = None
        self._gone: list[Key] = []
        self._begin()

    def _begin(self) -> None:
        self._reader = DocumentReader(self._index.encoder.vocabulary, limits=self._limits)
        self._workspace = Workspace()
        self._found: npt.NDArray[np.int32] = np.empty(_FOUND_LEAST, dtype=np.int32)

    def __len__(self) -> int:
        """Return how many patterns are held."""
        return len(self._slots)

    def add(self, key: Key, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold a pattern under `key`: microseconds, whatever else is held."""
        assert key not in self._slots, f"{key!r} is held already"
        assert isinstance(filter, TreePattern), f"no tree pattern: {filter!r}"
        slot = self._index.add(filter.nodes)
        self._keys.append(key)
        self._slots[key] = slot
        if self._index.node_of(slot) < 0:
            self._impossible[key] = filter

    def add_all(self, filters: Iterable[tuple[Key, TreePattern]]) -> None:
        """Hold many patterns, and rebuild: matching them is quicker than after as many times `add`."""
        for key, pattern in filters:
            self.add(key, pattern)
        self.rebuild()

    def remove(self, key: Key) -> None:
        """Forget a key; one that is not held is a `KeyError`."""
        slot = self._slots.pop(key)
        self._index.remove(slot)
        self._impossible.pop(key, None)
        if self._rebuild is not None and slot < self._rebuild.slots_used:
            self._gone.append(key)
        # Slots are not used again, for the order's sake: without this, coming and going for ever would use up memory.
        if len(self._keys) > 2 * len(self._slots) + _SLOTS_LEAST and self._rebuild is None:
            self.rebuild()

    def match(self, item: Content) -> tuple[Key, ...]:
        """Return the keys of the patterns that match, in the order in which they were added; none for no document."""
        if isinstance(item, UnparsedDocument):
            return self.match_body(item.body)
        if isinstance(item, Document):
            return self._keys_of(self._match(self._reader.load(item)))
        return ()

    def match_batch(self, items: Iterable[Content]) -> list[tuple[Key, ...]]:
        """Return what `match` returns for each of the items."""
        return [self.match(item) for item in items]

    def match_body(self, body: bytes) -> tuple[Key, ...]:
        """Return what `match` returns for the document of these bytes; raises what `parse_xml` raises."""
        return self._keys_of(self._match(self._reader.read(body)))

    def read(self, body: bytes) -> DocumentArrays:
        """Return the arrays of a document, for `match_among`; good until the next document comes."""
        return self._reader.read(body)

    def match_bodies(self, bodies: Sequence[bytes]) -> list[tuple[Key, ...] | InputError]:
        """Return what `match_body` returns, or raises, for each of the documents."""
        if not bodies:
            return []
        index, work = self._index, self._workspace
        work.fit_index(index)
        joined = np.frombuffer(b"".join([*bodies, bytes(64)]), dtype=np.uint8)
        starts = np.zeros(len(bodies) + 1, dtype=np.int64)
        np.cumsum([len(body) for body in bodies], out=starts[1:])
        context = self._reader.prepare(max(map(len, bodies)))
        if len(self._found) < max(_FOUND_LEAST, 2 * index.slots_used):
            self._found = np.empty(4 * index.slots_used, dtype=np.int32)
        ends = np.zeros(len(bodies), dtype=np.int64)
        answers: list[tuple[Key, ...] | InputError] = []
        alone: list[int] = []
        while (first := len(answers)) < len(bodies):
            base = int(joined.ctypes.data)
            last = match_many(index.address, work.address, context, base, starts, first, self._found, ends)
            start = 0
            for place, end in enumerate(ends[first:last].tolist(), first):
                if end < 0:
                    alone.append(place)
                    end = ~end
                answers.append(self._keys_of(self._found[start:end]))
                start = end
        for place in alone:
            try:
                answers[place] = self.match_body(bodies[place])
            except InputError as error:
                answers[place] = error
        return answers

    def match_among(self, item: DocumentArrays | bytes, keys: Collection[Key]) -> tuple[Key, ...]:
        """Return those of `keys` whose patterns match, in the order of adding: the fewer, the quicker."""
        arrays = self._reader.read(item) if isinstance(item, bytes) else item
        slots = np.array(sorted(self._slots[key] for key in keys), dtype=np.int32)
        work = self._workspace
        work.fit_index(self._index)
        work.mark_among(self._index)
        try:
            mark(self._index.address, work.address, slots)
            found = self._match(arrays)
        finally:
            work.unmark()
        return self._keys_of(found[np.isin(found, slots, assume_unique=True)])

    @property
    def fragmentation(self) -> float:
        """Which part of the index is dead or out of place: 0 after a rebuild, towards 1 as patterns come and go."""
        return self._index.disorder(len(self))

    @property
    def nodes(self) -> int:
        """How many nodes the trie has, the document node among them."""
        return int(self._index.context[layout.NODES_USED] - self._index.context[layout.NODES_DEAD])

    @property
    def index_bytes(self) -> int:
        """How much memory the index takes, keys aside."""
        return self._index.bytes

    @property
    def edges_seen(self) -> int:
        """How many edges of the trie all matches so far have tested: what the work is measured by."""
        return int(self._workspace.context[layout.EDGES_SEEN])

    def rebuilding(self) -> Rebuild[Key]:
        """Begin a rebuild: copy what is held now. `run` it, in another thread if you like, and `adopt` it."""
        self._rebuild = Rebuild(self._index, self._keys, self._slots)
        self._gone = []
        return self._rebuild

    def adopt(self, rebuild: Rebuild[Key]) -> None:
        """Put a rebuild that has run in the place of the index; what came and went since it began is done again."""
        assert rebuild is self._rebuild, "not the last rebuild that was begun here"
        gone, known = self._gone, rebuild.slots_used
        late = [
            (key, self.pattern(key))
            for slot, key in enumerate(self._keys[known:], known)
            if self._slots.get(key) == slot
        ]
        self._index, self._keys, self._slots = rebuild.result()
        self._rebuild = None
        for key in gone:
            self._index.remove(self._slots.pop(key))
        for key, pattern in late:
            self.add(key, pattern)

    def rebuild(self) -> None:
        """Rebuild here and now: every node beside its siblings, nothing dead."""
        rebuild = self.rebuilding()
        rebuild.run()
        self.adopt(rebuild)

    def share(self) -> PatternMatcher[Key]:
        """Return a matcher of the same patterns for another thread, which matches only; nobody may add meanwhile."""
        other: PatternMatcher[Key] = PatternMatcher(limits=self._limits)
        other._index, other._keys, other._slots, other._impossible = (
            self._index,
            self._keys,
            self._slots,
            self._impossible,
        )
        other._begin()
        return other

    def save(self, path: str | PathLike[str]) -> None:
        """Rebuild, and write what is held to a file for `open`; keys must be strings or integers."""
        self.rebuild()
        keys = cast("list[str | int]", self._keys)
        save_index(path, self._index, keys, cast("dict[str | int, TreePattern]", self._impossible))

    @classmethod
    def open(cls, path: str | PathLike[str], *, limits: XmlLimits = _DEFAULT_LIMITS) -> PatternMatcher[Key]:
        """Return a matcher of what was saved, its index mapped from the file, and copied only for changes."""
        matcher: PatternMatcher[Key] = cls(limits=limits)
        index, keys, impossible = open_index(path)
        matcher._index, matcher._keys = index, cast("list[Key]", keys)
        matcher._impossible = cast("dict[Key, TreePattern]", impossible)
        matcher._slots = {key: slot for slot, key in enumerate(matcher._keys)}
        matcher._begin()
        return matcher

    def explain(self, key: Key, body: bytes) -> Explanation:
        """Return why the pattern of a key matches a document, or why not; plain steps, not for speed."""
        return explain(self.pattern(key), parse_xml(body, limits=self._limits))

    def pattern(self, key: Key) -> TreePattern:
        """Return the pattern that is held under a key."""
        return self._impossible[key] if key in self._impossible else pattern_of(self._index, self._slots[key])

    def _keys_of(self, found: npt.NDArray[np.int32]) -> tuple[Key, ...]:
        return tuple(map(self._keys.__getitem__, found.tolist()))

    def _match(self, document: DocumentArrays) -> npt.NDArray[np.int32]:
        """Return the slots that match, in order; good until the next match."""
        index, work = self._index, self._workspace
        work.fit_index(index)
        if len(self._found) < index.slots_used:
            self._found = np.empty(2 * index.slots_used, dtype=np.int32)
        state = match_document(index.address, work.address, document.address, False)
        if state == layout.NO_ROOM:
            work.fit_document(document)
            state = match_document(index.address, work.address, document.address, False)
        while state == layout.UNDECIDED_NUMBERS:
            take_slots(index.address, work.address, self._found)
            for value in work.undecided():
                work.decide(value, number_of(_value(document, value)))
            state = match_document(index.address, work.address, document.address, True)
        assert state == layout.MATCHED
        return self._found[: take_slots(index.address, work.address, self._found)]


def _value(document: DocumentArrays, value: int) -> str:
    """Return the string of a value: of an element, or behind all elements an attribute, or then a text node."""
    elements = document.elements + 1
    if value < elements:
        part = document.text[document.text_start[value] : document.text_end[value]]
    elif (value := value - elements) < document.attributes:
        part = document.values[document.attribute_from[value] : document.attribute_to[value]]
    else:
        value -= document.attributes
        part = document.text[document.text_node_from[value] : document.text_node_to[value]]
    return part.tobytes().decode()
