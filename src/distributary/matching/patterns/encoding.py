"""From a tree pattern to the program that adds it to the index: numbers for names and literals, steps and conditions.

The way down the trie follows the last child of each node, which is the largest; what else a node asks for becomes a
filter at its place: values first, then attributes and text nodes, then branches, each before what follows it on the
way. The order is that of the normal form, so equal beginnings are shared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode
from distributary.algebra.treepattern_values import Comparison, Operator
from distributary.matching.documents import Vocabulary
from distributary.matching.patterns import layout

__all__ = ["OPERATORS", "Encoder"]

#: Operators on numbers by their code.
OPERATORS = {
    Operator.EQUAL: layout.EQUAL,
    Operator.UNEQUAL: layout.UNEQUAL,
    Operator.LESS: layout.LESS,
    Operator.LESS_OR_EQUAL: layout.LESS_OR_EQUAL,
    Operator.GREATER: layout.GREATER,
    Operator.GREATER_OR_EQUAL: layout.GREATER_OR_EQUAL,
}
_STRING_OPERATORS = {Operator.EQUAL: layout.STRING_EQUAL, Operator.UNEQUAL: layout.STRING_UNEQUAL}


@dataclass(slots=True)
class Encoder:
    """The numbers of names and literals that patterns have used, and the programs of patterns."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    #: Name tests by their text, in the order of their coming.
    tests: dict[str, int] = field(default_factory=dict)
    #: The text of a name test by its number.
    names: dict[int, str] = field(default_factory=dict)
    #: Numbers and strings by value, numbered in the order of their coming.
    constants: dict[float | str, int] = field(default_factory=dict)
    #: One more than the greatest number of a name or namespace that a test is about.
    numbers: int = 1

    def program(self, nodes: tuple[PatternNode, ...]) -> list[int] | None:
        """Return the program of a pattern; `None` when something stands below an attribute or a text node."""
        below: list[list[int]] = [[] for _ in nodes]
        for index in range(1, len(nodes)):
            below[nodes[index].parent].append(index)
        # The way down, and from its end up what each of its nodes asks for besides.
        way = [0]
        while (last := below[way[-1]]) and nodes[last[-1]].kind is Kind.ELEMENT:
            way.append(last[-1])
        on_way = set(way)
        #: Of each node off the way, the program that leaves its condition on the stack.
        conditions: list[list[int]] = [[] for _ in nodes]
        for index in range(len(nodes) - 1, 0, -1):
            node = nodes[index]
            if node.kind is not Kind.ELEMENT and below[index]:
                return None
            if index not in on_way:
                conditions[index] = self._condition(nodes, index, below[index], conditions)
        program: list[int] = []
        for index in way:
            node = nodes[index]
            if index:
                program += (layout.STEP, self._step(node), 0)
            for comparisons in self._own(node):
                program += (*comparisons, layout.FILTER, 0, 0)
            for child in below[index]:
                if child not in on_way:
                    program += (*conditions[child], layout.FILTER, 0, 0)
        return program

    def _condition(
        self, nodes: tuple[PatternNode, ...], index: int, below: list[int], conditions: list[list[int]]
    ) -> list[int]:
        node = nodes[index]
        anywhere = node.axis is Axis.DESCENDANT
        if node.kind is Kind.ELEMENT:
            own = self._own(node)
            program = [number for part in own for number in part]
            for child in below:
                program += conditions[child]
            kind = layout.DESCENDANT if anywhere else layout.CHILD
            return [*program, kind, self.test(node.name), len(own) + len(below)]
        if node.kind is Kind.ATTRIBUTE:
            kind = layout.ATTRIBUTE_BELOW if anywhere else layout.ATTRIBUTE
            return [kind, self.test(node.name), *self._compared(node)]
        if anywhere:
            return [layout.TEXT_BELOW, layout.ANY, *self._compared(node)]
        above = nodes[node.parent]
        owner = self.test(above.name) if above.kind is Kind.ELEMENT else layout.ANY
        return [layout.TEXT, owner, *self._compared(node)]

    def _own(self, node: PatternNode) -> list[list[int]]:
        """Return the condition on a node's own string value, if there is one."""
        if not node.comparisons:
            return []
        if node.kind is Kind.DOCUMENT:
            return [[layout.DOCUMENT, 0, *self._compared(node)]]
        return [[layout.VALUE, self.test(node.name), *self._compared(node)]]

    def _step(self, node: PatternNode) -> int:
        way = layout.BY_DESCENDANT if node.axis is Axis.DESCENDANT else layout.BY_CHILD
        return self.test(node.name) << 2 | way

    def test(self, name: str) -> int:
        """Return the number of a name test."""
        found = self.tests.get(name)
        if found is None:
            if name == "*":
                found = layout.ANY
            elif name.endswith("}*"):
                found = 2 * self.vocabulary.namespace(name[1:-2]) + 1
            else:
                found = 2 * self.vocabulary.add(name)
            self.tests[name] = found
            self.names[found] = name
            self.numbers = max(self.numbers, found // 2 + 1)
        return found

    def _compared(self, node: PatternNode) -> list[int]:
        """Return how many comparisons a node has, and each one's operator and constant."""
        encoded = [len(node.comparisons)]
        for comparison in node.comparisons:
            encoded += self._comparison(comparison)
        return encoded

    def _comparison(self, comparison: Comparison) -> tuple[int, int]:
        value = comparison.value
        if isinstance(value, str):
            operator = _STRING_OPERATORS.get(comparison.operator)
            if operator is None:
                return layout.NEVER, 0
        else:
            assert not math.isnan(value)
            operator = OPERATORS[comparison.operator]
        return operator, self.constants.setdefault(value, len(self.constants))
