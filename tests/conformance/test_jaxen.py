"""Jaxen's XPath 1.0 assertions, as far as they lie in the language of tree patterns, by reference and matcher.

An assertion says how many nodes a path selects, or what an expression's string is, in a context. A pattern tells
whether there are nodes; so a count becomes "some" or "none", a boolean's string itself, and another string the
question whether some node of the path has it (which the first one does). Where an error is expected, the pattern must
be refused. Relative expressions are put in brackets behind their context when it is one node.

The assertions are not part of this project: skipped where the shared data is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.matching.patterns import PatternMatcher

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "xpath" / "jaxen" / "core"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the shared data is not here")


@dataclass(frozen=True)
class Assertion:
    document: Path
    expression: str
    namespaces: dict[str, str]
    #: Whether there are nodes, or it holds; `None`: it is an error.
    expected: bool | None


def assertions() -> Iterator[Assertion | None]:
    """Yield what becomes of each assertion; `None` for those that no pattern can say."""
    for document in etree.parse(FOLDER / "xml" / "test" / "tests.xml").getroot().iter("document"):
        path = FOLDER / str(document.get("url"))
        tree = etree.parse(path)
        for context in document.iter("context"):
            for each in context.iter("test", "valueOf"):
                yield _assertion(path, tree, context, each)


def _assertion(path: Path, tree: etree._ElementTree, context: etree._Element, each: etree._Element) -> Assertion | None:
    if each.getparent() is not context:
        return None  # in the context of another assertion's node
    namespaces = {str(prefix): uri for prefix, uri in each.nsmap.items() if prefix}
    select = str(each.get("select"))
    if each.get("exception") == "true":
        return Assertion(path, select, namespaces, None)
    where = str(context.get("select"))
    if not select.lstrip().startswith("/") and where != "/":
        try:
            nodes = tree.xpath(where, namespaces=namespaces or None)
        except etree.XPathError:
            return None
        if not isinstance(nodes, list) or len(nodes) != 1:
            return None
        select = f"{where}[{select}]"
    if each.tag == "test":
        if each.get("count") is None:
            return None
        return Assertion(path, select, namespaces, int(str(each.get("count"))) > 0)
    return _of_a_string(Assertion(path, select, namespaces, True), each.text or "")


def _of_a_string(path: Assertion, value: str) -> Assertion | None:
    """Return the assertion that an expression's string is `value`."""
    comparison = any(sign in path.expression for sign in "=<>")
    if comparison and value in {"true", "false"}:
        return Assertion(path.document, path.expression, path.namespaces, value == "true")
    if comparison or not value or "'" in value:
        return None
    return Assertion(path.document, f"{path.expression} = '{value}'", path.namespaces, True)


def test_assertions_inside_the_language_agree() -> None:
    inside = refused = 0
    found = list(assertions())
    matchers: dict[Path, PatternMatcher[int]] = {}
    expected: dict[Path, list[int]] = {}
    for number, each in enumerate(found):
        if each is None:
            continue
        try:
            pattern = parse_xpath(each.expression, each.namespaces)
        except InputError:
            refused += each.expected is None
            continue
        assert each.expected is not None, f"{each.expression} is an error, but was read"
        inside += 1
        assert pattern.matches(parse_xml(each.document.read_bytes())) is each.expected, each.expression
        matchers.setdefault(each.document, PatternMatcher()).add(number, pattern)
        expected.setdefault(each.document, []).extend([number] if each.expected else [])
    for path, matcher in matchers.items():
        assert list(matcher.match_body(path.read_bytes())) == expected[path]
    # Of 296 assertions: 65 that a pattern can say, 9 errors, and none of either that went by unseen.
    assert (len(found), inside, refused) == (296, 65, 9)
