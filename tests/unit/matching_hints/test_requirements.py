from __future__ import annotations

import pytest

from distributary.algebra.everything import Everything
from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.treepattern_nodes import Kind
from distributary.matching.hints.requirements import Requirements, name_of, name_patterns_of, pattern_of_name

PATTERNS = ["//a", "//b", "//c", "//@x", "//{u}*", "//b[@x = 5]"]


def requirements() -> Requirements:
    return Requirements([parse_xpath(text.replace("{u}", "u:"), {"u": "urn:u"}) for text in PATTERNS])


def places(mask: int) -> list[int]:
    return [place for place in range(128) if mask >> place & 1]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("/a", [0]),
        ("/a[b]/c", [0, 1, 2]),
        ("//*[@x]", [3]),
        ("/a/b[@x = 5]", [0, 1, 3, 5]),
        ("/a/b/@x", [0, 1, 3]),
        ("//u:a", [4]),
        ("//u:*", [4]),
        ("/*/*", []),
        ("/", []),
        ("//text() = 'a'", []),
    ],
)
def test_needs_are_the_data_patterns_that_a_pattern_implies(text: str, needed: list[int]) -> None:
    assert places(requirements().needs(parse_xpath(text, {"u": "urn:u"}))) == needed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/a[b]/c", [[0, 1], [0, 2]]),  # both: the paper's rule would drop it behind the last b
        ("/a/b", [[0, 1]]),
        ("//b[c]", [[1, 2]]),
        ("//b[c]/c/d", [[1, 2]]),
        ("/a[. = 'x']/b", [[0]]),  # the value of a is whole only at its end
        ("/a/*[. = 'x']/b", [[0]]),
        ("/a/b[. = 'x']", [[0, 1]]),
        ("/a/b/text()", [[0, 1]]),
        ("/a/b/@x", [[0, 1]]),
        ("/*[@x]/b", []),  # an attribute of what may stand anywhere
        ("/*/b", [[1]]),
        ("//*/@x", []),
        ("/*", []),
        ("/", []),
        ("/a/d", [[0]]),  # d has no data pattern
        ("/d", []),
        (". = 'x'", []),
        (". = 'x' and //a", []),
    ],
)
def test_bounds_have_names_of_every_branch(text: str, names: list[list[int]]) -> None:
    assert [places(mask) for mask in requirements().bounds(parse_xpath(text))] == names


def test_filters_that_are_no_patterns_need_nothing_and_have_no_bounds() -> None:
    assert requirements().needs(Everything()) == 0
    assert requirements().bounds(Everything()) == ()
    assert name_patterns_of(Everything()) == []


@pytest.mark.parametrize(("kind", "name"), [(Kind.ELEMENT, "a"), (Kind.ATTRIBUTE, "{urn:u}b")])
def test_pattern_of_a_name_has_that_name(kind: Kind, name: str) -> None:
    assert name_of(pattern_of_name(kind, name)) == (kind, name)


@pytest.mark.parametrize("text", ["/a", "//*", "//a/b", "//a[@x]", "//a = 5", "//text()", "/", "//a and . = 5"])
def test_other_patterns_have_no_name(text: str) -> None:
    assert name_of(parse_xpath(text)) is None
