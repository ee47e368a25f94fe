"""The nodes of a tree pattern and their one normal form. Nothing here reads XPath or looks at a document.

Every expression of the language asks whether nodes exist that stand in certain relations and have certain values, and
asks nothing else, so it is a tree: `/a[b = 5]//c` is a document node, below it `a`, below that `b` (whose value is 5)
and, anywhere deeper, `c`. A comparison of a path with a literal holds when it holds for some node of the path
(XPath 1.0, 3.4), so it belongs to the path's last node, and an absolute path in a branch belongs to the document node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from distributary.algebra.treepattern_values import Comparison, satisfiable_together

__all__ = [
    "Axis",
    "Branch",
    "Kind",
    "PatternNode",
    "branches_of",
    "common_name",
    "flatten",
    "impossible",
    "name_covers",
]


class Axis(StrEnum):
    """How a node stands to its parent in the pattern: one step down, or any number of steps, at least one.

    To attributes and text nodes, `DESCENDANT` leads from an element itself and from all elements below it.
    """

    CHILD = "/"
    DESCENDANT = "//"


class Kind(StrEnum):
    """What a pattern's node stands for."""

    DOCUMENT = "document"
    ATTRIBUTE = "attribute"
    TEXT = "text"
    ELEMENT = "element"


class PatternNode(msgspec.Struct, frozen=True, gc=False):
    """One node; `name` is in Clark's notation, `*` for any, `{uri}*` for any of a namespace, empty without a name.

    No dataclass: there are millions, and the garbage collector's looking at them took more time than reading patterns.
    """

    #: Index of the parent; -1 for the document node, which is node 0.
    parent: int
    axis: Axis
    kind: Kind
    name: str
    #: What must hold for the node's own string value, all of it; sorted, none twice.
    comparisons: tuple[Comparison, ...]


#: The place of each kind among siblings.
_KINDS = {kind: place for place, kind in enumerate(Kind)}


@dataclass(slots=True)
class Branch:
    """A node under construction, with its children."""

    axis: Axis
    kind: Kind
    name: str = ""
    comparisons: set[Comparison] = field(default_factory=set)
    children: list[Branch] = field(default_factory=list)

    def add(self, other: Branch) -> Branch:
        """Add a child and return it."""
        self.children.append(other)
        return other


def name_covers(general: str, special: str) -> bool:
    """Tell whether every name that `special` matches is matched by `general`.

    >>> name_covers("{urn:x}*", "{urn:x}a"), name_covers("a", "*")
    (True, False)
    """
    return general in {"*", special} or (general.endswith("}*") and special.startswith(general[:-1]))


def common_name(first: str, second: str) -> str | None:
    """Return the test for the names that both match; `None` when there are none."""
    if name_covers(first, second):
        return second
    return first if name_covers(second, first) else None


def _one_node(parent: Branch, child: Branch) -> bool:
    """Tell whether at most one node of a document can be this child, once its parent is bound."""
    if child.axis is Axis.DESCENDANT:
        return False
    if child.kind is Kind.ATTRIBUTE:
        return not child.name.endswith("*")
    return parent.kind is Kind.DOCUMENT and child.kind is Kind.ELEMENT


def _merged(parent: Branch) -> list[Branch]:
    """Return the children, those joined that must be one node; names that contradict each other stay apart."""
    children: list[Branch] = []
    for child in parent.children:
        for other in children:
            same = other.kind is child.kind and _one_node(parent, other) and _one_node(parent, child)
            name = common_name(other.name, child.name) if same else None
            if name is not None:
                other.name = name
                other.comparisons |= child.comparisons
                other.children += child.children
                break
        else:
            children.append(child)
    return children


def _says_nothing(parent: Branch, child: Branch) -> bool:
    """Tell whether the child is there in every document: there is always a root element."""
    return (
        parent.kind is Kind.DOCUMENT
        and (child.kind, child.name) == (Kind.ELEMENT, "*")
        and not child.children
        and not child.comparisons
    )


