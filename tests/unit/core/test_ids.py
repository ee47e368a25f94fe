from __future__ import annotations

import pytest

from distributary.core.errors import InputError
from distributary.core.ids import check_stream


@pytest.mark.parametrize("name", ["q", "quakes", "a.b-c_D9", "...", "-", "0", "x" * 128])
def test_stream_name_within_the_rule_is_returned(name: str) -> None:
    assert check_stream(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a b", "a/b", "../a", "a\n", "\n", "é", "a\x00", "%41", "x" * 129, "\N{ARABIC-INDIC DIGIT ONE}"],
)
def test_stream_name_outside_the_rule_is_refused(name: str) -> None:
    with pytest.raises(InputError) as raised:
        check_stream(name)
    assert raised.value.field == "stream"
    assert "\n" not in str(raised.value)


def test_refusal_of_an_endless_name_stays_short() -> None:
    with pytest.raises(InputError) as raised:
        check_stream("x" * 1_000_000)
    assert len(str(raised.value)) < 300
