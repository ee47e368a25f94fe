"""What each annotation does for the next router; that answers stay the same is `tests/property/test_hints.py`."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from distributary.algebra.treepattern import parse_xpath
from distributary.core.errors import InputError, NotAcceptable
from distributary.matching.hints import Annotation, decode, encode
from distributary.matching.hints.choice import BYTES_PER_TEST, TESTS_PER_READING
from distributary.matching.hints.onward import HintSettings
from distributary.matching.hints.router import HintedRouter
from distributary.matching.hints.slot_patterns import SlotPatterns

Router = HintedRouter[str, str]

BODY = b"<a><b><d/></b><c x='1'/><e><f/><f/></e>" + b"<z/>" * 40 + b"</a>"
BELOW = [
    "/a",
    "/a/b",
    "/a/b/c",
    "//c",
    "//c[@x = 2]",
    "//q",
    "//q/r",
    "/a/*/d",
    "//*[@k]",
    "//f",
    "/a/e/f",
    "/a/*[q]",
    "/b",
]
#: With these a header is worth sending.
MANY = tuple(f"/r/q{number}/a" for number in range(20))
MATCHING = ("/a", "/a/b", "//c", "/a/*/d", "//f", "/a/e/f")


def router(*texts: str, settings: HintSettings | None = None) -> Router:
    # The documents here are so short that a share of them is no header.
    made: Router = HintedRouter(SlotPatterns(), settings or HintSettings(1.0, thrifty=False))
    for text in texts:
        made.add(text, parse_xpath(text))
    return made


def pair(*below: str, above: tuple[str, ...] = (), settings: HintSettings | None = None) -> tuple[Router, Router]:
    upper, lower = router(*above, settings=settings), router(*below)
    upper.connect("below", lower.table())
    return upper, lower


def only(*annotations: Annotation, positive: bool = True, negative: bool = True, thrifty: bool = False) -> HintSettings:
    return HintSettings(1.0, annotations=frozenset(annotations), thrifty=thrifty, positive=positive, negative=negative)


def header(upper: Router, body: bytes = BODY) -> bytes:
    return upper.route(body).headers["below"]


def test_document_goes_to_subscribers_and_neighbours_that_want_it() -> None:
    upper, _ = pair("//q", above=("/a", "/b"))
    assert upper.route(BODY).subscribers == ("/a",)
    assert upper.route(BODY).headers == {}
    assert list(upper.route(b"<a><q/></a>").headers) == ["below"]


def test_positive_and_negative_subscriptions_leave_what_hangs_below_the_matching_ones() -> None:
    upper, lower = pair("//q", "//q/r", "//q[@x]", "//c", "//c[@x = 2]", settings=only(Annotation.SUBSCRIPTIONS))
    routed = lower.route(BODY, header(upper))
    assert routed.subscribers == ("//c",)
    assert routed.tested == 1
    assert routed.feedback is not None
    assert routed.feedback.gains == (4, 0, 0, 0)


def test_nothing_is_read_when_the_header_decides_everything() -> None:
    upper, lower = pair("//q", "//q/r", "//c", settings=only(Annotation.SUBSCRIPTIONS))
    routed = lower.route(BODY, header(upper))
    assert (routed.subscribers, routed.tested, routed.read) == (("//c",), 0, 0)
    assert routed.feedback is not None
    assert routed.feedback.gains == (3 + len(BODY) // BYTES_PER_TEST + TESTS_PER_READING, 0, 0, 0)


@pytest.mark.parametrize(("positive", "negative", "tested"), [(True, True, 1), (True, False, 4), (False, True, 2)])
def test_each_half_of_the_set_decides_its_own_part(positive: bool, negative: bool, tested: int) -> None:
    settings = only(Annotation.SUBSCRIPTIONS, positive=positive, negative=negative)
    upper, lower = pair("//q", "//q/r", "//q[@x]", "//c", "//c[@x = 2]", settings=settings)
    routed = lower.route(BODY, header(upper))
    assert routed.subscribers == ("//c",)
    assert routed.tested == tested


def test_negative_data_rules_out_what_needs_an_absent_name() -> None:
    upper, lower = pair("/a", "/a/q", "/a/b", "/a/c[@k]", settings=only(Annotation.ABSENT))
    routed = lower.route(BODY, header(upper))
    assert routed.subscribers == ("/a", "/a/b")
    assert routed.tested == 2
    assert routed.feedback is not None
    assert routed.feedback.gains == (0, 2, 0, 0)


def test_binding_decides_the_subscriptions_that_its_path_satisfies() -> None:
    wanted = ("//f", "/a/e/f", "/a/*/f", "/a//f", "/a/b/f", "//f[@x]")
    settings = only(Annotation.SUBSCRIPTIONS, Annotation.BINDINGS)
    upper, lower = pair(*wanted, settings=settings)
    sent = header(upper)
    names = lower.table().names
    assert [[names[place] for place in each.path] for each in decode(sent).bindings] == [["a", "e", "f"]]
    routed = lower.route(BODY, sent)
    assert routed.subscribers == ("//f", "/a/e/f", "/a/*/f", "/a//f")
    assert routed.tested == 2
    assert routed.feedback is not None
    assert routed.feedback.gains[Annotation.BINDINGS] == 4


def test_last_end_that_was_asked_for_ends_the_reading() -> None:
    upper, lower = pair("//b", "//b/d", *MANY, settings=only(Annotation.SUBSCRIPTIONS, Annotation.ENDS))
    first = lower.route(BODY, header(upper))
    assert (first.subscribers, first.tested, first.read) == (("//b", "//b/d"), 1, len(BODY))
    assert first.feedback is not None
    upper.learn("below", first.feedback)
    sent = header(upper)
    ends = {each.position for each in decode(sent).ends}
    assert ends == {BODY.index(b"<d/>") + 4, BODY.index(b"</b>") + 4}
    routed = lower.route(BODY, sent)
    assert (routed.subscribers, routed.tested) == (("//b", "//b/d"), 1)
    assert routed.read < 30


def test_branch_behind_the_last_occurrence_of_another_is_not_lost() -> None:
    # The paper's rule would drop /a[b]/c behind the last b.
    upper, lower = pair("/a", "/a[b]/c", *MANY, settings=only(Annotation.SUBSCRIPTIONS, Annotation.ENDS))
    for _ in range(3):
        routed = lower.route(BODY, header(upper))
        assert routed.subscribers == ("/a", "/a[b]/c")
        assert routed.feedback is not None
        upper.learn("below", routed.feedback)
    assert len(decode(header(upper)).ends) == 2
    assert routed.read < len(BODY)


def test_cut_that_is_no_cut_falls_back_to_the_whole_document_and_is_given_up() -> None:
    body = b"<a><b/><c x='1'/><!-- <b/> --><b2/></a>" + b" " * 50
    upper, lower = pair("//b", "/a/b", *MANY, settings=only(Annotation.SUBSCRIPTIONS, Annotation.ENDS, thrifty=True))
    with_ends = []
    for _ in range(4):
        sent = header(upper, body)
        with_ends.append(bool(decode(sent).ends))
        routed = lower.route(body, sent)
        assert (routed.subscribers, routed.read) == (("//b", "/a/b"), len(body))
        assert routed.feedback is not None
        upper.learn("below", routed.feedback)
    assert with_ends == [False, True, False, False]
    upper.unlearn("below")
    assert not decode(header(upper, body)).ends


def test_all_annotations_together_decide_more_than_any_alone() -> None:
    def tested(*annotations: Annotation) -> int:
        upper, lower = pair(*BELOW, settings=only(*annotations))
        routed = lower.route(BODY, header(upper))
        assert routed.subscribers == MATCHING
        return routed.tested

    alone = [tested(each) for each in Annotation]
    assert tested(*Annotation) < min(alone)


def test_what_a_router_knows_without_reading_goes_on_to_the_next() -> None:
    top, middle, last = router(), router(), router("//c", "//q", "//r")
    middle.connect("below", last.table())
    top.connect("below", middle.table())
    first = header(top)
    routed = middle.route(BODY, first)
    assert routed.read == 0
    onward = decode(routed.headers["below"])
    assert onward.version == last.table().version
    assert (onward.domain, onward.looked_for) == (3, 3)
    assert last.route(BODY, routed.headers["below"]).subscribers == ("//c",)


@pytest.mark.parametrize("share", [0.01, 0.03, 0.06, 0.2])
def test_header_keeps_its_budget_and_answers_stay(share: float) -> None:
    texts = [f"/a/n{number}" for number in range(300)]
    body = b"<a>" + b"".join(f"<n{number}/>".encode() for number in range(0, 300, 3)) + b"<pad/>" * 50 + b"</a>"
    upper, lower = pair(*texts, settings=HintSettings(share))
    sent = header(upper, body)
    assert len(sent) <= share * len(body)
    assert lower.route(body, sent).subscribers == tuple(texts[::3])


def test_header_that_does_not_fit_is_left_out() -> None:
    upper, lower = pair("/a", settings=HintSettings(0.01))
    assert header(upper) == b""
    assert lower.route(BODY, b"").subscribers == ("/a",)


def test_header_without_annotations_is_left_out() -> None:
    upper, _ = pair("/a", settings=only())
    assert header(upper) == b""


def test_header_of_an_unknown_version_is_not_used() -> None:
    upper, lower = pair("//c", "//q")
    stale = encode(replace(decode(header(upper)), version=12345))
    routed = lower.route(BODY, stale)
    assert (routed.subscribers, routed.tested, routed.feedback) == (("//c",), 2, None)


def test_header_of_another_table_is_not_used_whatever_it_binds() -> None:
    upper, _ = pair("//f", "/a/e/f", "//b", "/a/b", *MANY)
    sent = header(upper)
    assert decode(sent).bindings
    routed = router("//c", "//q").route(BODY, sent)
    other = router("//c", "//q")
    other.table()
    assert routed.subscribers == other.route(BODY, sent).subscribers == ("//c",)


def test_header_of_an_earlier_version_leaves_what_came_since() -> None:
    upper, lower = pair("//c", "//q")
    early = header(upper)
    lower.remove("//q")
    for text in ("//d", "//c[@x]", "/a"):
        lower.add(text, parse_xpath(text))
    routed = lower.route(BODY, early)
    assert routed.subscribers == ("//c", "//d", "//c[@x]", "/a")
    assert routed.feedback is not None
    with pytest.raises(InputError, match="more than their table has"):
        lower.route(BODY, encode(replace(decode(early), domain=3)))


def test_header_that_a_router_without_a_table_gets_is_not_used() -> None:
    upper, _ = pair("//c")
    assert router("//d").route(BODY, header(upper)).subscribers == ("//d",)


def test_hostile_headers_are_refused() -> None:
    upper, lower = pair("//f", "/a/e/f", "//b")
    good = decode(header(upper))
    assert good.bindings
    binding = good.bindings[0]
    for bad in (
        replace(good, domain=9),
        replace(good, looked_for=200),
        replace(good, matched=b"\2"),
        replace(good, matched=b"\0\7"),
        replace(good, absent=b"\0\x90"),
        replace(good, bindings=(replace(binding, number=9),)),
        replace(good, bindings=(replace(binding, path=(99,)),)),
    ):
        with pytest.raises(InputError):
            lower.route(BODY, encode(bad))
    for size in range(1, len(header(upper))):
        with pytest.raises(InputError):
            lower.route(BODY, header(upper)[:size])


def test_malformed_document_is_refused_where_it_is_read() -> None:
    with pytest.raises(NotAcceptable):
        router("/a").route(b"<a>")


def test_subscribers_and_neighbours_come_and_go() -> None:
    upper, lower = pair("//c", above=("/a",))
    with pytest.raises(KeyError):
        upper.remove("/b")
    upper.remove("/a")
    assert upper.route(BODY).subscribers == ()
    lower.add("//e/f", parse_xpath("//e/f"))
    upper.connect("below", lower.table())
    assert lower.route(BODY, header(upper)).tested == 0
    lower.remove("//c")
    upper.connect("below", lower.table())
    assert lower.route(BODY, header(upper)).subscribers == ("//e/f",)
    upper.connect("below", lower.renew())
    assert lower.route(BODY, header(upper)).tested == 0
    upper.disconnect("below")
    assert (upper.route(BODY).headers, len(upper)) == ({}, 0)
    with pytest.raises(KeyError):
        upper.disconnect("below")


def test_table_has_the_filters_that_no_other_covers_and_those_that_stand_for_most_first() -> None:
    lower = router("/b", "/a/b", "/a", "/a/c", "//q[@x]")
    table = lower.table()
    assert [each.text().text for each in table.filters.values()] == ["/a", "/b", "//q[@x]"]
    version = table.version
    lower.add("/a/z", parse_xpath("/a/z"))
    assert lower.table().version == version
    lower.remove("/a")
    assert lower.table().version != version
    assert [each.text().text for each in lower.table().filters.values()] == ["/b", "//q[@x]", "/a/b", "/a/c", "/a/z"]


def test_two_routers_with_the_same_history_have_the_same_version_and_others_another() -> None:
    made = [router("/a", "/b"), router("/a", "/b"), router("/a", "/c"), router("/b", "/a"), router("/a")]
    versions = [each.table().version for each in made]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 4
    for one, other in pairwise(made[2:]):
        assert one.table().version != other.table().version
