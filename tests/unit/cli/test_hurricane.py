"""The demonstration's parts that judge and draw; the run itself is `make demo`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distributary.algebra import parse_xml
from distributary.cli.hurricane.audience import Listener
from distributary.cli.hurricane.measures import Link, Stage, hops, links_of
from distributary.cli.hurricane.picture import draw_run
from distributary.cli.hurricane.scene import ALERTS, MAPS, REPORTS, draw_scene
from distributary.cli.hurricane.verdict import Verdict, judge, owed_items
from distributary.client import Event, Gap
from distributary.core.status import NodeStatus, TreeStatus

SCENE = draw_scene(3, 40)


def listener(*items: object) -> Listener:
    kind, subscription = SCENE.subscriptions[0]
    events = [Event(REPORTS, seq, "application/json", item) for seq, item in enumerate(items, 1)]
    return Listener(kind, subscription, "http://n", events)


def test_scene_is_the_same_for_a_seed_and_another_for_another() -> None:
    assert draw_scene(3, 40) == SCENE
    assert draw_scene(4, 40).reports != SCENE.reports
    kinds = [kind for kind, _ in SCENE.subscriptions]
    assert [kinds.count(kind) for kind in ("shelter", "ambulance", "newsroom", "map screen")] == [18, 12, 6, 4]


def test_owed_items_are_those_that_a_plain_reading_of_the_subscriptions_gives() -> None:
    owed = owed_items(SCENE, SCENE.subscriptions)
    for (kind, subscription), answer in zip(SCENE.subscriptions, owed, strict=True):
        if subscription.stream == MAPS:
            assert answer == list(SCENE.maps)
        elif kind == "shelter":
            (low, top), (left, right) = subscription.box["lat"], subscription.box["lon"]  # type: ignore[index]
            inside = [r for r in SCENE.reports if low <= r["lat"] <= top and left <= r["lon"] <= right]
            assert [each["report"] for each in answer] == [each["report"] for each in inside]
        elif subscription.stream == ALERTS:
            assert set(answer) <= {alert.decode() for alert in SCENE.alerts}
    assert sum(map(len, owed)) > 1000


@pytest.mark.parametrize(
    ("received", "exact"),
    [
        ([{"a": 1}, {"a": 2}], True),
        ([{"a": 2}, {"a": 1}], True),
        ([{"a": 1}], False),
        ([{"a": 1}, {"a": 2}, {"a": 2}], False),
        ([{"a": 1}, {"a": 3}], False),
        ([{"a": 1}, {"a": 2, "b": 0}], False),
        ([], False),
    ],
)
def test_answer_is_exact_only_when_nothing_is_missing_foreign_or_double(received: list[object], exact: bool) -> None:
    (verdict,) = judge([listener(*received)], [[{"a": 1}, {"a": 2}]])
    assert verdict.exact is exact


def test_answer_out_of_order_repeated_or_with_a_gap_is_not_exact() -> None:
    for change in ("order", "again", "gap"):
        mine = listener({"a": 1}, {"a": 2})
        if change == "order":
            mine.events.reverse()
        elif change == "again":
            mine.events[1] = replace(mine.events[1], seq=1)
        else:
            mine.gaps.append(Gap(1, 2))
        assert not judge([mine], [[{"a": 1}, {"a": 2}]])[0].exact


def status(name: str, path: tuple[str, ...], received: int) -> NodeStatus:
    tree = TreeStatus("t", "joined", None, path, (), ())
    return NodeStatus(name, name, f"http://{name}", (tree,), None, (), 0, {"items_received": received})


def test_links_count_what_was_carried_and_one_copy_for_each_subscriber_below() -> None:
    statuses = {
        f"http://{name}": status(name, path, received)
        for name, path, received in (
            ("source", ("source",), 0),
            ("a", ("source", "a"), 7),
            ("b", ("source", "a", "b"), 5),
        )
    }
    verdicts = [
        Verdict(replace(listener(), url=f"http://{name}"), owed, owed, exact=True)
        for name, owed in (("source", 100), ("a", 4), ("b", 3), ("b", 2))
    ]
    found = links_of(statuses, verdicts)
    assert found == [Link("a", "source", 1, 7, 9), Link("b", "a", 2, 5, 5)]
    assert hops(found) == [(1, 1, 7, 9), (2, 1, 5, 5)]


def test_picture_is_xml_and_names_every_node_with_its_counts() -> None:
    links = [Link("a<1>", "source", 1, 7, 9), Link("b", "a<1>", 2, 5, 6)]
    drawn = draw_run(links, [("reports", Stage("server", 1.5, 4.0))], "Seven & more")
    parse_xml(drawn.encode())
    for text in ("a&lt;1&gt;  7 of 9", "b  5 of 6", "source", "Seven &amp; more", "1.5 / 4"):
        assert text in drawn
