"""Grammars from DTDs, and the documents drawn from them: valid, of the size asked for, the same for the same seed."""

from __future__ import annotations

import io
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree

from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.experiments.documents import DocumentShape, draw_document
from distributary.experiments.dtd import bulletin_grammar, read_dtd
from distributary.experiments.grammar import Use

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "xml"
#: The definitions to read where the shared data is: file, root, elements, attributes.
OUTSIDE = [
    ("nitf-2-5.dtd", "nitf", 123, 510),  # 513 less three that would need an entity
    ("dblp/dblp.dtd", "dblp", 37, 23),
    ("w3c/bib.dtd", "bib", 10, 1),
    ("w3c/book.dtd", "book", 7, 5),
    ("w3c/books.dtd", "chapter", 3, 0),
    ("w3c/partlist.dtd", "parttree", 2, 2),
    ("w3c/string.dtd", "news", 12, 1),
]
#: Everything that a content model can be made of.
EVERYTHING = """
<!-- a comment with <!ELEMENT in it --> <?an instruction?>
<!ENTITY % inner "b | c"> <!ENTITY % outer "(%inner;)"> <!ENTITY % more "<!ELEMENT f (#PCDATA)>">
<!ENTITY general "not used">
<!ELEMENT a ((%outer;)+, d?, (e, f)*, (a | (f?, h?))?)> <!ELEMENT h EMPTY>
<!ATTLIST a id ID #IMPLIED other IDREF #REQUIRED kind (x | y) "x" version CDATA #FIXED "it's &#34;1&#34;">
<!ELEMENT b (h?)> <!ATTLIST b n NMTOKEN #REQUIRED xml:lang CDATA #IMPLIED
  which NOTATION (gif) #IMPLIED file ENTITY #IMPLIED>
<!ELEMENT c (#PCDATA | h | %inner; )*>
<!ELEMENT d ANY> <!ELEMENT e ((b, (c | d)), (b+))>
%more;
<!NOTATION gif SYSTEM "gif">
"""


def validator(text: str) -> etree.DTD:
    return etree.DTD(io.StringIO(text[text.index("[") + 1 : text.rindex("]")] if "<!DOCTYPE" in text else text))


def elements_of(document: bytes) -> int:
    return len(parse_xml(document))


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    [DocumentShape(size=3000), DocumentShape(elements=60, depth=7, attributes=1.0), DocumentShape(size=1)],
    ids=["size", "elements", "smallest"],
)
def test_documents_of_our_own_grammar_are_valid(shape: DocumentShape) -> None:
    grammar = bulletin_grammar()
    dtd = validator(files("distributary.experiments").joinpath("bulletin.dtd").read_text("utf-8"))
    for number in range(12):
        document = draw_document(grammar, Generator("valid", number), shape)
        assert dtd.validate(etree.fromstring(document)), dtd.error_log


@pytest.mark.slow
@pytest.mark.parametrize(("file", "root", "elements", "attributes"), OUTSIDE)
def test_documents_of_definitions_from_outside_are_valid(file: str, root: str, elements: int, attributes: int) -> None:
    if not SHARED.exists():
        pytest.skip("the shared data is not here")
    text = (SHARED / file).read_text("utf-8")
    grammar = read_dtd(text)
    assert grammar.root == root
    assert len(grammar.elements) == elements
    assert sum(len(element.attributes) for element in grammar.elements.values()) == attributes
    dtd = validator(text)
    for shape in (DocumentShape(size=4000), DocumentShape(elements=40, depth=6, attributes=1.0)):
        for number in range(8):
            document = draw_document(grammar, Generator(file, number), shape)
            assert dtd.validate(etree.fromstring(document)), dtd.error_log


@pytest.mark.slow
def test_documents_of_every_kind_of_declaration_are_valid() -> None:
    grammar = read_dtd(EVERYTHING)
    assert grammar.root == "a"
    assert grammar.elements["a"].children == ("b", "c", "d", "e", "f", "a", "h")
    assert [(each.name, each.use) for each in grammar.elements["a"].attributes] == [
        ("id", Use.OPTIONAL),
        ("other", Use.REQUIRED),
        ("kind", Use.OPTIONAL),
    ]
    assert [each.name for each in grammar.elements["b"].attributes] == ["n", "xml:lang"]
    dtd = validator(EVERYTHING)
    seen: set[str] = set()
    for number in range(60):
        document = draw_document(grammar, Generator("everything", number), DocumentShape(elements=1 + number))
        root = etree.fromstring(document)
        assert dtd.validate(root), dtd.error_log
        seen |= {str(element.tag) for element in root.iter()}
    assert seen == set(grammar.elements)


