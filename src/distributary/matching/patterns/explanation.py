"""Why a pattern matches a document, or why not: plain steps over the parsed document, for people. Not for speed.

What answers is the same as `algebra.treepattern_evaluation`: from the leaves of the pattern up, the places in the
document that each of its nodes can be bound to; then, from the top down, the first place for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from distributary.algebra.treepattern import TreePattern
from distributary.algebra.treepattern_nodes import Axis, Kind, PatternNode, name_covers
from distributary.core.documents import Document

__all__ = ["Binding", "Explanation", "explain"]

#: The element that stands for the document node.
_DOCUMENT = -1
#: Characters of a value that is shown.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Binding:
    """A node of the pattern, as a step, and the place in the document that it is bound to."""

    step: str
    #: Such as `/nitf[1]/body[1]/block[3]/@id`; names in Clark's notation.
    path: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether a pattern matches; the bindings of all its nodes in preorder if so, and else what is not there."""

    matches: bool
    bindings: tuple[Binding, ...] = ()
    missing: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """An element, or an attribute or a text node of it, with its number there."""

    element: int
    part: int = -1
    text: bool = False


def explain(pattern: TreePattern, document: Document) -> Explanation:
    """Return why the pattern matches the document, or why not.

    >>> from distributary.algebra.treepattern import parse_xpath
    >>> from distributary.algebra.xml import parse_xml
    >>> explain(parse_xpath("/a/b/@c"), parse_xml(b"<a><d/><b c='5'/></a>")).bindings[-1]
    Binding(step='/@c', path='/a[1]/b[1]/@c')
    >>> explain(parse_xpath("/a/b/@c > 5"), parse_xml(b"<a><d/><b c='5'/></a>")).missing
    "no /@c below /a[1]/b[1] is > 5: /a[1]/b[1]/@c is '5'"
    """
    return _Explainer(pattern, document).explanation()


