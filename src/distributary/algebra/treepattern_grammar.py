"""Reading XPath text into elementpath's token tree, under XPath 1.0's own lexical rules. Meaning is not decided here.

elementpath's XPath 1.0 parser is more generous than XPath 1.0: it takes exponents, doubled quotes, digits of every
script and names that XML does not have. The grammar here takes its operators and axes, and the lexical rules of the
recommendation. What elementpath evaluates while parsing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from elementpath import ElementPathError, XPathToken
from elementpath.tdop import Parser
from elementpath.xpath1 import XPath1Parser

from distributary.core.errors import InputError

__all__ = ["LENGTH_MAX", "NAME", "XML_NAMESPACE", "bad_xpath", "check_namespaces", "read_tokens"]

#: Characters of an expression.
LENGTH_MAX = 16_384
#: Brackets inside one another.
_NESTING_MAX = 32
#: Characters of a reason, which may quote the expression.
_REASON_MAX = 300

_START = (
    r"A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
#: A name without a colon, as a regular expression.
NAME = rf"[{_START}][{_START}\-.0-9\xB7\u0300-\u036F\u203F\u2040]*"
XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_NAME = re.compile(NAME)
_PREFIX = re.compile(rf"(?<![\w.\-]){NAME}(?=:(?!:))")
_LITERAL = re.compile(r"""'[^']*'|"[^"]*\"""")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OTHER_SPACE = re.compile(r"[^\S \t\r\n]")
_SIGNS = re.compile(r"(?:-[ \t\r\n]*){9}")


class _Grammar(XPath1Parser):
    """XPath 1.0's literals and names on elementpath's grammar."""

    literals_pattern = re.compile(r"""'[^']*'|"[^"]*"|[0-9]+(?:\.[0-9]*)?|\.[0-9]+""")
    name_pattern = _NAME
    tokenizer = None
    DEFAULT_NAMESPACES: ClassVar[dict[str, str]] = {"xml": XML_NAMESPACE}

    @staticmethod
    def unescape(string_literal: str) -> str:
        """Return the literal without its quotes: XPath 1.0 has no escapes."""
        return string_literal[1:-1]


def bad_xpath(reason: str) -> InputError:
    """Return the error for an expression that is refused."""
    return InputError(reason if len(reason) <= _REASON_MAX else reason[:_REASON_MAX] + "…", field="xpath")


def check_namespaces(namespaces: Mapping[str, str]) -> None:
    """Refuse declarations that XPath 1.0 cannot use: no prefix, no name, an empty namespace."""
    for prefix, uri in namespaces.items():
        if not _NAME.fullmatch(prefix):
            what = "an unprefixed name is in no namespace" if not prefix else "it is not a name"
            raise InputError(f"the prefix {prefix!r} cannot be declared: {what}", field="namespaces")
        if not uri or _NOT_XML.search(uri):
            raise InputError(f"the namespace of {prefix!r} is not a URI: {uri!r}", field="namespaces")
        if prefix == "xmlns" or (prefix == "xml") is not (uri == XML_NAMESPACE):
            raise InputError(f"the prefix {prefix!r} cannot stand for {uri!r}", field="namespaces")


def _check_text(text: str) -> None:
    """Refuse what the parser would recurse on without end or read otherwise than XPath 1.0 does."""
    if not text.strip():
        raise bad_xpath("is empty")
    if len(text) > LENGTH_MAX:
        raise bad_xpath(f"has {len(text)} characters, more than {LENGTH_MAX}")
    if _NOT_XML.search(text):
        raise bad_xpath("holds a character that XML does not have")
    bare = _LITERAL.sub("''", text)
    if _OTHER_SPACE.search(bare):
        raise bad_xpath("holds white space that is none in XPath 1.0")
    if "(:" in bare:
        raise bad_xpath("comments are not in XPath 1.0")
    depth = 0
    for character in bare:
        depth += (character in "([") - (character in ")]")
        if depth > _NESTING_MAX:
            raise bad_xpath(f"brackets nest deeper than {_NESTING_MAX}")
    if _SIGNS.search(bare):
        raise bad_xpath("has too many signs in a row")


def read_tokens(text: str, namespaces: Mapping[str, str]) -> XPathToken:
    """Return the token tree; raises `InputError` for what is not XPath 1.0 at all. `namespaces` have been checked."""
    _check_text(text)
    # elementpath takes a prefix that is also a word of the grammar (`and:a`) for that word: such prefixes are renamed.
    longer = "_" * (1 + max(map(len, namespaces), default=0))  # than any prefix that is declared
    words = [prefix for prefix in namespaces if prefix in _Grammar.symbol_table]
    renamed = {prefix: f"{longer}{number}" for number, prefix in enumerate(words)}
    parser = _Grammar({**namespaces, **{renamed[prefix]: namespaces[prefix] for prefix in renamed}})
    try:
        return Parser.parse(parser, _with_prefixes(text, renamed) if renamed else text)
    except ElementPathError as error:
        raise bad_xpath(f"is not an XPath 1.0 expression: {_reason(error)}") from None
    except ValueError:  # more digits than Python turns into an integer
        raise bad_xpath("holds a number with too many digits") from None


def _with_prefixes(text: str, renamed: Mapping[str, str]) -> str:
    """Return the text with other prefixes; literals stay as they are."""

    def replace(found: re.Match[str]) -> str:
        return renamed.get(found[0], found[0])

    parts, end = [], 0
    for literal in _LITERAL.finditer(text):
        parts += [_PREFIX.sub(replace, text[end : literal.start()]), literal[0]]
        end = literal.end()
    return "".join([*parts, _PREFIX.sub(replace, text[end:])])


def _reason(error: ElementPathError) -> str:
    """Return elementpath's message without its error code and the place it names twice."""
    return str(error).replace("'(end)' end", "the end").partition(": [err:")[0] + (
        ": " + str(error).rpartition("] ")[2] if "] " in str(error) else ""
    )
