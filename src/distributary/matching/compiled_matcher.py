"""The matcher of nodes, Spark workers and commands: filters of any kind, few tested one by one, many by compiled code.

It decides nothing about matching itself: tree patterns go to `patterns`, predicates and boxes to `records`, a union's
members each to where they belong, and what is left to the reference. While there are few filters of a kind they are
tested one by one, so that a small node never loads compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Generic, TypeVar

from distributary.algebra.anyof import AnyOf
from distributary.algebra.filter import Filter
from distributary.algebra.recordfilter import RecordFilter
from distributary.algebra.treepattern import TreePattern
from distributary.core.documents import Document, UnparsedDocument
from distributary.core.values import Content
from distributary.matching.matcher import Matcher
from distributary.matching.preparation import prepare
from distributary.matching.reference import ReferenceMatcher

__all__ = ["FEW", "CompiledMatcher"]

Key = TypeVar("Key", bound=Hashable)

#: Up to so many tree patterns are tested one by one, which is not slow yet, and of the quicker filters of records more.
FEW = 64
_RECORDS_MORE = 4


#: The places of the kinds of filters and of items.
_PATTERNS, _RECORDS, _OTHERS = range(3)


def _load() -> bool:
    prepare()
    return True


def _now(work: Callable[[], None]) -> None:
    work()


class CompiledMatcher(Generic[Key]):
    """Filters of all kinds under keys; matches come back in the order of adding.

    Args:
        ready: Asked whenever many filters would be tested one by one: whether compiled code may be used now. By
            default it is loaded there and then, which takes a second, and the first time as long as compiling does.
        later: Runs the rebuilds of what has become fragmented, at once or in another thread.
        few: How many tree patterns are not many; of filters of records it is four times as many.
    """

    def __init__(
        self,
        *,
        ready: Callable[[], bool] = _load,
        later: Callable[[Callable[[], None]], None] = _now,
        few: int = FEW,
    ) -> None:
        #: Where each kind is held. A part's number, modulo their number, is its place here.
        self._kinds: tuple[_Kind | ReferenceMatcher[int], ...] = (
            _Kind(partial(_pattern_matcher, later), ready, few),
            _Kind(_record_matcher, ready, _RECORDS_MORE * few),
            ReferenceMatcher(),
        )
        #: The numbers of each key's parts, ascending; a union has several parts, or none.
        self._parts: dict[Key, tuple[int, ...]] = {}
        self._key_of: dict[int, Key] = {}
        self._next = 0
        #: How many keys have more than one part.
        self._unions = 0

    def __len__(self) -> int:
        """Return how many filters are held."""
        return len(self._parts)

    def add(self, key: Key, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold `filter` under `key`."""
        assert key not in self._parts, f"{key!r} is held already"
        members = filter.members if isinstance(filter, AnyOf) else (filter,)
        parts = []
        for member in members:
            part = self._next + _kind_of_filter(member)
            self._next += len(self._kinds)
            self._kinds[part % len(self._kinds)].add(part, member)
            self._key_of[part] = key
            parts.append(part)
        self._parts[key] = tuple(parts)
        self._unions += len(parts) > 1

    def remove(self, key: Key) -> None:
        """Forget a key; one that is not held is a `KeyError`."""
        parts = self._parts.pop(key)
        self._unions -= len(parts) > 1
        for part in parts:
            del self._key_of[part]
            self._kinds[part % len(self._kinds)].remove(part)

    def match(self, item: Content) -> tuple[Key, ...]:
        """Return the keys of the matching filters, in the order in which they were added."""
        kind = _kind_of_item(item)
        found = self._kinds[kind].match(item)
        return self._keys(found, self._kinds[_OTHERS].match(item) if kind != _OTHERS else ())

    def match_batch(self, items: Iterable[Content]) -> list[tuple[Key, ...]]:
        """Return what `match` returns for each of the items; quicker than one by one where all are of one kind."""
        held = list(items)
        kinds = {_kind_of_item(item) for item in held}
        if len(kinds) != 1 or _OTHERS in kinds:
            return [self.match(item) for item in held]
        found = self._kinds[kinds.pop()].match_batch(held)
        return [self._keys(parts, self._kinds[_OTHERS].match(item)) for parts, item in zip(found, held, strict=True)]

    def _keys(self, parts: tuple[int, ...], others: tuple[int, ...]) -> tuple[Key, ...]:
        if parts and others:
            parts = tuple(sorted(parts + others))
        keys = map(self._key_of.__getitem__, parts or others)
        return tuple(dict.fromkeys(keys) if self._unions else keys)


class _Kind:
    """The filters of one kind: one by one while they are few or nothing compiled is ready, compiled from then on."""

    def __init__(self, make: Callable[[], Matcher[int]], ready: Callable[[], bool], few: int) -> None:
        self._make = make
        self._ready = ready
        self._few = few
        #: What is tested one by one; empty once `_compiled` is there.
        self._plain: dict[int, Filter] = {}
        self._compiled: Matcher[int] | None = None

    def add(self, key: int, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        if self._compiled is not None:
            self._compiled.add(key, filter)
        else:
            self._plain[key] = filter
            self._many()

    def remove(self, key: int) -> None:
        if self._compiled is not None:
            self._compiled.remove(key)
        else:
            del self._plain[key]

    def match(self, item: Content) -> tuple[int, ...]:
        matcher = self._many()
        if matcher is not None:
            return matcher.match(item)
        return tuple(key for key, wanted in self._plain.items() if wanted.matches(item))

    def match_batch(self, items: Sequence[Content]) -> list[tuple[int, ...]]:
        matcher = self._many()
        return matcher.match_batch(items) if matcher is not None else [self.match(item) for item in items]

    def _many(self) -> Matcher[int] | None:
        """Return the compiled matcher, made as soon as there are many filters and it may be."""
        if self._compiled is None and len(self._plain) > self._few and self._ready():
            self._compiled = self._make()
            for key, wanted in self._plain.items():
                self._compiled.add(key, wanted)
            self._plain = {}
        return self._compiled


def _kind_of_filter(filter: Filter) -> int:  # noqa: A002 - the paper's noun
    if isinstance(filter, TreePattern):
        return _PATTERNS
    return _RECORDS if isinstance(filter, RecordFilter) else _OTHERS


def _kind_of_item(item: Content) -> int:
    if isinstance(item, Document | UnparsedDocument):
        return _PATTERNS
    return _RECORDS if isinstance(item, Mapping) else _OTHERS


# Compiled code is imported when it is used: a second that most commands need not spend.


def _pattern_matcher(later: Callable[[Callable[[], None]], None]) -> Matcher[int]:
    from distributary.matching.tending import TendedPatterns

    return TendedPatterns(later)


def _record_matcher() -> Matcher[int]:
    from distributary.matching.records import RecordMatcher

    return RecordMatcher()
