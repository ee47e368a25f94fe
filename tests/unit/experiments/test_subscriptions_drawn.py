"""Subscriptions drawn from a grammar: in the language, along its paths, as often of each form as was asked for."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.treepattern_nodes import Axis, Kind
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.documents import DocumentShape, draw_document
from distributary.experiments.dtd import bulletin_grammar, read_dtd
from distributary.experiments.grammar import Grammar
from distributary.experiments.selectivity import draw_selected, shares_of
from distributary.experiments.subscriptions import SubscriptionShape, draw_subscription


def drawn(grammar: Grammar, shape: SubscriptionShape, count: int = 300) -> list[str]:
    generator = Generator("subscriptions", 1)
    return [draw_subscription(grammar, generator, shape) for _ in range(count)]


def sample(grammar: Grammar, count: int) -> list[bytes]:
    generator = Generator("sample", 1)
    return [draw_document(grammar, generator, DocumentShape(size=4000)) for _ in range(count)]


def test_plain_paths_follow_the_grammar() -> None:
    grammar = bulletin_grammar()
    for text in drawn(grammar, SubscriptionShape(0, 0, 0, depth=(1, 5))):
        nodes = parse_xpath(text).nodes
        assert 2 <= len(nodes) <= 6
        assert nodes[1].name == grammar.root
        assert all(node.axis is Axis.CHILD and node.kind is Kind.ELEMENT for node in nodes[1:])
        for above, below in pairwise(nodes[1:]):
            assert below.name in grammar.elements[above.name].children


@pytest.mark.slow
def test_forms_are_as_frequent_as_asked_for() -> None:
    grammar = bulletin_grammar()
    for wildcard, descendant in ((0.0, 0.4), (0.4, 0.0)):
        nodes = [
            node
            for text in drawn(grammar, SubscriptionShape(wildcard, descendant, 0.0), 600)
            for node in parse_xpath(text).nodes[1:]
        ]
        # Four deviations; a first `/*` or a last `//*` says less than it did and may be gone in the normal form.
        margin = 4 * math.sqrt(0.24 / len(nodes)) + 0.02
        assert sum(node.name == "*" for node in nodes) / len(nodes) == pytest.approx(wildcard, abs=margin)
        assert sum(node.axis is Axis.DESCENDANT for node in nodes) / len(nodes) == pytest.approx(descendant, abs=margin)
    assert not any("[" in text for text in drawn(grammar, SubscriptionShape(branch=0.0)))
    some = sum("[" in text for text in drawn(grammar, SubscriptionShape(branch=0.2, depth=(3, 6))))
    many = sum("[" in text for text in drawn(grammar, SubscriptionShape(branch=0.8, depth=(3, 6))))
    assert 60 < some < many < 300
    valued = [parse_xpath(text) for text in drawn(grammar, SubscriptionShape(branch=0.0, value=1.0))]
    assert sum(any(node.comparisons for node in pattern.nodes) for pattern in valued) > 200


@pytest.mark.slow
def test_subscriptions_match_documents_of_the_same_grammar() -> None:
    grammar = bulletin_grammar()
    documents = [parse_xml(body) for body in sample(grammar, 10)]
    patterns = [parse_xpath(text) for text in drawn(grammar, SubscriptionShape(value=0.2), 100)]
    matched = [sum(pattern.matches(document) for document in documents) for pattern in patterns]
    assert sum(0 < number < 10 for number in matched) > 30


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [0.02, 0.3])
def test_selectivity_that_is_asked_for_is_had(wanted: float) -> None:
    grammar = bulletin_grammar()
    documents = sample(grammar, 50)
    found = draw_selected(grammar, Generator(1), SubscriptionShape(value=0.1), 200, wanted, documents)
    assert len(found.texts) == 200
    shares = shares_of(found.texts, documents)
    assert sum(shares) / 200 == pytest.approx(found.selectivity)
    assert found.selectivity == pytest.approx(wanted, abs=min(1.0, 6 * wanted) / 200)
    assert max(shares) <= 6 * wanted
    again = draw_selected(grammar, Generator(1), SubscriptionShape(value=0.1), 200, wanted, documents)
    assert again == found


@pytest.mark.slow
def test_shares_are_those_of_the_reference() -> None:
    grammar = bulletin_grammar()
    bodies = sample(grammar, 5)
    texts = drawn(grammar, SubscriptionShape(value=0.2), 60)
    documents = [parse_xml(body) for body in bodies]
    expected = [sum(parse_xpath(text).matches(document) for document in documents) / 5 for text in texts]
    assert shares_of(texts, bodies) == expected


@pytest.mark.slow
def test_selectivity_that_nothing_has_is_refused() -> None:
    grammar = read_dtd("<!ELEMENT a (b+)> <!ELEMENT b EMPTY>")
    with pytest.raises(InputError, match=r"selectivity: 5200 subscriptions were drawn, 0 fit 0\.01"):
        draw_selected(grammar, Generator(1), SubscriptionShape(), 1, 0.01, [b"<a><b/></a>"])
    with pytest.raises(InputError, match="selectivity: must be between 0 and 1, not 0"):
        draw_selected(grammar, Generator(1), SubscriptionShape(), 1, 0.0, [b"<a><b/></a>"])


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"wildcard": 1.5}, "wildcard: must be from 0 to 1, not 1.5"),
        ({"value": -0.1}, "value: must be from 0 to 1, not -0.1"),
        ({"depth": (3, 2)}, "depth: must be from 1 to 64 and in order, not 3,2"),
        ({"depth": (0, 2)}, "depth: must be from 1 to 64"),
    ],
)
def test_shape_that_cannot_be_is_refused(shape: dict[str, float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        SubscriptionShape(**shape)  # type: ignore[arg-type]
