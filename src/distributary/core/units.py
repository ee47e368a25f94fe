"""Durations and sizes as people write them: `24h`, `1GiB`. Inside, seconds and bytes are plain numbers."""

from __future__ import annotations

import re
from math import isinf

from distributary.core.errors import InputError

__all__ = ["bytes_of", "seconds_of"]

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}


def _split(text: str, what: str) -> tuple[float, str]:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is not {what}")
    number = float(found[1])
    if isinf(number):
        raise InputError(f"{text[:20]!r}… is too large")
    return number, found[2]


def seconds_of(text: str) -> float:
    """Return a duration in seconds.

    >>> seconds_of("24h")
    86400.0
    """
    number, unit = _split(text, "a duration such as 30s, 15m, 24h or 7d")
    if unit not in _SECONDS:
        raise InputError(f"{text!r} is not a duration such as 30s, 15m, 24h or 7d")
    return number * _SECONDS[unit]


def bytes_of(text: str) -> int:
    """Return a size in bytes; KiB, MiB, GiB are powers of 1,024, kB, MB, GB of 1,000.

    >>> bytes_of("1GiB")
    1073741824
    """
    number, unit = _split(text, "a size such as 64MiB or 1GiB")
    if unit not in _BYTES:
        raise InputError(f"{text!r} is not a size such as 64MiB or 1GiB")
    return int(number * _BYTES[unit])
