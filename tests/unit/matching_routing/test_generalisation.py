"""Generalisations by example, what they are judged by, and what a limit makes of many filters."""

from __future__ import annotations

import pytest

from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.statistics import UniformDensity
from distributary.algebra.summary import DataSummary
from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.matching.routing import Limit, LimitedAggregate, RoutingTable, ShapeShare, generalised, measured_share


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("/a/b/c", "/a/b/c[d]", "/a/b/c"),
        ("/x/a/b", "/x/c/b", "/x/*/b"),
        ("/x/a/b", "/x/c/d/b", "/x/*//b"),
        ("//a[@k = 5]", "//a[@k = '7']", "//a[@k[. <= 7][. >= 5]]"),
        ("//a[@k > 5]", "//a[@k > 3]", "//a[@k > 3]"),
        ("//a[. = 'u']", "//a[. = 'v']", "//a"),
        ("/r[a/b][c]", "/r[a/d][c = 'x']//b", "/r[c][.//b]/a/*"),
        ("/a/text()", "/b[text() = 'v']", "/*[text()]"),
        ("/a", "//b", "/"),
    ],
)
def test_pattern_keeps_what_both_ask_for(first: str, second: str, both: str) -> None:
    assert generalised(parse_xpath(first), parse_xpath(second)).text().text == both
    assert generalised(parse_xpath(second), parse_xpath(first)).text().text == both


def test_namespace_is_kept_where_both_have_it() -> None:
    prefixes = {"p": "urn:p", "q": "urn:q"}
    patterns = [parse_xpath(text, prefixes) for text in ("/p:a", "/p:b", "/q:a")]
    assert generalised(patterns[0], patterns[1]) == parse_xpath("/p:*", prefixes)
    assert generalised(patterns[0], patterns[2]) == parse_xpath("/*", prefixes)


def test_records_get_their_hull() -> None:
    assert generalised(Box.of({"x": (0, 1), "y": (0, 1)}), Box.of({"x": (3, 4)})) == Box.of({"x": (0, 4)})
    both = generalised(parse_where("s = 'u' and x < 3"), parse_where("s = 'v' and x < 5 and y = 1"))
    assert both.text().text == "s in ('u', 'v') and x < 5"


def test_filters_that_share_nothing_become_everything() -> None:
    assert generalised(parse_where("x < 3"), parse_xpath("/a")) == Everything()
    assert generalised(parse_where("x < 3"), parse_where("y < 3")) == Everything()


def test_shape_share_falls_with_every_test() -> None:
    share = ShapeShare()
    texts = ["/a", "/a/b", "/a/b[@k]", "/a/b[@k > 3]", "/a/b[@k = 3]"]
    shares = [share(parse_xpath(text)) for text in texts]
    assert shares == sorted(shares, reverse=True)
    assert share(Everything()) == 1.0
    wide, narrow = Box.of({"x": (0, 100)}), Box.of({"x": (0, 10)})
    assert share(wide) == 1.0
    assert share(narrow) == pytest.approx(0.1)


def test_measured_share_is_that_of_the_statistics() -> None:
    summary = DataSummary()
    for text in (b"<a><b/></a>", b"<a/>", b"<c/>", b"<d/>"):
        summary.add(parse_xml(text))
    share = measured_share(summary)
    assert [share(parse_xpath(text)) for text in ("/a", "/a/b", "/*")] == [0.5, 0.25, 1.0]
    density = measured_share(UniformDensity(space=Box.of({"x": (0, 10)})))
    assert density(Box.of({"x": (0, 5)})) == 0.5


def test_limit_merges_what_costs_least_by_the_statistics() -> None:
    share = measured_share(UniformDensity(space=Box.of({"x": (0, 100)})))
    limited: LimitedAggregate[int] = LimitedAggregate(Limit(2), share)
    for key, low in enumerate((0, 3, 90)):
        limited.add(key, Box.of({"x": (low, low + 2)}))
    assert set(limited.filters()) == {Box.of({"x": (0, 5)}), Box.of({"x": (90, 92)})}
    assert limited.is_generalised(Box.of({"x": (0, 5)}))
    assert sorted(limited.aggregating(Box.of({"x": (0, 5)}))) == [0, 1]


def test_limit_gives_way_to_the_greatest_share() -> None:
    share = measured_share(UniformDensity(space=Box.of({"x": (0, 100)})))
    limited: LimitedAggregate[int] = LimitedAggregate(Limit(1, share_max=0.5), share)
    for key, low in enumerate((0, 3, 90)):
        limited.add(key, Box.of({"x": (low, low + 2)}))
    assert set(limited.filters()) == {Box.of({"x": (0, 5)}), Box.of({"x": (90, 92)})}


def test_generalisation_is_taken_back_when_there_is_room() -> None:
    limited: LimitedAggregate[int] = LimitedAggregate(Limit(2))
    for key, low in enumerate((0, 3, 90)):
        limited.add(key, Box.of({"x": (low, low + 2)}))
    limited.remove(2)
    assert set(limited.filters()) == {Box.of({"x": (0, 2)}), Box.of({"x": (3, 5)})}


def test_table_counts_only_what_nobody_of_a_child_wants() -> None:
    table: RoutingTable[str, int] = RoutingTable(Limit(1))
    table.add("c", 1, Box.of({"x": (0, 2)}))
    table.add("c", 2, Box.of({"x": (5, 7)}))
    assert table.filters("c") == (Box.of({"x": (0, 7)}),)
    assert sorted(table.aggregating("c", Box.of({"x": (0, 7)}))) == [1, 2]
    assert [table.match({"x": x}) for x in (1, 4, 6, 9)] == [("c",), ("c",), ("c",), ()]
    assert table.false_positives == 1
    table.remove_child("c")
    assert table.match({"x": 1}) == ()
