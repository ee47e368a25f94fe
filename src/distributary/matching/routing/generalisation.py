"""The common generalisation of two filters of any kind: one filter that covers both, as tight as is found quickly."""

from __future__ import annotations

from functools import reduce

from distributary.algebra.anyof import AnyOf
from distributary.algebra.blocks import Blocks
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.hull import hull_of
from distributary.algebra.treepattern import TreePattern
from distributary.matching.routing.pattern_generalisation import generalised_pattern

__all__ = ["generalised"]


def generalised(first: Filter, second: Filter, *, minimal: bool = True) -> Filter:
    """Return one filter, no union, that matches whatever either matches; `Everything` where nothing tighter is known.

    Tree patterns have a common pattern, filters of records a common hull, sets of blocks their union. A pattern that
    is only measured need not be `minimal`.

    >>> from distributary.algebra.predicate_parser import parse_where
    >>> generalised(parse_where("x > 3 and y = 1"), parse_where("x > 7 and y = 5")).text().text
    'x > 3 and y <= 5 and y >= 1'
    """
    if isinstance(first, AnyOf):
        return reduce(generalised, first.members, second)
    if isinstance(second, AnyOf):
        return reduce(generalised, second.members, first)
    if first.covers(second):
        return first
    if second.covers(first):
        return second
    if isinstance(first, TreePattern) and isinstance(second, TreePattern):
        return generalised_pattern(first, second, minimal=minimal)
    if isinstance(first, Blocks) and isinstance(second, Blocks):
        return first.union(second)
    ours, theirs = hull_of(first), hull_of(second)
    if ours is None or theirs is None:
        return Everything()
    both = ours.join(theirs)
    return both.filter() if both.extents else Everything()