def flatten(root: Branch) -> tuple[PatternNode, ...]:
    """Return the nodes in preorder and normal form: merged, siblings sorted, none twice. `root` is used up.

    >>> root = Branch(Axis.CHILD, Kind.DOCUMENT)
    >>> _ = root.add(Branch(Axis.CHILD, Kind.ELEMENT, "a")), root.add(Branch(Axis.CHILD, Kind.ELEMENT, "*"))
    >>> [node.name for node in flatten(root)]
    ['', 'a']
    """
    order = [root]
    for branch in order:  # grows while it is walked: no recursion, however deep the pattern
        if len(branch.children) > 1:
            branch.children = _merged(branch)
        order += branch.children
    root.children = [child for child in root.children if not _says_nothing(root, child)]
    siblings = _Siblings()
    for branch in reversed(order):
        siblings.settle(branch)
    return _preorder(root)


class _Siblings:
    """Puts siblings in their order, from the leaves up, and takes out what is there twice.

    They are ordered by size, kind, whether they lack comparisons, and then by a text that tells subtrees apart; so the
    largest element is the last, and paths read naturally. The text is flat because comparing deep tuples recurses, and
    it is made only for siblings that are equal in all else: few are.
    """

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._texts: dict[int, str] = {}

    def settle(self, branch: Branch) -> None:
        """Put the children of a branch in order; theirs are in order."""
        children = branch.children
        if len(children) > 1:
            by_rank: dict[tuple[int, int, bool], list[Branch]] = {}
            for child in children:
                rank = (self._sizes[id(child)], _KINDS[child.kind], not child.comparisons)
                by_rank.setdefault(rank, []).append(child)
            children = branch.children = [each for rank in sorted(by_rank) for each in self._distinct(by_rank[rank])]
        self._sizes[id(branch)] = 1 + sum(self._sizes[id(child)] for child in children)

    def _distinct(self, equals: list[Branch]) -> list[Branch]:
        if len(equals) == 1:
            return equals
        by_text = {self._text(each): each for each in equals}
        return [by_text[text] for text in sorted(by_text)]

    def _text(self, top: Branch) -> str:
        """Return the text of a subtree in order."""
        order = [top]
        for branch in order:
            order += [child for child in branch.children if id(child) not in self._texts]
        for branch in reversed(order):
            comparisons = sorted(comparison.key() for comparison in branch.comparisons)
            inner = ";".join(self._texts[id(child)] for child in branch.children)
            text = f"{branch.kind.value}{branch.axis.value}{branch.name!r}{comparisons!r}({inner})"
            self._texts[id(branch)] = text
        return self._texts[id(top)]


def _preorder(root: Branch) -> tuple[PatternNode, ...]:
    nodes: list[PatternNode] = []
    stack = [(root, -1)]
    while stack:
        branch, parent = stack.pop()
        comparisons = tuple(branch.comparisons)
        if len(comparisons) > 1:
            comparisons = tuple(sorted(comparisons, key=Comparison.key))
        stack += [(child, len(nodes)) for child in reversed(branch.children)]
        nodes.append(PatternNode(parent, branch.axis, branch.kind, branch.name, comparisons))
    return tuple(nodes)


def impossible(nodes: tuple[PatternNode, ...]) -> bool:
    """Tell whether no document matches; `False` may mean unknown.

    Found out: contradicting values of one node, two names for the root element, anything below an attribute or a text
    node, and an attribute or a text node right below the document node.
    """
    root_names = 0
    for node in nodes:
        if not satisfiable_together(node.comparisons):
            return True
        above = nodes[node.parent].kind if node.parent >= 0 else None
        if above in {Kind.ATTRIBUTE, Kind.TEXT}:
            return True
        if above is Kind.DOCUMENT and node.axis is Axis.CHILD:
            root_names += 1
            if node.kind is not Kind.ELEMENT or root_names > 1:
                return True
    return False


def branches_of(nodes: Iterable[PatternNode]) -> Branch:
    """Return the tree of a flat pattern, to build another from."""
    built: list[Branch] = []
    for node in nodes:
        branch = Branch(node.axis, node.kind, node.name, set(node.comparisons))
        if node.parent >= 0:
            built[node.parent].children.append(branch)
        built.append(branch)
    return built[0]
