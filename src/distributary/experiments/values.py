"""Texts and attribute values as documents have them and subscriptions ask for: numbers, words and sentences.

Values of a kind are drawn alike for documents and for subscriptions, so that they meet; low numbers and the first
words are the most frequent, so that some literals select much and others little.
"""

from __future__ import annotations

from enum import StrEnum

from distributary.core.generator import Generator

__all__ = ["Values", "draw_sentence", "draw_value", "kind_of_attribute", "kind_of_text"]


class Values(StrEnum):
    """What a text or an attribute's value is."""

    SMALL = "small"  # integers from 0 to 99
    LARGE = "large"  # integers from 0 to 9,999
    DECIMAL = "decimal"
    WORD = "word"
    SENTENCE = "sentence"
    #: One of those that the declaration names.
    AMONG = "among"
    #: A name that no other element of the document has, and one that some element has.
    OWN_NAME = "own name"
    OTHER_NAME = "other name"
    #: What cannot be drawn: it would refer to a declaration of the document's.
    NONE = "none"


#: Words that may stand wherever XML has tokens; some are not ASCII.
_WORDS = (
    *("river", "north", "warning", "alpha", "market", "storm", "levee", "harbour", "water", "south", "relief"),
    *("bridge", "council", "delta", "evening", "fuel", "gauge", "hospital", "island", "journey", "kitchen", "lantern"),
    *("mayor", "nurse", "orchard", "power", "quarter", "road", "shelter", "traffic", "union", "valley", "wind"),
    *("crew", "yard", "zone", "tide", "flood", "café", "über", "coast", "school", "train", "garden", "crop"),
    *("supply", "signal", "boat", "tower", "village"),
)
#: Sentences also have what must be escaped.
_IN_SENTENCES = (*_WORDS, "R&D", "<5", "it's")
_NUMBERS = (Values.SMALL, Values.SMALL, Values.LARGE, Values.DECIMAL)


def kind_of_attribute(element: str, name: str) -> Values:
    """Return what values a free attribute has: always the same of a name, numbers or words."""
    return Generator("attribute", element, name).choice((*_NUMBERS, *[Values.WORD] * len(_NUMBERS)))


def kind_of_text(element: str, *, alone: bool) -> Values:
    """Return what an element's text is like; with children between (not `alone`) it is sentences."""
    if not alone:
        return Values.SENTENCE
    return Generator("text", element).choice((*_NUMBERS, Values.WORD, Values.WORD, Values.SENTENCE, Values.SENTENCE))


def draw_value(values: Values, generator: Generator, among: tuple[str, ...] = ()) -> str:
    """Return a value, not escaped; names are for whoever knows the document.

    >>> draw_value(Values.SMALL, Generator(1)).isdigit(), draw_value(Values.AMONG, Generator(1), ("ltr",))
    (True, 'ltr')
    """
    match values:
        case Values.SMALL:
            return str(_skewed(100, generator))
        case Values.LARGE:
            return str(_skewed(10_000, generator))
        case Values.DECIMAL:
            number = _skewed(10_000, generator)
            return f"{number // 100}.{number % 100:02d}"
        case Values.WORD:
            return _WORDS[_skewed(len(_WORDS), generator)]
        case Values.SENTENCE:
            return draw_sentence(generator, 3 + generator.below(5))
        case Values.AMONG:
            return generator.choice(among)
        case _:
            raise AssertionError(f"{values} cannot be drawn here")


def draw_sentence(generator: Generator, words: int) -> str:
    """Return so many words."""
    return " ".join(_IN_SENTENCES[_skewed(len(_IN_SENTENCES), generator)] for _ in range(words))


def _skewed(limit: int, generator: Generator) -> int:
    """Return an integer below `limit`; the lowest tenth is drawn three times as often as the others are."""
    chance = generator.random()
    return int(limit * chance * chance)
