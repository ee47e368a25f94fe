"""The laws of routing tables: an aggregate is what recomputing gives; it and generalisations lose nothing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.treepattern import parse_xpath
from distributary.core.generator import Generator
from distributary.core.values import Block, Content
from distributary.matching.reading import read_document
from distributary.matching.routing import Aggregate, Limit, LimitedAggregate, RoutingTable, generalised
from distributary.matching.routing.outline import outline_of
from distributary.testing.documents import NAMESPACES, documents, patterns
from distributary.testing.strategies import predicates

pytestmark = pytest.mark.slow

_FEW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)

tree_patterns: st.SearchStrategy[Filter] = patterns().map(lambda text: parse_xpath(text, NAMESPACES))
wheres: st.SearchStrategy[Filter] = predicates(depth=1).map(lambda pair: pair[1])
seeds = st.integers(0, 2**32).map(Generator)


def drawn_pattern(generator: Generator) -> Filter:
    """Return a pattern of few names, so that patterns often cover each other and are covered jointly by none."""
    text = ""
    for _ in range(1 + generator.below(3)):
        text += generator.choice(["/", "/", "//"]) + generator.choice(["a", "a", "b", "c", "*"])
        if generator.below(3) == 0:
            text += generator.choice(["[@x=1]", "[@x>1]", "[@x<3]", "[@y='u']", "[b]", "[.//c]", "[. = 'u']", "[*/a]"])
    return parse_xpath(text)


def drawn_box(generator: Generator) -> Filter:
    columns = [column for column in ("x", "y") if generator.below(4)] or ["x"]
    ranges = {column: (float(low := generator.below(6)), float(low + generator.below(5))) for column in columns}
    return Box.of(ranges)


def drawn_where(generator: Generator) -> Filter:
    x, y = generator.below(6), generator.below(6)
    tests = [f"x < {x}", f"x >= {x}", f"y = {y}", "s = 'u'", "s in ('u', 'v')", "x is not null", f"x < {x} or y > {y}"]
    return parse_where(" and ".join({generator.choice(tests): None, generator.choice(tests): None}))


def drawn_filter(generator: Generator) -> Filter:
    kind = generator.below(16)
    if kind == 0:
        return Everything()
    if kind == 1:
        return Blocks(frozenset(generator.below(4) for _ in range(1 + generator.below(3))))
    if kind == 2:
        return any_of([drawn_filter(generator) for _ in range(2)])
    return generator.choice([drawn_pattern, drawn_box, drawn_where])(generator)


def drawn_items(generator: Generator) -> list[Content]:
    found: list[Content] = [Block(frozenset({generator.below(5)}))]
    for _ in range(3):
        s = generator.choice(["u", "v", "w"])
        found.append({"x": generator.below(8), "y": generator.below(8), "s": s})
        found.append(read_document(drawn_element(generator, 4).encode()))
    return found


def drawn_element(generator: Generator, depth: int) -> str:
    inner = "".join(drawn_element(generator, depth - 1) for _ in range(generator.below(3))) if depth else "u"
    name = generator.choice(["a", "b", "c"])
    attributes = generator.choice(["", f" x='{generator.below(4)}'", " y='u'"])
    return f"<{name}{attributes}>{inner}</{name}>"


def recomputed(held: Iterable[Filter]) -> list[Filter]:
    """Return the filters that no other one covers; of those that cover each other the first."""
    found: list[Filter] = []
    for each in held:
        if not any(other.covers(each) for other in found):
            found = [*(other for other in found if not each.covers(other)), each]
    return found


def wanted_by(item: Content, filters: Iterable[Filter]) -> bool:
    return any(each.matches(item) for each in filters)


@_FEW
@given(st.lists(tree_patterns | wheres, min_size=2, max_size=5), seeds)
def test_outline_lets_every_covering_filter_through(drawn: list[Filter], generator: Generator) -> None:
    drawn = [*drawn, *(drawn_filter(generator) for _ in range(10))]
    for wide in drawn:
        for narrow in drawn:
            # What nothing matches is covered by anything, and a union also by several together.
            if wide.covers(narrow) and narrow.intersects(narrow) and not outline_of(wide).may_cover(outline_of(narrow)):
                pytest.fail(f"{wide.text()} covers {narrow.text()}")


@_FEW
@given(seeds)
def test_aggregate_after_any_changes_is_what_recomputing_gives(generator: Generator) -> None:
    aggregate: Aggregate[int] = Aggregate()
    draw = generator.choice([drawn_pattern, drawn_box])
    held: dict[int, Filter] = {}
    known: set[Filter] = set()
    for step in range(40):
        if held and generator.below(5) < 2:
            gone = generator.choice(list(held))
            del held[gone]
            change = aggregate.remove(gone)
        else:
            held[step] = draw(generator)
            change = aggregate.add(step, held[step])
        assert known >= set(change.lost)
        assert not known & set(change.gained)
        known = known - set(change.lost) | set(change.gained)
        assert known == set(aggregate.filters())
        assert aggregate.size == len(known)
        expected = recomputed(held.values())
        assert len(expected) == len(known)
        assert all(any(one.covers(other) and other.covers(one) for other in expected) for one in known)
        for key, each in held.items():
            assert aggregate.member_of(key) in known
            assert aggregate.member_of(key).covers(each)
            assert key in aggregate.aggregating(aggregate.member_of(key))
    assert sorted(key for each in known for key in aggregate.aggregating(each)) == sorted(held)


@_FEW
@given(seeds)
def test_aggregate_matches_exactly_what_its_filters_match(generator: Generator) -> None:
    aggregate: Aggregate[int] = Aggregate()
    held = {key: drawn_filter(generator) for key in range(30)}
    for key, each in held.items():
        aggregate.add(key, each)
    for key in range(0, 30, 1 + generator.below(4)):
        del held[key]
        aggregate.remove(key)
    for item in drawn_items(generator):
        assert wanted_by(item, aggregate.filters()) == wanted_by(item, held.values())


@_FEW
@given(tree_patterns | wheres, tree_patterns | wheres, documents().map(read_document), seeds)
def test_generalisation_covers_its_parts(first: Filter, second: Filter, item: Content, generator: Generator) -> None:
    pairs = [(drawn_filter(generator), drawn_filter(generator)) for _ in range(20)]
    for one, other in ((first, second), *pairs):
        both = generalised(one, other)
        assert both.covers(one), (both.text(), one.text())
        assert both.covers(other), (both.text(), other.text())
        for each in (item, *drawn_items(generator)):
            assert both.matches(each) or not (one.matches(each) or other.matches(each))


@_FEW
@given(seeds, st.integers(1, 6), st.sampled_from([1.0, 0.5, 0.0]))
def test_limited_aggregate_keeps_its_bounds_and_loses_nothing(generator: Generator, most: int, share: float) -> None:
    limited: LimitedAggregate[int] = LimitedAggregate(Limit(most, share))
    held: dict[int, Filter] = {}
    known: set[Filter] = set()
    some = drawn_items(generator)
    for step in range(30):
        if held and generator.below(5) < 2:
            gone = generator.choice(list(held))
            del held[gone]
            change = limited.remove(gone)
        else:
            held[step] = drawn_filter(generator)
            change = limited.add(step, held[step])
        assert known >= set(change.lost)
        assert not known & set(change.gained)
        known = known - set(change.lost) | set(change.gained)
        assert known == set(limited.filters())
        assert limited.size <= most or share < 1.0
        assert sorted(key for each in known for key in limited.aggregating(each)) == sorted(held)
        assert all(each.covers(member) for each in known for member in limited.standing_for(each))
        if limited.exact.size <= most or share == 0.0:
            assert known == set(limited.exact.filters())
        for item in some:
            assert wanted_by(item, known) or not wanted_by(item, held.values())


@_FEW
@given(seeds, st.none() | st.integers(1, 3))
def test_table_routes_to_all_who_want_and_counts_the_others(generator: Generator, most: int | None) -> None:
    table: RoutingTable[str, int] = RoutingTable(Limit(most) if most is not None else None)
    wanted = [(generator.choice(["a", "b", "c"]), drawn_filter(generator)) for _ in range(15)]
    for key, (child, each) in enumerate(wanted):
        table.add(child, key, each)
    in_vain = 0
    for item in drawn_items(generator):
        expected = {child for child, each in wanted if each.matches(item)}
        found = set(table.match(item))
        assert found >= expected
        in_vain += len(found - expected)
        assert most is not None or found == expected
    assert table.false_positives == in_vain
    for key, (child, _) in enumerate(wanted):
        table.remove(child, key)
    assert len(table) == 0
    assert table.children == ()
