from __future__ import annotations

import pytest
from hypothesis import given

from distributary.algebra import Box, Filter, Predicate, any_of, parse_where, parse_xml, parse_xpath
from distributary.core.documents import UnparsedDocument
from distributary.core.values import Content, Opaque, Record
from distributary.matching.explanation import Reason, reason
from distributary.testing.strategies import predicates, records

BODY = b"<a><b x='5'>red</b></a>"


@pytest.mark.parametrize(
    ("wanted", "item", "missing"),
    [
        (parse_where("mag >= 4 or net is null"), {"mag": 3, "net": "ci"},
         "not mag >= 4: mag is 3 and not net is null: net is 'ci'"),
        (parse_where("mag >= 4 and net = 'ci'"), {"mag": 5}, "not net = 'ci': net is null"),
        (Box.of({"lat": (1.0, 2.0), "lon": (0.0, 9.0)}), {"lat": 1, "lon": 10}, "not 0 <= lon <= 9: lon is 10"),
        (any_of([parse_where("a = 1"), parse_where("b = 2")]), {"a": 0}, "not a = 1: a is 0; not b = 2: b is null"),
        (parse_xpath("//b[@x > 5]"), parse_xml(BODY), "no /@x below /a[1]/b[1] is > 5: /a[1]/b[1]/@x is '5'"),
        (parse_xpath("//b"), {"b": 1}, "it asks for documents"),
        (parse_where("b = 1"), Opaque("image/png"), "it asks for records"),
        (any_of([]), {}, "nothing can"),
    ],
)  # fmt: skip
def test_what_keeps_a_filter_from_matching_is_named(wanted: Filter, item: Content, missing: str) -> None:
    assert reason(wanted, item) == Reason(False, missing=missing)


def test_a_matching_document_is_told_by_its_bindings() -> None:
    found = reason(parse_xpath("//b[@x >= 5]"), UnparsedDocument(BODY, parse_xml))
    assert found == Reason(True, (("//b", "/a[1]/b[1]"), ("/@x >= 5", "/a[1]/b[1]/@x")))


@given(predicates(), records())
def test_the_reason_says_what_the_filter_says(drawn: tuple[str, Predicate], record: Record) -> None:
    _, wanted = drawn
    found = reason(wanted, record)
    assert found.matches is wanted.matches(record)
    assert bool(found.missing) is not found.matches
