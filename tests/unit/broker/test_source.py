"""What a source does by itself: places, durability, keys, limits, retention, answers."""

from __future__ import annotations

import pytest

from distributary.broker import NodeConfig
from distributary.core.answers import PublishAccepted, Refused, SubscribeAccepted
from distributary.core.effects import Answer, AppendLog, TrimLog
from distributary.core.errors import InputError
from distributary.core.headers import Header
from distributary.core.inputs import (
    Appended,
    DeliveryTaken,
    PublishRequested,
    StopRequested,
    TimerFired,
    Unsubscribed,
)
from distributary.core.items import JSON, XML, NewItem
from distributary.testing.rig import Rig


def test_publish_is_answered_only_when_durable() -> None:
    rig = Rig()
    effects = rig.node.handle(PublishRequested("p", "quakes", (NewItem(JSON, b"{}"),)), 0.0)
    (append,) = effects
    assert isinstance(append, AppendLog)
    assert append.durable
    assert "Answer" in str(rig.node.handle(Appended(append.token), 0.0)[0])


def test_publish_gives_a_batch_one_unbroken_run() -> None:
    rig = Rig()
    assert rig.publish({"x": 1}) == PublishAccepted("quakes", 1, 1)
    assert rig.publish({"x": 1}, {"x": 2}) == PublishAccepted("quakes", 2, 3)


def test_publish_with_a_bad_item_appends_none_of_the_batch() -> None:
    rig = Rig()
    answer = rig.publish({"x": 1}, NewItem(XML, b"<a>"))
    assert isinstance(answer, Refused)
    assert answer.kind == "NotAcceptable"
    assert not [effect for effect in rig.effects if isinstance(effect, AppendLog)]


def test_publish_over_the_limits_is_too_large() -> None:
    rig = Rig(item_bytes_max=10, batch_items_max=2)
    for answer in (rig.publish({"x": "0123456789"}), rig.publish({}, {}, {})):
        assert isinstance(answer, Refused)
        assert answer.kind == "TooLarge"


def test_publish_under_a_bad_name_is_refused() -> None:
    answer = Rig().publish({}, stream="../etc")
    assert isinstance(answer, Refused)
    assert (answer.kind, answer.field) == ("InputError", "stream")


def test_publish_on_one_stream_more_than_allowed_is_refused() -> None:
    rig = Rig(streams_max=1)
    rig.publish({}, stream="a")
    answer = rig.publish({}, stream="b")
    assert isinstance(answer, Refused)
    assert "1 streams" in answer.reason


def test_key_gives_the_same_answer_and_appends_once() -> None:
    rig = Rig()
    first = rig.publish({"x": 1}, key="k", digest="d")
    assert rig.publish({"x": 1}, key="k", digest="d") == first
    assert len([effect for effect in rig.effects if isinstance(effect, AppendLog)]) == 1


def test_key_with_another_body_is_a_conflict() -> None:
    rig = Rig()
    rig.publish({"x": 1}, key="k", digest="d")
    answer = rig.publish({"x": 2}, key="k", digest="e")
    assert isinstance(answer, Refused)
    assert answer.kind == "Conflict"


def test_key_under_way_answers_both_when_durable() -> None:
    rig = Rig()
    (append,) = rig.node.handle(PublishRequested("p1", "q", (NewItem(JSON, b"{}"),), "k", "d"), 0.0)
    assert rig.node.handle(PublishRequested("p2", "q", (NewItem(JSON, b"{}"),), "k", "d"), 0.0) == []
    assert isinstance(append, AppendLog)
    answers = rig.node.handle(Appended(append.token), 0.0)
    assert [str(answer) for answer in answers] == [
        f"Answer(request='{request}', answer=PublishAccepted(stream='q', first=1, last=1))" for request in ("p1", "p2")
    ]


def test_what_nests_too_deep_for_the_source_is_refused() -> None:
    rig = Rig(item_depth_max=3)
    for body in (b"<a><b><c><d/></c></b></a>", b"<a><b><c/></b></a>"):
        (effect,) = rig.node.handle(PublishRequested("p", "q", (NewItem(XML, body),), None, ""), 0.0)
        assert isinstance(effect, Answer) is (b"<d/>" in body)
    with pytest.raises(InputError, match="item depth: must be 1 to 256, not 257"):
        NodeConfig("", item_depth_max=257)


def test_failed_append_is_no_space_and_the_key_stays_free() -> None:
    rig = Rig()
    rig.disk.full = True
    answer = rig.publish({"x": 1}, key="k", digest="d")
    assert isinstance(answer, Refused)
    assert answer.kind == "NoSpace"
    rig.disk.full = False
    assert rig.publish({"x": 1}, key="k", digest="d") == PublishAccepted("quakes", 2, 2)


