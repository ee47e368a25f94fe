"""What the tokenizer takes by itself, and what it leaves to `parse_xml`: speed depends on the first, safety on both."""

from __future__ import annotations

import pytest

from distributary.algebra.xml import XmlLimits
from distributary.core.errors import NotAcceptable, TooLarge
from distributary.matching.documents import DocumentArrays, DocumentReader, Vocabulary
from distributary.matching.documents.compiled.tokenizer import tokenize_body


def _taken(body: bytes, limits: XmlLimits | None = None) -> bool:
    reader = DocumentReader(Vocabulary(), limits=limits or XmlLimits())
    return tokenize_body(reader.prepare(len(body)), body) == 1


def _read(body: bytes, *names: str) -> DocumentArrays:
    vocabulary = Vocabulary()
    for name in names:
        vocabulary.add(name)
    reader = DocumentReader(vocabulary)
    assert tokenize_body(reader.prepare(len(body)), body) == 1
    return reader.read(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<a/>",
        b"<a></a>",
        b"<a ></a\t>",
        b" \n<a/>\r\n ",
        b"\xef\xbb\xbf<a/>",
        b"<?xml version='1.0'?><a/>",
        b'<?xml version = "1.0"  encoding = \'utf-8\' standalone="no" ?>\n<a/>',
        b"<?xml version='1.0' standalone='yes'?><a/>",
        b"<!DOCTYPE nitf SYSTEM 'nitf-2-5.dtd'><nitf/>",
        b'<!DOCTYPE a PUBLIC "-//IPTC//DTD NITF 2.5//EN" "x.dtd" ><a>&amp;</a>',
        b"<!--x--><?y z?><!DOCTYPE a><!--x--><?y?><a/><!----><?y ??>",
        b"<?xml-stylesheet href='x'?><a/>",
        b"<a b='1' c=\"'2'\" d = '\"'/>",
        b"<a b='&lt;&#10;&#xe9; \t\r\n'>&quot;&apos;&gt;\r</a>",
        b"<a><![CDATA[<&]]]]>]] ]> ></a>",
        "<a b='\u00e9'>\u20ac\U0001f600<!--\u00e9--><?b \u00e9?><![CDATA[\u00e9]]></a>".encode(),
        b"<p:a xmlns:p='u' p:b='1' b='2' xml:lang='en'><b xmlns='v'/></p:a>",
        b"<a xmlns=''/>",
        b"<a xmlns:x='http://www.w3.org/1999/XSL/Transform'/>",
    ],
)
def test_tokenizer_of_ordinary_documents_takes_them(body: bytes) -> None:
    assert _taken(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<?xml version='1.1'?><a/>",
        b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
        b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<\u00e9/>".encode(),
        b"<a b='1' xmlns:p='u' p:b='1' xmlns:q='v' q:b='1'" + b"".join(b" x%d=''" % n for n in range(70)) + b"/>",
    ],
)
def test_tokenizer_of_rare_documents_leaves_them(body: bytes) -> None:
    assert not _taken(body)
    DocumentReader(Vocabulary()).read(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"x",
        b"<",
        b"<a",
        b"<a>",
        b"<a/",
        b"<a/>x",
        b"<a/><b/>",
        b"<a></b>",
        b"<a></ab>",
        b"<ab></a>",
        b"</a>",
        b"<![CDATA[x]]>",
        b"x<a/>",
        b"<a>]]></a>",
        b"<a>&e;</a>",
        b"<a>&#0;</a>",
        b"<a>&#xD800;</a>",
        b"<a>&#xFFFF;</a>",
        b"<a>&#x110000;</a>",
        b"<a>&#;</a>",
        b"<a>&#X41;</a>",
        b"<a>\0</a>",
        b"<a>\x0b</a>",
        b"<a>\xff</a>",
        b"<a>\xed\xa0\x80</a>",
        b"<a>\xc0\x80</a>",
        b"<a>\xef\xbf\xbf</a>",
        b"<a>\xf4\x90\x80\x80</a>",
        b"<a>\xe2\x82</a>",
        b"<a b/>",
        b"<a b=1/>",
        b"<a b='<'/>",
        b"<a b='1'c='2'/>",
        b"<a b='1' b='2'/>",
        b"<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
        b"<a xmlns:p='u' xmlns:q='&#117;' p:b='1' q:b='2'/>",
        b"<a p:b='1'/>",
        b"<p:a/>",
        b"<a xmlns:p=''/>",
        b"<a xmlns:xml='u'/>",
        b"<a xmlns:xmlns='u'/>",
        b"<a xmlns='http://www.w3.org/XML/1998/namespace'/>",
        b"<a xmlns='http://www.w3.org/2000/xmlns/'/>",
        b"<a xmlns:p='a}b'/>",
        b"<a:b:c xmlns:a='u'/>",
        b"<:a/>",
        b"<1a/>",
        b"<a><!-- -- --></a>",
        b"<a><!--></a>",
        b"<a><?xml?></a>",
        b"<a><?XML ?></a>",
        b"<a><? b?></a>",
        b" <?xml version='1.0'?><a/>",
        b"<?xml encoding='utf-8'?><a/>",
        b"<?xml version='1.0' standalone='maybe'?><a/>",
        b"<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>",
        b"<!DOCTYPE a PUBLIC 'x'><a/>",
        b"<!DOCTYPE a PUBLIC 'x{' 'y'><a/>",
        b"<!DOCTYPE a><!DOCTYPE a><a/>",
        b"<a/><!DOCTYPE a>",
        b"\xad!DOCTYPE a><a/>",
    ],
)
def test_tokenizer_of_malformed_documents_leaves_the_error_to_parse_xml(body: bytes) -> None:
    assert not _taken(body)
    with pytest.raises(NotAcceptable):
        DocumentReader(Vocabulary()).read(body)


