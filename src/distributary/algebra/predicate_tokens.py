"""The words of a predicate: what sqlglot's Spark tokenizer finds, checked against the language and made plain.

sqlglot reads all of Spark SQL and more, leniently; what our language has not is refused here, by its words and with
its place, before a tree is built. Doubled quotes, signs and number suffixes are put right, for which sqlglot reads
something else than Spark. Precedence and structure are the parser's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from distributary.algebra.printing import NOT_NAMES
from distributary.core.errors import InputError

__all__ = ["DEPTH_MAX", "LENGTH_MAX", "refusal", "tokens_of"]

#: The longest text of a predicate, in characters.
LENGTH_MAX = 65_536
#: The deepest nesting of brackets and `not`; sqlglot recurses some 25 frames a level, Python allows 1,000 in all.
DEPTH_MAX = 20

_PUNCTUATION = frozenset(
    {
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.NULLSAFE_EQ),
        *(TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA),
        *(TokenType.STRING, TokenType.NUMBER, TokenType.IDENTIFIER),
    }
)
_KEYWORDS = frozenset({"AND", "BETWEEN", "FALSE", "IN", "IS", "LIKE", "NOT", "NULL", "OR", "TRUE"})
_BEFORE_BRACKETS = frozenset({"AND", "BETWEEN", "IN", "NOT", "OR", "LIKE"})
_TYPED = frozenset({"TIMESTAMP", "DATE"})
_ARITHMETIC = frozenset("+-*/%|&^~") | {"||", "<<", ">>", ">>>"}
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:L|D|BD)?", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-3][0-7]{2})|\\(.)|(''|\"\")", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def refusal(reason: str, start: int | None = None) -> InputError:
    """Return the error for a predicate that is refused, with the place (characters counted from 1) where known."""
    return InputError(reason if start is None else f"at character {start + 1}: {reason}", field="where")


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a predicate, all of them words of the language; anything else is an `InputError`.

    Number tokens carry their sign and suffix, string tokens their value as Spark reads it.
    """
    if len(text) > LENGTH_MAX:
        raise refusal(f"is longer than {LENGTH_MAX:,} characters")
    try:
        raw = list(Spark().tokenize(text))
    except SqlglotError:
        raise refusal("a quote is not closed, or a character is none of SQL's") from None
    raw = _without_end(raw)
    if not raw:
        raise refusal("is empty")
    tokens = _merged(text, raw)
    for index, token in enumerate(tokens):
        _check(text, tokens, index, token)
    _check_depth(tokens)
    return tokens


def _without_end(tokens: list[Token]) -> list[Token]:
    """Drop a semicolon at the end; text after one is refused."""
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.SEMICOLON:
            if any(later.token_type is not TokenType.SEMICOLON for later in tokens[index:]):
                raise refusal("text after ; is refused: a filter is one expression", token.start)
            if not token.comments:
                return tokens[:index]
        if token.comments:
            raise refusal("comments are not part of the language", token.start)
    return tokens


def _merged(text: str, raw: Sequence[Token]) -> list[Token]:
    """Return the tokens with literals in one token each."""
    tokens: list[Token] = []
    for token in raw:
        written = text[token.start : token.end + 1]
        last = tokens[-1] if tokens else None
        if token.token_type is TokenType.NUMBER or (last and token.start == last.start and token.start <= last.end):
            # sqlglot makes three tokens of `1.5D`, each with the place of the whole.
            if last is None or token.start != last.start:
                _add_number(text, tokens, token, written)
        elif token.token_type is TokenType.STRING:
            _add_string(text, tokens, token, written)
        else:
            tokens.append(token)
    return tokens


def _add_number(text: str, tokens: list[Token], token: Token, written: str) -> None:
    start = token.start
    if tokens and text[tokens[-1].start : tokens[-1].end + 1] == "." and tokens[-1].end + 1 == start:
        start = tokens.pop().start
        written = f".{written}"
    signed = tokens and tokens[-1].token_type in {TokenType.DASH, TokenType.PLUS}
    if not _NUMBER.fullmatch(written):
        raise refusal(f"{written[:40]} is not a number of the language", start)
    if signed and (len(tokens) == 1 or not _is_value(tokens[-2])):
        sign = tokens.pop()
        written = f"{text[sign.start]}{written}"
        start = sign.start
    tokens.append(_token(TokenType.NUMBER, written, start, token.end))


