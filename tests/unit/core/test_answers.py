from __future__ import annotations

import pytest

from distributary.core.answers import Refused, refusal_of
from distributary.core.errors import Conflict, InputError, NoSpace, NotAcceptable, TimedOut, TooLarge, Unavailable


@pytest.mark.parametrize(
    "error",
    [
        InputError("is wrong"),
        InputError("is wrong", field="where"),
        TooLarge("has 20 bytes", field="body"),
        NotAcceptable("is no XML"),
        Conflict("has another body", field="Idempotency-Key"),
        Unavailable("source", "is out of reach"),
        NoSpace("/data", "is full"),
    ],
)
def test_refusal_of_an_error_gives_the_error_back(error: InputError | Unavailable) -> None:
    back = refusal_of(error).error()
    assert type(back) is type(error)
    assert str(back) == str(error)


def test_refusal_of_a_timeout_is_unavailable_with_its_reason() -> None:
    back = refusal_of(TimedOut("source", 5)).error()
    assert type(back) is Unavailable
    assert str(back) == "source: no answer within 5 s"


@pytest.mark.parametrize("kind", ["", "SystemExit", "FutureKind"])
def test_refusal_of_a_kind_that_is_not_known_is_unavailable(kind: str) -> None:
    assert type(Refused(kind, "why").error()) is Unavailable


def test_refusal_keeps_no_place_of_the_senders_files() -> None:
    refused = refusal_of(InputError("is wrong", file="/home/user/a.json", record=3, field="where"))
    assert refused == Refused("InputError", "is wrong", "where")
