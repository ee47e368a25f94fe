from __future__ import annotations

from distributary.algebra.treepattern import parse_xpath
from distributary.matching.documents import DocumentReader, Vocabulary
from distributary.matching.hints.labels import Labels, has_wildcards, is_simple, pattern_of


def test_what_is_open_behind_the_last_of_a_name_is_what_its_outermost_element_is_in() -> None:
    vocabulary = Vocabulary()
    a, b, c = (vocabulary.add(name) for name in "abc")
    labels = Labels(DocumentReader(vocabulary).read(b"<a><c><b/></c><c><b>x<c><b/></c></b></c><z/></a>"))
    assert labels.path_above_last(b) == (a, c)
    assert labels.path_above_last(c) == (a,)
    assert labels.path_above_last(a) == ()
    assert labels.path_above_last(vocabulary.add("q")) is None
    assert [labels.path(element) for element in labels.named(b)] == [(a, c, b), (a, c, b), (a, c, b, c, b)]


def test_label_path_is_a_simple_pattern_without_wildcards() -> None:
    assert pattern_of(["a", "{urn:x}b"]) == parse_xpath("/a/x:b", {"x": "urn:x"})
    assert is_simple(parse_xpath("/a//*"))
    for text in ("/a[b]/c", "/a/@x", "/a = 5", "/a/text()"):
        assert not is_simple(parse_xpath(text))
    assert [has_wildcards(parse_xpath(text)) for text in ("/a/b", "//a", "/a/*")] == [False, True, True]
