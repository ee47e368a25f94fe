from __future__ import annotations

import json
from typing import Any

import pytest

from distributary.core.errors import InputError
from distributary.core.subscriptions import Quality, Subscription, subscription_of

# The three examples of the interface.
WHERE = '{"id": "s17", "client": "ambulance-7", "stream": "quakes", "where": "mag >= 4 and lat between 30 and 42"}'
XPATH = """{"id": "s18", "client": "shelter-3", "stream": "alerts", "xpath": "/cap:alert",
    "namespaces": {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}, "format": "text/plain"}"""
BOX = """{"id": "s19", "client": "map-1", "stream": "quakes", "box": {"lat": [30, 42], "lon": [-125, -114]},
    "fields": ["mag", "place"], "quality": {"drop": 0.1, "delay": 2.0}, "every": 60}"""


def test_subscription_with_where_is_read_whole() -> None:
    wanted = Subscription("s17", "ambulance-7", "quakes", where="mag >= 4 and lat between 30 and 42")
    assert subscription_of(json.loads(WHERE)) == wanted


def test_subscription_with_xpath_is_read_whole() -> None:
    found = subscription_of(json.loads(XPATH))
    assert found.xpath == "/cap:alert"
    assert found.namespaces == {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}
    assert found.format == "text/plain"


def test_subscription_with_box_is_read_whole() -> None:
    found = subscription_of(json.loads(BOX))
    assert found.box == {"lat": (30.0, 42.0), "lon": (-125.0, -114.0)}
    assert found.fields == ("mag", "place")
    assert found.quality == Quality(0.1, 2.0)
    assert found.every == 60


def test_subscription_without_a_filter_wants_everything() -> None:
    found = subscription_of({"id": "s"})
    assert (found.where, found.xpath, found.box, found.stream) == (None, None, None, None)


REFUSED: list[tuple[Any, str | None, str]] = [
    ([], None, "is not a JSON object"),
    ("s1", None, "is not a JSON object"),
    (None, None, "is not a JSON object"),
    ({}, None, "required field `id`"),
    ({"id": ""}, "id", "is empty"),
    ({"id": 7}, "id", "Expected `str`"),
    ({"id": "s", "colour": "red"}, None, "unknown field `colour`"),
    ({"id": "s", "stream": "a/b"}, "stream", "letters, digits"),
    ({"id": "s", "where": 7}, "where", "Expected `str"),
    ({"id": "s", "where": "a = 1", "xpath": "/a"}, "where", "only one of"),
    ({"id": "s", "xpath": "/a", "box": {"x": [0, 1]}}, "where", "only one of"),
    ({"id": "s", "box": {"x": [0]}}, "box", "length 2"),
    ({"id": "s", "box": {"x": ["a", 1]}}, "box[0]", "Expected `float`"),
    ({"id": "s", "box": {"x": [0, 10**400]}}, "box[1]", "out of range"),
    ({"id": "s", "namespaces": {"a": 1}}, "namespaces", "Expected `str`"),
    ({"id": "s", "fields": []}, "fields", "names no field"),
    ({"id": "s", "fields": "mag"}, "fields", "Expected `array"),
    ({"id": "s", "quality": {"drop": 1.5}}, "quality", "between 0 and 1"),
    ({"id": "s", "quality": {"drop": float("nan")}}, "quality", "between 0 and 1"),
    ({"id": "s", "quality": {"speed": 1}}, "quality", "unknown field `speed`"),
    ({"id": "s", "every": 0}, "every", "positive"),
    ({"id": "s", "every": float("inf")}, "every", "positive"),
    ({"id": "s", "every": float("nan")}, "every", "positive"),
]


@pytest.mark.parametrize(("row", "field", "reason"), REFUSED, ids=lambda value: str(value)[:40])
def test_subscription_with_a_mistake_is_refused_with_its_field(row: Any, field: str | None, reason: str) -> None:
    with pytest.raises(InputError) as raised:
        subscription_of(row)
    assert raised.value.field == field
    assert reason in raised.value.reason


@pytest.mark.parametrize("delay", [-1.0, float("nan")])
def test_subscription_with_an_impossible_delay_is_refused(delay: float) -> None:
    with pytest.raises(InputError, match="quality"):
        subscription_of({"id": "s", "quality": {"delay": delay}})
