"""Drawing subscriptions from a grammar: tree patterns along its paths, as paper 004's section 4.2 has them.

Each is a way down the grammar from the root. The paper's three chances decide at each node: p(*) whether a step is a
wildcard, p(//) whether it is reached by the closure axis (elements between are then left out), and p(branch) whether
the node has more than one child. We add p(value): whether a node is compared with a value, of the kind that documents
have there. The paper does not say how long paths are; ours have a least and a greatest number of steps. How much a
subscription selects is not looked at here (`selectivity`).
"""

from __future__ import annotations

from dataclasses import dataclass

from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.grammar import Element, Grammar
from distributary.experiments.values import Values, draw_value

__all__ = ["SubscriptionShape", "draw_subscription"]

#: Elements at most that `//` leaves out, and steps of a branch.
_SKIPPED_MAX = 2
_BRANCH_MAX = 3
#: Steps that may be asked for: well below what a pattern may have.
_DEPTH_MAX = 64
#: Branches inside branches.
_NESTING_MAX = 2

_NUMBERS = frozenset({Values.SMALL, Values.LARGE, Values.DECIMAL})
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
#: Words are mostly looked for; what is not a word selects nearly all.
_WORD_OPERATORS = ("=", "=", "=", "!=")


@dataclass(frozen=True, slots=True)
class SubscriptionShape:
    """What subscriptions are like; the chances are those of the paper's figure 14, at each node."""

    #: p(*).
    wildcard: float = 0.2
    #: p(//).
    descendant: float = 0.2
    #: p(branch): of a node, to have more than one child.
    branch: float = 0.3
    #: p(value): of a node, to be compared with a value; with an attribute's or its own.
    value: float = 0.0
    #: The least and the greatest number of steps, where the grammar goes so deep.
    depth: tuple[int, int] = (2, 6)

    def __post_init__(self) -> None:
        for name in ("wildcard", "descendant", "branch", "value"):
            chance: float = getattr(self, name)
            if not 0 <= chance <= 1:
                raise InputError(f"must be from 0 to 1, not {chance}", field=name)
        least, most = self.depth
        if not 1 <= least <= most <= _DEPTH_MAX:
            raise InputError(f"must be from 1 to {_DEPTH_MAX} and in order, not {least},{most}", field="depth")


def draw_subscription(grammar: Grammar, generator: Generator, shape: SubscriptionShape) -> str:
    """Return an XPath in the language of tree patterns, absolute; linear in its length.

    >>> from distributary.experiments.dtd import read_dtd
    >>> grammar = read_dtd("<!ELEMENT a (b*)> <!ELEMENT b EMPTY>")
    >>> draw_subscription(grammar, Generator(1), SubscriptionShape(0, 0, 0))
    '/a/b'
    """
    least, most = shape.depth
    steps = least + generator.below(most - least + 1)
    return _Drawing(grammar, generator, shape).path(None, steps, 0)


class _Drawing:
    """One subscription."""

    def __init__(self, grammar: Grammar, generator: Generator, shape: SubscriptionShape) -> None:
        self._grammar = grammar
        self._generator = generator
        #: The chances as limits of 32 random bits: a subscription draws many, a set of them millions.
        self._wildcard, self._descendant, self._branch, self._value = (
            round(chance * 2**32) for chance in (shape.wildcard, shape.descendant, shape.branch, shape.value)
        )

    def path(self, above: Element | None, steps: int, nesting: int) -> str:
        """Draw a path of so many steps, or as many as there are, below an element or the document node (`None`)."""
        generator = self._generator
        written = ""
        for step in range(steps):
            children = (self._grammar.root,) if above is None else above.children
            if not children:
                break
            separator = "//" if generator.bits() < self._descendant else "/"
            element = self._grammar.elements[generator.choice(children)]
            if separator == "//":
                element = self._deeper(element)
            if nesting and not step:
                separator = ".//" if separator == "//" else ""
            written += separator + ("*" if generator.bits() < self._wildcard else element.name)
            if generator.bits() < self._value:
                written += self._comparison(element)
            # With the next step, a branch makes more than one child.
            if step + 1 < steps and element.children and nesting < _NESTING_MAX and generator.bits() < self._branch:
                written += f"[{self.path(element, 1 + generator.below(_BRANCH_MAX), nesting + 1)}]"
            above = element
        return written

    def _deeper(self, element: Element) -> Element:
        """Return the element itself or one a few steps below it."""
        for _ in range(self._generator.below(_SKIPPED_MAX + 1)):
            if element.children:
                element = self._grammar.elements[self._generator.choice(element.children)]
        return element

    def _comparison(self, element: Element) -> str:
        """Return a comparison with a value that the element has; nothing where it has none."""
        generator = self._generator
        text = element.text
        has_value = text is not None and text is not Values.SENTENCE
        if has_value and (not element.attributes or generator.below(2)):
            assert text is not None
            return f"[{generator.choice(('.', 'text()'))} {self._compared(text, ())}]"
        if not element.attributes:
            return ""
        attribute = generator.choice(element.attributes)
        if attribute.values in {Values.OWN_NAME, Values.OTHER_NAME} or any('"' in each for each in attribute.among):
            return f"[@{attribute.name}]"
        return f"[@{attribute.name} {self._compared(attribute.values, attribute.among)}]"

    def _compared(self, values: Values, among: tuple[str, ...]) -> str:
        """Return an operator and a literal of a kind of values."""
        generator = self._generator
        value = draw_value(values, generator, among)
        if values in _NUMBERS:
            return f"{generator.choice(_OPERATORS)} {value}"
        quote = '"' if "'" in value else "'"
        return f"{generator.choice(_WORD_OPERATORS)} {quote}{value}{quote}"
