"""JSON as files hold it: decoded strictly, with what is wrong in words. It adds no types to what JSON has.

The standard library's decoder is used rather than msgspec's: it can refuse a name that stands twice in an object and
keeps integers of any size. `NaN` and `Infinity`, which Python and Spark write though JSON has no such numbers, are
decoded here and refused where they make no sense (`finite_numbers`).
"""

from __future__ import annotations

import json
import math
from typing import Any

from distributary.core.errors import InputError

__all__ = ["decode_json", "refuse_infinite"]


def decode_json(text: str) -> Any:
    """Return the value that a JSON text stands for, or raise `InputError` without a place.

    >>> decode_json('{"x": [0, 1.5]}')
    {'x': [0, 1.5]}
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise InputError(f"is not JSON: {error.msg.removesuffix(' at')} at {place}") from None
    except RecursionError:
        raise InputError("is not JSON that can be read: it is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise InputError(f"is not JSON that can be read: {error}") from None


def refuse_infinite(value: Any, field: str = "") -> None:
    """Raise `InputError` naming the field where a decoded value holds NaN or an infinite number.

    >>> refuse_infinite({"box": {"x": [0, float("nan")]}})
    Traceback (most recent call last):
    distributary.core.errors.InputError: box.x: is not a finite number: nan
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"is not a finite number: {value}", field=field or None)
    if isinstance(value, dict):
        for name, part in value.items():
            refuse_infinite(part, f"{field}.{name}" if field else name)
    elif isinstance(value, list):
        for part in value:
            refuse_infinite(part, field)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("stands twice in one object", field=twice)
    return made
