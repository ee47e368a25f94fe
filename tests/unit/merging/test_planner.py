from __future__ import annotations

from collections.abc import Mapping

import pytest

from distributary.algebra.box import Box
from distributary.algebra.statistics import UniformDensity
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs, MergePlan
from distributary.merging.extractors import Extractor, answer_headers, extract
from distributary.merging.planner import plan
from distributary.merging.problem import Member
from distributary.merging.settings import MergeSettings

#: Paper 000, section 5.3: no two of the three are worth merging, all three together are.
EXAMPLE = {"q1": ((0, 2), (0, 1)), "q2": ((0, 1), (0, 2)), "q3": ((1, 2), (1, 2))}


def members(
    boxes: Mapping[str, tuple[tuple[float, float], tuple[float, float]]], stream: str | None = None
) -> list[Member]:
    return [Member(name, None, stream, Box.of({"x": x, "y": y})) for name, (x, y) in boxes.items()]


def solved(found: list[Member], algorithm: str = "pair", costs: Costs | None = None) -> MergePlan:
    return plan(found, UniformDensity(), MergeSettings(algorithm, costs=costs or Costs()), lambda: 0.0, Generator(1))


@pytest.mark.parametrize("algorithm", ["none", "pair"])
def test_section_5_3_is_where_pairs_are_not_enough(algorithm: str) -> None:
    made = solved(members(EXAMPLE), algorithm, Costs(10, 9, 4))
    assert made.cost == pytest.approx(75)
    assert made.lower_bound is None


@pytest.mark.parametrize("algorithm", ["directed", "partition", "exhaustive", "exact", "auto"])
def test_section_5_3_is_solved_by_what_looks_further(algorithm: str) -> None:
    made = solved(members(EXAMPLE), algorithm, Costs(10, 9, 4))
    assert made.cost == pytest.approx(74)
    assert made.optimal or algorithm == "directed"


def test_pair_merges_the_pair_that_saves_most_and_goes_on() -> None:
    boxes = {"far": ((90, 91), (90, 91)), "a": ((0, 4), (0, 4)), "b": ((1, 5), (0, 4)), "c": ((0, 4), (0, 4))}
    made = solved(members(boxes), costs=Costs(10, 1, 1))
    assert [channel.members for channel in made.channels] == [("far",), ("a", "b", "c")]
    assert made.channels[1].regions == (Box.of({"x": (0, 5), "y": (0, 4)}).region(),)
    assert made.cost == pytest.approx(2 * 10 + 1 + 20 + (20 - 16) * 3)
    assert made.unmerged_cost == pytest.approx(4 * 10 + 1 + 3 * 16)


def test_pair_breaks_ties_by_ids_whatever_the_order_of_the_members() -> None:
    # Two neighbours each share the same overlap with the one between; only one pair can win.
    boxes = {"b": ((0, 10), (0, 1)), "a": ((5, 15), (0, 1)), "c": ((10, 20), (0, 1))}
    found = members(boxes)
    for ordered in (found, found[::-1]):
        made = solved(ordered, costs=Costs(9, 1, 1))
        assert sorted(sorted(channel.members) for channel in made.channels) == [["a", "b"], ["c"]]


def test_two_queries_are_planned_optimally_by_pair() -> None:
    made = solved(members({"a": ((0, 4), (0, 4)), "b": ((0, 4), (0, 4))}))
    assert made.optimal
    assert made.lower_bound == made.cost < made.unmerged_cost


def test_queries_of_different_streams_do_not_merge() -> None:
    box = {"a": ((0.0, 4.0), (0.0, 4.0))}
    made = solved([*members(box, "s"), Member("b", None, "t", Box.of({"x": (0, 4), "y": (0, 4)}))])
    assert [channel.members for channel in made.channels] == [("a",), ("b",)]
    assert made.optimal


def test_seconds_come_from_the_clock() -> None:
    ticks = iter([10.0, 12.5])
    made = plan(members(EXAMPLE), UniformDensity(), MergeSettings("none", "polygon"), lambda: next(ticks), Generator(1))
    assert made.seconds == 2.5


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"procedure": "circle"}, "procedure: 'circle' is none of rectangle, polygon, cover"),
        ({"algorithm": "magic"}, "algorithm: 'magic' is none of none, pair, "),
        ({"costs": Costs(K_M=-1.0)}, "K_M: must be a number, zero or more, not -1.0"),
        ({"costs": Costs(K_U=float("nan"))}, "K_U: must be a number"),
        ({"metric": "nearest"}, "metric: 'nearest' is none of heuristic, exact"),
        ({"starts": 0}, "starts: must be at least 1"),
        ({"channels": 0}, "channels: must be at least 1"),
        ({"time_limit": float("inf")}, "time_limit: must be a positive number"),
        ({"members": []}, "members: there is nothing to merge"),
        ({"members": members(EXAMPLE) + members(EXAMPLE)}, "q1: id: is the id of two members"),
    ],
)
def test_what_cannot_be_planned_is_refused(change: dict[str, object], complaint: str) -> None:
    found = change.pop("members", members(EXAMPLE))
    settings = MergeSettings(**({"algorithm": "none"} | change))  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        plan(found, UniformDensity(), settings, lambda: 0.0, Generator(1))  # type: ignore[arg-type]
    assert str(caught.value).startswith(complaint)


def test_answer_headers_list_clients_with_their_extractors_and_queries() -> None:
    box = Box.of({"x": (0, 1)})
    found = [
        Member("x", "c1", None, box),
        Member("z", "c2", None, box, ("x",)),
        Member("y", "c1", None, box),
        Member("w", None, None, Box.of({"x": (50, 51)})),
    ]
    first, second = answer_headers(solved(found, costs=Costs(1, 1, 1)), found)
    whole = Extractor(box.text())
    assert first.clients == (("c1", ((whole, "x"), (whole, "y"))), ("c2", ((Extractor(box.text(), ("x",)), "z"),)))
    assert [client for client, _ in second.clients] == ["w"]


def test_extract_selects_and_then_projects() -> None:
    member = Member("z", None, None, Box.of({"x": (0, 1)}), ("y", "none"))
    assert extract(member, {"x": 0.5, "y": 2}) == {"y": 2}
    assert extract(member, {"x": 1.5, "y": 2}) is None


def test_a_volume_beyond_a_double_is_refused_and_one_that_only_merging_would_make_is_not_made() -> None:
    huge = Member("h", None, None, Box.of({"x": (0, 1e200), "y": (0, 1e200)}))
    with pytest.raises(InputError, match=r"h: its size is not finite: .* beyond what a double holds"):
        solved([huge, *members(EXAMPLE)])
    far = Member("f", None, None, Box.of({"x": (1e200, 2e200), "y": (1e200, 1e200)}))
    for algorithm in ("pair", "directed", "auto"):
        made = solved([far, *members(EXAMPLE)], algorithm)
        assert ("f",) in [channel.members for channel in made.channels]
