from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest

from distributary.algebra.box import Box
from distributary.algebra.predicate_parser import parse_where
from distributary.algebra.sample import Sample
from distributary.algebra.statistics import UniformDensity
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Costs
from distributary.merging.live import LivePlan, rebuilt
from distributary.merging.planner import plan
from distributary.merging.problem import Member
from distributary.merging.settings import MergeSettings

pytestmark = pytest.mark.slow

SETTINGS = MergeSettings()


def member(
    identity: str, x: tuple[float, float], y: tuple[float, float] = (0, 10), stream: str | None = None
) -> Member:
    return Member(identity, None, stream, Box.of({"x": x, "y": y}))


def drawn(generator: Generator, count: int, prefix: str = "q") -> list[Member]:
    side = 400 * (count / 100) ** 0.5

    def ends() -> tuple[float, float]:
        width = generator.uniform(20, 40)
        low = generator.uniform(0, side - width)
        return low, low + width

    return [member(f"{prefix}{number}", ends(), ends()) for number in range(count)]


def live_of(members: list[Member], settings: MergeSettings = SETTINGS, lower_bound: float = 0.0) -> LivePlan:
    return LivePlan(members, UniformDensity(), settings, lower_bound)


def room_of(live: LivePlan) -> int:
    assert live._live is not None
    return len(live._live.home)


def planned(members: list[Member], settings: MergeSettings = SETTINGS) -> float:
    return plan(members, UniformDensity(), settings, lambda: 0.0, Generator(1)).cost


def test_a_live_plan_starts_as_the_pair_plan_with_its_channels() -> None:
    members = drawn(Generator("start"), 60)
    found = live_of(members).plan()
    expected = plan(members, UniformDensity(), MergeSettings("pair"), lambda: 0.0, Generator(1))
    assert found.channels == expected.channels
    assert (found.cost, found.unmerged_cost) == (expected.cost, expected.unmerged_cost)
    assert found.algorithm == "live"
    assert found.lower_bound is not None
    assert not found.optimal


def test_the_start_does_not_depend_on_the_order_of_the_members_nor_do_the_changes_after_it() -> None:
    members = drawn(Generator("order"), 60)
    coming = drawn(Generator("coming"), 60, "n")
    found = []
    for ordered in (members, members[::-1]):
        live = live_of(ordered)
        for place, each in enumerate(coming):
            live.add(each)
            live.remove(f"q{place}")
        found.append(sorted(tuple(sorted(block)) for block in live.blocks()))
    assert found[0] == found[1]


def test_a_query_that_comes_brings_two_blocks_together() -> None:
    # Two queries too far apart to merge, until one comes that spans them.
    costs = Costs(10, 1, 1)
    live = live_of([member("a", (0, 1), (0, 1)), member("b", (9, 10), (0, 1))], MergeSettings(costs=costs))
    assert len(live.blocks()) == 2
    live.add(member("c", (0, 10), (0, 1)))
    assert planned([member("a", (0, 1), (0, 1)), member("c", (0, 10), (0, 1))], MergeSettings(costs=costs)) == 29
    assert live.blocks() == (("a", "b", "c"),)
    live.remove("c")
    assert live.blocks() == (("a",), ("b",))


def test_a_query_leaves_a_block_that_has_grown_too_large_for_it() -> None:
    settings = MergeSettings(costs=Costs(100, 0, 0.11))
    crowd = [member(f"q{number}", (0, 1), (0, 1)) for number in range(130)]
    far = member("far", (8, 9), (0, 1))
    live = live_of([*crowd[:100], far], settings)
    assert list(map(len, live.blocks())) == [101]
    for each in crowd[100:]:
        live.add(each)
    assert sorted(map(len, live.blocks())) == [1, 130]
    for each in crowd[100:]:
        live.remove(each.id)
    assert list(map(len, live.blocks())) == [101]


def test_a_large_block_falls_apart_into_groups_of_like_queries() -> None:
    # One by one they all join the widest; apart they are far cheaper, but none of them may leave alone.
    settings = MergeSettings(costs=Costs(10, 0, 0.1))
    members = [member("wide", (0, 10), (0, 1))]
    for number in range(60):
        members += [member(f"l{number}", (0, 4), (0, 1)), member(f"r{number}", (6, 10), (0, 1))]
    live = live_of([], settings)
    for each in members:
        live.add(each)
    assert live.cost == pytest.approx(planned(members, settings))


