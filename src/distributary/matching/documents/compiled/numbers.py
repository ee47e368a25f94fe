"""The number that a string is in XPath 1.0, correctly rounded where that takes one exact operation, else undecided."""

from __future__ import annotations

import numpy as np

from distributary.matching.documents.compiled.memory import byte, compiled

__all__ = ["number_of_bytes"]

_MINUS, _POINT, _ZERO, _NINE = 45, 46, 48, 57
#: Powers of ten that are doubles, and the digits that always fit in 63 bits.
_POWERS = np.array([float(10**exponent) for exponent in range(23)])
_DIGITS_MAX = 18
_EXACT_MAX = 1 << 53


@compiled
def number_of_bytes(address: int, length: int) -> tuple[float, bool]:
    """Return what `algebra.treepattern_values.number_of` returns for these bytes, and whether it is decided here.

    Undecided, 0 comes back: for more than 18 significant digits, and for fractions beyond what one division of doubles
    settles. Reads up to `PADDING` bytes beyond the string.
    """
    end = address + length
    at = address
    while at < end and _is_space(at):
        at += 1
    while end > at and _is_space(end - 1):
        end -= 1
    negative = at < end and byte(at, 0) == _MINUS
    if negative:
        at += 1
    value, digits, significant, places, fraction = 0, 0, 0, 0, False
    while at < end:
        found = byte(at, 0)
        at += 1
        if found == _POINT and not fraction:
            fraction = True
            continue
        if not _ZERO <= found <= _NINE:
            return np.nan, True
        digits += 1
        places += fraction
        significant += value > 0 or found > _ZERO
        if significant <= _DIGITS_MAX:
            value = value * 10 + found - _ZERO
    if digits == 0:
        return np.nan, True
    if significant > _DIGITS_MAX or (places > 0 and value > 0 and (value > _EXACT_MAX or places >= _POWERS.shape[0])):
        return 0.0, False
    result = float(value)
    if places > 0 and value > 0:
        result /= _POWERS[places]
    return -result if negative else result, True


@compiled
def _is_space(address: int) -> bool:
    found = byte(address, 0)
    return found == 32 or found == 10 or found == 9 or found == 13
