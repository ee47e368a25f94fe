"""The data summary: exact while it has seen little, bounded and reasonable after, mergeable, and plain data."""

from __future__ import annotations

import msgspec
import pytest

from distributary.algebra.everything import Everything
from distributary.algebra.filter import Statistics
from distributary.algebra.summary import DataSummary, SummaryData
from distributary.algebra.summary_values import ValueSummary
from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.treepattern_values import Operator, comparison
from distributary.algebra.xml import parse_xml
from distributary.core.documents import Document
from distributary.core.generator import Generator


def _document(generator: Generator) -> Document:
    items = "".join(
        f"<item price='{generator.below(100)}'><name>{generator.choice(['red', 'green', 'blue'])}</name></item>"
        for _ in range(generator.below(4))
    )
    extra = "<rare/>" if generator.random() < 0.1 else ""
    return parse_xml(f"<shop n='{generator.below(1000)}'>{items}{extra}</shop>".encode())


def _documents(count: int) -> list[Document]:
    generator = Generator("summary")
    return [_document(generator) for _ in range(count)]


def _summary(documents: list[Document], sample_max: int = 64, paths_max: int = 4096) -> DataSummary:
    summary = DataSummary(sample_max=sample_max, paths_max=paths_max)
    for document in documents:
        summary.add(document)
    return summary


_PATTERNS = ["/", "//item", "//rare", "//item[@price < 50]", "//item[name = 'red']", "//item[@price > 90]/name", "//no"]


def test_summary_that_sampled_every_document_is_exact() -> None:
    documents = _documents(25)
    summary = _summary(documents)
    statistics: Statistics = summary
    for first in map(parse_xpath, _PATTERNS):
        assert first.size(statistics) == sum(first.matches(document) for document in documents)
        for second in map(parse_xpath, _PATTERNS):
            both = sum(first.matches(document) and second.matches(document) for document in documents)
            assert first.overlap(second, statistics) == both


@pytest.mark.parametrize("xpath", _PATTERNS)
def test_sampled_summary_is_near_the_truth(xpath: str) -> None:
    documents = _documents(250)
    summary = _summary(documents, sample_max=100)
    pattern = parse_xpath(xpath)
    truth = sum(pattern.matches(document) for document in documents)
    assert abs(summary.size(pattern) - truth) <= 0.12 * len(documents)


@pytest.mark.parametrize("xpath", _PATTERNS)
def test_label_paths_alone_are_near_the_truth(xpath: str) -> None:
    documents = _documents(250)
    summary = _summary(documents, sample_max=0)
    pattern = parse_xpath(xpath)
    truth = sum(pattern.matches(document) for document in documents)
    assert abs(summary.size(pattern) - truth) <= 0.15 * len(documents)


def test_pattern_that_no_sampled_document_matches_is_rated_by_label_paths_but_rarely() -> None:
    documents = [parse_xml(b"<a n='%d'><b/></a>" % number) for number in range(200)]
    summary = _summary([*documents, parse_xml(b"<a><c/></a>")], sample_max=20)
    assert summary.size(parse_xpath("//d")) == 0.0
    assert 0.0 <= summary.size(parse_xpath("//c")) <= 201 / 20
    assert summary.overlap(parse_xpath("//b"), parse_xpath("//c")) <= summary.size(parse_xpath("//c"))


def test_descendants_attributes_and_text_are_estimated_along_the_paths() -> None:
    documents = [parse_xml(b"<a><b><c x='1'>t</c></b></a>")] * 3 + [parse_xml(b"<a><b/></a>")]
    summary = _summary(documents, sample_max=0)
    for xpath, share in [("//c", 0.75), ("/a//@x", 0.75), ("//text()", 0.75), ("/a/c", 0.0), ("//b[c[@x = 1]]", 0.75)]:
        assert summary.size(parse_xpath(xpath)) == pytest.approx(4 * share), xpath
    assert summary.size(parse_xpath("//b[c = 'u']")) < 0.1


def test_equal_documents_in_the_sample_count_as_often_as_they_came() -> None:
    common, rare = parse_xml(b"<a/>"), parse_xml(b"<b/>")
    summary = _summary([common] * 9 + [rare], sample_max=2)
    assert summary.size(parse_xpath("/a")) == 9.0
    assert summary.size(Everything()) == 10.0


def test_merge_is_as_adding_all_and_its_order_does_not_matter() -> None:
    documents = _documents(120)
    whole = _summary(documents, sample_max=30)
    one, other = _summary(documents[:50], sample_max=30), _summary(documents[50:], sample_max=30)
    merged, swapped = one.merge(other), other.merge(one)
    assert merged.documents == 120
    for pattern in map(parse_xpath, _PATTERNS):
        assert merged.size(pattern) == pytest.approx(whole.size(pattern))
        assert swapped.size(pattern) == pytest.approx(whole.size(pattern))
    assert merged.data().sample == swapped.data().sample == whole.data().sample
    assert one.documents == 50


def test_summary_survives_json_and_stands_apart_from_its_data() -> None:
    summary = _summary(_documents(80), sample_max=10)
    encoded = msgspec.json.encode(summary.data())
    again = DataSummary.of(msgspec.json.decode(encoded, type=SummaryData), sample_max=10)
    assert msgspec.json.encode(again.data()) == encoded
    before = summary.data()
    again.add(parse_xml(b"<new/>"))
    summary.add(parse_xml(b"<new/>"))
    assert before.paths[0].instances == 80
    for pattern in map(parse_xpath, _PATTERNS):
        assert again.size(pattern) == summary.size(pattern)


def test_label_paths_and_values_are_bounded_and_what_is_left_out_is_counted() -> None:
    documents = [parse_xml(b"<a><b%d><c x='%d'/></b%d></a>" % (n, n, n)) for n in range(100)]
    summary = _summary(documents, paths_max=10, sample_max=5)
    data = summary.data()
    assert len(data.paths) == 10
    assert len(data.sample) == 5
    assert summary.dropped > 100
    merged = summary.merge(summary)
    assert len(merged.data().paths) == 10
    assert merged.dropped == 2 * summary.dropped


def test_values_keep_what_is_frequent_and_the_range_of_numbers() -> None:
    values = ValueSummary()
    for number in range(2000):
        values.add("often" if number % 4 == 0 else str(number))
    values.add(None)
    values.add("long" * 100)
    assert len(values.frequent) <= 32
    assert values.count == 2002
    assert (values.low, values.high, values.numbers) == (1.0, 1999.0, 1500)
    assert values.fraction((comparison(Operator.EQUAL, "often"),)) == pytest.approx(0.25, abs=0.05)
    assert values.fraction((comparison(Operator.LESS, 1000.0),)) == pytest.approx(0.375, abs=0.05)
    assert values.fraction((comparison(Operator.GREATER, 5000.0),)) == 0.0
    assert values.fraction((comparison(Operator.UNEQUAL, "often"),)) == pytest.approx(0.75, abs=0.05)
    assert values.fraction(()) == 1.0


def test_merged_values_stay_within_their_bounds() -> None:
    one, other = ValueSummary(), ValueSummary()
    for number in range(300):
        one.add(str(number % 40))
        other.add("x")
    one.merge(other)
    assert len(one.frequent) <= 32
    assert one.count == 600
    assert one.fraction((comparison(Operator.EQUAL, "x"),)) == pytest.approx(0.5, abs=0.05)
    assert ValueSummary().fraction((comparison(Operator.EQUAL, "x"),)) == 0.0
