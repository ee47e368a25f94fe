"""From XPath text to the normal form of a tree pattern. What lies outside the language is refused with the reason.

The language is what a tree of nodes can say: `/`, `//`, names, `*`, `p:*`, `@a`, `@*`, `.`, `text()`, branches, `and`,
and comparisons with a literal; also in the long forms `child::`, `attribute::`, `descendant::`, `self::node()` and
`descendant-or-self::node()`. A whole expression may be a path, a comparison (`//a = 5`) or several joined by `and`; it
is read at the document node. An absolute path in a branch means what it means in XPath: it starts at the document.
`node()`, `//.`, `comment()` and `processing-instruction()` are refused: parsed documents keep none of these nodes.
"""

from __future__ import annotations

from collections.abc import Mapping

from elementpath import XPathToken

from distributary.algebra.treepattern_grammar import bad_xpath, check_namespaces, read_tokens
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind, PatternNode, flatten
from distributary.algebra.treepattern_quick import read_quickly
from distributary.algebra.treepattern_values import Comparison, Operator, comparison

__all__ = ["read_pattern", "read_slowly"]

#: Nodes of one pattern, before normal form.
_NODES_MAX = 512

_OPERATORS = {operator.value: operator for operator in Operator}
_NUMBERS = {"(integer)", "(decimal)", "(float)"}
_AXES = {"child", "attribute", "descendant", "@"}
_ARITHMETIC = {"+", "-", "*", "div", "mod"}


def read_pattern(text: str, namespaces: Mapping[str, str]) -> tuple[PatternNode, ...]:
    """Return the nodes of the pattern that `text` means; raises `InputError` (field `xpath` or `namespaces`)."""
    check_namespaces(namespaces)
    return flatten(read_quickly(text, namespaces) or read_slowly(text, namespaces))


def read_slowly(text: str, namespaces: Mapping[str, str]) -> Branch:
    """Return the document node of the pattern that `text` means, by elementpath; `namespaces` have been checked."""
    reader = _Reader()
    reader.condition(read_tokens(text, namespaces), reader.document)
    return reader.document


def _bare(token: XPathToken) -> XPathToken:
    """Return the token without the parentheses around it."""
    while token.symbol == "(":
        token = token[0]
    return token


def _is_step(token: XPathToken) -> bool:
    return token.symbol in {"(name)", ":", "*", ".", "/", "//", "[", "text"} | _AXES or token.label in {
        "axis",
        "kind test",
    }


def _literal(token: XPathToken) -> float | str | None:
    """Return the value of a literal; `None` for anything else."""
    token = _bare(token)
    sign = 1.0
    while token.symbol == "-" and len(token) == 1:
        sign, token = -sign, _bare(token[0])
    if token.symbol in _NUMBERS:
        return sign * float(str(token.value))  # not float(value): a long integer overflows, a long text is infinite
    if token.symbol == "(string)":
        if sign < 0:
            raise bad_xpath("arithmetic is not in the language: a sign before a string")
        return str(token.value)
    return None


