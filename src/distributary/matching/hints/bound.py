"""What follows from a binding: the slots whose filters the label path alone satisfies (paper 002, PS).

A label path is a pattern that occurs; every filter that covers it matches. Holding them against each other takes far
longer than matching them, but documents of a kind have the same few paths, so the answers are kept until a slot comes
or goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from distributary.core.errors import InputError
from distributary.matching.hints.annotation import Binding
from distributary.matching.hints.grouping import Grouping
from distributary.matching.hints.labels import has_wildcards, is_simple, pattern_of

__all__ = ["Bound", "bindable"]

#: Answers that are kept.
_KEPT_MAX = 4096
#: Slots of a group that are looked at; in larger ones the rest is matched.
_SLOTS_MAX = 4096


class Bound:
    """The answers of one router's groups."""

    def __init__(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self._answers: dict[Binding, tuple[int, ...]] = {}

    def forget(self) -> None:
        """Drop all answers: the slots have changed."""
        self._answers.clear()

    def slots(self, binding: Binding) -> tuple[int, ...]:
        """Return the slots of the bound group that are known to match; `InputError` for a binding outside the table."""
        if binding not in self._answers:
            if len(self._answers) >= _KEPT_MAX:
                self._answers.clear()
            self._answers[binding] = tuple(self._decided(binding))
        return self._answers[binding]

    def _decided(self, binding: Binding) -> Iterable[int]:
        numbering = self._grouping.numbering
        if binding.number >= numbering.size or max(binding.path) >= len(numbering.names):
            raise InputError("speak of more than their table has", field="hints")
        occurs = pattern_of([numbering.names[place] for place in binding.path])
        for count, slot in enumerate(self._grouping.members(binding.number)):
            if count == _SLOTS_MAX:
                break
            wanted = self._grouping.filter(slot)
            if is_simple(wanted) and wanted.covers(occurs):
                yield slot


def bindable(grouping: Grouping, most: int) -> Sequence[int]:
    """Return the numbers below which there is most that a binding may decide."""
    counts = {
        number: sum(is_simple(grouping.filter(slot)) for slot in grouping.members(number)) - 1
        for wanted, number in grouping.numbering.number_of.items()
        if is_simple(wanted) and has_wildcards(wanted)
    }
    return sorted((number for number in counts if counts[number] > 0), key=lambda each: (-counts[each], each))[:most]
