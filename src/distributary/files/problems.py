"""Reading delivery and adaptation problems: one JSON object a file, with the place of what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from distributary.adaptation.problem import AdaptationProblem
from distributary.adaptation.problem import check_problem as check_adaptation
from distributary.core.errors import InputError
from distributary.delivery.problem import DeliveryProblem
from distributary.delivery.problem import check_problem as check_delivery
from distributary.files.json_text import decode_json, refuse_infinite
from distributary.files.text import decoded, name_of, read_bytes

__all__ = ["read_adaptation_problem", "read_delivery_problem"]

_Problem = TypeVar("_Problem")


def read_delivery_problem(path: str) -> DeliveryProblem:
    """Return the checked problem of a file, or of standard input for `-`."""
    return _read(path, DeliveryProblem, check_delivery)


def read_adaptation_problem(path: str) -> AdaptationProblem:
    """Return the checked problem of a file, or of standard input for `-`."""
    return _read(path, AdaptationProblem, check_adaptation)


def _read(path: str, kind: type[_Problem], check: Callable[[_Problem], None]) -> _Problem:
    try:
        value = decode_json(decoded(read_bytes(path)).removeprefix("\ufeff"))
        if not isinstance(value, dict):
            raise InputError("is not a JSON object")
        refuse_infinite(value)
        problem = _converted(value, kind)
        check(problem)
    except InputError as error:
        raise error.at(file=name_of(path)) from None
    return problem


def _converted(value: object, kind: type[_Problem]) -> _Problem:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason, _, field = str(error).partition(" - at `$")
        raise InputError(reason, field=field.strip("`.") or None) from None
