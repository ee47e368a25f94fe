"""The matcher of records from outside: order, kinds, levels, rebuilding, what is in doubt; large and wide inputs."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from distributary.algebra.anyof import AnyOf, any_of
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.treepattern import parse_xpath
from distributary.core.generator import Generator
from distributary.core.values import Opaque, Record
from distributary.matching.records import RecordMatcher, rebuilt
from distributary.matching.records.necessary import necessary_cells


def holding(filters: dict[str, Filter], settled: bool = True) -> RecordMatcher[str]:
    matcher: RecordMatcher[str] = RecordMatcher()
    for key, wanted in filters.items():
        matcher.add(key, wanted)
    if settled:
        matcher.settle()
    return matcher


def sizes(matcher: RecordMatcher[int]) -> list[int]:
    return list(matcher.levels)


@pytest.mark.slow
def test_a_filter_with_overlapping_cells_is_named_once_and_in_its_place() -> None:
    filters: dict[str, Filter] = {
        "first": any_of([Box.of({"x": (0, 5)}), Box.of({"x": (3, 9)}), Box.of({"y": (0, 1)})]),
        "second": parse_where("x > 1"),
    }
    matcher = holding(filters)
    matcher.add("young", parse_where("x = 4"))
    assert matcher.match({"x": 4, "y": 0.5}) == ("first", "second", "young")
    assert matcher.match_batch([{"x": 4, "y": 0.5}] * 9) == [("first", "second", "young")] * 9


def test_filters_of_other_kinds_are_tested_one_by_one() -> None:
    filters: dict[str, Filter] = {
        "all": Everything(),
        "either": AnyOf((parse_where("x > 1"), parse_xpath("/a"))),
        "none": AnyOf(()),
        "record": parse_where("x > 2"),
    }
    for settled in (False, True):
        matcher = holding(filters, settled)
        assert matcher.match({"x": 3}) == ("all", "either", "record")
        assert matcher.match(Opaque("image/png")) == ("all",)
        assert matcher.match_batch([{"x": 2}] * 9) == [("all", "either")] * 9
        assert matcher.match_batch([Opaque("a/b"), *[{"x": 2}] * 9]) == [("all",), *[("all", "either")] * 9]
        for key in filters:
            matcher.remove(key)
        assert matcher.match({"x": 3}) == ()


def test_what_the_index_cannot_express_is_tested_by_the_filter() -> None:
    vast = 10**25
    filters: dict[str, Filter] = {
        "like": parse_where("s like '%b%' and x > 1"),
        "read": parse_where("s > timestamp '2018-01-01'"),
        "vast": parse_where(f"x > {vast} and x <= {vast + 1}"),
        "low": parse_where(f"x < -{vast}"),
        "not": parse_where(f"x <> {vast}"),
    }
    records: list[Record] = [
        {"s": "abc", "x": 2},
        {"s": "acc", "x": 2},
        {"s": "2018-01-02"},
        {"s": "2017-01-02"},
        *[{"x": sign * (vast + step)} for sign in (-1, 1) for step in (-1, 0, 1, 2)],
        *[{"x": sign * 2**63 + step} for sign in (-1, 1) for step in (-1, 0, 1)],
    ]
    expected = [tuple(key for key, wanted in filters.items() if wanted.matches(record)) for record in records]
    assert {key for keys in expected for key in keys} == set(filters)
    matcher = holding(filters)
    assert [matcher.match(record) for record in records] == expected
    assert matcher.match_batch(records) == expected


@pytest.mark.slow
def test_a_predicate_without_normal_form_is_found_by_what_it_needs() -> None:
    many = " and ".join(f"(a{number} = 1 or b{number} = 1)" for number in range(12))
    wanted = parse_where(f"x = 7 and {many}")
    assert wanted.cells() is None
    cells = necessary_cells(wanted.expression, 32)
    assert cells is not None
    assert all("x" in dict(cell) for cell in cells)
    matcher = holding({"key": wanted})
    full: Record = {"x": 7, **{f"a{number}": 1 for number in range(12)}}
    assert matcher.match(full) == ("key",)
    assert matcher.match({**full, "a3": 0}) == ()
    assert matcher.match({**full, "x": 8}) == ()
    either = parse_where(f"x = 7 or {many}")
    assert necessary_cells(either.expression, 8) is None or either.cells() is None
    assert holding({"key": either}).match({"x": 7}) == ("key",)


def test_levels_stay_few_and_those_that_are_gone_leave() -> None:
    matcher: RecordMatcher[int] = RecordMatcher()
    for key in range(2000):
        matcher.add(key, Box.of({"x": (key, key + 1)}))
        if key % 50 == 0:
            matcher.settle()
    matcher.settle()
    assert len(sizes(matcher)) <= 4
    assert sum(sizes(matcher)) == 2000
    for key in range(1900):
        matcher.remove(key)
    assert sum(sizes(matcher)) <= 300
    assert matcher.match({"x": 1950}) == (1949, 1950)
    assert matcher.match({"x": 50}) == ()


def test_young_filters_make_a_level_when_they_are_many_or_were_tested_often() -> None:
    matcher: RecordMatcher[int] = RecordMatcher()
    for key in range(64):
        matcher.add(key, parse_where(f"x = {key}"))
    assert matcher.match({"x": 3}) == (3,)
    assert sizes(matcher) == []
    matcher.add(64, parse_where("x = 3"))
    assert matcher.match({"x": 3}) == (3, 64)
    assert sizes(matcher) == [65]
    matcher.add(65, parse_where("x = 4"))
    assert [matcher.match({"x": 4}) for _ in range(64)] == [(4, 65)] * 64
    assert sizes(matcher) == [65]
    assert matcher.match({"x": 4}) == (4, 65)
    assert sizes(matcher) == [66]


def test_a_rebuild_elsewhere_keeps_what_came_and_went_meanwhile() -> None:
    matcher: RecordMatcher[int] = RecordMatcher(merged_max=10)
    for key in range(90):
        matcher.add(key, Box.of({"x": (key, key + 1)}))
        if key % 30 == 29:
            matcher.settle()
    assert len(sizes(matcher)) == 3
    snapshot = pickle.loads(pickle.dumps(matcher.snapshot().parts))
    waiting = matcher.snapshot()
    matcher.remove(50)
    matcher.add(100, Box.of({"x": (50, 51)}))
    matcher.adopt(rebuilt(waiting))
    assert sizes(matcher) == [90]
    assert matcher.match({"x": 50.5}) == (100,)
    assert matcher.match({"x": 49.5}) == (49,)
    matcher.adopt(rebuilt(waiting))  # outdated: the levels that it stands for are gone
    assert matcher.match({"x": 50.5}) == (100,)
    assert [part.owner.tolist() for part in snapshot] == [list(range(first, first + 30)) for first in (0, 30, 60)]


@pytest.mark.slow
def test_many_conjunctions_over_many_columns_match_as_one_by_one() -> None:
    generator = Generator("wide", 1)
    names = [f"a{number}" for number in range(40)]
    filters: dict[int, Filter] = {}
    for key in range(500):
        tests = []
        for name in generator.sample(names[:8] if key % 2 else names, 3):
            low = generator.below(100)
            listed = ", ".join(str(low % 3 + 3 * step) for step in range(30))
            tests.append(
                generator.choice(
                    [
                        f"{name} = {low % 10}",
                        f"{name} between {low} and {low + 50}",
                        f"{name} in ({listed})",
                        f"{name} in ({low}, {low + 1}, {low + 5})",
                        f"{name} not in ({low}, {low + 5})",
                    ]
                )
            )
        filters[key] = parse_where(" and ".join(tests))
    matcher: RecordMatcher[int] = RecordMatcher()
    for key, wanted in filters.items():
        matcher.add(key, wanted)
    records: list[Record] = [
        {name: generator.below(100) for name in (names[:8] if row % 2 else generator.sample(names, 20))}
        for row in range(40)
    ]
    expected = [tuple(key for key, wanted in filters.items() if wanted.matches(record)) for record in records]
    assert sum(map(len, expected)) > 50
    assert matcher.match_batch(records) == expected
    assert [matcher.match(record) for record in records] == expected


def test_columns_that_are_looked_at_are_named_where_they_are_known() -> None:
    matcher = holding({"key": parse_where("x > 1 and s like '%a'"), "box": Box.of({"y": (0, 1)})})
    assert matcher.columns() == ("s", "x", "y")
    matcher.add("all", Everything())
    assert matcher.columns() is None


def test_boxes_in_bulk_are_boxes() -> None:
    matcher: RecordMatcher[str] = RecordMatcher()
    start, column = np.array([0, 2, 3, 3]), np.array([0, 1, 1])
    matcher.add_boxes(["both", "one", "free"], ("x", "y"), start, column, np.array([0.0, 0, 5]), np.array([1.0, 1, 5]))
    matcher.add("later", parse_where("x is null"))
    assert matcher.match({"x": 1, "y": 0}) == ("both", "free")
    assert matcher.match({"y": 5.0}) == ("one", "free", "later")
    assert matcher.match({"x": True, "y": 0}) == ("free",)
    matcher.settle()
    matcher.remove("both")
    assert matcher.match_batch([{"x": 1, "y": 0}] * 9) == [("free",)] * 9
    with pytest.raises(AssertionError, match="too far out"):
        matcher.add_boxes(["inf"], ("x",), np.array([0, 1]), np.array([0]), np.array([0.0]), np.array([np.inf]))


def test_a_forked_process_matches_too() -> None:
    matcher = holding({"key": parse_where("x > 1")})
    assert matcher.match({"x": 2}) == ("key",)
    child = os.fork()
    if child == 0:
        os._exit(0 if matcher.match({"x": 3}) == ("key",) else 1)
    assert os.waitpid(child, 0)[1] == 0
