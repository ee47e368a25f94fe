"""Tokens, scopes, cookies, other sites' pages, and the endpoints that tell about the node."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

# Each test starts and stops a server.
pytestmark = pytest.mark.slow

TOKENS = "master key\nwriter publish\nreader subscribe\nchild join\nrouter publish,route\n"
CLOSED = [
    ("GET", "/status"),
    ("GET", "/metrics"),
    ("POST", "/streams/news/items"),
    ("GET", "/streams/news/subscribe?where=broken("),
    ("GET", "/streams/news/plan"),
    ("GET", "/no/such/path"),
    ("GET", "/streams/../../etc"),
]


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_closed_node_asks_for_a_token_before_anything_else(serve: Any, method: str, path: str) -> None:
    async def main() -> None:
        async with serve(tokens=TOKENS) as served:
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic bWFzdGVyIGtleQ=="}):
                answer = await served.http.request(method, path, headers=headers)
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"] == "Bearer"
            # The Host header must not change which path is looked at.
            answer = await served.http.request(method, path, headers={"Host": "x/health?"})
            assert answer.status_code in {400, 401}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("token", "method", "path", "headers", "status"),
    [
        ("master key", "GET", "/status", {}, 200),
        ("writer", "GET", "/status", {}, 200),
        ("reader", "GET", "/status", {}, 200),
        ("reader", "POST", "/streams/news/items", {"Content-Type": "a/b"}, 403),
        ("writer", "POST", "/streams/news/items", {"Content-Type": "a/b"}, 202),
        ("writer", "POST", "/streams/news/items", {"Content-Type": "a/b", "Distributary-Header": "?"}, 403),
        ("router", "POST", "/streams/news/items", {"Content-Type": "a/b", "Distributary-Header": "?"}, 400),
        ("writer", "GET", "/streams/news/subscribe", {"Accept": "text/event-stream"}, 403),
        ("writer", "GET", "/streams/news/plan", {}, 403),
        ("router", "GET", "/streams/news/plan", {}, 200),
        ("writer", "GET", "/nowhere", {}, 404),
    ],
)
def test_token_allows_its_scopes_and_no_more(
    serve: Any, token: str, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async def main() -> None:
        async with serve(tokens=TOKENS, token=token) as served:
            assert (await served.http.request(method, path, headers=headers)).status_code == status

    asyncio.run(main())


@pytest.mark.parametrize(("token", "status"), [(None, 401), ("reader", 403), ("wrong", 401)])
def test_link_needs_a_token_that_joins(serve: Any, token: str | None, status: int) -> None:
    async def main() -> None:
        async with serve(tokens=TOKENS) as served:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            url = served.url.replace("http", "ws") + "/link"
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, proxy=None, additional_headers=headers)
            assert caught.value.response.status_code == status
            async with connect(url, proxy=None, additional_headers={"Authorization": "Bearer child"}) as link:
                await link.send(b"no message")
                await link.wait_closed()

    asyncio.run(main())


def test_open_paths_need_no_token_and_carry_a_policy(serve: Any) -> None:
    async def main() -> None:
        async with serve(tokens=TOKENS) as served:
            assert (await served.http.get("/health")).json() == {"status": "ok"}
            page = await served.http.get("/")
            assert page.status_code == 200
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert page.headers["x-content-type-options"] == "nosniff"
            for path in ("/dashboard/dashboard.js", "/dashboard/dashboard.css", "/dashboard/icon.svg"):
                assert (await served.http.get(path)).status_code == 200

    asyncio.run(main())


def test_browser_holds_the_token_in_a_cookie_that_scripts_cannot_read(serve: Any) -> None:
    async def main() -> None:
        async with serve(tokens=TOKENS) as served:
            for body in (b"{}", b"nonsense", b"[1]", b'{"token": 1}'):
                assert (await served.http.post("/session", content=body)).status_code == 400
            for body in (b'{"token": "\xff"}', b"[" * 4000):
                assert (await served.http.post("/session", content=body)).status_code == 400
            assert (await served.http.post("/session", content=b"x" * 5000)).status_code == 413
            assert (await served.http.post("/session", content=b'{"token": "guess"}')).status_code == 401
            answer = await served.http.post("/session", content=json.dumps({"token": "master key"}))
            cookie = answer.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            assert (await served.http.get("/status")).status_code == 200
            assert (await served.http.delete("/session")).status_code == 200
            assert (await served.http.get("/status")).status_code == 401

    asyncio.run(main())


def test_pages_of_other_sites_cannot_act(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            headers = {"Content-Type": "text/plain", "Origin": "http://evil.example"}
            answer = await served.http.post("/streams/news/items", content=b"x", headers=headers)
            assert answer.status_code == 403
            headers["Origin"] = served.url
            answer = await served.http.post("/streams/news/items", content=b"x", headers=headers)
            assert answer.status_code == 202
            url = served.url.replace("http", "ws") + "/streams/news/subscribe"
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, proxy=None, additional_headers={"Origin": "http://evil.example"})
            assert caught.value.response.status_code == 403

    asyncio.run(main())


def test_status_metrics_and_plan(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            status = (await served.http.get("/status")).json()
            assert (status["name"], status["url"], status["children"]) == ("fake", served.url, [])
            metrics = (await served.http.get("/metrics")).text
            assert "# TYPE distributary_subscribers gauge" in metrics
            assert "distributary_fake_inputs_total 3.0" in metrics
            plan = (await served.http.get("/streams/news/plan")).json()
            channel = {"channel": 0, "kind": "where", "text": "a = 1", "namespaces": {}}
            assert plan == {"version": "v1", "channels": [channel]}
            assert (await served.http.get("/streams/a%20b/plan")).status_code == 400

    asyncio.run(main())


def test_request_with_endless_headers_is_refused(serve: Any) -> None:
    async def main() -> None:
        async with serve() as served:
            answer = await served.http.get("/health", headers={"X-Long": "x" * 100_000})
            # 400 where they came in pieces: then the server stops reading.
            assert answer.status_code in {400, 431}

    asyncio.run(main())


def test_node_that_breaks_is_told(serve: Any, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with serve() as served:
            served.node.broken = True
            answer = await served.http.post("/streams/news/items", content=b"x", headers={"Content-Type": "a/b"})
            assert answer.status_code == 503
            assert isinstance(await served.running.failed, AssertionError)

    asyncio.run(main())
    assert '"event":"node_failed"' in capsys.readouterr().err
