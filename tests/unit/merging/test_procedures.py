from __future__ import annotations

from typing import Any

import pytest

from distributary.algebra.box import Box
from distributary.algebra.filter import Filter
from distributary.algebra.parse import filter_of_subscription
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import UniformDensity
from distributary.core.errors import InputError
from distributary.core.subscriptions import subscription_of
from distributary.merging.problem import Member
from distributary.merging.procedures import PROCEDURES, SizedQuery, sized_query

RECORDS = [{"x": x, "y": 10 - x, "net": "ci" if x % 2 else "us"} for x in range(11)]


def query(**wanted: Any) -> Filter:
    return filter_of_subscription(subscription_of({"id": "s", **wanted}))


def sized(wanted: Filter, statistics: Sample | UniformDensity | None = None) -> SizedQuery:
    return sized_query(Member("s", None, None, wanted), statistics or UniformDensity())


def test_rectangle_on_different_attributes_keeps_those_that_all_share() -> None:
    queries = [sized(query(box={"x": [0, 1], "y": [0, 1]})), sized(query(box={"x": [2, 4]}))]
    (merged,) = PROCEDURES["rectangle"].queries(queries)
    assert merged.filter == Box.of({"x": (0, 4)})


def test_rectangle_of_an_or_is_the_box_around_its_boxes() -> None:
    queries = [sized(query(where="x between 0 and 1 or x between 5 and 6")), sized(query(box={"x": [2, 3]}))]
    (merged,) = PROCEDURES["rectangle"].queries(queries)
    assert merged.filter == Box.of({"x": (0, 6)})
    assert PROCEDURES["rectangle"].measure(queries, UniformDensity()).irrelevant == 6 - 2 + 6 - 1


@pytest.mark.parametrize("procedure", ["rectangle", "polygon"])
def test_queries_that_are_no_boxes_merge_into_their_union(procedure: str) -> None:
    statistics = Sample(RECORDS)
    queries = [sized(query(where="net = 'ci'"), statistics), sized(query(box={"x": [0, 4]}), statistics)]
    measured = PROCEDURES[procedure].measure(queries, statistics)
    (merged,) = PROCEDURES[procedure].queries(queries)
    assert (measured.queries, measured.size, measured.irrelevant) == (1, 8.0, 3.0 + 3.0)
    assert sum(merged.filter.matches(record) for record in RECORDS) == 8
    assert merged.regions == ()


def test_cover_of_queries_that_are_no_boxes_keeps_each() -> None:
    statistics = Sample(RECORDS)
    queries = [sized(query(where="net = 'ci'"), statistics), sized(query(box={"x": [0, 4]}), statistics)]
    measured = PROCEDURES["cover"].measure(queries, statistics)
    assert (measured.queries, measured.size, measured.irrelevant) == (2, 10.0, 0.0)


def test_cover_gives_a_point_its_own_query_so_that_nothing_is_lost() -> None:
    queries = [sized(query(box={"x": [0, 4]})), sized(query(where="x = 2"))]
    measured = PROCEDURES["cover"].measure(queries, UniformDensity())
    merged = PROCEDURES["cover"].queries(queries)
    assert (measured.queries, measured.size) == (2, 4.0)
    assert [found.filter.matches({"x": 2}) for found in merged] == [True, True]


def test_a_range_with_an_open_end_is_merged_without_losing_nan() -> None:
    statistics = Sample([*RECORDS, {"x": float("nan")}])
    queries = [sized(query(where="x >= 9"), statistics), sized(query(where="x >= 8"), statistics)]
    for procedure in PROCEDURES.values():
        merged = procedure.queries(queries)
        assert any(found.filter.matches({"x": float("nan")}) for found in merged)


def test_a_query_that_matches_nothing_does_not_widen_the_rectangle() -> None:
    queries = [sized(query(where="x < 0 and x > 10")), sized(query(box={"x": [2, 3]}))]
    assert PROCEDURES["rectangle"].measure(queries, UniformDensity()).size == 1.0


@pytest.mark.parametrize("wanted", [{"where": "x > 3"}, {"xpath": "//e"}, {}])
def test_a_query_without_a_finite_size_is_refused_by_its_id(wanted: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"^s: "):
        sized(query(**wanted))
