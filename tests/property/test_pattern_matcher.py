"""The compiled matcher of patterns answers what evaluating each pattern would, whatever came, went and was rebuilt."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.matching.patterns import PatternMatcher
from distributary.testing.documents import NAMESPACES, documents, patterns

pytestmark = pytest.mark.slow

_FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

some_patterns = patterns().map(lambda text: parse_xpath(text, NAMESPACES))


class _Pair:
    """A matcher and, beside it, what it should hold."""

    def __init__(self, bodies: list[bytes]) -> None:
        self.matcher: PatternMatcher[int] = PatternMatcher()
        self.held: dict[int, TreePattern] = {}
        self._bodies = bodies
        self._next = 0

    def add(self, pattern: TreePattern) -> None:
        self.matcher.add(self._next, pattern)
        self.held[self._next] = pattern
        self._next += 1

    def remove(self, place: int) -> None:
        key = list(self.held)[place % len(self.held)]
        self.matcher.remove(key)
        del self.held[key]

    def expected(self, body: bytes) -> tuple[int, ...]:
        document = parse_xml(body)
        return tuple(key for key, pattern in self.held.items() if pattern.matches(document))

    def check(self) -> None:
        expected = [self.expected(body) for body in self._bodies]
        assert [self.matcher.match_body(body) for body in self._bodies] == expected
        assert [self.matcher.match(parse_xml(body)) for body in self._bodies] == expected
        assert self.matcher.match_bodies(self._bodies) == expected
        assert len(self.matcher) == len(self.held)


@_FEW
@given(st.lists(documents(), min_size=1, max_size=3), st.lists(some_patterns, min_size=1, max_size=12), st.data())
def test_answers_are_those_of_each_pattern(bodies: list[bytes], drawn: list[TreePattern], data: st.DataObject) -> None:
    pair = _Pair(bodies)
    for pattern in drawn:
        pair.add(pattern)
    pair.check()
    some = data.draw(st.lists(st.sampled_from(sorted(pair.held)), unique=True))
    for body in bodies:
        assert pair.matcher.match_among(body, some) == tuple(key for key in pair.expected(body) if key in some)
    for key, pattern in pair.held.items():
        assert pair.matcher.pattern(key) == pattern
        for body in bodies:
            assert pair.matcher.explain(key, body).matches == (key in pair.expected(body))


@_FEW
@given(
    st.lists(documents(), min_size=1, max_size=2),
    st.lists(st.one_of(some_patterns, st.integers(0, 50), st.sampled_from(["rebuild", "begin", "adopt"])), max_size=25),
)
def test_any_order_of_adding_removing_and_rebuilding_is_exact(
    bodies: list[bytes], changes: list[TreePattern | int | str]
) -> None:
    pair = _Pair(bodies)
    begun = None
    for change in changes:
        if isinstance(change, TreePattern):
            pair.add(change)
        elif isinstance(change, int):
            if pair.held:
                pair.remove(change)
        elif change == "rebuild":
            pair.matcher.rebuild()
            begun = None
        elif change == "begin":
            begun = pair.matcher.rebuilding()
        elif begun is not None:
            begun.run()
            pair.matcher.adopt(begun)
            begun = None
        pair.check()
    while pair.held:
        pair.remove(0)
    pair.check()
    pair.matcher.rebuild()
    assert pair.matcher.fragmentation == 0.0
    assert pair.matcher.nodes == 1