class _Explainer:
    """The places of one document that the nodes of one pattern may be, in the document's order."""

    def __init__(self, pattern: TreePattern, document: Document) -> None:
        self._nodes = pattern.nodes
        self._document = document
        self._below: list[list[int]] = [[] for _ in self._nodes]
        for index, node in enumerate(self._nodes[1:], 1):
            self._below[node.parent].append(index)
        #: By node: places of its kind and name; those that have its values, too; those with all below it, too.
        self._named = [self._places(node) for node in self._nodes]
        self._fit = [
            [place for place in places if self._holds(node, place)]
            for node, places in zip(self._nodes, self._named, strict=True)
        ]
        self._satisfied: list[set[_Place]] = [set() for _ in self._nodes]
        for index in range(len(self._nodes) - 1, -1, -1):
            below = self._below[index]
            self._satisfied[index] = {
                place for place in self._fit[index] if all(self._first(child, place) is not None for child in below)
            }

    def explanation(self) -> Explanation:
        if not self._satisfied[0]:
            return Explanation(False, missing=self._missing())
        bound = [_Place(_DOCUMENT)]
        for index in range(1, len(self._nodes)):
            place = self._first(index, bound[self._nodes[index].parent])
            assert place is not None
            bound.append(place)
        steps = zip(self._nodes[1:], bound[1:], strict=True)
        return Explanation(
            True, tuple(Binding(_step(node) + _values(node), self._path(place)) for node, place in steps)
        )

    def _places(self, node: PatternNode) -> list[_Place]:
        document = self._document
        if node.kind is Kind.DOCUMENT:
            return [_Place(_DOCUMENT)]
        if node.kind is Kind.ELEMENT:
            return [_Place(element) for element, name in enumerate(document.names) if name_covers(node.name, name)]
        if node.kind is Kind.TEXT:
            return [
                _Place(element, part, text=True)
                for element, slices in enumerate(document.text_nodes)
                for part in range(len(slices))
            ]
        return [
            _Place(element, part)
            for element, attributes in enumerate(document.attributes)
            for part, (name, _) in enumerate(attributes)
            if name_covers(node.name, name)
        ]

    def _value(self, node: PatternNode, place: _Place) -> str:
        document = self._document
        if node.kind is Kind.DOCUMENT:
            return document.text
        if node.kind is Kind.ELEMENT:
            return document.string_value(place.element)
        if node.kind is Kind.TEXT:
            start, end = document.text_nodes[place.element][place.part]
            return document.text[start:end]
        return document.attributes[place.element][place.part][1]

    def _holds(self, node: PatternNode, place: _Place) -> bool:
        return not node.comparisons or all(each.holds(self._value(node, place)) for each in node.comparisons)

    def _related(self, node: PatternNode, place: _Place, above: _Place) -> bool:
        """Tell whether a place is where a node's axis leads from the place of the node above."""
        if above.part >= 0:
            return False  # nothing is below an attribute or a text node
        parent = self._document.parents[place.element] if place.part < 0 else place.element
        if node.axis is Axis.CHILD:
            return parent == above.element
        end = len(self._document) if above.element == _DOCUMENT else self._document.ends[above.element]
        return above.element < place.element < end or (place.part >= 0 and place.element == above.element)

    def _first(self, index: int, above: _Place) -> _Place | None:
        """Return the first place that satisfies a node and all below it, seen from a place of the node above."""
        node, satisfied = self._nodes[index], self._satisfied[index]
        return next((p for p in self._fit[index] if p in satisfied and self._related(node, p, above)), None)

    def _missing(self) -> str:
        """Say what the deepest step is that nothing satisfies."""
        reached: list[list[_Place]] = [[] for _ in self._nodes]
        depth = [0] * len(self._nodes)
        reached[0] = self._named[0]
        failed: list[tuple[int, int]] = [] if self._fit[0] else [(0, 0)]
        for index, node in enumerate(self._nodes[1:], 1):
            depth[index] = depth[node.parent] + 1
            above = reached[node.parent]
            reached[index] = [p for p in self._fit[index] if any(self._related(node, p, top) for top in above)]
            if above and not reached[index]:
                failed.append((-depth[index], index))
        if failed:
            index = min(failed)[1]
            return self._lacking(index, reached[max(0, self._nodes[index].parent)])
        # Every step can be taken, but not all of them from one place.
        together = max(
            (depth[index], -index)
            for index, places in enumerate(reached)
            if self._below[index] and not self._all(index, places)
        )
        index = -together[1]
        branches = " and ".join(_step(self._nodes[child]) for child in self._below[index])
        where = _step(self._nodes[index]) if index else "the document node"
        return f"no {where} has all of {branches}, with what is asked of them, at once"

    def _all(self, index: int, places: list[_Place]) -> bool:
        return any(place in self._satisfied[index] for place in places)

    def _lacking(self, index: int, above: list[_Place]) -> str:
        node = self._nodes[index]
        where = f"below {self._path(above[0])}" if index and above[0].element != _DOCUMENT else "in the document"
        if len(above) > 1:
            where += f", nor below {len(above) - 1} more"
        near = [p for p in self._named[index] if index == 0 or any(self._related(node, p, top) for top in above)]
        if not near:
            return f"there is no {_step(node)} {where}"
        value = self._value(node, near[0])
        shown = repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")
        return f"no {_step(node)} {where} is{_values(node)}: {self._path(near[0])} is {shown}"

    def _path(self, place: _Place) -> str:
        document, parts = self._document, []
        if place.part >= 0:
            name = "" if place.text else document.attributes[place.element][place.part][0]
            parts.append(f"/text()[{place.part + 1}]" if place.text else f"/@{name}")
        element = place.element
        while element != _DOCUMENT:
            name, parent = document.names[element], document.parents[element]
            before = range(parent + 1, element)
            position = 1 + sum(document.parents[e] == parent and document.names[e] == name for e in before)
            parts.append(f"/{name}[{position}]")
            element = parent
        return "".join(reversed(parts)) or "/"


def _step(node: PatternNode) -> str:
    """Return a node as a step; names in Clark's notation."""
    if node.kind is Kind.DOCUMENT:
        return "document node"
    test = "text()" if node.kind is Kind.TEXT else "@" * (node.kind is Kind.ATTRIBUTE) + node.name
    return node.axis.value + test


def _values(node: PatternNode) -> str:
    """Return a node's comparisons, joined by `and`, after a space."""
    texts = []
    for each in node.comparisons:
        literal = repr(each.value) if isinstance(each.value, str) else f"{each.value:g}"
        texts.append(f" {each.operator.value} {literal}")
    return " and".join(texts)
