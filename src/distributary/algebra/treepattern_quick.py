"""A quick reader of the plain and common XPath texts: paths of names, branches, `and`, comparisons with a literal last.

Subscriptions come by the hundred thousand, and nearly all are of this form. It builds what `treepattern_parser` builds
from elementpath's tokens, and declines whatever it is not certain of: long forms, parentheses, literals on the left,
white space other than spaces, and every mistake. Elementpath stays the authority on all of these; nothing is refused
here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from distributary.algebra.treepattern_grammar import NAME, XML_NAMESPACE
from distributary.algebra.treepattern_nodes import Axis, Branch, Kind
from distributary.algebra.treepattern_values import Operator, comparison

__all__ = ["read_quickly"]

#: A step has two characters or more, but for the first: no text so short has more steps than a pattern may have.
_LENGTH_MAX = 1_000
#: Brackets inside one another: half of what is allowed, because those of `text()` count there too.
_NESTING_MAX = 16

_STEP = rf"text\(\)|@?(?:{NAME}:)?(?:{NAME}|\*)"
# A number does not touch what could be more of it, or a name.
_LITERAL = r"""'[^']*'|"[^"]*"|-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![\w.\-])"""
# A separator and a step; an operator and a literal; or any other character, so that none is passed over.
_TOKEN = re.compile(rf" *(?:(//?)?({_STEP})|(!?=|[<>]=?) *({_LITERAL})|(.))")

# Letters of names that are none to Python: there elementpath ends a word of its grammar, though the name goes on.
_ODD = re.compile("[\xb7\u0300-\u036f\u203f\u2040]")
_OPERATORS = {operator.value: operator for operator in Operator}
_AXES = {"": Axis.CHILD, "/": Axis.CHILD, "//": Axis.DESCENDANT}


def read_quickly(text: str, namespaces: Mapping[str, str]) -> Branch | None:
    """Return the document node of the pattern that `text` means, or `None`: elementpath is to read it.

    `namespaces` have been checked. Linear in the text.
    """
    # What is printable, XML has; and of white space, only the space is printable.
    if len(text) > _LENGTH_MAX or not text.isprintable() or (not text.isascii() and _ODD.search(text)):
        return None
    document = context = Branch(Axis.CHILD, Kind.DOCUMENT)
    #: The contexts of the brackets around; `context` is that of the innermost: the step before it.
    outer: list[Branch] = []
    #: The last node of the path that is read; `None` where a path is to start.
    here: Branch | None = None
    #: What the path ends with, if not with a step or a bracket: "." or "=" with a literal.
    end = ""
    for separator, step, operator, literal, other in _TOKEN.findall(text):
        if step:
            if separator:
                here = document if here is None else here
            elif here is None:
                here = context
            elif step == "and":
                here, end = None, ""
                continue
            else:
                return None
            if end == "=":
                return None
            made = _node(_AXES[separator], step, namespaces)
            if made is None:
                return None
            here, end = here.add(made), ""
        elif other == ".":
            if here is not None:
                return None
            here, end = context, "."
        elif here is None or (end == "=" and other != "]"):
            return None
        elif operator:
            here.comparisons.add(comparison(_OPERATORS[operator], _value(literal)))
            end = "="
        elif other == "[" and not end and len(outer) < _NESTING_MAX:
            outer.append(context)
            context, here = here, None
        elif other == "]" and outer:
            here, context, end = context, outer.pop(), ""
        else:
            return None
    return None if here is None or outer else document


def _node(axis: Axis, step: str, namespaces: Mapping[str, str]) -> Branch | None:
    """Return the node of a step; `None` when its prefix is not declared."""
    kind = Kind.ELEMENT
    if step == "text()":
        return Branch(axis, Kind.TEXT)
    if step[0] == "@":
        kind, step = Kind.ATTRIBUTE, step[1:]
    prefix, colon, local = step.partition(":")
    if not colon:
        return Branch(axis, kind, step)
    uri = XML_NAMESPACE if prefix == "xml" else namespaces.get(prefix)
    return None if uri is None else Branch(axis, kind, f"{{{uri}}}{local}")


def _value(literal: str) -> float | str:
    return literal[1:-1] if literal[0] in "'\"" else float(literal)
