"""SQL's LIKE as Spark has it: `%` any string, `_` any one character, backslash escapes `_`, `%` and itself.

No regular expression of the whole pattern: `%a%a%a%b` would backtrack in a power of the text's length. The parts
between the percent signs have fixed lengths, so the leftmost place for each is always right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from distributary.core.errors import InputError

__all__ = ["like_covers", "like_prefix", "like_test", "like_tokens"]

_ANY = "%"
_ONE = "_"


@lru_cache(maxsize=4096)
def like_tokens(pattern: str) -> tuple[str, ...]:
    r"""Return the pattern as `%`, `_` and characters, the latter with a backslash in front; `%%` is one `%`.

    Raises `InputError` where Spark does: for a backslash at the end or before any other character.

    >>> like_tokens("a%_")
    ('\\a', '%', '_')
    """
    tokens: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if escaped not in {"_", "%", "\\"}:
                what = f"stands before {escaped!r}" if escaped else "ends the pattern"
                raise InputError(f"in the pattern {pattern!r} a backslash {what}; it may precede only _, % and \\")
            tokens.append(f"\\{escaped}")
        elif character == _ANY:
            if tokens[-1:] != [_ANY]:
                tokens.append(_ANY)
        else:
            tokens.append(_ONE if character == _ONE else f"\\{character}")
    return tuple(tokens)


def like_prefix(pattern: str) -> tuple[str, str]:
    """Return the literal start of a pattern and what follows it: nothing, `%` alone, or `?` for anything else."""
    tokens = like_tokens(pattern)
    prefix: list[str] = []
    for token in tokens:
        if token in {_ANY, _ONE}:
            break
        prefix.append(token[1])
    rest = tokens[len(prefix) :]
    return "".join(prefix), "" if not rest else _ANY if rest == (_ANY,) else "?"


@lru_cache(maxsize=4096)
def like_test(pattern: str) -> Callable[[str], bool]:
    """Return the test of a pattern; it takes O(pattern x text) at worst."""
    parts: list[list[str]] = [[]]
    for token in like_tokens(pattern):
        if token == _ANY:
            parts.append([])
        else:
            parts[-1].append("." if token == _ONE else re.escape(token[1]))
    sources = ["".join(part) for part in parts]
    if len(sources) == 1:
        whole = re.compile(sources[0], re.DOTALL)
        return lambda text: whole.fullmatch(text) is not None
    first = re.compile(sources[0], re.DOTALL)
    middle = [re.compile(source, re.DOTALL) for source in sources[1:-1]]
    last = re.compile(sources[-1], re.DOTALL)
    tail = len(parts[-1])

    def test(text: str) -> bool:
        found = first.match(text)
        if found is None:
            return False
        for part in middle:
            found = part.search(text, found.end())
            if found is None:
                return False
        start = len(text) - tail
        return start >= found.end() and last.fullmatch(text, start) is not None

    return test


def like_covers(wide: str, narrow: str) -> bool:
    """Tell whether every text that `narrow` matches is matched by `wide`; sound, `False` may mean unknown.

    `wide` is matched against the symbols of `narrow`: its `%` takes any of them, its `_` a character or `_`.

    >>> like_covers("%quake%", "big quake%"), like_covers("_%", "%_")
    (True, False)
    """
    goal, symbols = like_tokens(wide), like_tokens(narrow)
    reached = [True] + [False] * len(symbols)
    for token in goal:
        row = [token == _ANY and reached[0]]
        for index, symbol in enumerate(symbols):
            if token == _ANY:
                row.append(reached[index + 1] or row[index])
            else:
                takes = symbol != _ANY if token == _ONE else symbol == token
                row.append(takes and reached[index])
        reached = row
    return reached[-1]
