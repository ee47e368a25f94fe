"""From texts and subscriptions to filters: the one place that knows all kinds."""

from __future__ import annotations

import json
from math import inf

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.predicate_types import check_numeric
from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError
from distributary.core.subscriptions import FilterText, Subscription
from distributary.core.values import Schema

__all__ = ["filter_of", "filter_of_subscription"]

# A union is flat, so one level inside another is already more than we ever print.
_DEPTH_MAX = 4


def filter_of(text: FilterText) -> Filter:
    """Return the filter of a text; the text that a filter prints gives that filter again.

    Raises `InputError` for a kind that is not known and for a text that is none of its kind: texts come from peers.

    >>> filter_of(FilterText("where", "4 <= mag")).text()
    FilterText(kind='where', text='mag >= 4', namespaces=())
    """
    return _filter_of(text, _DEPTH_MAX)


def filter_of_subscription(subscription: Subscription, schema: Schema | None = None) -> Filter:
    """Return what a subscription wants: its `where`, `xpath` or `box`, and everything without one.

    With a schema, columns that it lacks and disagreeing types are refused. Errors name the subscription and the field.
    """
    try:
        if subscription.where is not None:
            return parse_where(subscription.where, schema)
        if subscription.xpath is not None:
            return parse_xpath(subscription.xpath, subscription.namespaces)
        if subscription.box is not None:
            box = Box.from_ranges(subscription.box)
            for attribute in box.attributes if schema is not None else ():
                check_numeric(attribute, schema or {})
            return box
    except InputError as error:
        kind = "where" if subscription.where is not None else "xpath" if subscription.xpath is not None else "box"
        raise error.at(record=subscription.id, field=kind) from None
    return Everything()


def _filter_of(text: FilterText, depth: int) -> Filter:
    if text.kind == "all":
        return Everything()
    if text.kind == "where":
        return parse_where(text.text)
    if text.kind == "xpath":
        return parse_xpath(text.text, dict(text.namespaces))
    if text.kind == "box":
        return _box_of(text.text)
    if text.kind == "blocks":
        return _blocks_of(text.text)
    if text.kind == "any" and depth:
        return _any_of(text.text, depth - 1)
    raise InputError(f"{text.kind[:40]!r} is not a kind of filter", field="filter")


def _decoded(text: str, kind: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("is not JSON", field=kind) from None
    return value


def _box_of(text: str) -> Box:
    ranges = _decoded(text, "box")
    if not isinstance(ranges, dict):
        raise InputError("is not a JSON object", field="box")
    closed, found = {}, {}
    for name, ends in ranges.items():
        if not isinstance(ends, list) or len(ends) != 2:
            raise InputError("is not a pair of numbers [low, high]", field=name)
        low, high = ends
        found[name] = (-inf if low is None else low, inf if high is None else high)
        # An open end is checked as if it were where the other one is.
        closed[name] = (high if low is None else low, low if high is None else high)
        if low is None and high is None:
            closed[name] = (0.0, 0.0)
    if closed:
        Box.from_ranges(closed)
    return Box.of(found)


def _blocks_of(text: str) -> Blocks:
    blocks = _decoded(text, "blocks")
    if not isinstance(blocks, list) or not all(type(block) is int for block in blocks):
        raise InputError("is not a JSON list of integers", field="blocks")
    return Blocks(frozenset(blocks))


def _any_of(text: str, depth: int) -> Filter:
    members = _decoded(text, "any")
    if not isinstance(members, list):
        raise InputError("is not a JSON list of filters", field="any")
    found = []
    for member in members:
        match member:
            case [str(kind), str(inner), list(pairs)] if all(_is_pair(pair) for pair in pairs):
                namespaces = tuple((str(prefix), str(uri)) for prefix, uri in pairs)
                found.append(_filter_of(FilterText(kind, inner, namespaces), depth))
            case _:
                raise InputError("has a member that is not [kind, text, namespaces]", field="any")
    return any_of(found)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
