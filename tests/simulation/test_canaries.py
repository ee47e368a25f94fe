"""Planted bugs: each must be caught by the checkers within a few seeds, or the alarm does not ring."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import msgspec
import pytest

from distributary.broker.downward import Downward
from distributary.broker.flow import Flow
from distributary.broker.source import Source
from distributary.broker.stream import Stream
from distributary.broker.tree import ChildLink
from distributary.core.effects import Deliver, Gap
from distributary.core.headers import Header
from distributary.core.ids import NodeId
from distributary.core.messages import Items
from distributary.core.subscriptions import FilterText
from distributary.core.values import Content
from distributary.matching.routing import Aggregate, Change
from distributary.overlay import Membership
from distributary.simulation import draw, run

pytestmark = pytest.mark.slow


def believes_every_range(patch: pytest.MonkeyPatch) -> None:
    received = Flow.received

    def gullible(self: Flow, link: str, message: Items, now: float) -> None:
        stream = self.tree.streams.get(message.stream)
        if stream is not None and stream.mark is not None and message.after > stream.mark:
            message = msgspec.structs.replace(message, after=stream.mark)
        received(self, link, message, now)

    patch.setattr(Flow, "received", gullible)


def delivers_every_seventh_twice(patch: pytest.MonkeyPatch) -> None:
    count = itertools.count(1)
    hand_over = Flow._hand_over

    def stutter(self: Flow, outlet, hits, upto) -> None:  # type: ignore[no-untyped-def]
        hand_over(self, outlet, hits, upto)
        if not outlet.child and next(count) % 7 == 0:
            self.tree.emit(Deliver(outlet.key, hits[-1].item))

    patch.setattr(Flow, "_hand_over", stutter)


def matches_everything(patch: pytest.MonkeyPatch) -> None:
    def generous(
        self: Stream, content: Callable[[], Content], header: Header | None, node: NodeId
    ) -> tuple[FilterText, ...]:
        return tuple(self.wanted)

    patch.setattr(Stream, "matches", generous)


def keeps_ghost_filters(patch: pytest.MonkeyPatch) -> None:
    def forgetful(self: Downward, child: ChildLink, number: int) -> None:
        return

    patch.setattr(Downward, "_remove", forgetful)


def takes_every_child(patch: pytest.MonkeyPatch) -> None:
    start = Membership.start

    def greedy(self: Membership, now: float) -> None:
        self.has_room = lambda: True
        start(self, now)

    patch.setattr(Membership, "start", greedy)


def tells_gaps_that_are_none(patch: pytest.MonkeyPatch) -> None:
    count = itertools.count(1)
    hand_over = Flow._hand_over

    def careless(self: Flow, outlet, hits, upto) -> None:  # type: ignore[no-untyped-def]
        if not outlet.child and next(count) % 7 == 0:
            self.tree.emit(Deliver(outlet.key, Gap(hits[0].item.seq, hits[-1].item.seq)))
        else:
            hand_over(self, outlet, hits, upto)

    patch.setattr(Flow, "_hand_over", careless)


def forgets_what_another_filter_stood_for(patch: pytest.MonkeyPatch) -> None:
    remove = Aggregate.remove

    def careless(self: Aggregate[FilterText], key: FilterText) -> Change:
        remove(self, key)
        return Change()

    patch.setattr(Aggregate, "remove", careless)


def forgets_keys(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Source, "_earlier", lambda self, publisher, message: None)


@pytest.mark.parametrize(
    "bug",
    [
        believes_every_range,
        delivers_every_seventh_twice,
        matches_everything,
        keeps_ghost_filters,
        takes_every_child,
        tells_gaps_that_are_none,
        forgets_what_another_filter_stood_for,
        forgets_keys,
    ],
)
def test_planted_bug_is_caught(bug: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    bug(monkeypatch)
    for seed in range(40):
        try:
            run(draw(seed))
        except (AssertionError, KeyError):
            return
    pytest.fail("no seed has noticed it")
