"""The safe XML parser: what it keeps, what it refuses, and that it refuses it quickly."""

from __future__ import annotations

from pathlib import Path

import pytest

from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.documents import Document
from distributary.core.errors import InputError, NotAcceptable, TooLarge

_SHARED = Path(__file__).parents[3] / ".." / "shared" / "data"


def _bomb(leaf: str, use: str) -> bytes:
    levels = "".join(f"<!ENTITY a{level} '{f'&a{level - 1};' * 10}'>" for level in range(1, 10))
    return f"<!DOCTYPE r [<!ENTITY a0 '{leaf}'>{levels}]>{use}".encode()


def _refused(data: bytes, limits: XmlLimits | None = None) -> str:
    with pytest.raises(InputError) as caught:
        parse_xml(data, limits=limits or XmlLimits())
    return f"{type(caught.value).__name__}: {caught.value}"


def test_document_with_mixed_content_is_numbered_in_preorder() -> None:
    document = parse_xml(b"<a>x<b><c/>y</b>z<d/></a>")
    assert document == Document(
        names=("a", "b", "c", "d"),
        parents=(-1, 0, 1, 0),
        ends=(4, 3, 3, 4),
        attributes=((), (), (), ()),
        text="xyz",
        text_starts=(0, 1, 1, 3),
        text_ends=(3, 2, 1, 3),
        text_nodes=(((0, 1), (2, 3)), ((1, 2),), (), ()),
    )


def test_names_in_namespaces_are_in_clark_notation_and_declarations_are_no_attributes() -> None:
    document = parse_xml(b"<x xmlns='urn:a' xmlns:p='urn:p' p:q='1' z='2' xml:lang='en'><p:y xmlns=''><z/></p:y></x>")
    assert document.names == ("{urn:a}x", "{urn:p}y", "z")
    xml = "{http://www.w3.org/XML/1998/namespace}lang"
    assert document.attributes[0] == (("{urn:p}q", "1"), ("z", "2"), (xml, "en"))


def test_text_nodes_are_split_by_comments_and_instructions_and_joined_over_cdata_and_entities() -> None:
    document = parse_xml(b"<!DOCTYPE a [<!ENTITY hue 'red'>]><a>1<!-- x -->2<![CDATA[<3>]]>&hue;&lt;&#52;<?p q?>5</a>")
    assert [document.text[start:end] for start, end in document.text_nodes[0]] == ["1", "2<3>red<4", "5"]
    assert document.string_value(0) == "12<3>red<45"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "us-ascii"])
def test_document_in_any_encoding_is_read(encoding: str) -> None:
    text = "plain" if encoding == "us-ascii" else "café"
    declared = encoding.removesuffix("-sig")
    assert parse_xml(f"<?xml version='1.0' encoding='{declared}'?><a>{text}</a>".encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_byte_order_mark_and_without_declaration_is_read(encoding: str) -> None:
    assert parse_xml("\ufeff<a>ж\U0001f600</a>".encode(encoding)).text == "ж\U0001f600"


@pytest.mark.parametrize(("encoding", "reason"), [("no-such", "unknown"), ("shift_jis", "neither"), ("base64", "")])
def test_encoding_that_cannot_be_read_is_not_acceptable(encoding: str, reason: str) -> None:
    message = _refused(f"<?xml version='1.0' encoding='{encoding}'?><a/>".encode())
    assert message.startswith("NotAcceptable: the encoding")
    assert reason in message


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the document is empty"),
        (b"  ", "no element found: line 1, column 3"),
        (b"<a>\n<b></a>", "mismatched tag: line 2, column 6"),
        (b"<a/><b/>", "junk after document element: line 1, column 5"),
        (b"<p:a/>", "unbound prefix: line 1, column 1"),
        (b"<a b='1' b='2'/>", "duplicate attribute"),
        (b"<a>&no;</a>", "undefined entity: line 1, column 4"),
        (b"<a>\xff</a>", "invalid token"),
        (b"<a>\x00</a>", "invalid token"),
        (b"not xml", "syntax error: line 1, column 1"),
        (b"<!DOCTYPE a [<!ENTITY x '<b>'>]><a>&x;</a>", "not well-formed"),
    ],
)
def test_malformed_document_is_not_acceptable_with_its_place(data: bytes, reason: str) -> None:
    message = _refused(data)
    assert message.startswith("NotAcceptable")
    assert reason in message


