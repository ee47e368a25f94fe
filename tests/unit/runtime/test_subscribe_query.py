"""The query of a subscription: both forms, and each mistake with its parameter."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from starlette.requests import Request

from distributary.core.errors import InputError
from distributary.core.subscriptions import Subscription
from distributary.runtime.subscribe_query import parse_subscription


def parse(pairs: list[tuple[str, str]], last_event_id: str | None = None) -> tuple[Subscription, int | None]:
    headers = [] if last_event_id is None else [(b"last-event-id", last_event_id.encode())]
    scope = {"type": "http", "query_string": urlencode(pairs).encode(), "headers": headers, "method": "GET"}
    return parse_subscription(Request(scope), "news")


def test_query_without_anything_is_everything_from_now() -> None:
    subscription, after = parse([])
    assert (subscription.where, subscription.xpath, subscription.box, after) == (None, None, None, None)


def test_query_short_forms() -> None:
    pairs = [("xpath", "//c:a"), ("ns", "c=urn:x=y"), ("ns", "d=urn:d"), ("format", "text/plain"), ("after", "0")]
    subscription, after = parse(pairs)
    assert subscription.xpath == "//c:a"
    assert subscription.namespaces == {"c": "urn:x=y", "d": "urn:d"}
    assert (subscription.format, after) == ("text/plain", 0)
    assert parse([("where", "mag >= 4")])[0].where == "mag >= 4"


def test_query_with_an_object() -> None:
    subscription, after = parse([("subscription", '{"id": "s", "stream": "news", "fields": ["a"]}'), ("after", "12")])
    assert (subscription.id, subscription.fields, after) == ("s", ("a",), 12)


def test_query_last_event_id_beats_after() -> None:
    assert parse([("after", "3")], "99")[1] == 99
    assert parse([("after", "3")], "")[1] == 3


@pytest.mark.parametrize(
    ("pairs", "field"),
    [
        ([("after", "-1")], "after"),
        ([("after", "1.5")], "after"),
        ([("after", "\u0663")], "after"),
        ([("after", str(1 << 63))], "after"),
        ([("after", "1"), ("after", "2")], "after"),
        ([("wehre", "a = 1")], "wehre"),
        ([("where", " ")], "where"),
        ([("where", "a = 1"), ("xpath", "//a")], "where"),
        ([("ns", "c=urn:x")], "ns"),
        ([("xpath", "//a"), ("ns", "c")], "ns"),
        ([("xpath", "//a"), ("ns", "c=")], "ns"),
        ([("xpath", "//a"), ("ns", "c=x"), ("ns", "c=y")], "ns"),
        ([("subscription", "{")], "subscription"),
        ([("subscription", "[]")], None),
        ([("subscription", "[" * 5000)], "subscription"),
        ([("subscription", "{}")], None),
        ([("subscription", '{"id": "s"}'), ("where", "a = 1")], "where"),
        ([("subscription", '{"id": "s", "stream": "olds"}')], "stream"),
    ],
)
def test_query_that_is_wrong_names_its_parameter(pairs: list[tuple[str, str]], field: str | None) -> None:
    with pytest.raises(InputError) as caught:
        parse(pairs)
    assert caught.value.field == field


@pytest.mark.parametrize("text", ["x", "-1", "1e3"])
def test_query_bad_last_event_id_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse([], text)
    assert caught.value.field == "Last-Event-ID"
