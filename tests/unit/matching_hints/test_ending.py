from __future__ import annotations

import pytest

from distributary.matching.hints.ending import cut, last_end


@pytest.mark.parametrize(
    ("body", "name", "before"),
    [
        ("<a><b>x</b>|<c/></a>", "b", "<a><b>x</b>"),
        ("<a><b/>|<c/></a>", "b", "<a><b/>"),
        ("<a><b x='1' />|</a>", "b", ""),
        ("<a><b>x</b\t\n>|</a>", "b", ""),
        ("<a><b><b/></b>|<bc/><c><bd></bd></c></a>", "b", ""),
        ("<a><b></b><b/>|</a>", "b", ""),
        ("<a></a>|", "a", ""),
        ("<é><ü/>|</é>", "ü", ""),
    ],
)
def test_end_of_the_last_element_of_a_name_is_behind_its_last_tag(body: str, name: str, before: str) -> None:
    first, _, rest = body.partition("|")
    assert last_end((first + rest).encode(), name) == len(first.encode())
    assert first.startswith(before)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"<a><bc/></a>", "b"),
        (b"<a/>", "b"),
        (b"<p:b xmlns:p='u'/>", "{u}b"),
        (b"<!DOCTYPE a [<!ENTITY e '<b/>'>]><a><b/>&e;</a>", "b"),
        (b"<a><b x='>'/></a>", "b"),
        (b"<a><b x='/", "b"),
        (b"<a><b/></a><!-- <b> -->", "b"),
        ("<a><b/></a>".encode("utf-16"), "b"),
    ],
)
def test_end_that_is_not_plainly_there_is_not_told(body: bytes, name: str) -> None:
    assert last_end(body, name) is None


def test_cut_document_has_end_tags_for_what_is_open() -> None:
    assert cut(b"<a><b><c/></b><d/></a>", 10, ["a", "b"]) == b"<a><b><c/></b></a>"
    assert cut(b"<a/> ", 4, []) == b"<a/>"
