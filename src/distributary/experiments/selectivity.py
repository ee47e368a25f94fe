"""Subscriptions of a selectivity that is asked for: drawn, measured on a sample of documents, and taken or left.

The selectivity of a subscription is the share of documents that it matches; of a set, their mean (paper 004, section
4.2, measures it so). Taken are subscriptions near the mean that is wanted and never far above it, so that it is not
made of a few that match everything and many that match nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.grammar import Grammar
from distributary.experiments.subscriptions import SubscriptionShape, draw_subscription
from distributary.matching.patterns import PatternMatcher

__all__ = ["Selected", "draw_selected", "shares_of"]

#: No subscription selects more than so many times the mean.
_SPREAD = 6.0
#: Candidates measured at a time, at most.
_BATCH_MAX = 20_000
#: Candidates for each subscription, and in any case, before it is given up.
_CANDIDATES_MAX = 100
_CANDIDATES_LEAST = 5_000


@dataclass(frozen=True, slots=True)
class Selected:
    """Subscriptions, and the selectivity that they have on the sample."""

    texts: tuple[str, ...]
    selectivity: float


def draw_selected(
    grammar: Grammar,
    generator: Generator,
    shape: SubscriptionShape,
    count: int,
    wanted: float,
    sample: Sequence[bytes],
    step: Callable[[str], None] = lambda _: None,
) -> Selected:
    """Return `count` subscriptions whose mean selectivity on the sample is `wanted`, up to a few matches in all.

    `InputError` (field `selectivity`) when hardly any that are drawn help to reach it.
    """
    if not 0 < wanted < 1:
        raise InputError(f"must be between 0 and 1, not {wanted}", field="selectivity")
    most = min(1.0, _SPREAD * wanted)
    taken: list[str] = []
    #: The selectivities taken, less what they should be.
    error = 0.0
    tried = 0
    while len(taken) < count:
        if tried > _CANDIDATES_LEAST + _CANDIDATES_MAX * count:
            raise InputError(f"{tried} subscriptions were drawn, {len(taken)} fit {wanted:g}", field="selectivity")
        batch = min(_BATCH_MAX, max(100, 2 * (count - len(taken))))
        texts = [draw_subscription(grammar, generator, shape) for _ in range(batch)]
        tried += batch
        for text, share in zip(texts, shares_of(texts, sample), strict=True):
            if len(taken) < count and share <= most and abs(error + share - wanted) <= most:
                error += share - wanted
                taken.append(text)
        step(f"{len(taken)} of {count} subscriptions")
    return Selected(tuple(taken), wanted + error / max(1, count))


def shares_of(texts: Sequence[str], sample: Sequence[bytes]) -> list[float]:
    """Return the share of the documents that each subscription matches."""
    matcher: PatternMatcher[int] = PatternMatcher()
    for number, text in enumerate(texts):
        matcher.add(number, parse_xpath(text))
    matched = [0] * len(texts)
    for found in matcher.match_bodies(sample):
        if isinstance(found, InputError):
            raise found
        for number in found:
            matched[number] += 1
    return [number / len(sample) for number in matched]
