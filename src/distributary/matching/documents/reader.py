"""Reading documents into arrays: the tokenizer first, and `algebra.xml.parse_xml` for all that it does not take.

`parse_xml` is the authority: it says what is an error, and which. The tokenizer only takes what it can prove to be
well-formed and within the limits, so that both ways give the same arrays.
"""

from __future__ import annotations

import codecs
import re
from functools import cache

from distributary.algebra.xml import XmlLimits, parse_xml
from distributary.core.documents import Document
from distributary.matching.documents import layout
from distributary.matching.documents.compiled.tokenizer import tokenize_body, tokenizer_address
from distributary.matching.documents.layout import Bytes, DocumentArrays, Longs
from distributary.matching.documents.loading import load_document
from distributary.matching.documents.vocabulary import Vocabulary

__all__ = ["DocumentReader", "check_xml"]

_DEFAULT_LIMITS = XmlLimits()
#: Room for documents up to this length is kept; room for longer ones only until a shorter one comes.
_ROOM_KEPT = 1 << 20
_ROOM_LEAST = 1 << 14
_SPACE, _EQUALS = rb"[ \t\r\n]+", rb"[ \t\r\n]*=[ \t\r\n]*[\"']"
_DECLARED = re.compile(
    rb"<\?xml" + _SPACE + rb"version" + _EQUALS + rb"1\.0[\"']" + _SPACE + rb"encoding" + _EQUALS + rb"([^\"']*)"
)


class DocumentReader:
    """Reads one document after the other into the same arrays; one reader for each thread."""

    def __init__(self, vocabulary: Vocabulary, *, limits: XmlLimits = _DEFAULT_LIMITS) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._arrays = DocumentArrays(limits)
        #: What of the vocabulary the context points to; it must live as long.
        self._slots: Longs | None = None
        self._spellings: Bytes | None = None

    def prepare(self, length: int) -> int:
        """Return the context for `tokenize`: with room for a document of this length, and all names known so far.

        For a document beyond the limit of bytes `tokenize` returns 0, as for all that `read` must see. The context
        stays valid until the reader is used again.
        """
        arrays, vocabulary = self._arrays, self._vocabulary
        self._make_room(min(length, int(arrays.context[layout.LENGTH_MAX])))
        if self._slots is not vocabulary.slots or self._spellings is not vocabulary.spellings:
            self._slots, self._spellings = vocabulary.slots, vocabulary.spellings
            arrays.context[[layout.SLOTS, layout.SLOTS_MASK]] = self._slots.ctypes.data, len(self._slots) - 1
            arrays.context[layout.SPELLINGS] = self._spellings.ctypes.data
            arrays.context[layout.TOKENIZER] = tokenizer_address()
        return arrays.address

    def read(self, body: bytes) -> DocumentArrays:
        """Return the arrays of the document; raises what `parse_xml` raises. They are this reader's, until the next."""
        if self._tokenized(body):
            return self._arrays
        return self.load(parse_xml(body, limits=self._limits))

    def check(self, body: bytes) -> None:
        """Raise what `parse_xml` raises for the document, if it raises anything; the arrays are not to be looked at."""
        if not self._tokenized(body):
            parse_xml(body, limits=self._limits)

    def load(self, document: Document) -> DocumentArrays:
        """Return the arrays of a parsed document."""
        load_document(self._arrays, self._vocabulary, document)
        return self._arrays

    def _make_room(self, length: int) -> None:
        arrays = self._arrays
        room = arrays.room
        if length > room or room > _ROOM_KEPT:
            if length <= _ROOM_KEPT < room:
                arrays.release()
            arrays.reserve(max(_ROOM_LEAST, 1 << (length - 1).bit_length()))

    def _tokenized(self, body: bytes) -> bool:
        if tokenize_body(self.prepare(len(body)), body):
            return True
        decoded = _decoded(body) if len(body) <= self._arrays.context[layout.LENGTH_MAX] else None
        if decoded is None:
            return False
        self._make_room(len(decoded))
        self._arrays.context[layout.DECODED] = 1
        taken = tokenize_body(self._arrays.address, decoded)
        self._arrays.context[layout.DECODED] = 0
        return taken == 1


def _decoded(body: bytes) -> bytes | None:
    """Return the document in UTF-8 when it says plainly that it is in UTF-16, Latin-1 or ASCII."""
    try:
        if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            decoded = body.decode("utf-16").encode()
            found = _DECLARED.match(decoded)
            # A second mark would be taken for the first.
            agrees = not decoded.startswith(codecs.BOM_UTF8) and (found is None or found[1].lower() == b"utf-16")
            return decoded if agrees else None
        found = _DECLARED.match(body)
        if found is not None and found[1].lower() in {b"iso-8859-1", b"us-ascii"}:
            return body.decode(found[1].decode()).encode()
    except UnicodeDecodeError:
        pass
    return None


def check_xml(body: bytes, *, limits: XmlLimits = _DEFAULT_LIMITS) -> None:
    """Raise what `parse_xml` raises for this document, as quickly as can be told."""
    DocumentReader(_no_names(), limits=limits).check(body)


@cache
def _no_names() -> Vocabulary:
    return Vocabulary()
