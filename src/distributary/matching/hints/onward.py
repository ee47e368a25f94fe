"""What a router keeps of a neighbour below it, and the header that it writes for it.

Nothing is computed for a header that matching has not computed anyway: the numbers that matched, the data patterns
that were not found, label paths of elements that have been read. What goes into it is the estimator's choice, in its
order, as far as the budget reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec.structs import replace

from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Kind
from distributary.matching.documents.vocabulary import Vocabulary
from distributary.matching.hints.annotation import PATH_MAX, Binding, Hints, LastEnd, encode
from distributary.matching.hints.choice import Annotation, Estimator
from distributary.matching.hints.ending import last_end
from distributary.matching.hints.labels import Labels, is_simple, pattern_of
from distributary.matching.hints.numbers import Numbers, pack
from distributary.matching.hints.requirements import name_of
from distributary.matching.hints.table import HintTable

__all__ = ["HintSettings", "Onward", "Outcome"]

_ALL = frozenset(Annotation)
#: Bytes of a header that says nothing, at most.
_BARE = 20
#: Bytes of a header's set of subscriptions beside the set itself, at most.
_OVERHEAD = 8
#: An end is told when it spares reading the rest of the document, which must be more than so much of it.
_READ_MOST = 0.9
#: Answers about label paths that are kept.
_KEPT_MAX = 4096


@dataclass(frozen=True, slots=True)
class HintSettings:
    """How much a header may hold, and of what."""

    #: Of the document's bytes.
    budget_share: float = 0.06
    bindings_max: int = 4
    ends_max: int = 8
    #: Which annotations are used at all.
    annotations: frozenset[Annotation] = _ALL
    #: Whether an annotation that is not worth its cost is left out.
    thrifty: bool = True
    #: Which halves of the set of subscriptions are used.
    positive: bool = True
    negative: bool = True


class Outcome(msgspec.Struct, frozen=True, eq=False):
    """What matching a document came to, for one neighbour."""

    body: bytes
    #: The numbers that matched, ascending.
    numbers: Numbers
    #: The data patterns of which it is known whether they occur, the first so many; and those that do not.
    looked_for: int
    absent: Numbers
    #: The document's elements, where all of it was read.
    labels: Labels | None


class Onward:
    """A neighbour: its table, and what is known of what its headers are worth."""

    def __init__(
        self, table: HintTable, vocabulary: Vocabulary, settings: HintSettings, estimator: Estimator | None = None
    ) -> None:
        self.table = table
        self.estimator = estimator or Estimator()
        self._settings = settings
        #: The place of each name in the table, by its number in the vocabulary.
        self._places = {vocabulary.add(name): place for place, name in enumerate(table.names)}
        #: The numbers that a label path can bind, with the last name of their paths, in the vocabulary's numbers.
        self._bindable: dict[int, int] = {}
        for number in table.bindable:
            wanted = table.filters[number]
            if isinstance(wanted, TreePattern) and is_simple(wanted) and not wanted.nodes[-1].name.endswith("*"):
                self._bindable[number] = vocabulary.add(wanted.nodes[-1].name)
        #: The names of the data patterns whose last ends can be told, with their numbers in the vocabulary.
        self._ends: dict[int, tuple[str, int]] = {}
        for place, pattern in enumerate(table.patterns):
            kind, name = name_of(pattern) or (Kind.TEXT, "")
            if kind is Kind.ELEMENT:
                self._ends[place] = (name, vocabulary.add(name))
        #: Whether a label path has what a number's filter asks for: documents of a kind share their paths.
        self._fitting: dict[tuple[int, tuple[int, ...]], bool] = {}

    def annotations(self) -> tuple[Annotation, ...]:
        """Return what the next header is to have, the most valuable first."""
        allowed = self._settings.annotations
        chosen = self.estimator.next() if self._settings.thrifty else tuple(Annotation)
        return chosen if len(allowed) == len(Annotation) else tuple(each for each in chosen if each in allowed)

    def header(self, outcome: Outcome) -> bytes:
        """Return the header of a document that goes to the neighbour; no bytes where none fits into the budget."""
        annotations = self.annotations()
        self.estimator.annotated()
        if not annotations:
            return b""
        budget = int(self._settings.budget_share * len(outcome.body))
        hints, written, size = Hints(self.table.version), b"", _BARE
        for annotation in annotations:
            more = self._with(annotation, hints, outcome, budget - size)
            if more != hints:
                encoded = encode(more)
                if len(encoded) <= budget:
                    hints, written, size = more, encoded, len(encoded)
        return written

    def _with(self, annotation: Annotation, hints: Hints, outcome: Outcome, room: int) -> Hints:
        match annotation:
            case Annotation.SUBSCRIPTIONS:
                return self._with_subscriptions(hints, outcome, room)
            case Annotation.ABSENT:
                packed = pack(outcome.absent, outcome.looked_for)
                return replace(hints, looked_for=outcome.looked_for, absent=packed)
            case Annotation.BINDINGS:
                return replace(hints, bindings=self._bindings(outcome))
            case Annotation.ENDS:
                return replace(hints, ends=self._last_ends(outcome))

    def _with_subscriptions(self, hints: Hints, outcome: Outcome, room: int) -> Hints:
        """Speak of all subscriptions, or of as many of the first as there is room for."""
        domain, numbers = self.table.size, outcome.numbers
        packed = pack(numbers, domain)
        while domain and len(packed) + _OVERHEAD > room:
            domain = domain * 3 // 4
            numbers = numbers[: np.searchsorted(numbers, domain)]
            packed = pack(numbers, domain)
        if not domain:
            return hints
        known = self._settings.positive, self._settings.negative
        return replace(hints, positive=known[0], negative=known[1], domain=domain, matched=packed)

    def _bindings(self, outcome: Outcome) -> tuple[Binding, ...]:
        if outcome.labels is None or not self._bindable:
            return ()
        matched = frozenset(outcome.numbers.tolist())
        found: list[Binding] = []
        for number, name in self._bindable.items():
            if number in matched and self.estimator.binds(number):
                path = self._witness(number, name, outcome.labels)
                if path is not None:
                    found.append(Binding(number, path))
                    if len(found) == self._settings.bindings_max:
                        break
        return tuple(found)

    def _witness(self, number: int, name: int, labels: Labels) -> tuple[int, ...] | None:
        """Return the label path of an element at which a filter's last step is found, in places."""
        for element in labels.named(name):
            path = self._placed(labels.path(element))
            if path is not None and self._fits(number, path):
                return path
        return None

    def _placed(self, path: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return a path in places of the table's names; None where a name has none."""
        if len(path) > PATH_MAX:
            return None
        places = tuple(self._places.get(name, -1) for name in path)
        return None if -1 in places else places

    def _fits(self, number: int, path: tuple[int, ...]) -> bool:
        key = (number, path)
        if key not in self._fitting:
            if len(self._fitting) >= _KEPT_MAX:
                self._fitting.clear()
            found = pattern_of([self.table.names[place] for place in path])
            self._fitting[key] = self.table.filters[number].covers(found)
        return self._fitting[key]

    def _last_ends(self, outcome: Outcome) -> tuple[LastEnd, ...]:
        """Return the last ends that were asked for most often, as far as they spare reading."""
        if outcome.labels is None:
            return ()
        found = []
        latest = len(outcome.body) * _READ_MOST
        for place in self.estimator.ends(self._settings.ends_max):
            name, number = self._ends.get(place, ("", -1))
            position = last_end(outcome.body, name) if number >= 0 else None
            if position is None or position > latest:
                continue
            above = outcome.labels.path_above_last(number)
            path = self._placed(above) if above is not None else None
            if path is not None:
                found.append(LastEnd(place, position, path))
        return tuple(found)
