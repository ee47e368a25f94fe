"""The compiled algorithms against plain ones and brute force, with rates, profiles and more than two columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pytest

from distributary.algebra.box import Box
from distributary.algebra.filter import Statistics
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging import Member, MergeSettings, plan
from distributary.merging.branching import branch_and_price
from distributary.merging.clustering import clusters
from distributary.merging.compiled.boxes import Boxes, Floats, plan_cost
from distributary.merging.compiled.descent import descend, merge_few, merge_within
from distributary.merging.compiled.links import cluster_boxes, link_many
from distributary.merging.compiled.pair import merge_many, merge_pairs
from distributary.merging.compiled.pricing import list_boxes, price_boxes
from distributary.merging.cost import Pricing
from distributary.merging.directed import descended, starts_of
from distributary.merging.geometry import blocks_of, boxes_of, ranks_of
from distributary.merging.metrics import separates
from distributary.merging.pair import plain_pair
from distributary.merging.partition import best_blocks
from distributary.merging.problem import MergeProblem

RECORDS = [
    {"x": draws.uniform(0, 60), "y": draws.uniform(0, 60), "z": draws.uniform(0, 60)}
    for draws in [Generator("records")]
    for _ in range(400)
]
PRICES = Costs(K_M=0.00365, K_T=0.0000325, K_U=0.0000016)


def drawn(
    seed: int, count: int, axes: int = 2, side: int = 60, *, whole: bool = True, rates: bool = False
) -> list[Member]:
    """Boxes; with whole edges many of them fall together."""
    draws = Generator(seed, "algorithms", axes)
    found = []
    for number in range(count):
        ranges = {}
        for axis in "xyz"[:axes]:
            low, extent = draws.uniform(0, side - 15), draws.uniform(0 if whole else 1, 15)
            ranges[axis] = (round(low), round(low) + round(extent)) if whole else (low, low + extent)
        every = draws.choice([1.0, 2.0, 10.0]) if rates else None
        found.append(Member(f"q{number:03}", None, None, Box.of(ranges), every=every))
    return found


def priced(members: list[Member], statistics: Statistics | None = None, costs: Costs | None = None) -> Pricing:
    statistics = statistics or UniformDensity(20.0)
    return Pricing(MergeProblem(tuple(members), "rectangle", costs or PRICES, statistics))


def arrays(pricing: Pricing) -> Boxes:
    (stream,) = pricing.problem.streams()
    found = boxes_of(pricing, stream)
    assert found is not None
    return found


KINDS = pytest.mark.parametrize(
    ("axes", "statistics", "rates"),
    [(1, None, False), (2, None, False), (2, None, True), (3, None, False), (2, Sample(RECORDS, 4e5), False)],
    ids=["one column", "boxes", "rates", "three columns", "sample"],
)


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_compiled_pair_is_the_plain_one(seed: int, axes: int, statistics: Statistics | None, rates: bool) -> None:
    for count in (2, 7, 40):
        pricing = priced(drawn(seed, count, axes, rates=rates), statistics)
        (stream,) = pricing.problem.streams()
        boxes, ranks, plain = arrays(pricing), ranks_of(pricing, stream), sorted(plain_pair(pricing, stream))
        assert sorted(blocks_of(stream, merge_few(boxes, ranks).blocks)) == plain
        assert sorted(blocks_of(stream, merge_many(boxes, ranks))) == plain


def test_pair_takes_the_tree_where_queries_are_many_and_the_result_is_that_of_the_table() -> None:
    boxes = arrays(priced(drawn(1, 450, whole=False, side=300)))
    ranks = np.arange(450)
    assert blocks_of(tuple(ranks), merge_pairs(boxes, ranks)) == blocks_of(tuple(ranks), merge_few(boxes, ranks).blocks)


#: The ends of a box of x, y and two extents.
DEGENERATE: Mapping[str, Callable[[float, float, float, float], tuple[float, float, float, float]]] = {
    "points": lambda x, y, w, h: (x, x, y, y),
    "points on a line": lambda x, y, w, h: (x, x, 7.0, 7.0),
    "one point": lambda x, y, w, h: (3.0, 3.0, 7.0, 7.0),
    "ranges on a line": lambda x, y, w, h: (x, x + w, 7.0, 7.0),
    "ranges on lines": lambda x, y, w, h: (x, x + w, y, y),
    "one box": lambda x, y, w, h: (3.0, 5.0, 7.0, 9.0),
    "four boxes": lambda x, y, w, h: (x % 2, x % 2 + 5.0, y % 2, y % 2 + 5.0),
    "boxes in boxes": lambda x, y, w, h: (-w, w, -h, h),
}


@pytest.mark.parametrize(
    "costs", [Costs(4, 1, 0.125), Costs(4, 1, 0), Costs(4, 0, 0), Costs(4, 0, 0.5), Costs(0, 0, 0)]
)
@pytest.mark.parametrize("kind", DEGENERATE)
def test_compiled_pair_is_the_plain_one_where_boxes_have_no_extent_or_many_are_equal(kind: str, costs: Costs) -> None:
    for rates in (False, True):
        draws, members = Generator(kind), []
        for number in range(30):
            x, y, w, h = map(float, draws.integers(4, 8))
            left, right, bottom, top = DEGENERATE[kind](x, y, w, h)
            box = Box.of({"x": (left, right), "y": (bottom, top)})
            members.append(
                Member(f"q{(number * 7) % 30:02}", None, None, box, every=draws.choice([1.0, 4.0]) if rates else None)
            )
        pricing = priced(members, UniformDensity(1.0), costs)
        (stream,) = pricing.problem.streams()
        boxes, ranks, plain = arrays(pricing), ranks_of(pricing, stream), sorted(plain_pair(pricing, stream))
        assert sorted(blocks_of(stream, merge_many(boxes, ranks))) == plain
        assert sorted(blocks_of(stream, merge_few(boxes, ranks).blocks)) == plain


@pytest.mark.parametrize("kind", ["points", "one point", "points on a line", "one box"])
def test_pair_of_many_queries_without_extent_or_all_equal_is_quick(kind: str) -> None:
    draws, ends = Generator("many"), []
    for _ in range(3000):
        x, y, w, h = (draws.uniform(0, 400) for _ in range(4))
        ends.append(DEGENERATE[kind](x, y, w, h))
    left, right, bottom, top = np.array(ends).T
    low, high = np.column_stack([left, bottom]), np.column_stack([right, top])
    boxes = arrays(priced(drawn(1, 2), UniformDensity(1.0)))._replace(
        low=low, high=high, size=np.prod(high - low, axis=1), rate=np.ones(3000)
    )
    # An algorithm that compares all pairs at each step takes minutes.
    blocks = merge_pairs(boxes, np.arange(3000))
    assert (len(set(blocks.tolist())) == 1) == (kind != "points")


@KINDS
def test_compiled_descent_is_the_plain_one(axes: int, statistics: Statistics | None, rates: bool) -> None:
    for seed in range(6):
        # No whole edges: which of two equal moves comes first is rounding.
        pricing = priced(drawn(seed, 9, axes, whole=False, rates=rates), statistics)
        (stream,) = pricing.problem.streams()
        draws = Generator(seed)
        for merges_first in (True, False):
            start = np.array([draws.below(4) for _ in stream])
            found = descend(
                arrays(pricing), ranks_of(pricing, stream), start[None, :], merges_first=merges_first, least=1e-12
            )
            plain = descended(pricing, blocks_of(stream, start), merges_first=merges_first, least=1e-12)
            assert sorted(blocks_of(stream, found.blocks)) == sorted(plain)
            assert found.cost == pytest.approx(pricing.total(plain))


@KINDS
def test_directed_takes_the_best_of_its_starts(axes: int, statistics: Statistics | None, rates: bool) -> None:
    pricing = priced(drawn(3, 9, axes, whole=False, rates=rates), statistics)
    (stream,) = pricing.problem.streams()
    ranks = ranks_of(pricing, stream)
    starts = starts_of(ranks, 6, Generator(2))
    ends = [
        descended(pricing, blocks_of(stream, start), merges_first=not number, least=1e-12)
        for number, start in enumerate(starts)
    ]
    found = descend(arrays(pricing), ranks, starts, merges_first=True, least=1e-12)
    assert found.cost == pytest.approx(min(map(pricing.total, ends)))
    assert sorted(blocks_of(stream, found.blocks)) in [sorted(end) for end in ends]
    assert plan_cost(arrays(pricing), found.blocks) == pytest.approx(found.cost)
    assert plan_cost(arrays(pricing), 2 * found.blocks + 7) == pytest.approx(found.cost)  # numbers may leave some out


def test_pair_within_clusters_is_pair_of_each_cluster() -> None:
    pricing = priced(drawn(4, 40, side=120), UniformDensity(1.0), Costs(0.00365, 0.0000325, 0.00001))
    (stream,) = pricing.problem.streams()
    boxes, ranks = arrays(pricing), ranks_of(pricing, stream)
    clusters_of = cluster_boxes(boxes, exact=False)
    found = merge_within(boxes, ranks, clusters_of)
    plain = [block for cluster in blocks_of(stream, clusters_of) for block in plain_pair(pricing, cluster)]
    assert 1 < len(set(clusters_of.tolist())) < 40
    assert sorted(blocks_of(stream, found.blocks)) == sorted(plain)
    assert found.cost == pytest.approx(pricing.total(plain))


@KINDS
@pytest.mark.parametrize("metric", ["heuristic", "exact"])
def test_compiled_clusters_are_the_components_of_what_is_not_separated(
    metric: str, axes: int, statistics: Statistics | None, rates: bool
) -> None:
    for seed, k_u in product(range(3), (0.0000016, 0.0005, 0.01)):
        pricing = priced(drawn(seed, 25, axes, rates=rates), statistics, Costs(0.00365, 0.0000325, k_u))
        (stream,) = pricing.problem.streams()
        label = list(stream)
        for first, second in product(stream, stream):
            if first < second and not separates(pricing, first, second, metric):
                label = [label[first] if each == label[second] else each for each in label]
        wanted = {tuple(place for place in stream if label[place] == each) for each in label}
        assert set(clusters(pricing, stream, metric)) == wanted
        assert set(blocks_of(stream, link_many(arrays(pricing), exact=metric == "exact"))) == wanted


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_exact_metric_never_separates_what_an_optimum_joins(
    seed: int, axes: int, statistics: Statistics | None, rates: bool
) -> None:
    pricing = priced(drawn(seed, 9, axes, 40, rates=rates), statistics, Costs(0.00365, 0.0000325, 0.00002))
    (stream,) = pricing.problem.streams()
    for block in best_blocks(pricing, stream):
        for first, second in product(block, block):
            assert first == second or not separates(pricing, first, second, "exact")


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_branch_and_price_proves_the_optimum_of_all_partitions(
    seed: int, axes: int, statistics: Statistics | None, rates: bool
) -> None:
    pricing = priced(drawn(seed, 10, axes, 40, rates=rates), statistics)
    (stream,) = pricing.problem.streams()
    best = pricing.total(best_blocks(pricing, stream))
    found = branch_and_price(arrays(pricing), [(query,) for query in stream], lambda: 0.0, None)
    assert found.cost == pytest.approx(best)
    assert found.lower_bound == pytest.approx(best)
    assert sorted(query for block in found.blocks for query in block) == list(stream)


def test_branch_and_price_branches_where_shares_of_blocks_are_cheaper() -> None:
    """Three queries, any two of which merge well, all three badly: the linear program takes half of each pair."""
    found = []
    for seed in range(60):
        members = drawn(seed, 9, 2, 24)
        pricing = priced(members, UniformDensity(1.0), Costs(60.0, 1.0, 1.5))
        (stream,) = pricing.problem.streams()
        best = pricing.total(best_blocks(pricing, stream))
        made = branch_and_price(arrays(pricing), [(query,) for query in stream], lambda: 0.0, None)
        assert made.cost == pytest.approx(best)
        found.append(made.lower_bound == pytest.approx(best))
    assert all(found)


def test_time_limit_leaves_a_plan_with_a_bound() -> None:
    members = drawn(1, 60, 2, 40, whole=False)
    ticks = iter(range(10**6))
    made = plan(
        members, UniformDensity(20.0), MergeSettings("exact", time_limit=5), lambda: float(next(ticks)), Generator(1)
    )
    assert made.lower_bound is not None
    assert made.lower_bound <= made.cost <= made.unmerged_cost
    assert sorted(name for channel in made.channels for name in channel.members) == [member.id for member in members]


def least_reduced(boxes: Boxes, duals: Floats) -> tuple[float, Floats]:
    """The best block of every box with edges of queries, one after another; and the best one for each query."""
    least, by_query = 0.0, np.zeros(len(duals))
    edges = [(np.unique(boxes.low[:, axis]), np.unique(boxes.high[:, axis])) for axis in range(2)]
    for rate in np.unique(boxes.rate):
        for left, right, bottom, top in product(edges[0][0], edges[0][1], edges[1][0], edges[1][1]):
            if right < left or top < bottom:
                continue
            size = boxes.density * (right - left) * (top - bottom)
            inside = (boxes.low >= (left, bottom)).all(axis=1) & (boxes.high <= (right, top)).all(axis=1)
            gain = duals - boxes.K_U * (rate * size - boxes.rate * boxes.size)
            members = inside & (gain > 0) & (boxes.rate <= rate)
            reduced = rate * (boxes.K_M + boxes.K_T * size) - gain[members].sum()
            least = min(least, reduced)
            by_query[members] = np.minimum(by_query[members], reduced)
    return least, by_query


@pytest.mark.parametrize("rates", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_pricing_finds_the_best_block_of_all_boxes(seed: int, rates: bool) -> None:
    boxes = arrays(priced(drawn(seed, 14, 2, 40, rates=rates)))
    draws = Generator(seed)
    alone = boxes.rate * (boxes.K_M + boxes.K_T * boxes.size)
    for _ in range(4):
        duals = alone * np.array([draws.random() for _ in alone])
        least, by_query = least_reduced(boxes, duals)
        _, found = price_boxes(boxes, duals, 1e-12, lambda: False)
        assert found is not None
        assert found.min() == pytest.approx(least, abs=1e-11)
        # A box that is not tight around its block is not looked at; the tight one is at least as good.
        assert (found <= by_query + 1e-11).all()
        listed, whole = list_boxes(boxes, duals, 1e-12, 10**5, lambda: False)
        assert whole
        assert min([0.0, *listed.reduced]) == pytest.approx(least, abs=1e-11)


def test_rates_send_a_merged_query_as_often_as_its_busiest_member() -> None:
    slow = Member("a", None, None, Box.of({"x": (0, 4)}), every=10.0)
    fast = Member("b", None, None, Box.of({"x": (0, 5)}), every=2.0)
    made = plan(
        [slow, fast], UniformDensity(), MergeSettings("exact", costs=Costs(10, 1, 0.1)), lambda: 0.0, Generator(1)
    )
    (channel,) = made.channels
    assert channel.every == 2.0
    assert channel.size == 5.0
    assert made.cost == pytest.approx(0.5 * (10 + 5) + 0.1 * (0.5 * 5 - 0.1 * 4))
    assert made.unmerged_cost == pytest.approx(0.1 * (10 + 4) + 0.5 * (10 + 5))


def test_cover_charges_a_slow_member_for_what_comes_too_often() -> None:
    members = [
        Member("a", None, None, Box.of({"x": (0, 4)}), every=4.0),
        Member("b", None, None, Box.of({"x": (2, 6)}), every=1.0),
    ]
    pricing = Pricing(MergeProblem(tuple(members), "cover", Costs(0, 0, 1), UniformDensity()))
    assert pricing.cost((0, 1)) == pytest.approx((1 - 0.25) * 2)


def test_predicates_of_open_ranges_merge_into_ranges_and_are_measured_by_a_profile() -> None:
    records = [{"x": float(x), "y": float(y)} for x in range(10) for y in range(10)]
    wheres = ["x >= 5 and y < 3", "x > 6 and y <= 2", "x >= 5 and y < 4"]
    members = [Member(f"q{number}", None, None, parse_where(where)) for number, where in enumerate(wheres)]
    pricing = priced(members, Sample(records), Costs(5.0, 1.0, 0.5))
    (stream,) = pricing.problem.streams()
    boxes = arrays(pricing)
    assert boxes.size.tolist() == [15.0, 9.0, 20.0]
    assert sorted(blocks_of(stream, merge_pairs(boxes, ranks_of(pricing, stream)))) == sorted(
        plain_pair(pricing, stream)
    )
    made = plan(members, Sample(records), MergeSettings("auto", costs=Costs(5.0, 1.0, 0.5)), lambda: 0.0, Generator(1))
    assert made.optimal
    assert math.isfinite(made.cost)


def test_many_queries_of_several_shapes_are_parted_and_none_is_lost() -> None:
    draws = Generator("shapes")
    members = []
    for number in range(1300):
        low = draws.uniform(0, 50)
        where = [
            f"x >= {low} and x < {low + 5}",
            f"y <= {low}",
            f"net = 'n{number % 7}'",
            f"x > {low} and net like 'a%'",
        ]
        members.append(Member(f"q{number:04}", None, None, parse_where(where[number % 4])))
    records = [record | {"net": f"n{number % 9}"} for number, record in enumerate(RECORDS)]
    settings = MergeSettings("pair", costs=Costs(1.0, 0.01, 0.0001))
    made = plan(members, Sample(records), settings, lambda: 0.0, Generator(1))
    assert sorted(name for channel in made.channels for name in channel.members) == [member.id for member in members]
    assert made.cost < 0.5 * made.unmerged_cost
