"""What every merging algorithm promises, in every procedure; algorithms join by standing in the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count, pairwise, product

import pytest

from distributary.algebra.box import Box
from distributary.algebra.parse import filter_of
from distributary.algebra.statistics import UniformDensity
from distributary.core.generator import Generator
from distributary.core.results import Channel, Costs, MergePlan
from distributary.merging.planner import ALGORITHMS, filter_text, plan
from distributary.merging.problem import Member
from distributary.merging.procedures import PROCEDURES
from distributary.merging.settings import MergeSettings

pytestmark = [
    pytest.mark.parametrize("procedure", list(PROCEDURES)),
    pytest.mark.parametrize("algorithm", list(ALGORITHMS)),
]

COSTS = Costs(K_M=60.0, K_T=0.3, K_U=0.06)
Ranges = dict[str, tuple[float, float]]


def drawn(algorithm: str, seed: int, members: int = 6, streams: int = 1) -> tuple[list[Member], dict[str, Ranges]]:
    """Boxes with whole edges, so that many edges fall together; as many as the algorithm takes."""
    members = min(members, 4) if algorithm == "exhaustive" else members
    generator = Generator(seed, "mergers")
    boxes: dict[str, Ranges] = {}
    found = []
    for number in range(members):
        x, y = generator.below(20), generator.below(20)
        ranges: Ranges = {"x": (x, x + 1 + generator.below(15)), "y": (y, y + 1 + generator.below(15))}
        boxes[f"q{number}"] = ranges
        stream = f"s{generator.below(streams)}" if streams > 1 else None
        found.append(Member(f"q{number}", None, stream, Box.from_ranges(ranges)))
    return found, boxes


def solved(members: Sequence[Member], algorithm: str, procedure: str, costs: Costs = COSTS) -> MergePlan:
    ticks = count()
    settings = MergeSettings(algorithm, procedure, costs)
    return plan(members, UniformDensity(), settings, lambda: float(next(ticks)), Generator(7))


def block_cost(boxes: Sequence[Ranges], procedure: str, costs: Costs = COSTS) -> float:
    """The cost of a block from the cells that its edges draw: independent of the product's code."""
    wanted = math.fsum(math.prod(high - low for low, high in box.values()) for box in boxes)
    if procedure == "rectangle" or len(boxes) == 1:
        hull = [(min(box[axis][0] for box in boxes), max(box[axis][1] for box in boxes)) for axis in ("x", "y")]
        size, queries = math.prod(high - low for low, high in hull), 1
    else:
        xs, ys = (sorted({end for box in boxes for end in box[axis]}) for axis in ("x", "y"))
        sets: dict[frozenset[int], float] = {}
        for (left, right), (low, high) in product(pairwise(xs), pairwise(ys)):
            x, y = (left + right) / 2, (low + high) / 2
            inside = frozenset(
                number
                for number, box in enumerate(boxes)
                if box["x"][0] < x < box["x"][1] and box["y"][0] < y < box["y"][1]
            )
            if inside:
                sets[inside] = sets.get(inside, 0.0) + (right - left) * (high - low)
        size, queries = math.fsum(sets.values()), 1 if procedure == "polygon" else len(sets)
    irrelevant = 0.0 if procedure == "cover" else len(boxes) * size - wanted
    return costs.K_M * queries + costs.K_T * size + costs.K_U * irrelevant


def optimum(boxes: Sequence[Ranges], procedure: str) -> float:
    full = 1 << len(boxes)
    block = [
        block_cost([box for place, box in enumerate(boxes) if mask >> place & 1], procedure) if mask else 0.0
        for mask in range(full)
    ]
    best = [0.0] * full
    for mask in range(1, full):
        lowest = mask & -mask
        rest = sub = mask ^ lowest
        value = math.inf
        while True:
            value = min(value, block[sub | lowest] + best[rest ^ sub])
            if not sub:
                break
            sub = (sub - 1) & rest
        best[mask] = value
    return best[-1]


