from __future__ import annotations

from collections.abc import Callable

from distributary.algebra import parse_xml, parse_xpath
from distributary.core.documents import UnparsedDocument
from distributary.matching.tending import TendedPatterns


def test_a_fragmented_index_is_rebuilt_later_and_adopted_by_a_match() -> None:
    pending: list[Callable[[], None]] = []
    tended = TendedPatterns(pending.append)
    item = UnparsedDocument(b"<e7><f x='1990'/></e7>", parse_xml)
    for number in range(2_000):
        tended.add(number, parse_xpath(f"/e{number % 10}/f[@x = {number}]"))
    assert len(pending) == 1  # begun once, and not again before it is adopted
    for number in range(0, 1_990):
        tended.remove(number)
    tended.add(5_000, parse_xpath("//f"))
    assert tended.match(item) == (5_000,)
    pending.pop()()
    assert tended.match_batch([item, item]) == [(5_000,), (5_000,)]
    for number in range(0, 1_990):
        tended.add(number, parse_xpath(f"/e7/f[@x > {number}]"))
    assert len(pending) == 1
    pending.pop()()
    assert tended.match(item) == (5_000, *range(0, 1_990))
    assert len(tended) == 2_001
