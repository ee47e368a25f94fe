"""Requests as values: what is sent for what, and what an answer means."""

from __future__ import annotations

import contextlib
import json
from urllib.parse import parse_qs, urlsplit

import pytest

from distributary.client.attempts import Attempts
from distributary.client.events import Event, Gap, Published
from distributary.client.exchange import (
    Query,
    batch_request,
    checked_urls,
    error_of,
    publish_request,
    published_of,
    subscribe_path,
)
from distributary.client.following import Following
from distributary.core.errors import (
    Conflict,
    InputError,
    NoSpace,
    NotAcceptable,
    ProtocolError,
    TooLarge,
    Unavailable,
)
from distributary.core.headers import Header, decode_header


@pytest.mark.parametrize(
    ("item", "content_type", "content"),
    [
        ({"a": 1}, "application/json", b'{"a":1}'),
        (" <a/>", "application/xml", b" <a/>"),
        ("é", "text/plain; charset=utf-8", "é".encode()),
        (b"\0", "application/octet-stream", b"\0"),
    ],
)
def test_publish_request_says_what_the_item_is(item: object, content_type: str, content: bytes) -> None:
    request = publish_request("news", item)  # type: ignore[arg-type]
    assert (request.method, request.path, request.content) == ("POST", "/streams/news/items", content)
    assert request.headers["Content-Type"] == content_type
    assert len(request.headers["Idempotency-Key"]) == 32


def test_publish_request_takes_what_is_given() -> None:
    request = publish_request("news", "x", "a/b", "key", Header("v", (1,)))
    assert (request.headers["Content-Type"], request.headers["Idempotency-Key"]) == ("a/b", "key")
    assert decode_header(request.headers["Distributary-Header"]) == Header("v", (1,))
    with pytest.raises(InputError, match="stream"):
        publish_request("../etc", "x")


def test_batch_request_is_lines() -> None:
    request = batch_request("news", [{"a": 1}, b'{"b": 2}'])
    assert request.content == b'{"a":1}\n{"b": 2}'
    assert request.headers["Content-Type"] == "application/x-ndjson"


def test_subscribe_path_holds_the_query() -> None:
    query = Query(xpath="//a[b='&']", namespaces={"c": "urn:c", "d": "urn:d"}, format="text/plain", after=0)
    parts = urlsplit(subscribe_path("news", query))
    assert parts.path == "/streams/news/subscribe"
    pairs = {"xpath": ["//a[b='&']"], "format": ["text/plain"], "ns": ["c=urn:c", "d=urn:d"], "after": ["0"]}
    assert parse_qs(parts.query) == pairs
    whole = urlsplit(subscribe_path("news", Query(subscription={"id": "s", "box": {"a": [1, 2]}})))
    assert json.loads(parse_qs(whole.query)["subscription"][0]) == {"id": "s", "box": {"a": [1, 2]}}
    assert subscribe_path("news", Query()) == "/streams/news/subscribe"
    with pytest.raises(InputError, match="subscription: makes an address of"):
        subscribe_path("news", Query(where="x" * 70_000))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InputError),
        (401, InputError),
        (404, InputError),
        (409, Conflict),
        (413, TooLarge),
        (422, NotAcceptable),
        (500, Unavailable),
        (503, Unavailable),
        (507, NoSpace),
    ],
)
def test_error_of_an_answer(status: int, kind: type[Exception]) -> None:
    error = error_of(status, b'{"error": "body: is odd", "field": "body"}', "http://n")
    assert type(error) is kind
    assert str(error).endswith("body: is odd")
    assert str(error).count("body") == 1


@pytest.mark.parametrize("body", [b"<html>", b"", b'{"error": "\xff"}', b"[" * 100_000])
@pytest.mark.parametrize("status", [404, 413, 500])
def test_error_of_an_answer_that_no_node_gave_names_who_gave_it(status: int, body: bytes) -> None:
    assert f"http://n answered {status}; is it a node?" in str(error_of(status, body, "http://n"))


def test_published_of_both_forms() -> None:
    assert published_of(b'{"stream": "s", "seq": 4}', "n") == Published("s", 4, 4)
    assert published_of(b'{"stream": "s", "first": 4, "last": 9}', "n") == Published("s", 4, 9)
    with pytest.raises(Unavailable):
        published_of(b"<html>", "n")


@pytest.mark.parametrize(
    "url", ["", "host:80", "ftp://x", "http://", "http://[::1", "http://x:99999", "http://x:y", "http://x:0"]
)
def test_url_of_no_node_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="url"):
        checked_urls(url)
    with pytest.raises(InputError, match="no node is named"):
        checked_urls([])


def test_attempts_go_round_with_growing_pauses_until_patience_is_over() -> None:
    attempts = Attempts(("a", "b"), 10.0)
    pauses, seen, now = [], [], 0.0
    with contextlib.suppress(Unavailable):
        for _ in range(1000):
            seen.append(attempts.url)
            pauses.append(attempts.failed(Unavailable("a", "x"), now))
            now += pauses[-1]
    assert len(seen) == len(pauses) + 1, "the last attempt was not the end"
    assert seen[:4] == ["a", "b", "a", "b"]
    assert now <= 10
    assert all(pause <= 5 for pause in pauses)
    assert pauses[-1] > 10 * pauses[0]
    attempts.succeeded()
    assert attempts.failed(Unavailable("a", "x"), 100.0) <= 0.1
    endless = Attempts(("a",), None)
    assert all(endless.failed(Unavailable("a", "x"), float(turn * 1000)) <= 5 for turn in range(50))


def test_following_drops_what_it_has_seen_and_resumes_behind_it() -> None:
    following = Following(Attempts(("http://n",), None), "news", Query(where="a > 0"))
    assert "after" not in following.path()
    following.opened()
    assert list(following.receive(b": subscribed\nid: 7\n\n")) == []
    assert "after=7" in following.path()
    frame = b'id: %d\ndata: {"stream":"news","seq":%d,"content_type":"application/json","item":{"a":1}}\n\n'
    assert list(following.receive(frame % (8, 8))) == [Event("news", 8, "application/json", {"a": 1})]
    following.opened()
    (last,) = following.receive(frame % (8, 8) + frame % (9, 9))
    assert last == Event("news", 9, "application/json", {"a": 1})
    gap = b'event: gap\nid: 12\ndata: {"from":10,"to":12}\n\n'
    assert list(following.receive(gap + gap)) == [Gap(10, 12)]
    assert list(following.receive(b"event: other\ndata: x\n\n")) == []
    data = b'data: {"stream":"news","seq":13,"content_type":"a/b","data":"AP8="}\n\n'
    assert list(following.receive(data)) == [Event("news", 13, "a/b", b"\0\xff")]
    assert "after=13" in following.path()


def test_following_gives_what_came_before_an_end() -> None:
    following = Following(Attempts(("http://n",), None), "news", Query())
    frame = b'data: {"stream":"news","seq":1,"content_type":"a/b","item":"x"}\n\n'
    given = following.receive(frame + b'event: error\ndata: {"error":"is stopping","status":503}\n\n')
    assert next(given) == Event("news", 1, "a/b", "x")
    with pytest.raises(Unavailable, match="is stopping"):
        next(given)
    with pytest.raises(InputError, match="is odd"):
        list(following.receive(b'event: error\ndata: {"error":"is odd","status":400}\n\n'))
    for broken in (b"data: {}\n\n", b"data: x\n\n", b"event: gap\ndata: []\n\n"):
        with pytest.raises(ProtocolError, match="http://n: sent a"):
            list(following.receive(broken))
