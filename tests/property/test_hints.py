"""The law of the hints: whatever a header says, a router gives the answers that it gives without one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.treepattern_evaluation import evaluate
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.matching.hints import Annotation, Hints
from distributary.matching.hints.ending import cut, last_end
from distributary.matching.hints.grouping import Grouping
from distributary.matching.hints.numbers import pack, unpack
from distributary.matching.hints.onward import HintSettings
from distributary.matching.hints.router import HintedRouter
from distributary.matching.hints.slot_patterns import SlotPatterns
from distributary.matching.hints.table import Numbering
from distributary.testing.documents import NAMESPACES, documents, patterns

Router = HintedRouter[str, str]


def router(settings: HintSettings | None = None) -> Router:
    return HintedRouter(SlotPatterns(), settings)


def chain(filters: Sequence[Sequence[TreePattern]], settings: HintSettings) -> list[Router]:
    """Make routers, the first on top, each with the filters of its own subscribers and the table of the next."""
    made = [router(settings) for _ in filters]
    for own, wanted in zip(made, filters, strict=True):
        for number, each in enumerate(wanted):
            own.add(str(number), each)
    for upper, lower in reversed(list(pairwise(made))):
        upper.connect("below", lower.table())
    return made


def settings_of(annotations: frozenset[Annotation], thrifty: bool, positive: bool, negative: bool) -> HintSettings:
    return HintSettings(1e9, annotations=annotations, thrifty=thrifty, positive=positive, negative=negative)


def subsets() -> st.SearchStrategy[HintSettings]:
    chosen = st.frozensets(st.sampled_from(Annotation))
    return st.builds(settings_of, chosen, st.booleans(), st.booleans(), st.booleans()) | st.just(HintSettings(1e9))


def check(routers: Sequence[Router], filters: Sequence[Sequence[TreePattern]], bodies: Sequence[bytes]) -> int:
    """Send documents down the chain; return how many tests the hints spared."""
    spared = 0
    for body in bodies:
        document = parse_xml(body)
        wanted = [[str(n) for n, each in enumerate(own) if evaluate(each.nodes, document)] for own in filters]
        header = b""
        for place, own in enumerate(routers):
            routed = own.route(body, header)
            assert list(routed.subscribers) == wanted[place]
            assert ("below" in routed.headers) is any(map(any, wanted[place + 1 :]))
            if routed.feedback is not None:
                routers[place - 1].learn("below", routed.feedback)
                spared += sum(routed.feedback.gains)
            if "below" not in routed.headers:
                break
            header = routed.headers["below"]
    return spared


@pytest.mark.slow
@given(
    st.lists(st.lists(patterns().map(lambda text: parse_xpath(text, NAMESPACES)), max_size=8), min_size=1, max_size=4),
    subsets(),
    st.lists(documents(), min_size=1, max_size=4),
)
@settings(deadline=None, max_examples=60)
def test_chain_with_hints_gives_the_answers_that_it_gives_without(
    filters: list[list[TreePattern]], settings: HintSettings, bodies: list[bytes]
) -> None:
    check(chain(filters, settings), filters, bodies)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_chain_stays_right_while_subscriptions_come_and_go(seed: int) -> None:
    """Tables travel late, so that headers are of old versions; the answers are those of today's subscriptions."""
    generator = Generator(seed)
    made = [router(HintSettings(1e9, thrifty=seed % 2 == 0)) for _ in range(3)]
    held: list[dict[str, TreePattern]] = [{} for _ in made]
    spared = 0
    for number in range(400):
        place = generator.below(3)
        if held[place] and generator.below(3) == 0:
            key = generator.choice(list(held[place]))
            made[place].remove(key)
            del held[place][key]
        else:
            held[place][str(number)] = wanted = parse_xpath(_pattern(generator))
            made[place].add(str(number), wanted)
        if number % 7 == 0:
            lower = 1 + generator.below(2)
            made[lower - 1].connect("below", made[lower].renew() if number % 91 == 0 else made[lower].table())
        body = _document(generator)
        document = parse_xml(body)
        header = b""
        for place, own in enumerate(made):
            routed = own.route(body, header)
            wanted_here = tuple(key for key, each in held[place].items() if evaluate(each.nodes, document))
            assert routed.subscribers == wanted_here
            if routed.feedback is not None:
                made[place - 1].learn("below", routed.feedback)
                spared += sum(routed.feedback.gains)
            header = routed.headers.get("below", b"")
    # A thrifty router thinks little of headers for so few subscriptions.
    assert spared > (20 if seed % 2 == 0 else 300)


