"""What a node tells its parent: only what nothing else stands for, and never so that a match could be missed."""

from __future__ import annotations

import json
from contextlib import suppress

import msgspec

from distributary.core.effects import AppendLog, Connect, SendMessage
from distributary.core.headers import Header
from distributary.core.inputs import LinkOpened, MessageArrived, TimerFired, Unsubscribed
from distributary.core.items import JSON, Item
from distributary.core.messages import (
    Confirmed,
    Fetch,
    Fetched,
    Filters,
    FiltersWanted,
    Items,
    Message,
    NumberedFilter,
    Peer,
    Start,
    StartWanted,
    Taken,
    Welcome,
)
from distributary.core.subscriptions import FilterText
from distributary.testing.rig import Rig

NARROW, WIDE, OTHER = FilterText("where", "x < 3"), FilterText("where", "x < 5"), FilterText("where", "y < 3")


class Leaf(Rig):
    """A node below a parent whose part the test plays."""

    def __init__(self) -> None:
        super().__init__(joins=("http://p",))
        (connect,) = [effect for effect in self.effects if isinstance(effect, Connect)]
        self.parent = connect.link
        self.give(LinkOpened(self.parent, incoming=False))
        self.hears(Welcome("t", (Peer("t", "http://p"),)))

    def hears(self, message: Message) -> list[Message]:
        """Let the parent say something; return what the node says to it."""
        return self.said(self.give(MessageArrived(self.parent, message)))

    def said(self, effects: list) -> list[Message]:  # type: ignore[type-arg]
        return [each.message for each in effects if isinstance(each, SendMessage) and each.link == self.parent]

    def wants(self, name: str, text: FilterText) -> list[Message]:
        """Let a subscriber come; return what the parent hears."""
        before = len(self.effects)
        with suppress(ValueError):  # not answered yet
            self.subscribe(name, text.text, after=0)
        return self.said(self.effects[before:])

    def leaves(self, name: str) -> list[Message]:
        return self.said(self.give(Unsubscribed(name)))

    def holds(self, name: str, text: FilterText, start: int) -> None:
        """Let a subscriber come whose filter the source confirms."""
        (message,) = [each for each in self.wants(name, text) if isinstance(each, Filters)]
        self.hears(Confirmed(message.version, {"quakes": start}))


def filters(messages: list[Message]) -> list[Filters]:
    return [message for message in messages if isinstance(message, Filters)]


def item(seq: int, **record: int) -> Item:
    return Item("quakes", seq, JSON, json.dumps(record).encode())


def named(unnamed: Item, *numbers: int) -> Item:
    return msgspec.structs.replace(unnamed, header=Header("r:9", numbers))


def test_filter_that_another_one_stands_for_is_not_told_and_known_at_once() -> None:
    leaf = Leaf()
    leaf.holds("wide", WIDE, 4)
    (message,) = leaf.wants("narrow", NARROW)
    assert isinstance(message, StartWanted)


def test_filter_takes_others_back_only_when_complete_up_to_the_mark() -> None:
    leaf = Leaf()
    leaf.holds("narrow", NARROW, 4)
    (told,) = filters(leaf.wants("wide", WIDE))
    assert [added.text for added in told.added] == [WIDE]
    assert (told.removed, told.fresh) == ((), (told.added[0].number,))
    assert filters(leaf.hears(Confirmed(told.version, {"quakes": 7}))) == []
    assert filters(leaf.hears(Items("quakes", 4, 6))) == []
    (taken_back,) = filters(leaf.hears(Items("quakes", 6, 7)))
    assert taken_back.added == ()
    assert len(taken_back.removed) == 1


def test_what_a_filter_stood_for_is_told_with_the_mark_when_it_goes() -> None:
    leaf = Leaf()
    leaf.holds("wide", WIDE, 4)
    leaf.wants("narrow", NARROW)
    leaf.hears(Items("quakes", 4, 9))
    (message,) = filters(leaf.leaves("wide"))
    assert [added.text for added in message.added] == [NARROW]
    assert len(message.removed) == 1
    assert (message.marks, message.fresh) == ({"quakes": 9}, ())


def test_whole_tells_only_what_nothing_stands_for() -> None:
    leaf = Leaf()
    leaf.holds("wide", WIDE, 4)
    leaf.wants("narrow", NARROW)
    leaf.wants("other", OTHER)
    (whole,) = filters(leaf.hears(FiltersWanted()))
    assert [added.text for added in whole.added] == [WIDE, OTHER]
    assert (whole.base, whole.marks) == (0, {"quakes": 4})
    assert whole.fresh == (whole.added[1].number,)


