"""Why a filter matches an item, or why not, in words and places: for people, one filter and one item at a time."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from distributary.algebra.anyof import AnyOf
from distributary.algebra.box import Box
from distributary.algebra.expression import And, Atom, Expression
from distributary.algebra.filter import Filter
from distributary.algebra.normalform import test_of_expression
from distributary.algebra.predicate import Predicate
from distributary.algebra.printing import printed
from distributary.algebra.treepattern import TreePattern
from distributary.core.documents import Document, UnparsedDocument
from distributary.core.values import Content, Record

__all__ = ["Reason", "reason"]


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """What decided: for a document that matches, where each step is bound; for what does not match, what is missing."""

    matches: bool
    #: Step and place, such as `//b[…]` and `/a[1]/b[2]`.
    bindings: tuple[tuple[str, str], ...] = ()
    missing: str = ""


def reason(wanted: Filter, item: Content) -> Reason:
    """Return why a filter matches an item or does not; slow, and always the same answer as `wanted.matches`.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> reason(parse_where("mag >= 4 and net = 'ci'"), {"mag": 3, "net": "ci"}).missing
    'not mag >= 4: mag is 3'
    """
    if isinstance(item, UnparsedDocument):
        item = item.document
    if isinstance(wanted, TreePattern) and isinstance(item, Document):
        from distributary.matching.patterns.explanation import explain

        found = explain(wanted, item)
        return Reason(found.matches, tuple((each.step, each.path) for each in found.bindings), found.missing or "")
    if wanted.matches(item):
        return Reason(True)
    if isinstance(wanted, AnyOf):
        return Reason(False, missing="; ".join(reason(each, item).missing for each in wanted.members) or "nothing can")
    if isinstance(wanted, Predicate) and isinstance(item, Mapping):
        return Reason(False, missing=_unmet(wanted.expression, item))
    if isinstance(wanted, Box) and isinstance(item, Mapping):
        return Reason(False, missing=_outside(wanted, item))
    return Reason(False, missing=f"it asks for {'documents' if isinstance(wanted, TreePattern) else 'records'}")


def _unmet(expression: Expression, record: Record) -> str:
    """Say which tests keep an expression from being true."""
    if isinstance(expression, Atom):
        return f"not {printed(expression)}: {expression.column} is {_shown(record.get(expression.column))}"
    unmet = [_unmet(part, record) for part in expression.parts if not test_of_expression(part)(record)]
    return unmet[0] if isinstance(expression, And) else " and ".join(unmet)


def _outside(box: Box, record: Record) -> str:
    for name, low, high in box.ranges:
        if not Box(((name, low, high),)).matches(record):
            return f"not {low:g} <= {name} <= {high:g}: {name} is {_shown(record.get(name))}"
    raise AssertionError(f"{record} is in {box}")


def _shown(value: object) -> str:
    return "null" if value is None else repr(value)
