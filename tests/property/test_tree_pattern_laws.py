"""The laws of tree patterns: evaluation agrees with lxml, containment is sound and an order, printing loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from distributary.algebra.filter import Filter
from distributary.algebra.treepattern import TreePattern, conjunction, parse_xpath
from distributary.algebra.treepattern_nodes import Axis, Kind
from distributary.algebra.xml import parse_xml
from distributary.core.documents import Document
from distributary.testing.documents import NAMESPACES, documents, namespaces, patterns

pytestmark = pytest.mark.slow

_FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

some_patterns = patterns().map(lambda text: parse_xpath(text, NAMESPACES))
some_documents = documents().map(parse_xml)


def _lxml_matches(text: str, body: bytes, prefixes: Mapping[str, str]) -> bool:
    """Evaluate at the document node; left alone, lxml starts a relative path at the root element."""
    oracle = etree.XPath(f"boolean(/self::node()[{text}])", namespaces=dict(prefixes) or None)
    return bool(oracle(etree.fromstring(body)))


@_FEW
@given(st.lists(documents(), min_size=1, max_size=3), st.lists(patterns(), min_size=1, max_size=8))
def test_matches_equals_lxml(bodies: list[bytes], texts: list[str]) -> None:
    for text in texts:
        pattern = parse_xpath(text, NAMESPACES)
        for body in bodies:
            assert pattern.matches(parse_xml(body)) == _lxml_matches(text, body, NAMESPACES), text


@_FEW
@given(st.lists(some_documents, min_size=1, max_size=3), st.lists(some_patterns, min_size=2, max_size=6))
def test_covers_is_sound(items: list[Document], drawn: list[TreePattern]) -> None:
    for wide in drawn:
        for narrow in drawn:
            if wide.covers(narrow):
                assert all(wide.matches(item) for item in items if narrow.matches(item))


@_FEW
@given(some_documents, some_patterns, some_patterns)
def test_covers_of_a_conjunction_holds_and_is_exact(item: Document, first: TreePattern, second: TreePattern) -> None:
    both = conjunction(first, second)
    assert first.covers(both)
    assert second.covers(both)
    assert both.matches(item) == (first.matches(item) and second.matches(item))


@_FEW
@given(st.lists(some_patterns, min_size=3, max_size=3))
def test_covers_is_reflexive_and_transitive(drawn: list[TreePattern]) -> None:
    first, second, third = drawn
    assert first.covers(first)
    # Conjunctions make chains, which drawn patterns hardly ever are.
    middle = conjunction(first, second)
    last = conjunction(middle, third)
    assert first.covers(middle)
    assert middle.covers(last)
    assert first.covers(last)
    for pattern in drawn:
        if pattern.covers(first):
            assert pattern.covers(last)


@_FEW
@given(some_documents, some_patterns, some_patterns)
def test_intersects_false_is_a_proof(item: Document, first: TreePattern, second: TreePattern) -> None:
    assert first.intersects(second) == second.intersects(first)
    if first.matches(item) and second.matches(item):
        assert first.intersects(second)


@_FEW
@given(patterns())
def test_parse_of_print_is_the_identity(text: str) -> None:
    pattern = parse_xpath(text, NAMESPACES)
    written = pattern.text()
    again = parse_xpath(written.text, dict(written.namespaces))
    assert again == pattern
    assert hash(again) == hash(pattern)
    assert again.text() == written


@_FEW
@given(documents(), patterns())
def test_canonical_text_means_the_same_to_lxml(body: bytes, text: str) -> None:
    written = parse_xpath(text, NAMESPACES).text()
    canonical = _lxml_matches(written.text, body, dict(written.namespaces))
    assert canonical == _lxml_matches(text, body, NAMESPACES), written


@_FEW
@given(patterns(), namespaces())
def test_prefixes_do_not_matter(text: str, other: dict[str, str]) -> None:
    own = {uri: prefix for prefix, uri in NAMESPACES.items()}
    renamed = text
    for prefix, uri in other.items():
        renamed = renamed.replace(f"{own[uri]}:", f"{prefix}:")
    assert parse_xpath(renamed, other).text() == parse_xpath(text, NAMESPACES).text()


@_FEW
@given(some_documents, some_patterns, some_patterns)
def test_union_covers_its_parts_and_is_exact(item: Document, first: TreePattern, second: TreePattern) -> None:
    union: Filter = first.union(second)
    assert union.covers(first)
    assert union.covers(second)
    assert union.matches(item) == (first.matches(item) or second.matches(item))


@_FEW
@given(st.data(), patterns(values=False, branches=False), patterns(values=False, branches=False))
def test_covers_of_linear_paths_is_complete(data: st.DataObject, wide_text: str, narrow_text: str) -> None:
    """Where containment is refused, the canonical documents of the narrow path hold a counterexample."""
    wide, narrow = (parse_xpath(text, NAMESPACES) for text in (wide_text, narrow_text))
    assume(narrow.intersects(narrow) and not wide.covers(narrow))
    # Miklau and Suciu, 2004: `*` becomes a fresh name, `//` a chain of fresh names as long as the other path or none.
    lengths = (0, 1, len(wide.nodes))
    counterexamples = [_canonical(narrow, stretches) for stretches in product(lengths, repeat=len(narrow.nodes))]
    assert all(narrow.matches(item) for item in counterexamples)
    assert not all(wide.matches(item) for item in counterexamples), (wide.text(), narrow.text())


def _canonical(path: TreePattern, stretches: tuple[int, ...]) -> Document:
    """Return a document that has nothing but what a linear path asks for, each `//` stretched."""
    top = here = etree.Element("top")
    for node, stretch in zip(path.nodes, stretches, strict=True):
        for _ in range(stretch if node.axis is Axis.DESCENDANT else 0):
            here = etree.SubElement(here, "fresh")
        name = node.name.replace("*", "fresh")
        if node.kind is Kind.ELEMENT:
            here = etree.SubElement(here, name)
        elif node.kind is Kind.ATTRIBUTE:
            here.set(name, "")
        elif node.kind is Kind.TEXT:
            here.text = "text"
    if not len(top):  # an attribute or a text node anywhere: of the root element
        top.tag = "fresh"
        return parse_xml(etree.tostring(top))
    return parse_xml(etree.tostring(top[0]))