def test_many_changes_do_not_drift_from_a_fresh_plan() -> None:
    generator = Generator("drift")
    members, coming = drawn(generator, 300), drawn(generator, 300, "n")
    live = live_of(members)
    for old, new in zip(members, coming, strict=True):
        live.add(new)
        live.remove(old.id)
    assert live.changes == 600
    assert live.cost <= planned(coming) * 1.01


def test_a_plan_may_become_empty_and_start_again_on_other_columns() -> None:
    live = live_of([])
    assert (live.cost, live.unmerged_cost, live.blocks(), live.drift_bound) == (0.0, 0.0, (), 0.0)
    assert live.plan().channels == ()
    live.add(member("a", (0, 10)))
    live.remove("a")
    live.add(Member("b", None, "s", Box.of({"z": (0.0, 5.0)})))
    live.add(Member("c", None, "s", Box.of({"z": (1.0, 5.0)})))
    assert live.blocks() == (("b", "c"),)
    assert "b" in live
    assert "a" not in live


def test_room_grows_and_places_are_used_again() -> None:
    live = live_of([])
    for each in drawn(Generator("grow"), 200):
        live.add(each)
    for number in range(150):
        live.remove(f"q{number}")
    cost, room = live.cost, room_of(live)
    assert 200 <= room <= 400
    for each in drawn(Generator("again"), 150, "n"):
        live.add(each)
    for number in range(150):
        live.remove(f"n{number}")
    assert room_of(live) == room
    assert live.cost <= cost * 1.01
    assert sorted(identity for block in live.blocks() for identity in block) == sorted(f"q{n}" for n in range(150, 200))


def test_a_rebuild_in_a_thread_is_adopted_while_changes_go_on() -> None:
    generator = Generator("thread")
    members = drawn(generator, 400)
    live = live_of(members)
    coming = drawn(generator, 400, "n")
    for each in coming[:100]:
        live.add(each)
    snapshot, found = live.snapshot(), []
    thread = threading.Thread(target=lambda: found.append(rebuilt(snapshot)))
    thread.start()
    for old, new in zip(members[:100], coming[100:200], strict=True):
        live.add(new)
        live.remove(old.id)
    thread.join(60)
    cost = live.cost
    adopted = live.adopt(found[0])
    assert live.changes == 200
    assert live.cost < cost if adopted else live.cost == cost
    present = [*members[100:], *coming[:200]]
    assert sorted(identity for block in live.blocks() for identity in block) == sorted(each.id for each in present)
    assert live.cost == pytest.approx(live.plan().cost)


def test_a_rebuild_makes_what_pair_merging_makes() -> None:
    members = drawn(Generator("rebuild"), 100)
    live = live_of(members[:50])
    for each in members[50:]:
        live.add(each)
    numbers = rebuilt(live.snapshot()).numbers.tolist()
    found = plan(members, UniformDensity(), SETTINGS, lambda: 0.0, Generator(1))
    blocks: dict[int, list[str]] = {}
    came = [*sorted(each.id for each in members[:50]), *(each.id for each in members[50:])]
    for identity, number in zip(came, numbers, strict=True):
        blocks.setdefault(number, []).append(identity)
    assert sorted(map(sorted, blocks.values())) == sorted(sorted(channel.members) for channel in found.channels)


def test_a_rebuild_that_is_cheaper_is_taken_over() -> None:
    # Paper 000, section 5.3: no two of the three are worth merging, all three together are.
    members = [member("q1", (0, 2), (0, 1)), member("q2", (0, 1), (0, 2)), member("q3", (1, 2), (1, 2))]
    live = live_of(members, MergeSettings(costs=Costs(10, 9, 4)))
    apart = rebuilt(live.snapshot())
    assert live.cost == 75
    together = dataclasses.replace(apart, numbers=np.zeros(3, dtype=np.int64))
    assert live.adopt(together)
    assert live.cost == 74
    assert not live.adopt(apart)
    assert live.blocks() == (("q1", "q2", "q3"),)


