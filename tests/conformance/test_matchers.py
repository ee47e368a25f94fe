"""What every matcher promises: keys in the order of adding, as one loop over the filters would give them."""

from __future__ import annotations

import pytest

from distributary import matching
from distributary.algebra.blocks import Blocks
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.parse import filter_of_subscription
from distributary.algebra.xml import parse_xml
from distributary.core.subscriptions import subscription_of
from distributary.core.values import Block, Content, Opaque
from distributary.matching import CompiledMatcher, Matcher


class ManyFiltersMatcher(CompiledMatcher[str]):
    """A compiled matcher that takes every number of filters for many."""

    def __init__(self) -> None:
        super().__init__(few=0)


#: Every class of the package that can hold filters of all kinds and match items.
MATCHERS = [
    found
    for name in matching.__all__
    if isinstance(found := getattr(matching, name), type) and name.endswith("Matcher") and found is not Matcher
]

pytestmark = pytest.mark.parametrize("kind", [*MATCHERS, ManyFiltersMatcher], ids=lambda kind: kind.__name__)

FILTERS: dict[str, Filter] = {
    "all": Everything(),
    "strong": filter_of_subscription(subscription_of({"id": "a", "where": "mag >= 4 and net = 'ci'"})),
    "near": filter_of_subscription(subscription_of({"id": "b", "box": {"lat": [30, 42], "mag": [0, 9]}})),
    "red": filter_of_subscription(subscription_of({"id": "c", "xpath": "//e[@hue='red']/f"})),
    "any": filter_of_subscription(subscription_of({"id": "d", "xpath": "/e"})),
    "blocks": Blocks(frozenset({1, 2})),
}
ITEMS: list[Content] = [
    {"mag": 4, "net": "ci", "lat": 42.0},
    {"mag": 4, "net": "us", "lat": 42.0},
    {"mag": None, "net": "ci"},
    {},
    parse_xml(b"<e hue='red'><f/></e>"),
    parse_xml(b"<e><f/></e>"),
    parse_xml(b"<d><e hue='red'/></d>"),
    Block(frozenset({2, 7})),
    Opaque("image/png"),
]


def held(kind: type[Matcher[str]], names: list[str]) -> Matcher[str]:
    matcher = kind()
    for name in names:
        matcher.add(name, FILTERS[name])
    return matcher


def test_matches_are_those_of_each_filter_in_the_order_of_adding(kind: type[Matcher[str]]) -> None:
    for names in (list(FILTERS), list(reversed(FILTERS))):
        matcher = held(kind, names)
        expected = [tuple(name for name in names if FILTERS[name].matches(item)) for item in ITEMS]
        assert [matcher.match(item) for item in ITEMS] == expected
        assert matcher.match_batch(ITEMS) == expected


def test_the_items_tell_all_filters_apart(kind: type[Matcher[str]]) -> None:
    matcher = held(kind, list(FILTERS))
    answers = [[name in matcher.match(item) for item in ITEMS] for name in FILTERS]
    assert len({tuple(answer) for answer in answers}) == len(FILTERS)


def test_a_removed_key_matches_no_more_and_may_come_back(kind: type[Matcher[str]]) -> None:
    matcher = held(kind, list(FILTERS))
    matcher.remove("all")
    assert len(matcher) == len(FILTERS) - 1
    assert matcher.match({"mag": None}) == ()
    matcher.add("all", Everything())
    assert matcher.match({"mag": 4, "net": "ci"}) == ("strong", "all")


def test_removing_what_is_not_held_is_a_key_error(kind: type[Matcher[str]]) -> None:
    with pytest.raises(KeyError):
        kind().remove("nobody")


def test_adding_a_key_twice_is_our_own_mistake(kind: type[Matcher[str]]) -> None:
    matcher = held(kind, ["all"])
    with pytest.raises(AssertionError, match="held already"):
        matcher.add("all", Everything())


def test_without_filters_nothing_matches(kind: type[Matcher[str]]) -> None:
    assert len(kind()) == 0
    assert kind().match({}) == ()
