"""What tree patterns match: XPath 1.0's node-sets, string values and numbers; and Jaxen's assertions, where present."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.treepattern_values import number_of
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.values import Block, Opaque

_JAXEN = Path(__file__).parents[3] / ".." / "shared" / "data" / "xpath" / "jaxen" / "core" / "xml"

_DOCUMENT = parse_xml(
    b"<root xmlns:p='urn:p'><a x='5'>1<b>2</b><!-- c -->3</a><a x=' 7 ' y='red'><b>red</b><b>green</b></a>"
    b"<p:c p:x='+5'><d>1e3</d><d/></p:c></root>"
)


@pytest.mark.parametrize(
    ("xpath", "expected"),
    [
        ("/root", True),
        ("root", True),
        ("/a", False),
        ("a", False),
        ("/", True),
        ("//a/b", True),
        ("/root//b", True),
        ("/root/b", False),
        ("//b/a", False),
        ("/*/*/b", True),
        ("//*/*/*/*", False),
        ("//c", False),
        ("//p:c", True),
        ("//p:*", True),
        ("//@p:x", True),
        ("//p:c/@x", False),
        ("/root/@x", False),
        ("/root//@x", True),
        ("//a//@x", True),
        ("//@*[. = 'red']", True),
        ("//@x/a", False),
        ("/@x", False),
        ("/text()", False),
        # String values hold all text below, text nodes only their own.
        ("//a = '123'", True),
        ("//a = 123", True),
        ("//a/text() = '13'", False),
        ("//a/text() = '3'", True),
        ("//a[. = 'redgreen']", True),
        (". = '123redgreen1e3'", True),
        # Node-sets compare when some node does; each comparison may have its own.
        ("//a[b = 'red' and b = 'green']", True),
        ("//a[b[. = 'red'] = 'green']", False),
        ("//a[b = 'red'][b != 'red']", True),
        ("//a[@y != 'red']", False),
        ("//a[@z != 'red']", False),
        # Numbers as XPath 1.0 reads them; all else is NaN, which is unequal to everything.
        ("//a[@x = 7]", True),
        ("//a[@x = '7']", False),
        ("//d = 1000", False),
        ("//d != 1000", True),
        ("//@p:x = 5", False),
        ("//@p:x >= 0", False),
        ("//@p:x < 0", False),
        ("//@x > 5", True),
        ("//@x > 7", False),
        ("//@x >= 7", True),
        ("//@x < 5", False),
        ("5 < //@x", True),
        ("7 < //@x", False),
        ("//@x < '7.5'", True),
        ("//@x < 'red'", False),
        ("//d = ''", True),
        ("//b and //d", True),
        ("//b and //e", False),
        ("//b[/root/p:c]", True),
        ("//b[/root/e]", False),
    ],
)
def test_pattern_matches_as_xpath_1_does(xpath: str, expected: bool) -> None:
    assert parse_xpath(xpath, {"p": "urn:p"}).matches(_DOCUMENT) is expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5.0),
        (" \t\r\n5 ", 5.0),
        ("-5.", -5.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("0005", 5.0),
        ("9" * 400, float("inf")),
    ],
)
def test_number_of_text_is_read_by_the_grammar_of_xpath(text: str, number: float) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    "text", ["", " ", "+5", "1e3", "5 5", "- 5", ".", "-", "0x5", "NaN", "Infinity", "\u00a05", "٣", "1_0"]
)
def test_number_of_other_text_is_not_a_number(text: str) -> None:
    assert number_of(text) != number_of(text)


def test_content_of_another_kind_is_never_matched() -> None:
    anything = parse_xpath("/")
    assert anything.matches(_DOCUMENT)
    assert not anything.matches({"a": 1})
    assert not anything.matches(Block(frozenset({1})))
    assert not anything.matches(Opaque("text/plain"))


def test_deep_document_and_many_steps_take_polynomial_time() -> None:
    document = parse_xml(b"<a>" * 255 + b"<b/>" + b"</a>" * 254 + b"<a/>" + b"</a>")
    assert not parse_xpath("//*" * 200 + "//c").matches(document)
    assert parse_xpath("//*" * 200 + "//b").matches(document)
    assert parse_xpath("//a[.//a[.//a[.//a[.//a[.//b]]]]]//a[.//b]//b").matches(document)


def _jaxen_assertions() -> list[tuple[str, str, dict[str, str], bool | None]]:
    """Return (document, expression, namespaces, expected) of Jaxen's tests at the document node; `None`: an error."""
    found: list[tuple[str, str, dict[str, str], bool | None]] = []
    for test in etree.parse(_JAXEN / "test" / "tests.xml").iter("test", "valueOf"):
        xpath = test.get("select", "").strip()
        context = test.xpath("string(ancestor::context[1]/@select)")
        if not xpath or not (context == "/" or xpath.startswith("/")):
            continue
        expected: bool | None
        if test.get("exception"):
            expected = None
        elif test.get("count") is not None:
            expected = test.get("count") != "0"
        elif test.tag == "valueOf" and test.text in {"true", "false"} and any(sign in xpath for sign in "=<>"):
            expected = test.text == "true"
        else:
            continue
        prefixes = {prefix: uri for prefix, uri in test.nsmap.items() if prefix and prefix != "var"}
        found.append((str(test.xpath("string(ancestor::document/@url)")), xpath, prefixes, expected))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not _JAXEN.exists(), reason="needs ../shared/data/xpath/jaxen")
def test_jaxen_assertions_inside_the_language_hold() -> None:
    checked = 0
    for url, xpath, prefixes, expected in _jaxen_assertions():
        try:
            pattern: TreePattern | None = parse_xpath(xpath, prefixes)
        except InputError:
            pattern = None
        if expected is None:
            assert pattern is None, xpath
        elif pattern is not None:
            data = (_JAXEN.parent / url).read_bytes()
            assert pattern.matches(parse_xml(data)) is expected, (url, xpath)
            checked += 1
    assert checked >= 40