@pytest.mark.parametrize(
    "data",
    [
        _bomb("lol", "<r>&a9;</r>"),
        _bomb("", "<r>&a9;</r>"),
        _bomb("lol", "<r x='&a9;'/>"),
        _bomb("lol", "<r>&a9;</r>").decode().encode("utf-16"),
        b"\n\0" + _bomb("lol", "<r>&a9;</r>").decode().encode("utf-16-le"),
        b"\0\n" + _bomb("lol", "<r>&a9;</r>").decode().encode("utf-16-be"),
        ("\ufeff<?xml version='1.0' encoding='iso-8859-1'?>" + _bomb("", "<r>&a9;</r>").decode()).encode(),
        b"<!DOCTYPE r [<!ENTITY a '" + b"x" * 50_000 + b"'>]><r>" + b"&a;" * 50_000 + b"</r>",
        b"<!DOCTYPE r [<!ENTITY a '" + b"x" * 50_000 + b"'><!ATTLIST r b CDATA '" + b"&a;" * 50_000 + b"'>]><r/>",
        b"<!DOCTYPE r [<!ENTITY a '<b/>'><!ENTITY c '" + b"&a;" * 50_000 + b"'>]><r>" + b"&c;" * 50_000 + b"</r>",
        # The comment that the entity seems to open must hide nothing from the count.
        _bomb("lol", "<r>&a9;<!-- --></r>").replace(b"]>", b"<!ENTITY z '<!--'>]>"),
    ],
)
def test_bomb_is_too_large_before_it_is_expanded(data: bytes) -> None:
    assert _refused(data).startswith("TooLarge: entities expand to more than")


def test_attribute_defaults_repeated_are_too_large() -> None:
    data = b"<!DOCTYPE r [<!ATTLIST b a CDATA '" + b"x" * 60_000 + b"'>]><r>" + b"<b/>" * 50_000 + b"</r>"
    assert _refused(data).startswith("TooLarge: entities and attribute defaults add")


@pytest.mark.parametrize(
    "declarations", ["<!ENTITY a '&b;'><!ENTITY b '&a;'>", "<!ENTITY a 'x&a;'>", "<!ENTITY b '&a;'><!ENTITY a '&b;'>"]
)
def test_entity_that_contains_itself_is_not_acceptable(declarations: str) -> None:
    assert "contains itself" in _refused(f"<!DOCTYPE r [{declarations}]><r>&a;</r>".encode())


def test_entities_in_a_long_chain_or_great_number_are_too_large() -> None:
    chain = "".join(f"<!ENTITY a{level} '&a{level - 1};'>" for level in range(1, 60))
    assert "nest deeper than 32" in _refused(f"<!DOCTYPE r [<!ENTITY a0 ''>{chain}]><r>&a59;</r>".encode())
    many = "".join(f"<!ENTITY a{number} ''>" for number in range(11))
    assert "more than 10 entities" in _refused(f"<!DOCTYPE r [{many}]><r/>".encode(), XmlLimits(entities=10))
    wide = "".join(f"<!ENTITY a{number} '&b{number};'>" for number in range(9, 0, -1))
    message = _refused(f"<!DOCTYPE r [{wide}]><r/>".encode(), XmlLimits(entities=2))
    assert message.startswith("TooLarge")


def test_entity_of_modest_size_is_expanded_with_its_markup() -> None:
    document = parse_xml(b"<!DOCTYPE r [<!ENTITY b '<c x=\"1\">2</c>'><!ENTITY a '1&b;3'>]><r y='&#38;'>&a;&a;</r>")
    assert document.names == ("r", "c", "c")
    assert document.text == "123123"
    assert document.attributes[1] == (("x", "1"),)


