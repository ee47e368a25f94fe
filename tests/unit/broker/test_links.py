"""What a node does for its children, and what it does not put up with."""

from __future__ import annotations

from distributary.broker.roles import ALLOWED, Role
from distributary.core.effects import Disconnect
from distributary.core.inputs import LinkLost, MessageArrived, TimerFired
from distributary.core.messages import (
    Confirmed,
    Fetch,
    Fetched,
    Filters,
    FiltersWanted,
    Items,
    KeepAlive,
    Message,
    NumberedFilter,
    Start,
    StartWanted,
    Taken,
)
from distributary.core.subscriptions import FilterText
from distributary.testing.rig import Rig

LOW, HIGH = FilterText("where", "x < 5"), FilterText("where", "x >= 5")


def one(messages: list[Message]) -> Message:
    (message,) = messages
    return message


def child_with(rig: Rig, *texts: FilterText, name: str = "c", marks: dict[str, int] | None = None) -> str:
    link = rig.child(name)
    added = tuple(NumberedFilter(number, "quakes", text) for number, text in enumerate(texts, 1))
    rig.says(link, Filters(1, 0, added, marks=marks or {}))
    return link


def sent_to(rig: Rig, link: str) -> list[Items]:
    messages = [getattr(effect, "message", None) for effect in rig.effects if getattr(effect, "link", None) == link]
    return [message for message in messages if isinstance(message, Items)]


def test_every_message_has_a_role_that_may_send_it() -> None:
    assert set().union(*ALLOWED.values()) == set(Message.__args__)
    assert not ALLOWED[Role.CHILD] & {Items, Confirmed}


def test_filters_are_confirmed_with_the_start_of_each_stream() -> None:
    rig = Rig()
    rig.publish({"x": 1})
    link = rig.child()
    added = (NumberedFilter(1, "quakes", LOW),)
    assert one(rig.says(link, Filters(1, 0, added))) == Confirmed(1, {"quakes": 1})


def test_filters_from_an_unknown_base_are_asked_for_whole() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    assert one(rig.says(link, Filters(9, 8, (NumberedFilter(2, "quakes", HIGH),)))) == FiltersWanted()


def test_items_go_to_the_child_that_wants_them_with_the_numbers_of_its_filters() -> None:
    rig = Rig()
    low, high = child_with(rig, LOW, name="low"), child_with(rig, HIGH, LOW, name="high")
    rig.publish({"x": 7})
    assert sent_to(rig, low) == []
    (message,) = sent_to(rig, high)
    assert (message.after, message.upto) == (0, 1)
    header = message.items[0].header
    assert header is not None
    assert (header.version, header.channels) == ("high:1", (1,))


def test_next_range_begins_where_the_last_one_told_ended() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    for x in (1, 7, 7, 2):
        rig.publish({"x": x})
    assert [(message.after, message.upto) for message in sent_to(rig, link)] == [(0, 1), (1, 4)]


def test_child_that_misses_something_is_served_from_its_mark() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    rig.publish({"x": 1})
    rig.publish({"x": 2})
    answer = one(rig.says(link, Taken("quakes", 0, missing=True)))
    assert isinstance(answer, Items)
    assert (answer.after, answer.upto, [item.seq for item in answer.items]) == (0, 2, [1, 2])


def test_child_from_elsewhere_is_served_from_its_mark() -> None:
    rig = Rig()
    for x in (1, 2, 3):
        rig.publish({"x": x})
    link = child_with(rig, LOW, marks={"quakes": 1})
    (message,) = sent_to(rig, link)
    assert [item.seq for item in message.items] == [2, 3]


def test_child_from_before_the_retention_is_told_what_is_lost() -> None:
    rig = Rig(retention_bytes=1)
    rig.publish({"x": 1})
    rig.now = 1.0
    rig.give(TimerFired("0/beat"))
    link = child_with(rig, LOW, marks={"quakes": 0})
    (message,) = sent_to(rig, link)
    assert (message.after, message.upto, message.lost) == (0, 1, True)


def test_removed_filter_is_gone_at_once() -> None:
    rig = Rig()
    link = child_with(rig, LOW, HIGH)
    rig.says(link, Filters(2, 1, removed=(1,)))
    rig.publish({"x": 1})
    assert sent_to(rig, link) == []
    assert rig.node.status().trees[0].streams[0].filters == 1


def test_lost_child_leaves_no_filter_behind() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    rig.publish({"x": 1})
    rig.give(LinkLost(link, "gone"))
    status = rig.node.status()
    assert status.children == ()
    assert status.trees[0].streams[0].filters == 0


def test_fetch_is_answered_with_the_matches_of_its_range() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    for x in (1, 7, 2, 3):
        rig.publish({"x": x})
    answer = one(rig.says(link, Fetch(5, "quakes", (LOW,), 1, 3)))
    assert isinstance(answer, Fetched)
    assert (answer.request, answer.upto, [item.seq for item in answer.items]) == (5, 3, [3])


def test_start_is_where_the_stream_stands() -> None:
    rig = Rig()
    link = rig.child()
    rig.publish({"x": 1})
    assert rig.says(link, StartWanted(3, "quakes")) == [Start(3, 1)]
    assert rig.says(link, StartWanted(4, "unheard")) == [Start(4, 0)]


def test_message_out_of_place_costs_the_peer_its_link() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    effects = rig.give(MessageArrived(link, Confirmed(1, {})))
    assert Disconnect(link) in effects
    assert rig.node.status().children == ()
    assert rig.node.counters["protocol_errors"] == 1


def test_filter_that_is_no_filter_costs_the_child_its_link() -> None:
    rig = Rig()
    link = rig.child()
    bad = (NumberedFilter(1, "quakes", FilterText("where", "x >")),)
    assert Disconnect(link) in rig.give(MessageArrived(link, Filters(1, 0, bad)))


def test_keep_alive_tells_marks_and_where_the_child_may_not_know_them() -> None:
    rig = Rig()
    link = child_with(rig, LOW)
    rig.publish({"x": 1})
    rig.publish({"x": 9})
    effects = rig.give(TimerFired("0/beat"))
    told = [getattr(effect, "message", None) for effect in effects if getattr(effect, "link", None) == link]
    assert Items("quakes", 1, 2) in told
    alive = [message for message in told if isinstance(message, KeepAlive)]
    assert alive[0].sent == {"quakes": 2}
    rig.says(link, Taken("quakes", 2))
    effects = rig.give(TimerFired("0/beat"))
    alive = [m for effect in effects if isinstance(m := getattr(effect, "message", None), KeepAlive)]
    assert alive[0].sent == {}