def _pattern(generator: Generator) -> str:
    text = ""
    for _ in range(1 + generator.below(3)):
        text += generator.choice(["/", "/", "//"]) + generator.choice(["a", "b", "c", "d", "*"])
        if generator.below(4) == 0:
            text += generator.choice(["[a]", "[@x]", "[@x = 2]", "[. = 'v']", "[b//c]", "[d]", "[text()]"])
    return text


def _document(generator: Generator) -> bytes:
    def element(depth: int) -> str:
        name = generator.choice("abcd")
        attribute = f" x='{generator.below(4)}'" if generator.below(3) == 0 else ""
        inner = "".join(element(depth + 1) for _ in range(generator.below(4) if depth < 4 else 0))
        return f"<{name}{attribute}>{inner}{generator.choice(['', 'v', '<!-- <a/> -->'])}</{name}>"

    return element(0).encode()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_pass_over_the_groups_is_what_it_means(seed: int) -> None:
    """The compiled pass and its plain reference divide the slots alike, for sound headers and for made-up ones."""
    generator = Generator("begin", seed)
    numbering = Numbering([parse_xpath(text) for text in ("//a", "//b", "//@x", "//a/b")], ["a", "b", "c", "d"])
    grouping = Grouping(numbering)
    grouping.add_all((slot, parse_xpath(_pattern(generator))) for slot in range(60))
    versions = [(numbering.version, numbering.size)]
    slots = list(range(60))
    for step in range(120):
        if generator.below(3) == 0:
            slot = slots.pop(generator.below(len(slots)))
            grouping.remove(slot)
        else:
            grouping.add(60 + step, parse_xpath(_pattern(generator)))
            slots.append(60 + step)
        versions.append((numbering.version, numbering.size))
        version, size = generator.choice(versions[-70:])
        domain = generator.below(size + 1)
        hits = np.array([n for n in range(domain) if generator.below(3) == 0], np.int64)
        looked_for = generator.below(5)
        absent = np.array([n for n in range(looked_for) if generator.below(2)], np.int64)
        hints = Hints(
            version,
            generator.below(2) == 1,
            generator.below(2) == 1,
            domain,
            pack(hits, domain),
            looked_for,
            pack(absent, looked_for),
        )
        decided = [slot for slot in slots if generator.below(9) == 0]
        start, plain = grouping.begin(hints, decided), grouping.begin_plainly(hints, decided)
        assert (start is None) is (plain is None) is (numbering.size_at(version) is None)
        if start is not None and plain is not None:
            assert (sorted(start.matched.tolist()), sorted(start.candidates.tolist()), start.dropped) == (
                sorted(plain[0]),
                sorted(plain[1]),
                plain[2],
            )


@given(st.sets(st.integers(0, 2000)), st.integers(0, 100))
def test_set_of_numbers_comes_back(numbers: set[int], beyond: int) -> None:
    limit = max(numbers, default=-1) + 1 + beyond
    packed = pack(np.array(sorted(numbers), np.int64), limit)
    assert unpack(packed, limit).tolist() == sorted(numbers)
    assert len(packed) <= 1 + (limit + 7) // 8


@given(st.binary(max_size=12), st.integers(0, 2000))
def test_bytes_are_a_set_below_the_limit_or_refused(packed: bytes, limit: int) -> None:
    try:
        numbers = unpack(packed, limit)
    except InputError:
        return
    assert sorted(set(numbers.tolist())) == numbers.tolist()
    assert all(0 <= number < limit for number in numbers.tolist())


@given(documents(encodings=("utf-8",)), st.sampled_from(["a", "b", "c"]))
def test_document_cut_behind_the_last_of_a_name_has_all_of_them_or_is_none(body: bytes, name: str) -> None:
    position = last_end(body, name)
    if position is None:
        return
    document = parse_xml(body)
    last = max((place for place, each in enumerate(document.names) if each == name), default=None)
    assert last is not None
    path: list[str] = []
    while last >= 0:
        path.append(document.names[last])
        last = document.parents[last]
    above = path[::-1][: path[::-1].index(name)]
    try:
        shorter = parse_xml(cut(body, position, above))
    except InputError:
        return
    count = len(shorter)
    assert shorter.names == document.names[:count]
    assert shorter.parents == document.parents[:count]
    assert name not in document.names[count:]
