"""Tree patterns that come and go for long: the compiled index is rebuilt when much of it is dead or out of place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from distributary.algebra.filter import Filter
from distributary.core.documents import UnparsedDocument
from distributary.core.errors import InputError
from distributary.core.values import Content
from distributary.matching.patterns import PatternMatcher, Rebuild

__all__ = ["TendedPatterns"]

#: After so many changes, or a quarter of the patterns if that is more, it is looked whether a rebuild pays.
_CHANGES_LEAST = 1_000
_FRAGMENTED = 0.25


class TendedPatterns:
    """A `PatternMatcher` that has itself rebuilt.

    Args:
        later: Runs a rebuild: at once, or in another thread meanwhile. It is adopted by the first match after its end.
    """

    def __init__(self, later: Callable[[Callable[[], None]], None]) -> None:
        self._later = later
        self._matcher: PatternMatcher[int] = PatternMatcher()
        self._changes = 0
        self._begun = False
        #: What has run and is not adopted; set by whoever ran it.
        self._finished: Rebuild[int] | None = None

    def __len__(self) -> int:
        """Return how many patterns are held."""
        return len(self._matcher)

    def add(self, key: int, filter: Filter) -> None:  # noqa: A002 - the paper's noun
        """Hold a pattern under `key`."""
        self._matcher.add(key, filter)
        self._changed()

    def remove(self, key: int) -> None:
        """Forget a key; one that is not held is a `KeyError`."""
        self._matcher.remove(key)
        self._changed()

    def match(self, item: Content) -> tuple[int, ...]:
        """Return the keys of the patterns that match, in the order in which they were added."""
        self._adopt()
        return self._matcher.match(item)

    def match_batch(self, items: Iterable[Content]) -> list[tuple[int, ...]]:
        """Return what `match` returns for each of the items; unparsed documents are matched together."""
        self._adopt()
        held = list(items)
        bodies = [item.body for item in held if isinstance(item, UnparsedDocument)]
        if len(bodies) < len(held):
            return self._matcher.match_batch(held)
        return [_found(answer) for answer in self._matcher.match_bodies(bodies)]

    def _changed(self) -> None:
        self._changes += 1
        if self._begun or self._changes < max(_CHANGES_LEAST, len(self._matcher) // 4):
            return
        self._changes = 0
        if self._matcher.fragmentation > _FRAGMENTED:
            self._begun = True
            rebuild = self._matcher.rebuilding()

            def work() -> None:
                rebuild.run()
                self._finished = rebuild

            self._later(work)

    def _adopt(self) -> None:
        if self._finished is not None:
            self._matcher.adopt(self._finished)
            self._finished, self._begun = None, False


def _found(answer: tuple[int, ...] | InputError) -> tuple[int, ...]:
    if isinstance(answer, InputError):
        raise answer
    return answer
