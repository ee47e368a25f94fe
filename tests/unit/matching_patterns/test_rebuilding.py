"""Rebuilds: what comes and goes while one runs, and what is left when patterns go."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.matching.patterns import PatternMatcher

BODY = b"<a><b c='5'/><c>x</c></a>"


def test_changes_during_a_rebuild_are_kept() -> None:
    matcher: PatternMatcher[str] = PatternMatcher()
    for text in ("/a", "//b", "//c", "/a/@x/y"):
        matcher.add(text, parse_xpath(text))
    rebuild = matcher.rebuilding()
    matcher.remove("//b")
    matcher.remove("/a")
    matcher.add("/a", parse_xpath("/a"))
    matcher.add("new", parse_xpath("//b[@c = 5]"))
    matcher.add("short", parse_xpath("//b"))
    matcher.remove("short")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(rebuild.run).result()
    assert matcher.match_body(BODY) == ("//c", "/a", "new")
    matcher.adopt(rebuild)
    assert matcher.match_body(BODY) == ("//c", "/a", "new")
    assert matcher.pattern("/a/@x/y") == parse_xpath("/a/@x/y")


def test_only_the_last_rebuild_is_adopted() -> None:
    matcher: PatternMatcher[str] = PatternMatcher()
    first = matcher.rebuilding()
    first.run()
    second = matcher.rebuilding()
    with pytest.raises(AssertionError, match="not the last rebuild"):
        matcher.adopt(first)
    with pytest.raises(AssertionError, match="has not run"):
        matcher.adopt(second)


def test_fragmentation_grows_as_patterns_go_and_a_rebuild_ends_it() -> None:
    matcher: PatternMatcher[int] = PatternMatcher()
    matcher.add_all((number, parse_xpath(f"/a/b[@c = {number}]")) for number in range(200))
    assert matcher.fragmentation == 0.0
    before = matcher.index_bytes
    for number in range(0, 200, 2):
        matcher.remove(number)
    assert 0.4 < matcher.fragmentation < 0.6
    matcher.rebuild()
    assert matcher.fragmentation == 0.0
    assert matcher.index_bytes <= before
    assert matcher.match_body(BODY) == (5,)


def test_slots_of_removed_patterns_do_not_pile_up() -> None:
    matcher: PatternMatcher[int] = PatternMatcher()
    matcher.add(-1, parse_xpath("//c"))
    pattern = parse_xpath("//b")
    for number in range(10_000):
        matcher.add(number, pattern)
        matcher.remove(number)
    # A slot is 16 bytes; the greatest number of them that is let be, doubled where arrays grow.
    assert matcher.index_bytes < 16 * 3 * 4096
    assert matcher.match_body(BODY) == (-1,)
