"""Explanations: where each node of a pattern is bound, and what is missing."""

from __future__ import annotations

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.matching.patterns.explanation import explain

BODY = b"<n><b><k i='1'>x</k></b><b><k i='2'>y</k><k i='3'/></b><p:q xmlns:p='urn:p'/></n>"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("/", []),
        ("/n/b/k[@i = 3]", ["/n[1]", "/n[1]/b[2]", "/n[1]/b[2]/k[2]", "/n[1]/b[2]/k[2]/@i"]),
        ("//k/text() = 'y'", ["/n[1]/b[2]/k[1]", "/n[1]/b[2]/k[1]/text()[1]"]),
        ("//*[@i > 1]", ["/n[1]/b[2]/k[1]", "/n[1]/b[2]/k[1]/@i"]),
        ("//p:q", ["/n[1]/{urn:p}q[1]"]),
        ("/n//@i", ["/n[1]", "/n[1]/b[1]/k[1]/@i"]),
    ],
)
def test_a_match_is_explained_by_its_binding(text: str, paths: list[str]) -> None:
    found = explain(parse_xpath(text, {"p": "urn:p"}), parse_xml(BODY))
    assert found.matches
    assert [binding.path for binding in found.bindings] == paths


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("/m", "there is no /m in the document"),
        ("/n/b/z/y", "there is no /z below /n[1]/b[1], nor below 1 more"),
        ("/n/b/k/@i = 9", "no /@i below /n[1]/b[1]/k[1], nor below 2 more is = 9: /n[1]/b[1]/k[1]/@i is '1'"),
        (". = 'z'", "no document node in the document is = 'z': / is 'xy'"),
        ("/n/b[k/@i = 1][k/@i = 2]", "no /b has all of /k and /k, with what is asked of them, at once"),
    ],
)
def test_a_miss_names_the_deepest_step_that_nothing_satisfies(text: str, missing: str) -> None:
    found = explain(parse_xpath(text), parse_xml(BODY))
    assert not found.matches
    assert found.missing == missing
