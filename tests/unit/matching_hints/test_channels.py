from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from distributary.core.errors import InputError
from distributary.core.headers import Header
from distributary.matching import prepare
from distributary.matching.hints import channels
from distributary.matching.hints.annotation import Hints, encode
from distributary.matching.hints.channels import channels_of, compact

pytestmark = pytest.mark.slow  # compiled code is loaded


@pytest.fixture(autouse=True)
def _prepared() -> None:
    prepare()


def test_without_compiled_code_nothing_is_made_shorter_and_hints_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    header = Header("n:7", tuple(range(1000)))
    hinted = compact(header)
    assert hinted.hints
    monkeypatch.setattr(channels, "prepared", lambda: False)
    assert compact(header) == header
    with pytest.raises(InputError, match="without compiled code"):
        channels_of(hinted)


def size(header: Header) -> int:
    return len(msgspec.msgpack.encode(header))


@pytest.mark.parametrize(
    "numbers",
    [
        (),
        (0,),
        tuple(range(15)),
        tuple(range(16)),
        tuple(range(1000)),
        tuple(range(0, 10_000, 70)),
        tuple(range(1_000_000, 1_010_000, 70)),
        (*range(20), 2**40),
        tuple(range(2**63 - 30, 2**63)),
    ],
)
def test_compact_header_means_the_same_and_is_never_longer(numbers: tuple[int, ...]) -> None:
    header = Header("n:7", numbers)
    made = compact(header)
    assert made.version == "n:7"
    assert channels_of(made) == numbers
    assert size(made) <= size(header)
    assert compact(made) == made


def test_compact_header_of_many_channels_is_a_third_of_it() -> None:
    header = Header("n:7", tuple(range(300, 10_000, 70)))
    assert 2.4 * size(compact(header)) < size(header)


def test_few_channels_load_no_compiled_code() -> None:
    code = (
        "import sys; from distributary.core.headers import Header; from distributary.matching.hints import *;"
        "assert channels_of(compact(Header('n:7', (3, 9)))) == (3, 9); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "header",
    [
        Header("n:7", (), b"\0"),
        Header("n:7", (), encode(Hints(0, positive=True, negative=False, domain=9, matched=b"\0\1"))),
        Header("n:7", (), encode(Hints(0, positive=False, negative=True, domain=9, matched=b"\0\1"))),
        Header("n:7", (), encode(Hints(3, positive=True, negative=True, domain=9, matched=b"\0\1"))),
        Header("n:7", (), encode(Hints(0, positive=True, negative=True, domain=1, matched=b"\0\1"))),
        Header("n:7", (1,), encode(Hints(0, positive=True, negative=True, domain=9, matched=b"\0\1"))),
    ],
)
def test_hints_that_do_not_say_which_channels_matched_are_refused(header: Header) -> None:
    with pytest.raises(InputError, match="hints"):
        channels_of(header)
