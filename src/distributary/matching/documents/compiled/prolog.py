"""What comes before the root element: the XML declaration, and a document type without an internal subset.

Each function takes the place where the thing may begin and returns the place behind it, the same place when it is not
there, or -1 when it is malformed or not for us: another encoding, another version, an internal subset.
"""

from __future__ import annotations

from distributary.matching.documents.compiled.characters import skip_space
from distributary.matching.documents.compiled.memory import byte, compiled, long, word
from distributary.matching.documents.compiled.names import qualified_name
from distributary.matching.documents.layout import DECODED

__all__ = ["document_type", "xml_declaration"]


def _number(letters: bytes) -> int:
    """Return what `word` is where these letters stand."""
    return int.from_bytes(letters, "little")


_QUOTE, _APOSTROPHE, _EQUALS, _GREATER, _QUESTION, _LARGE_E = 34, 39, 61, 62, 63, 69
_XML, _DOCTYPE, _SYSTEM, _PUBLIC = _number(b"<?xml"), _number(b"<!DOCTYP"), _number(b"SYSTEM"), _number(b"PUBLIC")
# Names of five letters and some more.
_VERSI, _ENCOD, _STAND = _number(b"versi"), _number(b"encod"), _number(b"stand")
_ON, _ING, _ALONE = _number(b"on"), _number(b"ing"), _number(b"alone")
_ONE, _YES, _NO, _UTF_8 = _number(b"1.0"), _number(b"yes"), _number(b"no"), _number(b"utf-8")
#: Makes letters small, and leaves digits and hyphens as they are.
_SMALL = _number(b"     ")


@compiled
def _starts(source: int, at: int, letters: int, length: int) -> bool:
    """Tell whether so many letters, one to eight, stand here."""
    return (word(source + at) ^ letters) << (64 - 8 * length) == 0


@compiled
def _quoted(source: int, at: int) -> int:
    """Return the place of the quote that ends the string that begins here, of printing ASCII; or -1."""
    quote = byte(source, at - 1)
    if quote != _QUOTE and quote != _APOSTROPHE:
        return -1
    while byte(source, at) != quote:
        if not 32 <= byte(source, at) <= 126:
            return -1
        at += 1
    return at


@compiled
def _literal(source: int, at: int) -> int:
    """Pass white space and a quoted string."""
    start = skip_space(source, at)
    end = _quoted(source, start + 1) if start > at else -1
    return end + 1 if end >= 0 else -1


@compiled
def _is_public(source: int, at: int, end: int) -> bool:
    """Tell whether all of this printing ASCII may stand in a public identifier."""
    for place in range(at, end):
        found = byte(source, place)
        # Quotation mark, ampersand, angle and square brackets, backslash, caret, backtick, braces, bar and tilde.
        if found == 34 or found == 38 or found == 60 or found == 62 or found == 96 or found > 122 or 91 <= found <= 94:
            return False
    return True


@compiled
def _setting(source: int, at: int, first: int, rest: int, length: int) -> int:
    """Return where the value begins of a setting whose name has five letters and some more; 0 when it is not there."""
    name = skip_space(source, at)
    if name == at or not _starts(source, name, first, 5) or not _starts(source, name + 5, rest, length):
        return 0
    equals = skip_space(source, name + 5 + length)
    return skip_space(source, equals + 1) + 1 if byte(source, equals) == _EQUALS else 0


@compiled
def xml_declaration(context: int, source: int, at: int) -> int:
    """Pass the XML declaration: version 1.0, an encoding that is settled or UTF-8 or none, standalone or not."""
    if not _starts(source, at, _XML, 5) or skip_space(source, at + 5) == at + 5:
        return at
    value = _setting(source, at + 5, _VERSI, _ON, 2)
    end = _quoted(source, value) if value > 0 else -1
    if end != value + 3 or not _starts(source, value, _ONE, 3):
        return -1
    value = _setting(source, end + 1, _ENCOD, _ING, 3)
    if value > 0:
        end = _quoted(source, value)
        is_utf_8 = end == value + 5 and ((word(source + value) | _SMALL) ^ _UTF_8) << 24 == 0
        if end < 0 or not (is_utf_8 or long(context, DECODED)):
            return -1
    value = _setting(source, end + 1, _STAND, _ALONE, 5)
    if value > 0:
        end = _quoted(source, value)
        is_yes = end == value + 3 and _starts(source, value, _YES, 3)
        if not (is_yes or (end == value + 2 and _starts(source, value, _NO, 2))):
            return -1
    at = skip_space(source, end + 1)
    return at + 2 if byte(source, at) == _QUESTION and byte(source, at + 1) == _GREATER else -1


@compiled
def document_type(source: int, at: int) -> int:
    """Pass the document type declaration: a name, and perhaps where the declarations are."""
    if not _starts(source, at, _DOCTYPE, 8) or byte(source, at + 8) != _LARGE_E:
        return at
    name = skip_space(source, at + 9)
    end, local = qualified_name(source, name)
    if name == at + 9 or end == 0 or local != name:
        return -1
    at = skip_space(source, end)
    system = at > end and _starts(source, at, _SYSTEM, 6)
    public = at > end and _starts(source, at, _PUBLIC, 6)
    if public:
        start = skip_space(source, at + 6) + 1
        at = _literal(source, at + 6)
        if at < 0 or not _is_public(source, start, at - 1):
            return -1
    elif system:
        at += 6
    if system or public:
        at = _literal(source, at)
        if at < 0:
            return -1
        at = skip_space(source, at)
    return at + 1 if byte(source, at) == _GREATER else -1
