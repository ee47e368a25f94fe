from __future__ import annotations

import pickle

import pytest

from distributary.core import errors
from distributary.core.errors import (
    Conflict,
    DistributaryError,
    InputError,
    MissingExtra,
    NoSpace,
    NotAcceptable,
    ProtocolError,
    TimedOut,
    TooLarge,
    Unavailable,
)

#: One of each kind, with the line that it prints.
EXAMPLES: list[tuple[DistributaryError, str]] = [
    (DistributaryError("went wrong"), "went wrong"),
    (InputError("is inverted"), "is inverted"),
    (InputError("is inverted", field="x"), "x: is inverted"),
    (InputError("is inverted", file="a.jsonl", record=3, field="x"), "a.jsonl: line 3: x: is inverted"),
    (InputError("is inverted", file="a.json", record="filter 2"), "a.json: filter 2: is inverted"),
    (TooLarge("has 20 bytes", field="body"), "body: has 20 bytes"),
    (NotAcceptable("is no XML"), "is no XML"),
    (Conflict("has another body"), "has another body"),
    (ProtocolError("node-3", "sent a word"), "node-3: sent a word"),
    (Unavailable("http://h:1", "refuses connections"), "http://h:1: refuses connections"),
    (TimedOut("source", 2.5), "source: no answer within 2.5 s"),
    (NoSpace("/data", "is full"), "/data: is full"),
    (MissingExtra("pyspark", "spark"), "pyspark: is not installed; run: pip install 'distributary[spark]'"),
]


@pytest.mark.parametrize(("error", "line"), EXAMPLES)
def test_error_of_each_kind_prints_its_places_and_reason(error: DistributaryError, line: str) -> None:
    assert str(error) == line


def test_examples_show_every_error_that_there_is() -> None:
    assert {type(error).__name__ for error, _ in EXAMPLES} == set(errors.__all__)


def test_reason_of_several_lines_prints_as_one() -> None:
    assert str(ProtocolError("p", "sent\n  <a>\n\t</a>")) == "p: sent <a> </a>"
    assert str(InputError("bad:\r\nworse", file="odd\nname")) == "odd name: bad: worse"


def test_at_fills_in_only_what_is_unknown() -> None:
    error = TooLarge("is deep", record=0, field="body").at(file="a.xml", record=9, field="other")
    assert (error.file, error.record, error.field, error.reason) == ("a.xml", 0, "body", "is deep")
    assert type(error) is TooLarge


@pytest.mark.parametrize("kind", [TooLarge, NotAcceptable, Conflict])
def test_refusals_of_an_item_are_input_errors(kind: type[InputError]) -> None:
    assert issubclass(kind, InputError)


@pytest.mark.parametrize("kind", [TimedOut, NoSpace, MissingExtra])
def test_failures_of_the_world_are_unavailable(kind: type[Unavailable]) -> None:
    assert issubclass(kind, Unavailable)
    assert not issubclass(kind, InputError)


@pytest.mark.parametrize("error", [error for error, _ in EXAMPLES], ids=str)
def test_error_from_another_process_is_the_same_error(error: DistributaryError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
