from __future__ import annotations

import pytest

from distributary.algebra import Everything, Filter, any_of, parse_where, parse_xml, parse_xpath
from distributary.core.documents import UnparsedDocument
from distributary.core.values import Content
from distributary.matching import CompiledMatcher, ReferenceMatcher

pytestmark = pytest.mark.slow  # compiled code is loaded

BODY = b"<a><b x='5'>red</b></a>"
ITEMS: list[Content] = [parse_xml(BODY), UnparsedDocument(BODY, parse_xml), {"mag": 5, "net": "ci"}, {"mag": None}]
FILTERS: list[Filter] = [
    parse_xpath("/a/b"),
    parse_where("mag > 4"),
    Everything(),
    any_of([parse_where("net = 'ci'"), parse_xpath("//b[@x > 4]"), parse_xpath("/c")]),
    parse_xpath("/c"),
    any_of([parse_where("mag > 2 and net = 'ci'"), parse_where("net like 'c%' and mag < 9")]),
    parse_where("mag is null"),
    any_of([]),
]


def expected(filters: dict[int, Filter]) -> list[tuple[int, ...]]:
    reference: ReferenceMatcher[int] = ReferenceMatcher()
    for key, wanted in filters.items():
        reference.add(key, wanted)
    return reference.match_batch(ITEMS)


@pytest.mark.parametrize("few", [0, 3, 100])
def test_all_kinds_together_match_as_the_reference_in_the_order_of_adding(few: int) -> None:
    matcher: CompiledMatcher[int] = CompiledMatcher(few=few)
    held = dict(enumerate(FILTERS))
    for key, wanted in held.items():
        matcher.add(key, wanted)
    assert [matcher.match(item) for item in ITEMS] == expected(held)
    assert matcher.match_batch(ITEMS) == expected(held)
    assert matcher.match_batch(ITEMS[:2]) == expected(held)[:2]
    assert matcher.match_batch(ITEMS[2:]) == expected(held)[2:]
    for key in (3, 0, 6):
        matcher.remove(key)
        del held[key]
    matcher.add(0, FILTERS[0])
    held[0] = FILTERS[0]
    assert len(matcher) == len(held)
    assert [matcher.match(item) for item in ITEMS] == expected(held)


def test_a_union_with_several_matching_members_is_reported_once() -> None:
    matcher: CompiledMatcher[str] = CompiledMatcher(few=0)
    matcher.add("twice", FILTERS[5])
    assert matcher.match({"mag": 5, "net": "ci"}) == ("twice",)


def test_filters_are_tested_one_by_one_until_compiled_code_is_ready() -> None:
    asked = []
    answers = iter([False, False, True])

    def ready() -> bool:
        asked.append(True)
        return next(answers)

    matcher: CompiledMatcher[int] = CompiledMatcher(ready=ready, few=1)
    matcher.add(0, FILTERS[0])
    assert not asked  # one filter is few
    matcher.add(1, FILTERS[4])
    for count in (2, 3, 3):
        assert matcher.match(ITEMS[0]) == (0,)
        assert len(asked) == count  # and once it is ready, nobody asks again