def test_what_came_and_went_since_the_snapshot_is_mended_in_the_rebuilt_plan() -> None:
    members = [member("q1", (0, 2), (0, 1)), member("q2", (0, 1), (0, 2)), member("q3", (1, 2), (1, 2))]
    # Without the one that spans them they are better off apart; so far away that the first three are not planned anew.
    torn = [member("l", (8500, 8501), (0, 1)), member("m", (8500, 8510), (0, 1)), member("r", (8509, 8510), (0, 1))]
    live = live_of([*members, *torn], MergeSettings(costs=Costs(10, 9, 4)))
    fresh = rebuilt(live.snapshot())
    live.remove("m")
    for identity in ("new", "newer"):
        live.add(member(identity, (9000, 9002), (0, 1)))
    assert live.cost == 75 + 2 * (10 + 9) + (10 + 9 * 2)
    assert live.adopt(dataclasses.replace(fresh, numbers=np.array([1, 1, 0, 0, 0, 1])))
    assert live.cost == 74 + 2 * (10 + 9) + (10 + 9 * 2)
    assert sorted(live.blocks()) == [("l",), ("new", "newer"), ("q1", "q2", "q3"), ("r",)]


def test_the_drift_bound_follows_a_proven_bound() -> None:
    members = [member("a", (0, 10)), member("b", (0, 10)), member("c", (50, 60))]
    cost = planned(members)
    live = live_of(members, lower_bound=cost)
    assert live.drift_bound == pytest.approx(0.0)
    assert live.plan().optimal
    live.add(member("d", (52, 62)))
    assert live.lower_bound == pytest.approx(cost)
    live.remove("d")
    assert live.lower_bound == pytest.approx(cost)
    live.remove("c")
    alone = planned([member("c", (50, 60))])
    assert live.lower_bound == pytest.approx(cost - alone)
    fresh = rebuilt(live.snapshot())
    live.adopt(fresh, live.cost)
    assert live.drift_bound == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("added", "complaint"),
    [
        (member("a", (0, 1)), "a: id: is the id of two members"),
        (Member("b", None, None, Box.of({"x": (0, 1)})), "b: has ranges on x, not on x, y; a live plan takes ranges"),
        (Member("b", None, None, parse_where("x = 'k'")), "is not made of numeric ranges"),
        (member("b", (0, 1), stream="s"), "b: is of stream 's'; a live plan has one, None"),
        (Member("b", None, None, parse_where("x > 4 and y > 3")), "b: its size is not finite"),
    ],
)
def test_a_member_that_does_not_fit_is_refused_and_changes_nothing(added: Member, complaint: str) -> None:
    live = live_of([member("a", (0, 1))])
    with pytest.raises(InputError) as refused:
        live.add(added)
    assert complaint in str(refused.value)
    assert (live.blocks(), live.changes) == ((("a",),), 0)


def test_what_is_no_range_is_refused_by_its_id() -> None:
    sample = Sample([{"x": 1.0, "y": "k"}, {"x": 2.0, "y": "l"}])
    members = [Member("a", None, None, parse_where("x > 1")), Member("b", None, None, parse_where("y = 'k'"))]
    with pytest.raises(InputError, match=r"b: is not made of ranges; a live plan takes ranges on the same columns"):
        LivePlan(members, sample, SETTINGS)
    live = LivePlan(members[:1], sample, SETTINGS)
    with pytest.raises(InputError, match=r"b: is not made of ranges"):
        live.add(members[1])


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (MergeSettings(procedure="cover"), "procedure: a live plan merges by rectangle, not 'cover'"),
        (MergeSettings("exact"), "algorithm: a live plan is made by pair, not 'exact'"),
        (MergeSettings(costs=Costs(K_M=-1.0)), "K_M: must be a number"),
    ],
)
def test_settings_that_a_live_plan_does_not_follow_are_refused(settings: MergeSettings, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        live_of([], settings)


def test_mistakes_of_the_caller_are_named() -> None:
    live = live_of([])
    with pytest.raises(InputError, match="nobody: id: is the id of no member"):
        live.remove("nobody")
    with pytest.raises(InputError, match="members: there is nothing to merge"):
        live.snapshot()
    with pytest.raises(InputError, match="a: id: is the id of two members"):
        live_of([member("a", (0, 1)), member("a", (0, 1))])
    with pytest.raises(InputError, match="lower_bound: is no lower bound"):
        live_of([member("a", (0, 1))], lower_bound=1e9)
    with pytest.raises(InputError, match="statistics: a live plan takes an even density without a space"):
        LivePlan([member("a", (0, 1))], UniformDensity(space=Box.of({"x": (0, 9)})), SETTINGS)