@pytest.mark.parametrize("seed", range(3))
def test_costs_are_those_of_the_channels_and_bounds_hold(algorithm: str, procedure: str, seed: int) -> None:
    members, boxes = drawn(algorithm, seed)
    made = solved(members, algorithm, procedure)
    recomputed = [block_cost([boxes[name] for name in channel.members], procedure) for channel in made.channels]
    apart = math.fsum(block_cost([box], procedure) for box in boxes.values())
    best = optimum(list(boxes.values()), procedure)
    assert made.cost == pytest.approx(math.fsum(recomputed))
    assert made.unmerged_cost == pytest.approx(apart)
    assert best - 1e-9 <= made.cost <= apart + 1e-9
    assert made.lower_bound is None or made.lower_bound <= best + 1e-9
    assert not made.optimal or made.cost == pytest.approx(best)
    assert made.procedure == procedure
    assert made.algorithm == algorithm
    assert made.optimal or algorithm not in {"partition", "exhaustive", "exact", "auto"}


@pytest.mark.parametrize("seed", range(3))
def test_every_query_is_in_one_channel_of_its_stream(algorithm: str, procedure: str, seed: int) -> None:
    members, _ = drawn(algorithm, seed, members=7, streams=2)
    streams = {member.id: member.stream for member in members}
    made = solved(members, algorithm, procedure, Costs(1e6, 0.001, 0.001))
    assert sorted(name for channel in made.channels for name in channel.members) == sorted(streams)
    assert all(len({streams[name] for name in channel.members}) == 1 for channel in made.channels)
    assert len({channel.id for channel in made.channels}) == len(made.channels)


@pytest.mark.parametrize("seed", range(2))
def test_merged_queries_match_what_their_members_match(algorithm: str, procedure: str, seed: int) -> None:
    members, boxes = drawn(algorithm, seed)
    made = solved(members, algorithm, procedure)
    for channel in made.channels:
        queries = [filter_of(filter_text(text)) for text in channel.queries]
        # Corners, edges and insides: quarters between whole edges.
        for x, y in product([step / 2 for step in range(0, 72, 3)], repeat=2):
            sent = [query.matches({"x": x, "y": y}) for query in queries]
            wanting = [name for name in channel.members if inside(boxes[name], x, y)]
            assert any(sent) or not wanting, (x, y, wanting)
            if procedure == "cover" and x % 1 and y % 1:
                assert sum(sent) == bool(wanting), (x, y, channel)


def inside(box: Ranges, x: float, y: float) -> bool:
    return box["x"][0] <= x <= box["x"][1] and box["y"][0] <= y <= box["y"][1]


def test_the_same_seed_gives_the_same_plan(algorithm: str, procedure: str) -> None:
    members, _ = drawn(algorithm, 5, members=12)
    assert solved(members, algorithm, procedure) == solved(members, algorithm, procedure)


def test_regions_are_the_boxes_of_the_merged_queries(algorithm: str, procedure: str) -> None:
    members, _ = drawn(algorithm, 2)
    made = solved(members, algorithm, procedure)

    def covered(channel: Channel, x: float, y: float) -> bool:
        return any(inside(region, x, y) for region in channel.regions)  # type: ignore[arg-type]

    for channel in made.channels:
        queries = [filter_of(filter_text(text)) for text in channel.queries]
        for x, y in product(range(0, 36, 2), repeat=2):
            assert covered(channel, x, y) == any(query.matches({"x": x, "y": y}) for query in queries)


def test_one_query_is_its_own_channel_and_proven_optimal(algorithm: str, procedure: str) -> None:
    members, _ = drawn(algorithm, 1, members=1)
    made = solved(members, algorithm, procedure)
    assert made.optimal
    assert made.lower_bound == made.cost == made.unmerged_cost
    assert made.channels[0].members == ("q0",)