@pytest.mark.parametrize(
    ("limits", "fits", "exceeds"),
    [
        (XmlLimits(depth=2), b"<a><b/><b></b></a>", b"<a><b><c/></b></a>"),
        (XmlLimits(elements=2), b"<a><b/></a>", b"<a><b/><b/></a>"),
        (XmlLimits(attributes=2), b"<a b='1' c='2' xmlns='x'/>", b"<a b='1' c='2'><d e='3'/></a>"),
        (XmlLimits(bytes=8), b"<a>1</a>", b"<a>12</a>"),
    ],
)
def test_tokenizer_at_and_beyond_a_limit_takes_only_the_first(limits: XmlLimits, fits: bytes, exceeds: bytes) -> None:
    assert _taken(fits, limits)
    reader = DocumentReader(Vocabulary(), limits=limits)
    with pytest.raises(TooLarge):
        reader.read(exceeds)
    assert reader.read(fits).elements >= 1


def test_arrays_of_a_document_say_what_the_layout_says() -> None:
    arrays = _read(b"<a x='1'>some <b>text</b> &amp; <c y='&lt;'/>more</a>", "a", "c", "x", "{u}b")
    assert arrays.contents() == {
        "name": [-1, 0, -1, 1],
        "namespace": [-1, 0, 0, 0],
        "parent": [-1, 0, 1, 1],
        "end": [4, 4, 3, 4],
        "text_start": [0, 0, 5, 12],
        "text_end": [16, 16, 9, 12],
        "attribute_start": [0, 0, 1, 1, 2],
        "attribute_name": [2, -1],
        "attribute_namespace": [0, 0],
        "attribute_value": [b"1", b"<"],
        "text_node_owner": [1, 2, 1, 1],
        "text_node_from": [0, 5, 9, 12],
        "text_node_to": [5, 9, 12, 16],
        "text": [b"some text & more"],
    }


def test_names_in_namespaces_are_known_by_their_uri() -> None:
    vocabulary = Vocabulary()
    known, uri = vocabulary.add("{u}a"), vocabulary.namespace("u")
    reader = DocumentReader(vocabulary)
    body = b"<p:a xmlns:p='u' xmlns='v' p:a='' a=''><a xmlns='u'/><a/><p:b/><p:a xmlns:p='w'/></p:a>"
    assert tokenize_body(reader.prepare(len(body)), body) == 1
    arrays = reader.read(body)
    assert arrays.name[1:6].tolist() == [known, known, -1, -1, -1]
    assert arrays.namespace[1:6].tolist() == [uri, uri, -1, uri, -1]
    assert arrays.attribute_name[:2].tolist() == [known, -1]
    assert arrays.attribute_namespace[:2].tolist() == [uri, 0]


def test_text_nodes_are_split_by_comments_and_joined_over_cdata() -> None:
    arrays = _read(b"<a>1<![CDATA[2]]>&#51;<!--x-->4<?y?><!--z-->5\r\n</a>")
    assert arrays.contents()["text"] == [b"12345\n"]
    assert arrays.text_node_from[: arrays.text_nodes].tolist() == [0, 3, 4]
    assert arrays.text_node_to[: arrays.text_nodes].tolist() == [3, 4, 6]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 31, 32, 33, 64, 100, 1000])
def test_names_and_values_of_any_length_are_read_whole(length: int) -> None:
    name, other = "n" * length, "n" * (length - 1) + "m"
    arrays = _read(f"<{name} {other}='{'v' * length}'>{'t' * length}</{name}>".encode(), name, other)
    assert (arrays.name[1], arrays.attribute_name[0]) == (0, 1)
    assert arrays.contents()["attribute_value"] == [b"v" * length]
    assert arrays.contents()["text"] == [b"t" * length]
    assert not _taken(f"<{name}></{other}>".encode())