def test_attribute_default_of_the_internal_subset_is_applied() -> None:
    data = b"<!DOCTYPE r [<!ATTLIST b a CDATA 'given' c CDATA #IMPLIED>]><r><b/><b a='own'/></r>"
    assert parse_xml(data).attributes == ((), (("a", "given"),), (("a", "own"),))


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><r>&x;</r>",
        b"<!DOCTYPE r [<!ENTITY x PUBLIC 'p' 'http://localhost/'>]><r><a>&x;</a></r>",
        b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><r a='&x;'/>",
        b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY y '&x;'>]><r>&y;</r>",
        b"<!DOCTYPE r SYSTEM 'outside.dtd'><r>&x;</r>",
        b"<!DOCTYPE r SYSTEM 'outside.dtd'><r a='&x;'/>",
        b"<!DOCTYPE r [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p; <!ENTITY q 'q'>]><r>&q;</r>",
        b"<!DOCTYPE r [<!ENTITY % p '<!ENTITY q \"5\">'> %p;]><r a='&q;'/>",
    ],
)
def test_reference_to_what_is_not_in_the_document_is_not_acceptable(data: bytes) -> None:
    message = _refused(data)
    assert message.startswith("NotAcceptable")
    assert "entity" in message
    assert "root:" not in message


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE nitf SYSTEM 'nitf.dtd'><r a='&amp;'><![CDATA[&x;]]><!-- &y; --></r>",
        b"<!DOCTYPE nitf PUBLIC '-//IPTC//DTD NITF 2.5//EN' 'file:///etc/passwd'><r/>",
        b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><r/>",
        b"<!DOCTYPE r [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><r/>",
        b"<!DOCTYPE r [<!NOTATION n SYSTEM 'n'><!ENTITY pic SYSTEM 'p.gif' NDATA n>]><r/>",
    ],
)
def test_declaration_of_something_outside_is_not_loaded_and_does_no_harm(data: bytes) -> None:
    assert parse_xml(data).names == ("r",)


@pytest.mark.parametrize(
    ("data", "limits", "reason"),
    [
        (b"<a>1234</a>", XmlLimits(bytes=10), "has 11 bytes, more than 10"),
        (b"<a><b><c/></b></a>", XmlLimits(depth=2), "nest deeper than 2: line 1, column 7"),
        (b"<a><b/><c/></a>", XmlLimits(elements=2), "more than 2 elements"),
        (b"<a b='' c=''/>", XmlLimits(attributes=1), "more than 1 attributes"),
        (b"<e1>" * 200_000 + b"</e1>" * 200_000, XmlLimits(), "nest deeper than 256"),
    ],
)
def test_document_over_a_limit_is_too_large(data: bytes, limits: XmlLimits, reason: str) -> None:
    message = _refused(data, limits)
    assert message.startswith("TooLarge")
    assert reason in message


def test_document_at_its_limits_is_read() -> None:
    data = b"<a b=''><c/></a>"
    assert len(parse_xml(data, limits=XmlLimits(bytes=len(data), depth=2, elements=2, attributes=1))) == 2
    deep = b"<a>" * 256 + b"</a>" * 256
    assert len(parse_xml(deep)) == 256


def test_errors_are_of_one_line_and_of_the_tree_of_errors() -> None:
    assert issubclass(NotAcceptable, InputError)
    assert issubclass(TooLarge, InputError)
    assert "\n" not in _refused(b"<a>\n&\n</a>")


@pytest.mark.skipif(not (_SHARED / "security").exists(), reason="needs ../shared/data/security")
@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("cyclic.xml", "contains itself"),
        ("external.xml", "external entity"),
        ("external_file.xml", "external entity"),
        ("quadratic.xml", "TooLarge"),
        ("xmlbomb.xml", None),
        ("xmlbomb2.xml", None),
        ("dtd.xml", None),
        ("simple.xml", None),
        ("simple-ns.xml", None),
    ],
)
def test_defusedxml_collection_is_read_or_refused(name: str, outcome: str | None) -> None:
    data = (_SHARED / "security" / "defusedxml" / name).read_bytes()
    if outcome is None:
        assert len(parse_xml(data)) >= 1
    else:
        assert outcome in _refused(data)


@pytest.mark.skipif(not (_SHARED / "xml").exists(), reason="needs ../shared/data")
def test_real_documents_pass_the_default_limits() -> None:
    files = [*_SHARED.glob("feeds/cap/**/*.xml"), *_SHARED.glob("xml/w3c/**/*.xml")]
    assert files
    for file in files:
        assert len(parse_xml(file.read_bytes())) >= 1, file