class _Reader:
    """Builds the branches of one expression from its tokens."""

    def __init__(self) -> None:
        self.document = Branch(Axis.CHILD, Kind.DOCUMENT)
        self._nodes = 0

    def condition(self, token: XPathToken, context: Branch) -> None:
        """Add to `context` what the condition asks: a path, a comparison, or several joined by `and`."""
        pending = [token]
        while pending:
            token = _bare(pending.pop())
            if token.symbol == "and" and len(token) == 2:
                pending += [token[1], token[0]]
            elif token.symbol in _OPERATORS:
                self._comparison(token, context)
            else:
                self._path(token, context)

    def _comparison(self, token: XPathToken, context: Branch) -> None:
        operator = _OPERATORS[token.symbol]
        left, right = _literal(token[0]), _literal(token[1])
        if left is not None and right is not None:
            raise bad_xpath(f"compares two literals: {left!r} {operator.value} {right!r}")
        if left is not None:
            self._compared(_bare(token[1]), context, comparison(operator.mirrored, left))
        elif right is not None:
            self._compared(_bare(token[0]), context, comparison(operator, right))
        else:
            for side in (token[0], token[1]):
                self._check_path(_bare(side))
            raise bad_xpath("compares two paths; one side of a comparison must be a literal")

    def _compared(self, token: XPathToken, context: Branch, wanted: Comparison) -> None:
        self._path(token, context).comparisons.add(wanted)

    @staticmethod
    def _check_path(token: XPathToken) -> None:
        """Refuse what is no path, with the reason."""
        if token.symbol in _ARITHMETIC and not (token.symbol == "*" and not len(token)):
            raise bad_xpath(f"arithmetic is not in the language: {token.symbol}")
        if token.symbol in _NUMBERS:
            raise bad_xpath(f"positions are not in the language: [{token.value}]")
        if token.symbol == "(string)":
            raise bad_xpath(f"a string is no condition: {token.value!r}")
        if token.symbol == "or":
            raise bad_xpath("`or` is not in the language; subscribe twice instead")
        if token.symbol == "|":
            raise bad_xpath("unions of paths are not in the language; subscribe twice instead")
        if token.symbol == "$":
            raise bad_xpath("variables are not in the language")
        if token.symbol in _OPERATORS or token.symbol == "and":
            raise bad_xpath("a condition cannot be compared")
        if token.symbol == "..":
            raise bad_xpath("the axis parent:: (`..`) is not in the language")
        if token.symbol == "(":
            raise bad_xpath("parentheses may stand around a whole condition only")
        if not _is_step(token):
            raise bad_xpath(f"functions are not in the language: {token.symbol}()")

    def _path(self, token: XPathToken, context: Branch) -> Branch:
        """Add the path below `context` and return its last node."""
        # The tree of a path leans to the left: taking it apart from its end needs no recursion, however long it is.
        parts: list[tuple[str, XPathToken]] = []
        while True:
            self._check_path(token)
            if token.symbol in {"/", "//"} and len(token) == 2:
                parts.append((token.symbol, token[1]))
                token = token[0]
            elif token.symbol in {"/", "//"}:
                context = self.document
                if len(token):
                    parts.append((token.symbol, token[0]))
                break
            elif token.symbol == "[":
                parts.append(("[", token[1]))
                token = token[0]
                if token.symbol == "(":
                    token = _bare(token)
            else:
                parts.append(("/", token))
                break
        return self._steps(parts, context)

    def _steps(self, parts: list[tuple[str, XPathToken]], here: Branch) -> Branch:
        """Add steps and branches, given last first, below `here`; return the last step's node."""
        anywhere = False
        for separator, token in reversed(parts):
            if separator == "[":
                self._branch(token, here, anywhere)
                continue
            anywhere = anywhere or separator == "//"
            # A step with branches of its own, after a separator, is a tree in itself.
            branches: list[XPathToken] = []
            while token.symbol == "[":
                branches.append(token[1])
                token = token[0]
            self._check_path(token)
            if token.symbol == "descendant-or-self" and token[0].symbol == "node":
                anywhere = True
            elif token.symbol != "." and not (token.symbol == "self" and token[0].symbol == "node"):
                here = self._step(token, here, anywhere)
                anywhere = False
            elif branches:
                raise bad_xpath("`.` takes no branch: write the branch at the step before it")
            for branch in reversed(branches):
                self._branch(branch, here, anywhere)
        if anywhere:
            raise bad_xpath("`//.` would select comments and processing instructions, which no parsed document keeps")
        return here

    def _branch(self, token: XPathToken, here: Branch, anywhere: bool) -> None:
        if anywhere or here.kind is Kind.DOCUMENT:
            raise bad_xpath("`.` takes no branch: write the branch at the step before it")
        self.condition(token, here)

    def _step(self, token: XPathToken, here: Branch, anywhere: bool) -> Branch:
        """Add one step below `here` and return its node."""
        kind = Kind.ELEMENT
        if token.symbol in _AXES:
            anywhere = anywhere or token.symbol == "descendant"
            kind = Kind.ATTRIBUTE if token.symbol in {"@", "attribute"} else Kind.ELEMENT
            token = token[0]
        elif token.label == "axis":
            raise bad_xpath(f"the axis {token.symbol}:: is not in the language")
        self._nodes += 1
        if self._nodes > _NODES_MAX:
            raise bad_xpath(f"has more than {_NODES_MAX} steps")
        axis = Axis.DESCENDANT if anywhere else Axis.CHILD
        if token.symbol == "text" and token.label == "kind test":
            if len(token):
                raise bad_xpath("text() takes no argument")
            if kind is Kind.ATTRIBUTE:
                raise bad_xpath("the attribute axis has no text nodes")
            return here.add(Branch(axis, Kind.TEXT))
        return here.add(Branch(axis, kind, self._name(token)))

    @staticmethod
    def _name(token: XPathToken) -> str:
        """Return a name test in Clark's notation."""
        if token.symbol == "(name)":
            return str(token.value)
        if token.symbol == "*" and not len(token):
            return "*"
        if token.symbol == ":" and token[1].symbol in {"(name)", "*"}:
            uri = token.parser.namespaces[str(token[0].value)]
            return f"{{{uri}}}{token[1].value if token[1].symbol == '(name)' else '*'}"
        if token.label == "kind test":
            raise bad_xpath(
                f"the node test {token.symbol}() is not in the language: parsed documents keep no such nodes"
            )
        raise bad_xpath(f"{token.symbol} is no name, `*` or text()")
