"""Which annotations are worth their bytes: an estimator that learns from what the next router got out of them.

A gain is counted in tests of a filter that the next router was spared; bytes of a document that it did not read count
as so many tests as take the same time. Feedback is a value: who carries it up is the caller's. Counts are integers and
fade by halves, so that the same feedback gives the same choice everywhere and old habits of a stream are forgotten.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec

__all__ = ["BYTES_PER_TEST", "TESTS_PER_READING", "Annotation", "Estimator", "Feedback"]

#: Reading so many bytes of a document costs about as much as testing a filter.
BYTES_PER_TEST = 128
#: And what comes with reading whatever the length, to as many tests.
TESTS_PER_READING = 60
#: Every so many documents all annotations are tried.
_TRIAL_EVERY = 64
#: Counts are halved when so many documents were heard of.
_FADING = 1024
#: A binding is sent so often before it is given up.
_TRIES_MIN = 8


class Annotation(IntEnum):
    """What a header may hold; PS and NS share one set of numbers, bindings are the other half of PS."""

    SUBSCRIPTIONS = 0
    ABSENT = 1
    BINDINGS = 2
    ENDS = 3


#: What it takes to make an annotation and to use it, in tests. One that spares fewer is left out, but for now and then.
_COSTS = {Annotation.SUBSCRIPTIONS: 20, Annotation.ABSENT: 30, Annotation.BINDINGS: 100, Annotation.ENDS: 60}


class Feedback(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one header was good for, by `Annotation`."""

    version: int
    #: Which annotations it had, a bit for each.
    had: int
    #: Tests spared.
    gains: tuple[int, int, int, int]
    #: The numbers that had a binding, and how many tests each spared.
    bindings: tuple[tuple[int, int], ...] = ()
    #: The data patterns whose last ends would have let it stop reading.
    ends: tuple[int, ...] = ()


class Estimator:
    """What is known of the annotations of one link."""

    def __init__(self) -> None:
        #: Documents that were annotated.
        self._annotated = 0
        #: Documents heard of with each annotation, and the gains.
        self._tries = [0] * len(Annotation)
        self._gains = [0] * len(Annotation)
        #: What is worth its cost, in that order; None when there is news.
        self._worth: tuple[Annotation, ...] | None = None
        #: How often each number had a binding, and the gains.
        self._bindings: dict[int, tuple[int, int]] = {}
        #: How often each data pattern's last end was asked for.
        self._ends: dict[int, int] = {}

    def next(self) -> tuple[Annotation, ...]:
        """Return what to put into the next header, the most valuable first; on trial, everything."""
        if self._annotated % _TRIAL_EVERY == 0:
            return tuple(sorted(Annotation, key=self._rank))
        if self._worth is None:
            worth = [each for each in Annotation if self._gain(each) >= _COSTS[each]]
            self._worth = tuple(sorted(worth, key=self._rank))
        return self._worth

    def annotated(self) -> None:
        """Count a document that has been given its header."""
        self._annotated += 1

    def _rank(self, annotation: Annotation) -> tuple[float, int]:
        return -self._gain(annotation), annotation

    def _gain(self, annotation: Annotation) -> float:
        tries = self._tries[annotation]
        # What was never tried is tried.
        return self._gains[annotation] / tries if tries else _COSTS[annotation]

    def learn(self, feedback: Feedback) -> None:
        """Take what the next router says of a header."""
        self._worth = None
        for each in Annotation:
            if not feedback.had >> each & 1:
                continue
            self._tries[each] += 1
            self._gains[each] += feedback.gains[each]
            if self._tries[each] >= _FADING:
                self._tries[each] //= 2
                self._gains[each] //= 2
        for number, gain in feedback.bindings:
            tries, before = self._bindings.get(number, (0, 0))
            self._bindings[number] = (tries + 1, before + gain)
        for pattern in feedback.ends:
            self._ends[pattern] = self._ends.get(pattern, 0) + 1
            if self._ends[pattern] >= _FADING:
                self._ends = {each: count // 2 for each, count in self._ends.items() if count > 1}

    def binds(self, number: int) -> bool:
        """Tell whether a number's binding is worth sending: until some were sent for nothing."""
        tries, gain = self._bindings.get(number, (0, 0))
        return gain >= tries or tries < _TRIES_MIN

    def ends(self, count: int) -> list[int]:
        """Return the data patterns whose last ends were asked for most often."""
        return sorted(self._ends, key=lambda each: (-self._ends[each], each))[:count]
