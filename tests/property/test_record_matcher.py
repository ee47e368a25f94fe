"""The compiled matcher of records answers as each filter does by itself, whatever comes, goes and in what form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.algebra.anyof import any_of
from distributary.algebra.filter import Filter
from distributary.core.values import Record
from distributary.matching.records import AnyColumn, Columns, RecordMatcher, columns_of, rebuilt
from distributary.testing.strategies import boxes, predicates, records

COLUMNS = ("x", "y", "s")
FILTERS: st.SearchStrategy[Filter] = st.one_of(
    predicates().map(lambda pair: pair[1]),
    predicates(depth=1).map(lambda pair: pair[1]),
    boxes(),
    st.lists(st.one_of(predicates(depth=2).map(lambda pair: pair[1]), boxes()), max_size=4).map(any_of),
)


def matching(filters: dict[int, Filter], record: Record) -> tuple[int, ...]:
    return tuple(key for key, wanted in filters.items() if wanted.matches(record))


@pytest.mark.slow
@given(st.lists(FILTERS, max_size=12), st.lists(records(), min_size=8, max_size=20))
def test_one_by_one_in_batches_and_in_columns_matches_are_the_filters_own(
    filters: list[Filter], items: list[Record]
) -> None:
    held = dict(enumerate(filters))
    expected = [matching(held, item) for item in items]
    matcher: RecordMatcher[int] = RecordMatcher()
    for key, wanted in held.items():
        matcher.add(key, wanted)
    assert [matcher.match(item) for item in items] == expected
    assert matcher.match_batch(items) == expected
    assert [matcher.match(item) for item in items] == expected  # by the index now
    columns = Columns(len(items), {name: AnyColumn([item.get(name) for item in items]) for name in COLUMNS})
    start, serials = matcher.match_columns(columns)
    assert [matcher.keys_of(serials[start[row] : start[row + 1]]) for row in range(len(items))] == expected


@pytest.mark.slow
@given(st.data())
def test_after_any_adds_removes_and_rebuilds_matches_are_the_filters_own(data: st.DataObject) -> None:
    matcher: RecordMatcher[int] = RecordMatcher(merged_max=data.draw(st.sampled_from([None, 0, 3])))
    held: dict[int, Filter] = {}
    waiting: Any = None
    for key in range(data.draw(st.integers(1, 25))):
        act = data.draw(st.sampled_from(["add", "add", "add", "remove", "settle", "snapshot", "adopt", "match"]))
        if act == "add":
            held[key] = data.draw(FILTERS)
            matcher.add(key, held[key])
        elif act == "remove" and held:
            gone = data.draw(st.sampled_from(sorted(held)))
            del held[gone]
            matcher.remove(gone)
        elif act == "settle":
            matcher.settle()
        elif act == "snapshot":
            waiting = rebuilt(matcher.snapshot())
        elif act == "adopt" and waiting is not None:
            matcher.adopt(waiting)
            waiting = None
        elif act == "match":
            item = data.draw(records())
            assert matcher.match(item) == matching(held, item)
        assert len(matcher) == len(held)
    items = data.draw(st.lists(records(), min_size=8, max_size=10))
    assert matcher.match_batch(items) == [matching(held, item) for item in items]
    assert [matcher.match(item) for item in items] == [matching(held, item) for item in items]


@pytest.mark.slow
@given(
    st.lists(st.one_of(boxes(), predicates(depth=2).map(lambda pair: pair[1])), min_size=1, max_size=8),
    st.sampled_from(["double", "integer", "string"]),
    st.data(),
)
def test_typed_columns_match_as_their_values_do(filters: list[Filter], kind: str, data: st.DataObject) -> None:
    values: dict[str, st.SearchStrategy[Any]] = {
        "double": st.one_of(st.floats(), st.sampled_from([0.0, 0.5, 1.0, 2.0**53, -0.0, 1e300])),
        "integer": st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 1, 2**53, 2**53 + 1, 2**63 - 1])),
        "string": st.one_of(st.text(), st.sampled_from(["a", "ab", "2018-02-01", "it's"])),
    }
    drawn = data.draw(
        st.lists(st.fixed_dictionaries({"x": st.none() | values[kind], "s": values[kind]}), min_size=8, max_size=12)
    )
    held = dict(enumerate(filters))
    matcher: RecordMatcher[int] = RecordMatcher()
    for key, wanted in held.items():
        matcher.add(key, wanted)
    start, serials = matcher.match_columns(columns_of(drawn, ("x", "s")))
    found = [matcher.keys_of(serials[start[row] : start[row + 1]]) for row in range(len(drawn))]
    assert found == [matching(held, item) for item in drawn]
