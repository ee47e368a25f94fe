from __future__ import annotations

import pytest

from distributary.algebra.like import like_covers, like_prefix, like_test
from distributary.core.errors import InputError


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a%", "a", True),
        ("a%", "ba", False),
        ("%b", "ab", True),
        ("%b", "abc", False),
        ("_", "\U0001f600", True),
        ("_", "", False),
        ("", "", True),
        ("", "a", False),
        ("%", "", True),
        ("a%b", "a\nb", True),
        ("a_b", "a\nb", True),
        ("a\\_c", "abc", False),
        ("a\\_c", "a_c", True),
        ("100\\%", "100%", True),
        ("\\\\", "\\", True),
        ("aa%aa", "aaa", False),
        ("%ab%ab%", "abab", True),
        ("%ab%ab%", "aba", False),
        ("A", "a", False),
        ("a.c", "abc", False),
        ("a%_", "a", False),
        ("%_b", "b", False),
    ],
)
def test_like_test_answers_as_spark(pattern: str, text: str, expected: bool) -> None:
    assert like_test(pattern)(text) is expected


@pytest.mark.parametrize(("pattern", "what"), [("a\\", "ends the pattern"), ("a\\b", "stands before 'b'")])
def test_like_test_misplaced_backslash_is_refused_as_in_spark(pattern: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        like_test(pattern)


def test_like_test_many_wildcards_take_no_power_of_the_length() -> None:
    assert not like_test("%a" * 40 + "%b")("a" * 20_000)


@pytest.mark.parametrize(
    ("pattern", "prefix"), [("ab", ("ab", "")), ("ab%", ("ab", "%")), ("ab%%", ("ab", "%")), ("a_", ("a", "?"))]
)
def test_like_prefix_is_the_literal_start(pattern: str, prefix: tuple[str, str]) -> None:
    assert like_prefix(pattern) == prefix


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("%", "a_%", True),
        ("%a%", "%bab%", True),
        ("_%", "a%", True),
        ("a%", "%a", False),
        ("_", "%", False),
        ("\\%", "%", False),
        ("a_c", "abc", True),
        ("abc", "a_c", False),
    ],
)
def test_like_covers_compares_patterns(wide: str, narrow: str, expected: bool) -> None:
    assert like_covers(wide, narrow) is expected
