"""Tokens and what each allows. Who asks and over which protocol is the guard's business; nothing is logged here."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from distributary.core.errors import InputError
from distributary.files.text import read_bytes

__all__ = ["Scope", "Token", "Tokens", "read_tokens", "readable_by_others"]


class Scope(StrEnum):
    """What a token may allow."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    JOIN = "join"
    #: Send headers of items matched elsewhere, and read the plan for that.
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class Token:
    """A secret and its scopes."""

    text: str
    scopes: frozenset[Scope]

    def __repr__(self) -> str:
        return f"Token({', '.join(sorted(self.scopes))})"


class Tokens:
    """The tokens of a node."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._digests = [(_digest(token.text), token) for token in tokens]

    def find(self, presented: str) -> Token | None:
        """Return the token that was presented; all are compared, each in constant time."""
        digest, found = _digest(presented), None
        for known, token in self._digests:
            if hmac.compare_digest(digest, known):
                found = token
        return found

    def first(self) -> str:
        """Return the token that a client shows."""
        return self._digests[0][1].text

    def for_links(self) -> str | None:
        """Return the first token that lets this node join others."""
        return next((token.text for _, token in self._digests if Scope.JOIN in token.scopes), None)


def read_tokens(file: Path) -> Tokens:
    """Return the tokens of a file: one on each line, alone or followed by its scopes (`publish,subscribe`).

    A token may hold spaces: a last word is its scopes when each of its parts is one. Empty lines and lines that start
    with `#` count for nothing; a file without a token is refused, since an open node is asked for by giving none.
    """
    try:
        text = read_bytes(str(file)).decode()
    except UnicodeDecodeError:
        raise InputError("is no UTF-8 text", file=str(file)) from None
    tokens = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                tokens.append(_token_of(line.strip()))
            except InputError as error:
                raise error.at(file=str(file), record=number) from None
    if not tokens:
        raise InputError("holds no token", file=str(file))
    return Tokens(tuple(tokens))


def readable_by_others(file: Path) -> bool:
    """Tell whether users other than the owner may read the file."""
    return bool(os.stat(file).st_mode & (stat.S_IRGRP | stat.S_IROTH))


def _token_of(line: str) -> Token:
    words = line.rsplit(maxsplit=1)
    parts = words[-1].split(",")
    known = [part for part in parts if part in frozenset(Scope)]
    if len(words) == 2 and len(known) == len(parts):
        text, scopes = words[0], frozenset(map(Scope, parts))
    elif len(words) == 2 and known:
        wrong = next(part for part in parts if part not in frozenset(Scope))
        raise InputError(f"{wrong!r} is none of {', '.join(Scope)}", field="scopes")
    else:
        text, scopes = line, frozenset(Scope)
    if not text.isascii() or not text.isprintable():
        # A header carries nothing else without an encoding that both sides would have to agree on.
        raise InputError("has other than printable ASCII characters", field="token")
    return Token(text, scopes)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
