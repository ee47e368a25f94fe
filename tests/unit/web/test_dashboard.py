"""The dashboard's files: whole, our own, and without anything that the policy would stop."""

from __future__ import annotations

import asyncio
import re

import httpx

from distributary.web import CONTENT_SECURITY_POLICY, app, routes


def pages() -> dict[str, httpx.Response]:
    async def main() -> dict[str, httpx.Response]:
        transport = httpx.ASGITransport(app=app())
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as http:
            return {route.path: await http.get(route.path) for route in routes()}

    return asyncio.run(main())


def test_dashboard_files_are_served_with_the_policy() -> None:
    found = pages()
    assert set(found) == {"/", "/dashboard/dashboard.css", "/dashboard/dashboard.js", "/dashboard/icon.svg"}
    for answer in found.values():
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_dashboard_asks_for_nothing_from_elsewhere() -> None:
    for path, answer in pages().items():
        addresses = set(re.findall(r"(?:https?:)?//[a-z][^\s\"')]*", answer.text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path


def test_dashboard_page_has_no_inline_script_or_style_and_names_its_files() -> None:
    found = pages()
    page = found["/"].text
    assert "style=" not in page
    assert "<style" not in page
    assert not re.search(r"\son[a-z]+=", page)
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    named = set(re.findall(r"(?:src|href)=\"(/dashboard/[^\"]+)\"", page))
    assert named == set(found) - {"/"}


def test_dashboard_script_finds_every_element_that_it_uses() -> None:
    found = pages()
    used = set(re.findall(r"\bat\(\"([a-z]+)\"\)", found["/dashboard/dashboard.js"].text))
    assert used >= {"board", "login", "state", "name", "token"}
    assert used <= set(re.findall(r"\bid=\"([a-z-]+)\"", found["/"].text))
    assert "innerHTML" not in found["/dashboard/dashboard.js"].text
