from __future__ import annotations

import numpy as np

from distributary.algebra.treepattern import parse_xpath
from distributary.matching.hints.slot_patterns import SlotPatterns

BODY = b"<a><b/><c x='1'/></a>"
TEXTS = {3: "/a", 5: "/q", 40: "//b", 41: "//b", 900: "//c[@x = 1]"}


def held() -> SlotPatterns:
    matcher = SlotPatterns()
    for slot, text in TEXTS.items():
        matcher.add(slot, parse_xpath(text))
    return matcher


def found(matcher: SlotPatterns, *slots: int) -> list[int]:
    arrays = matcher.read(BODY)
    among = matcher.match_slots(arrays, np.array(slots, np.int32)) if slots else matcher.match_arrays(arrays)
    return sorted(among.tolist())


def test_slots_that_match_are_found_among_all_or_some() -> None:
    matcher = held()
    assert found(matcher) == [3, 40, 41, 900]
    assert found(matcher, 5, 900) == [900]
    # One of two with the same pattern: the other was not asked for.
    assert found(matcher, 41, 5) == [41]
    assert found(matcher, 5) == []
    assert found(matcher) == [3, 40, 41, 900]


def test_slots_stay_what_they_are_when_the_index_is_rebuilt() -> None:
    matcher = held()
    for slot in (5, 40):
        matcher.remove(slot)
    rebuild = matcher.rebuilding()
    matcher.add(1000, parse_xpath("/a/c"))
    rebuild.run()
    matcher.adopt(rebuild)
    matcher.add(1001, parse_xpath("/a/b"))
    assert found(matcher) == [3, 41, 900, 1000, 1001]
    assert found(matcher, 1001, 1000, 41) == [41, 1000, 1001]