def test_restart_goes_on_where_the_log_ends_and_knows_the_keys() -> None:
    rig = Rig()
    first = rig.publish({"x": 1}, key="k", digest="d")
    again = Rig(rig.disk.recover())
    again.disk = rig.disk
    assert again.publish({"x": 1}, key="k", digest="d") == first
    assert again.publish({"x": 2}) == PublishAccepted("quakes", 2, 2)


def test_subscriber_without_after_gets_what_comes_later() -> None:
    rig = Rig()
    rig.publish({"x": 1})
    assert rig.subscribe("s", "x >= 0") == SubscribeAccepted("quakes", 1)
    rig.publish({"x": 2}, {"x": -1}, {"x": 3})
    assert rig.delivered("s") == [2, 4]


def test_subscriber_with_after_gets_the_log_first() -> None:
    rig = Rig()
    rig.publish({"x": 1}, {"x": 2}, {"x": 3})
    assert rig.subscribe("s", "x != 2", after=0) == SubscribeAccepted("quakes", 0)
    assert rig.delivered("s") == [1, 3]


def test_slow_subscriber_gets_a_window_and_the_rest_when_it_takes() -> None:
    rig = Rig(window_items=2, page_bytes=8)
    rig.subscribe("s", "x >= 0")
    for x in range(6):
        rig.publish({"x": x})
    assert rig.delivered("s") == [1, 2]
    rig.give(DeliveryTaken("s", 2))
    assert rig.delivered("s") == [1, 2, 3, 4]
    rig.give(DeliveryTaken("s", 4))
    assert rig.delivered("s") == [1, 2, 3, 4, 5, 6]


def test_subscriber_with_every_gets_nothing_before_its_time() -> None:
    rig = Rig()
    rig.subscribe("s", "x >= 0", every=60.0)
    rig.publish({"x": 1}, {"x": 2})
    assert rig.delivered("s") == []
    rig.give(TimerFired("0/every/s"))
    assert rig.delivered("s") == [1, 2]


def test_subscriber_asking_for_a_format_nobody_makes_is_told() -> None:
    answer = Rig().subscribe("s", "x >= 0", format="image/jpeg")
    assert isinstance(answer, Refused)
    assert answer.field == "format"


def test_subscriber_with_a_bad_filter_is_refused_by_field() -> None:
    answer = Rig().subscribe("s", "x >")
    assert isinstance(answer, Refused)
    assert answer.field == "where"


def test_retention_by_size_trims_the_oldest_and_the_late_see_a_gap() -> None:
    rig = Rig(retention_bytes=100_000)
    for _ in range(4):
        rig.publish({"x": 1, "text": "a" * 70_000})
    rig.give(TimerFired("0/beat"))
    assert [effect.upto for effect in rig.effects if isinstance(effect, TrimLog)] == [1, 2, 3]
    rig.subscribe("s", "x = 1", after=0)
    assert rig.delivered("s") == [-3, 4]


def test_unsubscribed_gets_nothing_more() -> None:
    rig = Rig()
    rig.subscribe("s", "x >= 0")
    rig.give(Unsubscribed("s"))
    rig.publish({"x": 1})
    assert rig.delivered("s") == []
    assert rig.node.status().trees[0].streams[0].filters == 0


def test_header_of_the_live_plan_is_believed_and_an_unknown_one_is_not() -> None:
    rig = Rig()
    rig.subscribe("low", "x < 5")
    rig.subscribe("high", "x >= 5")
    plan = rig.node.plan("quakes")
    channel = {shown.text: shown.channel for shown in plan.channels}
    rig.publish(NewItem(JSON, b'{"x": 1}', Header(plan.version, (channel["x < 5"],))))
    rig.publish(NewItem(JSON, b'{"x": 1}', Header("other:1", ())))
    assert (rig.delivered("low"), rig.delivered("high")) == ([1, 2], [])


def test_header_of_an_older_version_is_completed_with_younger_filters() -> None:
    rig = Rig()
    rig.subscribe("low", "x < 5")
    plan = rig.node.plan("quakes")
    rig.subscribe("all", "x >= 0")
    rig.publish(NewItem(JSON, b'{"x": 1}', Header(plan.version, (plan.channels[0].channel,))))
    assert (rig.delivered("low"), rig.delivered("all")) == ([1], [1])


def test_stopped_node_takes_nothing_new_but_answers_what_is_under_way() -> None:
    rig = Rig()
    (append,) = rig.node.handle(PublishRequested("p1", "q", (NewItem(JSON, b"{}"),)), 0.0)
    rig.give(StopRequested())
    assert isinstance(append, AppendLog)
    assert "PublishAccepted" in str(rig.node.handle(Appended(append.token), 0.0)[0])
    assert isinstance(rig.publish({}), Refused)
    assert isinstance(rig.subscribe("s", "x = 1"), Refused)