def random_definition(generator: Generator) -> str:
    """Return declarations of a few elements; a name stands once in a content model, so that each is deterministic."""
    names = [f"e{number}" for number in range(2 + generator.below(6))]

    def group(left: list[str], depth: int) -> str:
        parts: list[str] = []
        while left and (not parts or generator.below(3)):
            deeper = depth < 3 and generator.below(3) == 0
            parts.append((group(left, depth + 1) if deeper else left.pop()) + generator.choice(["", "", "?", "*", "+"]))
        return f"({generator.choice([', ', ' | ']).join(parts)})"

    written = []
    for name in names:
        left = generator.sample(names, 1 + generator.below(len(names)))
        mixed = f"({' | '.join(['#PCDATA', *left])})*"
        model = generator.choice(["EMPTY", "(#PCDATA)", mixed, "", ""]) or group(left, 0)
        written.append(f"<!ELEMENT {name} {model}>")
    return "\n".join(written)


@pytest.mark.slow
def test_documents_of_random_definitions_are_valid_or_refused_as_endless() -> None:
    chance = Generator("random definitions", 1)
    drawn, refused = 0, set()
    for _ in range(150):
        text = random_definition(chance)
        try:
            grammar = read_dtd(text)
            document = draw_document(grammar, chance, DocumentShape(elements=1 + chance.below(60)))
        except InputError as error:
            refused.add(error.reason.partition("'")[0])
            continue
        dtd = validator(text)
        assert dtd.validate(etree.fromstring(document)), (text, document, dtd.error_log)
        drawn += 1
    assert drawn > 60
    assert refused == {"the smallest document with the root "}


def test_size_and_number_of_elements_are_met() -> None:
    grammar = bulletin_grammar()
    for number in range(4):
        by_size = draw_document(grammar, Generator("sizes", number), DocumentShape(size=4000))
        assert 3900 <= len(by_size) <= 4600
        by_number = draw_document(grammar, Generator("sizes", number), DocumentShape(elements=77))
        assert 70 <= elements_of(by_number) <= 77
        both = draw_document(grammar, Generator("sizes", number), DocumentShape(size=4000, elements=20))
        assert 15 <= elements_of(both) <= 20


def test_depth_is_kept_and_a_grammar_that_needs_more_is_refused() -> None:
    grammar = read_dtd("<!ELEMENT a (b)> <!ELEMENT b (c)> <!ELEMENT c (a | d)*> <!ELEMENT d EMPTY>")
    document = draw_document(grammar, Generator(1), DocumentShape(elements=50, depth=5))
    assert max(len(list(each.iterancestors())) for each in etree.fromstring(document).iter()) + 1 <= 5
    with pytest.raises(InputError, match="no document of this grammar has a depth below 3"):
        draw_document(grammar, Generator(1), DocumentShape(elements=50, depth=2))


def test_grammar_that_ends_makes_documents_that_end() -> None:
    grammar = read_dtd("<!ELEMENT a (b?, (c?)?)> <!ELEMENT b EMPTY> <!ELEMENT c EMPTY>")
    written = {draw_document(grammar, Generator(each), DocumentShape(elements=100)) for each in range(8)}
    assert written == {b'<?xml version="1.0" encoding="UTF-8"?>\n<a><b/>\n<c/>\n</a>\n\n'}


def test_empty_repetitions_do_not_go_on_for_ever() -> None:
    grammar = read_dtd("<!ELEMENT a ((b?, (c?)*)*, ((d?)?)*)> <!ELEMENT b (b)> <!ELEMENT c EMPTY> <!ELEMENT d (a)>")
    document = draw_document(grammar, Generator(1), DocumentShape(elements=30, depth=1))
    assert elements_of(document) == 1
    assert elements_of(draw_document(grammar, Generator(1), DocumentShape(elements=30))) == 30


def test_same_seed_gives_the_same_bytes() -> None:
    shape = DocumentShape(size=2000)
    first, again, other = (draw_document(bulletin_grammar(), Generator("same", n), shape) for n in (1, 1, 2))
    assert first == again != other


