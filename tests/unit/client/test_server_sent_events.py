"""The parser gives the same events however the bytes are cut, and follows the standard in the corners."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distributary.client.server_sent_events import EventParser, ServerEvent
from distributary.core.errors import ProtocolError

STREAM = (
    b": hello\nid: 4\n\ndata: {}\nid: 5\n\nevent: gap\r\ndata: a\r\ndata: b\r\n\r\n: \n\n"
    b"data:x\rdata: y\r\revent: none\n\nid: bad\0id\ndata\n\nretry: 3\nother\n\ndata: \xc3\xa9\n\n"
)
EVENTS = [
    ServerEvent("message", None, "4"),
    ServerEvent("message", b"{}", "5"),
    ServerEvent("gap", b"a\nb", "5"),
    ServerEvent("message", b"x\ny", "5"),
    ServerEvent("message", b"", "5"),
    ServerEvent("message", "é".encode(), "5"),
]


def test_parser_reads_a_stream_at_once() -> None:
    assert EventParser("n").feed(STREAM) == EVENTS


def test_parser_reads_a_stream_byte_by_byte() -> None:
    parser = EventParser("n")
    assert [event for index in range(len(STREAM)) for event in parser.feed(STREAM[index : index + 1])] == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_parser_is_the_same_for_all_cuts(cuts: list[int]) -> None:
    parser = EventParser("n")
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in itertools.pairwise(places)]
    assert [event for piece in pieces for event in parser.feed(piece)] == EVENTS


def test_parser_of_half_an_event_gives_none() -> None:
    assert EventParser("n").feed(b"data: {}\n") == []


@pytest.mark.parametrize("chunk", [b"data: " + b"x" * 50, b"data: xxxxxxxxxxxxxx\n" * 8])
def test_parser_of_an_endless_event_blames_the_node(chunk: bytes) -> None:
    with pytest.raises(ProtocolError, match="http://n: sent an event of more than 50 bytes"):
        EventParser("http://n", bytes_max=50).feed(chunk)
