from __future__ import annotations

from math import inf, nan

import pytest

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Statistics
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import BlockCount, UniformDensity
from distributary.core.errors import InputError
from distributary.core.values import Record

RECORDS: list[Record] = [{"x": index, "s": "ab"[index % 2]} for index in range(10)]


def box(**ranges: tuple[float, float]) -> Box:
    return Box.of(ranges)


def test_uniform_density_size_of_unions_counts_the_shared_once() -> None:
    statistics: Statistics = UniformDensity(2.0)
    assert box(x=(0, 3)).size(statistics) == 6.0
    assert any_of([box(x=(0, 3)), box(x=(2, 5))]).size(statistics) == 10.0
    assert parse_where("x between 0 and 3 or x > 2 and x < 5").size(statistics) == 10.0
    assert box(x=(0, 3)).overlap(any_of([box(x=(2, 5)), box(x=(-1, 1))]), statistics) == 4.0
    assert any_of([]).size(statistics) == 0.0
    assert parse_where("x > 1 and x < 0").size(statistics) == 0.0


def test_uniform_density_open_filters_are_infinite_without_space_and_cut_with_it() -> None:
    assert parse_where("x >= 4").size(UniformDensity()) == inf
    space = UniformDensity(1.0, space=box(x=(0, 10), y=(0, 5)))
    assert parse_where("x >= 4").size(space) == 30.0
    assert Everything().size(space) == 50.0
    assert box(x=(20, 30)).size(space) == 0.0
    assert parse_where("x >= 4").overlap(parse_where("y < 1"), space) == 6.0


def test_uniform_density_without_ranges_is_refused_with_the_filter() -> None:
    with pytest.raises(InputError, match=r"where: .*s = 'a'.* is not made of numeric ranges.* needs a profile"):
        UniformDensity().size(parse_where("s = 'a'"))
    with pytest.raises(InputError, match="needs a profile"):
        UniformDensity().overlap(box(x=(0, 1)), Blocks(frozenset({1})))


def test_sample_scales_the_share_that_matches() -> None:
    statistics: Statistics = Sample(RECORDS, total=1000.0)
    assert box(x=(0, 4)).size(statistics) == 500.0
    assert parse_where("s = 'a'").size(statistics) == 500.0
    assert box(x=(0, 4)).overlap(parse_where("s = 'a'"), statistics) == 300.0
    assert any_of([box(x=(0, 4)), parse_where("s = 'a'")]).size(statistics) == 700.0
    assert Everything().size(Sample(RECORDS)) == 10.0


def test_sample_boxes_on_columns_match_as_records_do() -> None:
    values = [None, True, nan, "1", 1, 1.5, 2, 10**400, -(10**400), inf]
    sample = Sample([*({"x": value} for value in values), {}])
    for tried in (box(x=(1, 2)), box(x=(-inf, inf)), Box()):
        assert list(sample.mask(tried)) == [tried.matches(record) for record in sample.records]


def test_sample_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(InputError, match="blocks: a sample of records cannot measure"):
        Sample(RECORDS).size(Blocks(frozenset({1})))
    with pytest.raises(InputError, match="records: the sample holds no record"):
        Sample([])


def test_sample_asked_more_filters_than_it_remembers_still_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sample, "_MASKS_MAX", 2)
    sample = Sample(RECORDS)
    assert [sample.size(box(x=(0, high))) for high in range(5)] == [1, 2, 3, 4, 5]
    assert sample.size(box(x=(0, 0))) == 1


def test_block_count_measures_blocks_of_equal_size() -> None:
    statistics = BlockCount(10, total=1000.0)
    first, second = Blocks(frozenset({0, 1, 2, 99})), Blocks(frozenset({2, 3}))
    assert first.size(statistics) == 300.0
    assert first.overlap(second, statistics) == 100.0
    assert any_of([first, second]).size(statistics) == 400.0
    assert Everything().size(BlockCount(10)) == 10.0
    with pytest.raises(InputError, match="box: only sets of blocks"):
        statistics.size(box(x=(0, 1)))
    with pytest.raises(InputError, match="blocks: must be at least 1"):
        BlockCount(0)
