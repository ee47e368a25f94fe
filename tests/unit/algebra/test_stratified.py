"""Sizes from a stratified sample, against true counts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np
import pytest

from distributary.algebra.anyof import any_of
from distributary.algebra.blocks import Blocks
from distributary.algebra.box import Box
from distributary.algebra.everything import Everything
from distributary.algebra.filter import Filter, Statistics
from distributary.algebra.histogram import Histogram, Numbers, split
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.sample import Sample
from distributary.algebra.stratified import StratifiedSample
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.values import Record

LOCATED = Path(__file__).parents[4] / "shared" / "data" / "located"
#: A relative error is asked of boxes with at least this share of the rows.
SHARE_MIN = 0.005


def stratified(values: Numbers, columns: Sequence[str], sampled: int, generator: Generator) -> StratifiedSample:
    """Sample rows, split by the sample, and count the leaves over all rows."""
    chosen = generator.sample(range(len(values)), sampled)
    sample = values[chosen]
    splits = split(sample)
    leaves = splits.leaves_of(values)
    count = 2**splits.depth
    low, high = np.full((count, len(columns)), np.inf), np.full((count, len(columns)), -np.inf)
    np.minimum.at(low, leaves, np.where(np.isnan(values), np.inf, values))
    np.maximum.at(high, leaves, np.where(np.isnan(values), -np.inf, values))
    lost = np.zeros((count, len(columns)), dtype=np.int64)
    np.add.at(lost, leaves, np.isnan(values).astype(np.int64))
    histogram = Histogram(tuple(columns), np.bincount(leaves, minlength=count), low, high, np.zeros_like(lost), lost)
    records: list[Record] = [dict(zip(columns, map(float, row), strict=True)) for row in sample]
    return StratifiedSample(Sample(records, float(len(values))), histogram, splits.leaves_of(sample))


@dataclass(frozen=True)
class Errors:
    """How far estimates of many boxes were off."""

    mean: float
    worst: float
    #: The mean with nothing but the sample.
    mean_alone: float
    #: The share of boxes whose true count was within the stated error.
    within: float


def errors(values: Numbers, columns: Sequence[str], sampled: int, seed: int, boxes: int = 300) -> Errors:
    """Estimate boxes around drawn rows, check what is certain of each, and return the relative errors."""
    generator = Generator(seed)
    statistics = stratified(values, columns, sampled, generator)
    plain = Sample(statistics.sample.records, float(len(values)))
    ordered = [np.sort(values[~np.isnan(values[:, place]), place]) for place in range(len(columns))]
    off, within, off_plain = [], [], []
    for _ in range(boxes):
        centre = values[generator.below(len(values))]
        ranges = {}
        for place, column in enumerate(columns):
            middle = 0.0 if np.isnan(centre[place]) else centre[place]
            half = generator.uniform(0.02, 0.25) * float(ordered[place][-1] - ordered[place][0])
            ranges[column] = (float(middle - half), float(middle + half))
        ends = np.array([ranges[column] for column in columns])
        true = int(((values >= ends[:, 0]) & (values <= ends[:, 1])).all(axis=1).sum())
        found = statistics.estimate(Box.of(ranges))
        assert found.size == statistics.size(Box.of(ranges))
        assert found.low <= true <= found.high
        assert found.low - 1e-6 <= found.size <= found.high + 1e-6
        within.append(abs(true - found.size) <= found.error + 1e-6)
        if true >= SHARE_MIN * len(values):
            off.append(abs(found.size - true) / true)
            off_plain.append(abs(plain.size(Box.of(ranges)) - true) / true)
    made = Errors(float(np.mean(off)), max(off), float(np.mean(off_plain)), float(np.mean(within)))
    print(f"{len(columns)} columns, {sampled} of {len(values)} rows: {made}")
    return made


def clusters(rows: int, columns: int, seed: int) -> Numbers:
    """Return rows in a few dense places and all over, as subscriptions and earthquakes lie; one column has NaN."""
    generator = Generator(seed)
    centres = [[generator.uniform(-50, 50) for _ in range(columns)] for _ in range(5)]
    made = np.array(
        [
            [generator.normal(place, 6) for place in generator.choice(centres)]
            if generator.random() < 0.7
            else [generator.uniform(-80, 80) for _ in range(columns)]
            for _ in range(rows)
        ]
    )
    made[::50, -1] = nan
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "mean_max", "worst_max"), [(1, 0.02, 0.25), (2, 0.08, 0.7), (3, 0.08, 0.9)])
def test_estimates_of_boxes_come_near_true_counts(columns: int, mean_max: float, worst_max: float) -> None:
    found = errors(clusters(20_000, columns, seed=columns), "xyz"[:columns], 1024, seed=7)
    assert found.mean < min(mean_max, found.mean_alone)
    assert found.worst < worst_max
    assert found.within >= 0.95


@pytest.mark.slow
@pytest.mark.skipif(not LOCATED.is_dir(), reason="the shared data is not here")
def test_estimates_of_earthquakes_come_near_true_counts() -> None:
    with (LOCATED / "usgs_earthquakes_2018-02_week.csv").open(encoding="utf-8", newline="") as file:
        rows = [[float(row[name] or nan) for name in ("lat", "lon", "mag")] for row in csv.DictReader(file)]
    for columns, mean_max, worst_max in ((2, 0.03, 0.6), (3, 0.06, 0.8)):
        found = errors(np.array(rows)[:, :columns], ("lat", "lon", "mag")[:columns], 512, seed=3)
        assert found.mean < min(mean_max, found.mean_alone)
        assert found.worst < worst_max
        assert found.within >= 0.95


def test_statistics_of_all_rows_are_exact_and_say_so() -> None:
    values = clusters(300, 2, seed=1)
    statistics = stratified(values, ("x", "y"), 300, Generator(1))
    for tried in (Box.of({"x": (-10, 30)}), parse_where("x > 3 and y < 5 or y > 70"), parse_where("y is not null")):
        found = statistics.estimate(tried)
        true = sum(tried.matches(row) for row in statistics.sample.records)
        assert (found.size, found.error, found.low, found.high) == (true, 0.0, true, true)


def test_full_leaves_count_exactly_and_size_grows_with_the_filter() -> None:
    values = clusters(5000, 2, seed=2)
    statistics: Statistics = (made := stratified(values, ("x", "y"), 256, Generator(2)))
    everything = made.estimate(Everything())
    assert (everything.size, everything.error, everything.low) == (5000.0, 0.0, 5000.0)
    sizes = [statistics.size(Box.of({"x": (-80, high)})) for high in range(-80, 81, 5)]
    assert sizes == sorted(sizes)
    lost = made.estimate(parse_where("y > 1e308"))
    assert lost.low <= 100 <= lost.high


def test_overlap_and_unions_count_the_shared_once() -> None:
    made = stratified(clusters(5000, 2, seed=3), ("x", "y"), 256, Generator(3))
    first, second = Box.of({"x": (-40, 20)}), Box.of({"y": (-10, 50)})
    shared = made.overlap(first, second)
    assert shared == made.size(Box.of({"x": (-40, 20), "y": (-10, 50)}))
    assert made.size(any_of([first, second])) == pytest.approx(made.size(first) + made.size(second) - shared)


@pytest.mark.parametrize("tried", [parse_where("s = 'a'"), parse_where("s like '%a' and x > 0"), Box.of({"z": (0, 1)})])
def test_columns_that_the_histogram_lacks_have_wide_but_certain_bounds(tried: Filter) -> None:
    made = stratified(clusters(1000, 1, seed=4), ("x",), 100, Generator(4))
    found = made.estimate(tried)
    assert found.size == found.low == 0.0
    assert 0 < found.error <= found.high <= 900


def test_bad_leaves_and_filters_of_other_kinds_are_refused() -> None:
    made = stratified(clusters(100, 1, seed=5), ("x",), 32, Generator(5))
    with pytest.raises(InputError, match="leaves: does not give each sampled row a leaf"):
        StratifiedSample(made.sample, made.histogram, made.leaves[:-1])
    with pytest.raises(InputError, match="leaves: does not give each sampled row a leaf"):
        StratifiedSample(made.sample, made.histogram, made.leaves - 1)
    with pytest.raises(InputError, match="leaves: leaves a leaf of the histogram without"):
        StratifiedSample(made.sample, made.histogram, made.leaves * 0)
    with pytest.raises(InputError, match="blocks: a sample of records cannot measure"):
        made.estimate(Blocks(frozenset({1})))
