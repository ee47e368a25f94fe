"""A parsed document put into arrays: the plain counterpart of the tokenizer, the way of all that it does not take."""

from __future__ import annotations

from itertools import chain

import numpy as np

from distributary.core.documents import Document
from distributary.matching.documents.layout import (
    ATTRIBUTES,
    ELEMENTS,
    POSITION_MAX,
    TEXT_BYTES,
    TEXT_NODES,
    DocumentArrays,
    Longs,
)
from distributary.matching.documents.vocabulary import Vocabulary

__all__ = ["load_document"]


def load_document(arrays: DocumentArrays, vocabulary: Vocabulary, document: Document) -> None:
    """Fill the arrays with a parsed document: the numbers that the tokenizer gives, by plain steps."""
    text = document.text.encode()
    pairs = list(chain.from_iterable(document.attributes))
    values = [value.encode() for _, value in pairs]
    nodes = sorted((*place, element + 1) for element, places in enumerate(document.text_nodes) for place in places)
    assert max(len(text), sum(map(len, values))) <= POSITION_MAX, "positions in a document are 32-bit numbers"
    count = len(document)
    arrays.reserve(max(len(text), sum(map(len, values))), count, len(pairs), len(nodes))

    numbers = _Numbers(vocabulary)
    arrays.name[0] = arrays.namespace[0] = arrays.parent[0] = -1
    arrays.end[0] = count + 1
    arrays.text_start[0], arrays.text_end[0] = 0, len(text)
    arrays.attribute_start[0] = 0
    elements = slice(1, count + 1)
    named = [numbers[name] for name in document.names]
    arrays.name[elements], arrays.namespace[elements] = zip(*named, strict=True)
    arrays.parent[elements] = np.array(document.parents) + 1
    arrays.end[elements] = np.array(document.ends) + 1
    places = _byte_places(document.text)
    arrays.text_start[elements] = places[list(document.text_starts)]
    arrays.text_end[elements] = places[list(document.text_ends)]
    arrays.attribute_start[1 : count + 2] = np.cumsum([0, *map(len, document.attributes)])

    if pairs:
        arrays.attribute_name[: len(pairs)], arrays.attribute_namespace[: len(pairs)] = zip(
            *(numbers[name] for name, _ in pairs), strict=True
        )
        ends = np.cumsum([len(value) for value in values])
        arrays.attribute_to[: len(pairs)] = ends
        arrays.attribute_from[: len(pairs)] = np.concatenate(([0], ends[:-1]))
        arrays.values[: ends[-1]] = np.frombuffer(b"".join(values), dtype=np.uint8)
    if nodes:
        froms, tos, owners = zip(*nodes, strict=True)
        arrays.text_node_owner[: len(nodes)] = owners
        arrays.text_node_from[: len(nodes)] = places[list(froms)]
        arrays.text_node_to[: len(nodes)] = places[list(tos)]
    arrays.text[: len(text)] = np.frombuffer(text, dtype=np.uint8)
    arrays.context[[ELEMENTS, ATTRIBUTES, TEXT_NODES, TEXT_BYTES]] = count, len(pairs), len(nodes), len(text)


class _Numbers(dict[str, tuple[int, int]]):
    """The numbers of a Clark name and of its namespace, looked up once for each name."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, name: str) -> tuple[int, int]:
        uri = name[1:].rpartition("}")[0] if name.startswith("{") else ""
        found = self[name] = self._vocabulary.get(name), self._vocabulary.get_namespace(uri)
        return found


def _byte_places(text: str) -> Longs:
    """Return where each character begins in UTF-8, and where the last one ends."""
    if text.isascii():
        return np.arange(len(text) + 1)
    characters = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    widths = 1 + (characters >= 0x80) + (characters >= 0x800) + (characters >= 0x10000)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(widths, dtype=np.int64)))
