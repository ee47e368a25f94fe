"""Numbers of names: dense, lasting, the same for compiled code."""

from __future__ import annotations

from distributary.matching.documents import DocumentReader, Vocabulary
from distributary.matching.documents.vocabulary import XML_NAMESPACE


def test_add_of_a_name_again_returns_its_number() -> None:
    vocabulary = Vocabulary()
    assert [vocabulary.add(name) for name in ("a", "{u}a", "b", "a", "{u}a")] == [0, 1, 2, 0, 1]
    assert len(vocabulary) == 3


def test_get_of_an_unknown_name_is_minus_one_and_adds_nothing() -> None:
    vocabulary = Vocabulary()
    assert (vocabulary.get("a"), vocabulary.get_namespace("u")) == (-1, -1)
    assert len(vocabulary) == 0


def test_namespaces_have_fixed_numbers_for_none_and_xml() -> None:
    vocabulary = Vocabulary()
    assert (vocabulary.namespace(""), vocabulary.namespace(XML_NAMESPACE)) == (0, 1)
    assert vocabulary.namespace("u") == vocabulary.get_namespace("u") == 2


def test_names_of_many_shapes_are_found_by_the_tokenizer() -> None:
    vocabulary = Vocabulary()
    names = [f"n{number}" * (1 + number % 40) for number in range(400)]
    numbers = [vocabulary.add(name) for name in names] + [vocabulary.add(f"{{u}}{name}") for name in names]
    body = "".join(f"<{name}/>" for name in names) + "".join(f"<p:{name}/>" for name in names)
    arrays = DocumentReader(vocabulary).read(f"<root xmlns:p='u'>{body}</root>".encode())
    assert arrays.name[2 : arrays.elements + 1].tolist() == numbers
