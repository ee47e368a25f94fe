"""Saved indexes: mapped, shared, copied when they change, and refused when they are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError
from distributary.matching.patterns import PatternMatcher

BODY = b"<a xmlns:p='urn:p'><b c='it'/><p:c>7</p:c></a>"
NAMESPACES = {"q": "urn:p"}
TEXTS = ["/a", "//q:c > 6", "//q:*", "/a/b[@c = 'it']", "/a/@b/c", "//*[@c]", "//z"]


def saved(path: Path) -> PatternMatcher[str]:
    matcher: PatternMatcher[str] = PatternMatcher()
    matcher.add("gone", parse_xpath("/gone[@with = 'its literal']"))
    for text in TEXTS:
        matcher.add(text, parse_xpath(text, NAMESPACES))
    matcher.remove("gone")
    matcher.save(path)
    return matcher


def test_what_is_opened_matches_what_was_saved(tmp_path: Path) -> None:
    matcher = saved(tmp_path / "index")
    opened: PatternMatcher[str] = PatternMatcher.open(tmp_path / "index")
    expected = ("/a", "//q:c > 6", "//q:*", "/a/b[@c = 'it']", "//*[@c]")
    assert matcher.match_body(BODY) == opened.match_body(BODY) == opened.share().match_body(BODY) == expected
    assert [opened.pattern(text) for text in TEXTS] == [parse_xpath(text, NAMESPACES) for text in TEXTS]
    assert len(opened) == len(TEXTS)


def test_a_change_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    saved(tmp_path / "index")
    before = (tmp_path / "index").read_bytes()
    opened: PatternMatcher[str] = PatternMatcher.open(tmp_path / "index")
    opened.remove("/a")
    opened.add("late", parse_xpath("//b"))
    assert opened.match_body(BODY)[0] == "//q:c > 6"
    assert opened.match_body(BODY)[-1] == "late"
    assert (tmp_path / "index").read_bytes() == before
    again: PatternMatcher[str] = PatternMatcher.open(tmp_path / "index")
    assert again.match_body(BODY)[0] == "/a"


def test_an_empty_index_can_be_saved(tmp_path: Path) -> None:
    matcher: PatternMatcher[str] = PatternMatcher()
    matcher.save(tmp_path / "index")
    opened: PatternMatcher[str] = PatternMatcher.open(tmp_path / "index")
    assert opened.match_body(BODY) == ()


@pytest.mark.parametrize("content", [b"", b"<a/>", b"DSTPIX01" + b"\xff" * 20])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(InputError, match="no index of patterns"):
        PatternMatcher.open(tmp_path / "other")


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "index")
    whole = (tmp_path / "index").read_bytes()
    (tmp_path / "index").write_bytes(whole[:-50])
    with pytest.raises(InputError, match="cut off"):
        PatternMatcher.open(tmp_path / "index")