def test_header_that_does_not_name_the_coverer_decides_what_is_covered() -> None:
    leaf = Leaf()
    leaf.holds("wide", WIDE, 0)
    for message in leaf.wants("narrow", NARROW):
        if isinstance(message, StartWanted):
            leaf.hears(Start(message.request, 0))
    (number,) = [added.number for added in filters(leaf.hears(FiltersWanted()))[0].added]
    leaf.hears(Items("quakes", 0, 1, (named(item(1, x=9)),)))
    assert leaf.node.counters["items_matched_afresh"] == 0
    leaf.hears(Items("quakes", 1, 3, (named(item(2, x=1), number), named(item(3, x=4), number))))
    assert leaf.delivered("narrow") == [2]


def test_child_is_owed_from_its_mark_what_it_had_through_another_filter() -> None:
    rig = Rig()
    link = rig.child()
    rig.says(link, Filters(1, 0, (NumberedFilter(1, "quakes", WIDE),)))
    for x in (1, 4, 2):
        rig.publish({"x": x})
    (items, _) = rig.says(link, Filters(2, 1, (NumberedFilter(2, "quakes", NARROW),), (1,), {"quakes": 1}))[::-1]
    assert isinstance(items, Items)
    assert (items.after, items.upto, [each.seq for each in items.items]) == (1, 3, [3])


def gone_back() -> tuple[Rig, str]:
    """Return a node that has told a child up to 3 and goes back to 1 item by item, with the child's link."""
    rig = Rig(window_items=1, page_bytes=1)
    link = rig.child()
    rig.says(link, Filters(1, 0, (NumberedFilter(1, "quakes", WIDE),)))
    for seq in (1, 2, 3):
        rig.publish({"x": 1})
        rig.says(link, Taken("quakes", seq))
    (again,) = rig.says(link, Taken("quakes", 1, missing=True))
    assert isinstance(again, Items)
    assert [each.seq for each in again.items] == [2]
    return rig, link


def test_fresh_filter_is_owed_from_where_its_outlet_has_ever_come() -> None:
    rig, link = gone_back()
    answer = rig.says(link, Filters(2, 1, (NumberedFilter(2, "quakes", OTHER),), (), {"quakes": 1}, (2,)))
    assert Confirmed(2, {"quakes": 3}) in answer


def test_child_that_is_further_after_all_is_sent_only_what_follows() -> None:
    rig, link = gone_back()
    assert rig.says(link, Taken("quakes", 3)) == []
    before = len(rig.effects)
    rig.publish({"x": 1})
    sent = [each.message for each in rig.effects[before:] if isinstance(each, SendMessage)]
    assert [(each.after, each.upto) for each in sent if isinstance(each, Items)] == [(3, 4)]


def test_window_does_not_stay_shut_when_all_filters_are_replaced() -> None:
    rig = Rig(window_items=2)
    link = rig.child()
    rig.says(link, Filters(1, 0, (NumberedFilter(1, "quakes", WIDE),)))
    for _ in range(4):
        rig.publish({"x": 1, "y": 1})
    rig.says(link, Filters(2, 1, (NumberedFilter(2, "quakes", OTHER),), (1,)))
    before = len(rig.effects)
    rig.publish({"x": 1, "y": 1})
    sent = [each.message for each in rig.effects[before:] if isinstance(each, SendMessage)]
    assert [each.seq for message in sent if isinstance(message, Items) for each in message.items] == [5]


def test_what_comes_again_is_acknowledged_again() -> None:
    rig = Rig()
    link = rig.child()
    rig.says(link, Filters(1, 0, (NumberedFilter(1, "quakes", WIDE),)))
    rig.publish({"x": 1})
    rig.says(link, Taken("quakes", 1))
    rig.says(link, Filters(2, 1, (NumberedFilter(2, "quakes", NARROW),), (1,), {"quakes": 0}))
    (alive,) = [
        each.message for each in rig.give(TimerFired("0/beat")) if isinstance(each, SendMessage) and each.link == link
    ]
    assert getattr(alive, "sent", None) == {"quakes": 1}


def test_fetch_of_a_covered_filter_is_answered_from_the_log() -> None:
    leaf = Leaf()
    leaf.holds("wide", WIDE, 0)
    leaf.hears(Items("quakes", 0, 3, (item(1, x=1), item(2, x=4), item(3, x=2))))
    assert [effect for effect in leaf.effects if isinstance(effect, AppendLog)]
    link = leaf.child()
    (answer,) = leaf.says(link, Fetch(5, "quakes", (NARROW,), 0, 3))
    assert isinstance(answer, Fetched)
    assert [each.seq for each in answer.items] == [1, 3]
