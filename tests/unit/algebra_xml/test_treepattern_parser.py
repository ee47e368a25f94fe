"""Reading and printing tree patterns: the language, its normal form, and every refusal with its reason."""

from __future__ import annotations

from contextlib import suppress

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError
from distributary.core.subscriptions import FilterText

_NAMESPACES = {"p": "urn:p", "q": "urn:q", "and": "urn:and", "text": "urn:text"}


def _text(xpath: str) -> str:
    return parse_xpath(xpath, _NAMESPACES).text().text


def _refused(xpath: str, namespaces: dict[str, str] | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        parse_xpath(xpath, _NAMESPACES if namespaces is None else namespaces)
    return caught.value


@pytest.mark.parametrize(
    ("xpath", "canonical"),
    [
        ("/", "/"),
        (".", "/"),
        ("/.", "/"),
        ("/*", "/"),
        ("//*", "/"),
        ("a", "/a"),
        ("./a/.", "/a"),
        ("/child::a/attribute::b", "/a[@b]"),
        ("/a/descendant::b", "/a//b"),
        ("/a/descendant-or-self::node()/b", "/a//b"),
        ("/a/descendant-or-self::node()/@b", "/a[.//@b]"),
        ("//./a", "//a"),
        ("/a/self::node()", "/a"),
        (".//x[@a]/text() = 'red'", "//x[@a][text() = 'red']"),
        ("(//a)[b]", "//a/b"),
        ("//a[.]", "//a"),
        ("//a[./b]/c", "//a[b]/c"),
        ("//a[c]/b", "//a[b]/c"),
        ("//a[b and b][b]", "//a/b"),
        ("//a[(b and (c)) and d]", "//a[b][c]/d"),
        ("//a[5 < b]", "//a/b[. > 5]"),
        ("//a[5 != @b]", "//a[@b != 5]"),
        ("//a[--5 = @b]", "//a[@b = 5]"),
        ("//a[- 5 >= @b]", "//a[@b <= -5]"),
        ("//a[@b = -(5)]", "//a[@b = -5]"),
        ("//a[@b = -0]", "//a[@b = 0]"),
        ("//a[@b = .5]", "//a[@b = 0.5]"),
        ("//a[@b = 5.]", "//a[@b = 5]"),
        ("//a[@b = 007]", "//a[@b = 7]"),
        ("//a[@b < ' 5 ']", "//a[@b < 5]"),
        ("//a[@b <= 'x']", "//a[@b < '']"),
        ('//a[@b = "it\'s"]', '//a[@b = "it\'s"]'),
        ("//a[@b = 'say \"x\"']", "//a[@b = 'say \"x\"']"),
        ("//a[. > 3][. < 9]", "//a[. < 9][. > 3]"),
        ("//a[@b > 3 and @b < 9]", "//a[@b[. < 9][. > 3]]"),
        ("//a = 5", "//a[. = 5]"),
        ("5 = //a", "//a[. = 5]"),
        (". = 'x'", ". = 'x'"),
        ("//b and /a and . = 'x'", ". = 'x' and /a and //b"),
        ("//a[/r/b]", "//a and /r/b"),
        ("//a[//b = 5]", "//b[. = 5] and //a"),
        ("//a[/]", "//a"),
        ("/a[b] and /a/c", "/a[b]/c"),
        ("/*/b and /a", "/a/b"),
        ("//and/or[div and mod]", "//and/or[div]/mod"),
        ("//text[text()]/comment/node", "//text[text()]/comment/node"),
        ("//@text", "//@text"),
        ("//@*", "//@*"),
        ("//p:*[@p:a]", "//n0:*[@n0:a]"),
        ("//and:a[text:b = 'and:a']", "//n0:a/n1:b[. = 'and:a']"),
        ("//xml:a[@xml:lang = 'en']", "//xml:a[@xml:lang = 'en']"),
        ("//a[ b\t=\n5 ] / c", "//a[b = 5]/c"),
        ("//é-b.c", "//é-b.c"),
        ("//a/@b/c", "//a/@b/c"),
    ],
)
def test_expression_in_the_language_has_its_canonical_text(xpath: str, canonical: str) -> None:
    assert _text(xpath) == canonical
    written = parse_xpath(xpath, _NAMESPACES).text()
    assert parse_xpath(written.text, dict(written.namespaces)) == parse_xpath(xpath, _NAMESPACES)


def test_prefixes_are_numbered_by_namespace_whatever_they_were() -> None:
    expected = FilterText("xpath", "//n1:a/n0:b", (("n0", "urn:p"), ("n1", "urn:q")))
    assert parse_xpath("//q:a/p:b", _NAMESPACES).text() == expected
    assert parse_xpath("//p:a/q:b", {"p": "urn:q", "q": "urn:p"}).text() == expected
    assert parse_xpath("//a", _NAMESPACES).text() == FilterText("xpath", "//a")


def test_prefix_that_is_a_word_of_the_grammar_is_a_prefix() -> None:
    namespaces = {"and": "urn:1", "_0": "urn:2", "____0": "urn:3", "div": "urn:4"}
    written = parse_xpath("//and:a[_0:b and ____0:c]/div:and", namespaces).text()
    assert written == FilterText(
        "xpath", "//n0:a[n1:b][n2:c]/n3:and", (("n0", "urn:1"), ("n1", "urn:2"), ("n2", "urn:3"), ("n3", "urn:4"))
    )


def test_reason_that_quotes_a_long_expression_is_short() -> None:
    assert len(_refused("//" + "a" * 9000 + "('x')").reason) <= 301


def test_equal_patterns_have_equal_hashes_and_others_differ() -> None:
    assert hash(parse_xpath("//a[b][@c]")) == hash(parse_xpath("//a[@c]/b"))
    assert parse_xpath("//a[@b = 5]") != parse_xpath("//a[@b = '5']")
    assert parse_xpath("//a/@b") != parse_xpath("//a//@b")


def test_number_beyond_the_doubles_is_infinite_and_printed_without_exponent() -> None:
    pattern = parse_xpath("//a[@b < " + "9" * 400 + " and @c > 0." + "0" * 320 + "5]")
    written = pattern.text().text
    assert "e" not in written
    assert parse_xpath(written) == pattern


@pytest.mark.parametrize(
    ("xpath", "reason"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("//a[", "is not an XPath 1.0 expression"),
        ("//", "is not an XPath 1.0 expression"),
        ("//a/", "is not an XPath 1.0 expression"),
        ("//a]", "is not an XPath 1.0 expression"),
        ("//a b", "is not an XPath 1.0 expression"),
        ("//a[]", "is not an XPath 1.0 expression"),
        ("//123", "positions are not in the language"),
        ("//a[b = 5 = 6]", "is not an XPath 1.0 expression"),
        ("//a[b = 'it''s']", "unexpected literal"),
        ("//a[b = 1e3]", "unexpected name 'e3'"),
        ("//a[b = 'x]", "is not an XPath 1.0 expression"),
        ("//{urn:p}a", "is not an XPath 1.0 expression"),
        ("//a[. = \uff15]", "compares two paths"),  # to XML a name
        ("//a\u00a0/b", "white space that is none in XPath 1.0"),
        ("//a(: comment :)", "comments are not in XPath 1.0"),
        ("//a[b = '\x00']", "a character that XML does not have"),
        ("//nowhere:a", "prefix 'nowhere' is not declared"),
        ("//p:a:b", "is not an XPath 1.0 expression"),
        ("//a[b or c]", "`or` is not in the language"),
        ("//a or //b", "`or` is not in the language"),
        ("//a | //b", "unions of paths are not in the language"),
        ("//a[b | c]", "unions of paths are not in the language"),
        ("//a[b | c = 5]", "unions of paths are not in the language"),
        ("//a[1]", "positions are not in the language: [1]"),
        ("a[1]", "positions are not in the language: [1]"),
        ("//a[-1]", "arithmetic is not in the language: -"),
        ("//a[position()=2]", "functions are not in the language: position()"),
        ("//a[last()]", "functions are not in the language: last()"),
        ("count(//a)", "functions are not in the language: count()"),
        ("//a[not(b)]", "functions are not in the language: not()"),
        ("//a[contains(b, 'x')]", "functions are not in the language: contains()"),
        ("//a[b = true()]", "functions are not in the language: true()"),
        ("//a[string(b) = 'x']", "functions are not in the language: string()"),
        ("//a[unknown('x')]", "unknown function 'unknown'"),
        ("id('x')", "functions are not in the language: id()"),
        ("//a/text('x')", "is not an XPath 1.0 expression"),
        ("//a[$x]", "variables are not in the language"),
        ("//a[b = $x]", "variables are not in the language"),
        ("//a[b + 1 = 2]", "arithmetic is not in the language: +"),
        ("//a[b * 2 = 2]", "arithmetic is not in the language: *"),
        ("//a[b div 2 = 2]", "arithmetic is not in the language: div"),
        ("//a[b mod 2 = 1]", "arithmetic is not in the language: mod"),
        ("//a[-b = 2]", "arithmetic is not in the language: -"),
        ("//a[b = -'x']", "arithmetic is not in the language: a sign before a string"),
        ("//a[b = c]", "compares two paths"),
        ("//a[b = (c)]", "compares two paths"),
        ("//a[5 = 5]", "compares two literals: 5.0 = 5.0"),
        ("//a['x']", "a string is no condition: 'x'"),
        ("'x'", "a string is no condition: 'x'"),
        ("5", "positions are not in the language: [5]"),
        ("//a[(b = 5) = 6]", "a condition cannot be compared"),
        ("//a[(b and c) = 6]", "a condition cannot be compared"),
        ("//a/..", "the axis parent:: (`..`) is not in the language"),
        ("//a[../b]", "the axis parent:: (`..`) is not in the language"),
        ("/a/following::b", "the axis following:: is not in the language"),
        ("/a/preceding-sibling::b", "the axis preceding-sibling:: is not in the language"),
        ("//a/parent::b", "the axis parent:: is not in the language"),
        ("//a/ancestor-or-self::b", "the axis ancestor-or-self:: is not in the language"),
        ("//a/namespace::b", "the axis namespace:: is not in the language"),
        ("//a/self::a", "the axis self:: is not in the language"),
        ("//a/descendant-or-self::b", "the axis descendant-or-self:: is not in the language"),
        ("//a/comment()", "the node test comment() is not in the language"),
        ("//processing-instruction()", "the node test processing-instruction() is not in the language"),
        ("//a[node()]", "the node test node() is not in the language"),
        ("//a/attribute::text()", "the attribute axis has no text nodes"),
        ("//.", "`//.` would select comments"),
        ("//a[.//. = 5]", "`//.` would select comments"),
        ("//a/descendant-or-self::node()", "`//.` would select comments"),
        ("/a/.[b]", "`.` takes no branch"),
        (".[b]", "`.` takes no branch"),
        ("//a[.//.[b]/c]", "`.` takes no branch"),
        ("/a[((b)[c])[d]]/e | f", "unions of paths"),
        ("(" * 33 + "a" + ")" * 33, "brackets nest deeper than 32"),
        ("a" + "[b" * 40 + "]" * 40, "brackets nest deeper than 32"),
        ("/a" * 513, "has more than 512 steps"),
        ("a" * 16_385, "has 16385 characters, more than 16384"),
        ("//a[b = " + "-" * 5000 + "5]", "too many signs in a row"),
        ("//a[b = " + "9" * 5000 + "]", "a number with too many digits"),
        ("//a[b = " + " and b = ".join(["5"] * 520) + "]", "has more than 512 steps"),
    ],
)
def test_expression_outside_the_language_is_refused_with_the_reason(xpath: str, reason: str) -> None:
    error = _refused(xpath)
    assert error.field == "xpath"
    assert reason in error.reason
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("namespaces", "reason"),
    [
        ({"": "urn:p"}, "an unprefixed name is in no namespace"),
        ({"1p": "urn:p"}, "it is not a name"),
        ({"p:q": "urn:p"}, "it is not a name"),
        ({"p": ""}, "the namespace of 'p' is not a URI"),
        ({"xml": "urn:p"}, "the prefix 'xml' cannot stand for 'urn:p'"),
        ({"p": "http://www.w3.org/XML/1998/namespace"}, "the prefix 'p' cannot stand for"),
        ({"xmlns": "urn:p"}, "the prefix 'xmlns' cannot stand for"),
    ],
)
def test_declaration_that_xpath_cannot_use_is_refused(namespaces: dict[str, str], reason: str) -> None:
    error = _refused("//a", namespaces)
    assert error.field == "namespaces"
    assert reason in error.reason


@pytest.mark.parametrize(
    "part",
    ["/", "//", "@", "[", "(", ")", "..", ".", "*", "a:", "child::", "-", "!", "<", "=", "$", "|a", ",a", "'", "[1]"],
)
def test_long_runs_of_anything_end_in_an_answer(part: str) -> None:
    for text in (part * 700, "a" + part * 700, "//a[" + part * 700 + "]"):
        with suppress(InputError):  # any other error fails the test
            assert parse_xpath(text).nodes


def test_longest_pattern_survives_printing_and_comparing() -> None:
    path = "".join(f"//e{number}[@a]" for number in range(120))
    pattern = parse_xpath(path)
    written = pattern.text()
    assert parse_xpath(written.text) == pattern
    assert pattern.covers(pattern)
    assert pattern.intersects(pattern)
    alternating = parse_xpath("/a" + "/@b/c" * 200)
    assert parse_xpath(alternating.text().text) == alternating
