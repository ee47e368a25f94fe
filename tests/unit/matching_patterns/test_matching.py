"""Matching patterns on documents: order, errors, values, sizes, threads and processes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import pytest

from distributary.algebra.everything import Everything
from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.documents import UnparsedDocument
from distributary.core.errors import NotAcceptable, TooLarge
from distributary.matching.patterns import PatternMatcher
from distributary.matching.patterns.workspace import Workspace

BODY = b"<a k='7'><b c='5'/><c>x</c><z d='7'><d/><c>12</c></z></a>"
TEXTS = [
    "/a",
    "//b/@c",
    "/a/b[@c = '5']",
    "/a/b[@c = '6']",
    "/a[b]/c",
    "//*[text() = 'x']",
    "/",
    "/a[.//@d > 3]//c",
    "/a[.//@d > 7]//c",
    "//c[. = 12]",
    ". = 'x12'",
    ". = 'x'",
    "/a/*/d",
    "/a/@b/c",
    "/a/text()/b",
    "//@* = 5",
    "/@k",
    "//@k",
    "/a[@k and z[d]/c > 11.5]",
    "/b and /a",
    "//zz",
]


def matcher_of(texts: list[str]) -> PatternMatcher[str]:
    matcher: PatternMatcher[str] = PatternMatcher()
    for text in texts:
        matcher.add(text, parse_xpath(text))
    return matcher


def expected_of(texts: list[str], body: bytes) -> tuple[str, ...]:
    document = parse_xml(body)
    return tuple(text for text in texts if parse_xpath(text).matches(document))


def test_every_form_of_the_language_is_exact() -> None:
    matcher = matcher_of(TEXTS)
    assert matcher.match_body(BODY) == expected_of(TEXTS, BODY)
    matcher.rebuild()
    assert matcher.match_body(BODY) == expected_of(TEXTS, BODY)
    assert {text: matcher.pattern(text) for text in TEXTS} == {text: parse_xpath(text) for text in TEXTS}


def test_parsed_and_unparsed_documents_are_matched_and_nothing_else() -> None:
    matcher = matcher_of(["/a", "/b"])
    assert matcher.match_batch([parse_xml(BODY), UnparsedDocument(BODY, parse_xml), {"a": 1}]) == [("/a",), ("/a",), ()]


def test_a_key_that_comes_back_goes_last() -> None:
    matcher = matcher_of(["/a", "//b", "//c"])
    matcher.remove("/a")
    matcher.add("/a", parse_xpath("/a"))
    assert matcher.match_body(BODY) == ("//b", "//c", "/a")
    matcher.rebuild()
    assert matcher.match_body(BODY) == ("//b", "//c", "/a")


def test_what_cannot_be_held_is_refused() -> None:
    matcher = matcher_of(["/a"])
    with pytest.raises(AssertionError, match="held already"):
        matcher.add("/a", parse_xpath("/a"))
    with pytest.raises(AssertionError, match="no tree pattern"):
        matcher.add("all", Everything())
    with pytest.raises(KeyError):
        matcher.remove("/b")


def test_a_bad_document_raises_alone_and_in_a_batch_stands_in_its_place() -> None:
    matcher = matcher_of(["/a"])
    with pytest.raises(NotAcceptable, match="no element found"):
        matcher.match_body(b"<a>")
    first, second, third = matcher.match_bodies([BODY, b"<a>", BODY])
    assert (first, third) == (("/a",), ("/a",))
    assert isinstance(second, NotAcceptable)
    assert matcher.match_bodies([]) == []


def test_a_document_beyond_the_limits_is_too_large() -> None:
    matcher: PatternMatcher[int] = PatternMatcher(limits=XmlLimits(elements=3))
    matcher.add(1, parse_xpath("//a"))
    with pytest.raises(TooLarge):
        matcher.match_body(BODY)


def test_numbers_that_are_not_decided_in_compiled_code_are_exact() -> None:
    digits = "0.1234567890123456789012345"
    texts = [f"//a = {digits}", "//@b > 12345678901234567890", "//text() < 0.12345678901234567891", "//a != 1"]
    matcher = matcher_of(texts)
    for body in (
        f"<r><a b='12345678901234567891.5'>{digits}</a></r>".encode(),
        f"<r><a b='12345678901234567889'> {digits} </a>1</r>".encode(),
    ):
        assert matcher.match_body(body) == expected_of(texts, body)
        assert matcher.match_bodies([body, BODY]) == [expected_of(texts, body), expected_of(texts, BODY)]


@pytest.mark.parametrize("elements", [3, 255, 256, 300, 600, 5000, 100_000])
def test_documents_of_every_width_are_exact(elements: int) -> None:
    block = b"<b x='1'><c>5</c></b>"
    inner = block * (elements // 2) + b"<b x='2'><e><c>6</c></e></b>"
    body = b"<a>" + inner + b"</a>"
    texts = {
        "/a/b/c": elements > 1,
        "/a[b/@x = 2]//e/c[. = 6]": True,
        "/a/b[@x = 1]/e": False,
        "//e[c = 5]": False,
        "/*/*/*/c": True,
        "/a[.//e]//b[not_there]": False,
        "//b[@x > 1 and e]": True,
    }
    matcher = matcher_of(list(texts))
    assert matcher.match_body(body) == tuple(text for text, matches in texts.items() if matches)


def test_a_small_pool_of_rows_gives_the_same_answers() -> None:
    texts = [f"//b[.//c[. > {number}]][e[c < {number}]]" for number in range(60)]
    body = b"<a>" + b"".join(b"<b><c>%d</c><e><c>%d</c></e></b>" % (n, 60 - n) for n in range(60)) + b"</a>"
    matcher = matcher_of(texts)
    wide = matcher.match_body(body)
    matcher._workspace = Workspace(pool_bytes=16 * 8 * 4)
    assert matcher.match_body(body) == wide == expected_of(texts, body)


def test_many_children_by_name_are_looked_up() -> None:
    texts = [f"/a/b{number}" for number in range(400)]
    matcher = matcher_of(texts)
    body = b"<a><b7/><x/><b399/><b7/><b401/></a>"
    assert matcher.match_body(body) == ("/a/b7", "/a/b399")
    matcher.rebuild()
    assert matcher.match_body(body) == ("/a/b7", "/a/b399")


def test_many_subscriptions_of_one_pattern_share_everything() -> None:
    matcher: PatternMatcher[int] = PatternMatcher()
    for key in range(1000):
        matcher.add(key, parse_xpath("/a[b]/c[. = 'x']"))
    assert matcher.match_body(BODY) == tuple(range(1000))
    assert matcher.nodes == 4
    for key in range(1, 1000, 2):
        matcher.remove(key)
    assert matcher.match_body(BODY) == tuple(range(0, 1000, 2))


def test_among_few_only_these_are_looked_at() -> None:
    texts = [f"/a/b{number}[@x = {number}]" for number in range(200)] + TEXTS
    matcher = matcher_of(texts)
    seen = matcher.edges_seen
    matcher.match_body(BODY)
    all_edges, seen = matcher.edges_seen - seen, matcher.edges_seen
    assert matcher.match_among(BODY, ["/a/b[@c = '5']", "/a", "//zz"]) == ("/a", "/a/b[@c = '5']")
    assert matcher.edges_seen - seen <= 5 < all_edges
    assert matcher.match_among(matcher.read(BODY), []) == ()
    with pytest.raises(KeyError):
        matcher.match_among(BODY, ["nobody"])
    assert matcher.match_body(BODY) == expected_of(texts, BODY)


def test_threads_share_one_index() -> None:
    texts = [*TEXTS, *(f"//b[@c = {number}]" for number in range(50))]
    matcher = matcher_of(texts)
    bodies = [b"<a><b c='%d'/></a>" % number for number in range(200)]
    expected = matcher.match_bodies(bodies)
    others = [matcher.share() for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        for answers in pool.map(lambda other: [other.match_body(body) for body in bodies], others):
            assert answers == expected


def test_a_forked_process_goes_on_with_the_matcher() -> None:
    matcher = matcher_of(TEXTS)
    matcher.match_body(BODY)
    receive, send = multiprocessing.get_context("fork").Pipe(duplex=False)

    def child() -> None:
        matcher.add("late", parse_xpath("//d"))
        send.send(matcher.match_body(BODY))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    assert receive.poll(60)
    assert receive.recv() == (*expected_of(TEXTS, BODY), "late")
    process.join()
    assert matcher.match_body(BODY) == expected_of(TEXTS, BODY)