def test_texts_need_escaping_and_are_read_again() -> None:
    document = draw_document(bulletin_grammar(), Generator("escape"), DocumentShape(size=60_000))
    assert b"R&amp;D" in document
    assert b"&lt;5" in document
    assert "café".encode() in document
    assert "R&D" in parse_xml(document).text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "declares no element"),
        ("<!ELEMENT a (b)>", "no finite number of elements"),
        ("<!ELEMENT a (b)> <!ELEMENT b (a)>", "no finite number of elements"),
        ("<!ELEMENT a (b, c | d)>", "line 1: the content model '(b, c | d)' cannot be read"),
        ("<!ELEMENT a (b>", "line 1: the content model '(b' cannot be read"),
        ("<!ELEMENT a ()>", "cannot be read"),
        ("<!ELEMENT a b>", "cannot be read"),
        ("<!ELEMENT a (b+*)>", "cannot be read"),
        ("<!ELEMENT a (b,)>", "cannot be read"),
        ("<!ELEMENT a " + "(" * 20 + "b" + ")" * 20 + ">", "cannot be read"),
        ("\n\n<!ELEMENT>", "line 3: <!ELEMENT without a name"),
        ("<!ELEMENT a EMPTY><!ELEMENT a EMPTY>", "the element a is declared twice"),
        ("<!ELEMENT p:a EMPTY>", "the element p:a has a prefix"),
        ("<!ELEMENT a EMPTY>\n<!ATTLIST a b>", "line 2: the attributes of a cannot be read at 'b'"),
        ("<!ELEMENT a EMPTY><!ATTLIST a b ENTITY #REQUIRED>", "the attribute b of a must be there and cannot be drawn"),
        ("<!ELEMENT a EMPTY><!ATTLIST a p:b CDATA #REQUIRED>", "the attribute p:b of a must be there"),
        ("<!ELEMENT a (%x;)>", "refers to the entity %x;, which is not declared before"),
        ("\n<!ENTITY % x SYSTEM 'file:///etc/passwd'>\n%x;", "line 3: refers to the entity %x;, which is outside"),
        ("<!ENTITY % x '%x;'>", "which is not declared before"),
        ("<!ENTITY % x>", "declares an entity in a way that cannot be read"),
        ("<![INCLUDE[<!ELEMENT a EMPTY>]]>", "a conditional section is not a declaration"),
        ("<!ELEMENT a EMPTY", "is not a declaration that is read here"),
        ("nothing like it", "'nothing like it' is not a declaration"),
    ],
)
def test_definition_that_cannot_be_read_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read_dtd(text)
    assert reason in str(caught.value)


def test_entities_that_grow_without_end_are_refused() -> None:
    text = "<!ENTITY % a0 'xxxxxxxxxx'>" + "".join(
        f"<!ENTITY % a{number} '{f'%a{number - 1};' * 10}'>" for number in range(1, 10)
    )
    with pytest.raises(InputError, match="expand to more than"):
        read_dtd(text)


def test_smallest_document_that_doubles_at_each_step_is_refused() -> None:
    names = [f"e{number}" for number in range(40)]
    chain = "".join(f"<!ELEMENT {x} ({y}, {y})>" for x, y in pairwise(names))
    with pytest.raises(InputError, match="more than 10000 elements"):
        read_dtd(chain + f"<!ELEMENT {names[-1]} EMPTY>")


def test_root_is_the_one_asked_for_or_the_outermost() -> None:
    text = "<!ELEMENT b EMPTY> <!ELEMENT a (b, a?)> <!ELEMENT c EMPTY>"
    assert read_dtd(text).root == "a"
    assert read_dtd(text, "c").root == "c"
    assert read_dtd(f"<!DOCTYPE b [{text}]>").root == "b"
    with pytest.raises(InputError, match="the root element 'd' is not declared"):
        read_dtd(text, "d")


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ({}, "size: a size in bytes or a number of elements is needed"),
        ({"size": 0}, "size: must be from 1 to"),
        ({"elements": 10**9}, "elements: must be from 1 to"),
        ({"elements": 1, "depth": 1000}, "depth: must be from 1 to 128, not 1000"),
    ],
)
def test_shape_that_cannot_be_is_refused(sizes: dict[str, int], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        DocumentShape(**sizes)
    with pytest.raises(InputError, match="attributes: must be from 0 to 1"):
        DocumentShape(size=1, attributes=1.5)
