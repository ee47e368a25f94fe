"""One reader over many documents: encodings, growth, names that come later, and the check without arrays."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.errors import NotAcceptable, TooLarge
from distributary.matching.documents import DocumentReader, Vocabulary, check_xml
from distributary.matching.documents.compiled.tokenizer import tokenize_body


def _reader(*names: str) -> DocumentReader:
    vocabulary = Vocabulary()
    for name in names:
        vocabulary.add(name)
    return DocumentReader(vocabulary)


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("utf-16", "utf-16"), ("UTF-16", "utf-16"), ("ISO-8859-1", "latin-1"), ("iso-8859-1", "latin-1")],
)
def test_read_of_another_encoding_equals_parse_xml(declared: str, codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"<?xml version='1.0' encoding='{declared}'?><a b='\u00e9'>\u00fc</a>".encode(codec)
    expected = _reader("a").load(parse_xml(body)).contents()
    monkeypatch.setattr("distributary.matching.documents.reader.parse_xml", None)  # not needed for these
    assert _reader("a").read(body).contents() == expected


@pytest.mark.parametrize(
    "body",
    [
        "<?xml version='1.0' encoding='utf-8'?><a/>".encode("utf-16"),
        "\ufeff<a/>".encode("utf-16"),
        "<a>\u20ac</a>".encode("utf-16")[:-1],
        b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>",
        b"<?xml version='1.0' encoding='iso-8859-1'?><a>\x01</a>",
        b"\xef\xbb\xbf<?xml version='1.0' encoding='iso-8859-1'?><a>\xff</a>",
        b"<?xml version='1.0' encoding='no-such'?><a/>",
    ],
)
def test_read_of_a_wrong_encoding_does_what_parse_xml_does(body: bytes) -> None:
    try:
        expected: object = _reader("a").load(parse_xml(body)).contents()
    except NotAcceptable as error:
        expected = str(error)
    try:
        found: object = _reader("a").read(body).contents()
    except NotAcceptable as error:
        found = str(error)
    assert found == expected


def test_read_of_longer_and_shorter_documents_in_turn_gives_each_its_own() -> None:
    reader = _reader("a", "b")
    for count in (1, 50_000, 2, 300_000, 3):
        arrays = reader.read(b"<a>" + b"<b/>x" * count + b"</a>")
        assert (arrays.elements, arrays.text_nodes) == (count + 1, count)
        assert arrays.text[:count].tobytes() == b"x" * count
        assert arrays.name[: count + 2].tolist() == [-1, 0, *[1] * count]
    assert arrays.room <= 1 << 20


def test_read_sees_names_that_were_added_after_the_reader_was_made() -> None:
    vocabulary = Vocabulary()
    reader = DocumentReader(vocabulary)
    assert reader.read(b"<n777/>").name[1] == -1
    numbers = [vocabulary.add(f"n{number}") for number in range(1000)]
    assert reader.read(b"<n777 n3=''/>").name[1] == numbers[777]
    assert reader.read(b"<n777 n3=''/>").attribute_name[0] == numbers[3]


def test_load_of_what_entities_blow_up_makes_room_for_it() -> None:
    body = b"<!DOCTYPE a [<!ENTITY e '" + b'<b c="1"/>x' * 500 + b"'>]><a>" + b"&e;" * 20 + b"</a>"
    arrays = _reader("b").read(body)
    assert (arrays.elements, arrays.attributes, arrays.text_nodes) == (10_001, 10_000, 10_000)
    assert arrays.name[10_001] == 0


def test_load_of_characters_beyond_ascii_counts_bytes() -> None:
    arrays = _reader().load(parse_xml("<a>\u00e9<b>\u20ac</b>\U0001f600<b/></a>".encode()))
    assert arrays.text_start[:4].tolist() == [0, 0, 2, 9]
    assert arrays.text_end[:4].tolist() == [9, 9, 5, 9]
    assert arrays.text_node_to[:3].tolist() == [2, 5, 9]


def test_prepare_for_a_document_beyond_the_room_lets_the_tokenizer_refuse() -> None:
    reader = _reader()
    context = reader.prepare(10)
    body = b"<a>" + b" " * (1 << 20) + b"</a>"
    assert tokenize_body(context, body) == 0
    assert tokenize_body(reader.prepare(len(body)), body) == 1


def test_readers_in_threads_do_not_disturb_each_other() -> None:
    vocabulary = Vocabulary()
    vocabulary.add("b")

    def count(number: int) -> list[int]:
        reader = DocumentReader(vocabulary)
        return [reader.read(b"<a>" + b"<b/>" * number + b"</a>").elements for _ in range(200)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(count, [1, 20, 300, 40])) == [[each + 1] * 200 for each in (1, 20, 300, 40)]


def test_reader_after_a_fork_reads_on() -> None:
    reader = _reader("b")
    reader.read(b"<a/>")
    child = os.fork()
    if child == 0:
        os._exit(0 if reader.read(b"<b><b/></b>").elements == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.read(b"<b/>").name[1] == 0


def test_check_xml_of_a_good_document_is_silent() -> None:
    check_xml(b"<a p:b='1' xmlns:p='u'>x</a>")
    check_xml("<?xml version='1.0' encoding='utf-16'?><a/>".encode("utf-16"))
    check_xml(b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>")


def test_check_xml_of_a_bad_document_raises_what_parse_xml_raises() -> None:
    with pytest.raises(NotAcceptable, match="mismatched tag: line 1, column 6"):
        check_xml(b"<a></b>")
    with pytest.raises(TooLarge, match="nest deeper than 1"):
        check_xml(b"<a><b/></a>", limits=XmlLimits(depth=1))
    with pytest.raises(TooLarge, match="more than 3"):
        check_xml(b"<a/>", limits=XmlLimits(bytes=3))
    with pytest.raises(NotAcceptable, match="external entity"):
        check_xml(b"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>")


def _longest(start: bytes, unit: bytes, end: bytes, length: int) -> bytes:
    """Return a document of at most this length, of as many units as fit."""
    return start + unit * ((length - len(start) - len(end)) // len(unit)) + end


@pytest.mark.parametrize(
    ("start", "unit", "end"),
    [
        (b"<a>", b"x<a>x</a>", b"</a>"),
        (b"<a>", b"<a/>", b"</a>"),
        (b"<a>", b"x<?a?>", b"</a>"),
        (
            b"<a>",
            b"<b" + b"".join(b' %c=""' % letter for letter in b"abcdefghijklmnopqrstuvwxyzABCDEF") + b"/>",
            b"</a>",
        ),
        (b"<a>", b"\xc3\xa9", b"</a>"),
        (b"<a b='", b"x", b"'/>"),
        (b"<a>" * 200, b"<b/>", b""),
        (b"x<a>" * 200, b"x<b>x</b>", b""),
        (b"<a>" + b"x<a>" * 200, b"x<b>x</b>", b"</a>"),
    ],
)
def test_densest_documents_fit_in_the_room_for_their_length(start: bytes, unit: bytes, end: bytes) -> None:
    reader = _reader("a", "b")
    body = _longest(start, unit, end, 1 << 14)
    taken = tokenize_body(reader.prepare(len(body)), body)
    arrays = reader.load(parse_xml(b"<z/>"))
    assert arrays.room == 1 << 14
    tokenize_body(arrays.address, body)
    assert arrays.elements + 2 <= len(arrays.name)
    assert arrays.attributes <= len(arrays.attribute_name)
    assert arrays.text_nodes <= len(arrays.text_node_owner)
    if taken:
        assert arrays.contents() == _reader("a", "b").load(parse_xml(body)).contents()


def test_tokenize_of_a_document_between_the_limit_and_the_room_refuses() -> None:
    reader = DocumentReader(Vocabulary(), limits=XmlLimits(bytes=100))
    body = b"<a>" + b"x" * 100 + b"</a>"
    assert tokenize_body(reader.prepare(len(body)), body) == 0
    fits = b"<?xml version='1.0' encoding='iso-8859-1'?><a>" + b"\xe9" * 50 + b"</a>"
    assert reader.read(fits).contents()["text"] == ["\u00e9".encode() * 50]