def _is_value(token: Token) -> bool:
    """Tell whether a sign after this token would be arithmetic."""
    kind = token.token_type
    if kind in {TokenType.NUMBER, TokenType.STRING, TokenType.IDENTIFIER, TokenType.R_PAREN}:
        return True
    return bool(_NAME.fullmatch(token.text)) and token.text.upper() not in _KEYWORDS - {"NULL", "TRUE", "FALSE"}


def _add_string(text: str, tokens: list[Token], token: Token, written: str) -> None:
    last = tokens[-1] if tokens else None
    start = token.start
    if last is not None and last.token_type is TokenType.STRING:
        if last.end + 1 != start or text[last.end] != text[start]:
            raise refusal("two strings side by side", start)
        tokens.pop()  # a doubled quote: sqlglot ends one string there and begins another
        start = last.start
        written = text[start : token.end + 1]
    tokens.append(_token(TokenType.STRING, _string_value(written), start, token.end))


def _string_value(written: str) -> str:
    r"""Return the value of a quoted string as Spark's default parser reads it: `\%` and `\_` stay for LIKE."""
    quote = written[0]

    def plain(found: re.Match[str]) -> str:
        short, long, octal, single, doubled = found.groups()
        if doubled:
            return doubled[0] if doubled[0] == quote else str(doubled)
        if single is not None:
            return _ESCAPED.get(single, single)
        code = int(octal, 8) if octal else int(short or long, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise refusal(f"{found[0]} is not a character")
        return chr(code)

    return _ESCAPE.sub(plain, written[1:-1])


def _token(kind: TokenType, text: str, start: int, end: int) -> Token:
    return Token(kind, text, 1, start + 1, start, end)


def _check(text: str, tokens: Sequence[Token], index: int, token: Token) -> None:
    """Raise when the token is not a word of the language where it stands."""
    kind, start = token.token_type, token.start
    written = text[start : token.end + 1]
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if kind in _PUNCTUATION and not (kind is TokenType.IDENTIFIER and written[0] != "`"):
        if kind is TokenType.IDENTIFIER and following is not None and following.token_type is TokenType.L_PAREN:
            raise refusal(f"functions are not part of the language: {written[:40]}(", start)
        return
    if not _NAME.fullmatch(written):
        raise refusal(_about_sign(written), start)
    word = written.upper()
    if following is not None and following.token_type is TokenType.L_PAREN and word not in _BEFORE_BRACKETS:
        raise refusal(f"functions are not part of the language: {written[:40]}(", start)
    if following is not None and following.token_type is TokenType.STRING and word not in _KEYWORDS | _TYPED:
        raise refusal(f"{written[:40]} before a string is not part of the language", start)
    before = [earlier.token_type for earlier in tokens[max(index - 2, 0) : index]]
    if word == "NULL" and before[-1:] == [TokenType.NOT] and before[0] is not TokenType.IS:
        raise refusal("write is not null", tokens[index - 1].start)
    if written[0].isdigit():
        raise refusal(f"{written[:40]} is not a number of the language (names like it need backticks)", start)
    if word in NOT_NAMES - _KEYWORDS:
        raise refusal(f"{word} is not part of the language (a column of that name needs backticks)", start)


def _about_sign(written: str) -> str:
    if written in _ARITHMETIC:
        return f"arithmetic is not part of the language: {written}"
    if written == "!":
        return "write not, or != between a column and a literal"
    if written == ".":
        return "names with dots need backticks"
    return f"{written[:40]} is not part of the language"


def _check_depth(tokens: Sequence[Token]) -> None:
    """Raise when brackets and negations nest deeper than the limit."""
    open_brackets = negations = 0
    stack: list[int] = []
    for token in tokens:
        if token.token_type is TokenType.NOT:
            negations += 1
        elif token.token_type is TokenType.L_PAREN:
            stack.append(negations)
            open_brackets += 1
            negations = 0
        elif token.token_type is TokenType.R_PAREN:
            open_brackets -= 1
            negations = stack.pop() if stack else 0
        elif token.token_type in {TokenType.AND, TokenType.OR}:
            negations = 0
        if open_brackets + negations + sum(stack) > DEPTH_MAX:
            raise refusal(f"brackets and not nest deeper than {DEPTH_MAX} levels", token.start)
