"""The driver: order of inputs, where each effect goes, timers, conversions, and a node that breaks."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Sequence

import pytest

from distributary.core.answers import PublishAccepted
from distributary.core.effects import (
    Answer,
    AppendLog,
    CancelTimer,
    Connect,
    Convert,
    Deliver,
    Disconnect,
    Effect,
    Gap,
    ReadLog,
    Report,
    SendMessage,
    SetTimer,
    TrimLog,
)
from distributary.core.errors import NotAcceptable
from distributary.core.ids import LinkId, StreamName
from distributary.core.inputs import ConversionFailed, Converted, Input, LinkLost, Started, StopRequested, TimerFired
from distributary.core.items import Item
from distributary.core.messages import FiltersWanted, Message
from distributary.core.status import NodeStatus, StreamPlan
from distributary.runtime.clock import Clock
from distributary.runtime.driver import Converter, Driver
from distributary.runtime.reports import Reports

ITEM = Item("news", 1, "text/plain", b"x")


class ScriptedNode:
    """Answers each input with what the script says, and remembers it."""

    def __init__(self, script: Callable[[Input], Sequence[Effect]]) -> None:
        self._script = script
        self.inputs: list[Input] = []
        self.times: list[float] = []

    def handle(self, input: Input, now: float) -> Sequence[Effect]:  # noqa: A002
        self.inputs.append(input)
        self.times.append(now)
        return self._script(input)

    def status(self) -> NodeStatus:
        return NodeStatus("n", "id", "", (), None, (), 0, {})

    def plan(self, stream: StreamName) -> StreamPlan:
        return StreamPlan("", ())


class Parts:
    """Log, links and sessions in one: a list of what was asked of them."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.feed: Callable[[Input], None] | None = None

    def submit(self, effect: AppendLog | ReadLog | TrimLog, now: float) -> None:
        self.asked.append(effect)

    def send(self, link: LinkId, message: Message) -> None:
        self.asked.append((link, message))
        if self.feed is not None:
            self.feed(LinkLost(link, "does not drain"))

    def connect(self, link: LinkId, url: str) -> None:
        self.asked.append((link, url))

    def disconnect(self, link: LinkId) -> None:
        self.asked.append(link)

    def answer(self, effect: Answer) -> None:
        self.asked.append(effect)

    def deliver(self, effect: Deliver) -> None:
        self.asked.append(effect)


def make(
    script: Callable[[Input], Sequence[Effect]], converter: Converter | None = None
) -> tuple[Driver, ScriptedNode, Parts, io.StringIO]:
    node, parts, lines = ScriptedNode(script), Parts(), io.StringIO()
    clock = Clock(asyncio.get_running_loop().time)
    driver = Driver(node, clock, Reports("n", lines), converter)
    driver.attach(parts, parts, parts)
    return driver, node, parts, lines


def on_start(*effects: Effect) -> Callable[[Input], Sequence[Effect]]:
    return lambda given: effects if isinstance(given, Started) else ()


def test_driver_takes_every_effect_to_its_part() -> None:
    effects: tuple[Effect, ...] = (
        AppendLog(1, "t", "news", (ITEM,), durable=True),
        ReadLog(2, "t", "news", 0, 1, 1),
        TrimLog("t", "news", 1),
        Connect("out-1", "http://x"),
        Disconnect("out-1"),
        Deliver("s1", Gap(1, 2)),
        Answer("r1", PublishAccepted("news", 1, 1)),
    )

    async def main() -> None:
        driver, _, parts, lines = make(on_start(*effects, Report("joined", (("depth", 2),))))
        driver.feed(Started("id"))
        assert parts.asked == [*effects[:3], ("out-1", "http://x"), "out-1", *effects[5:]]
        line = json.loads(lines.getvalue())
        assert (line["event"], line["depth"], line["node"]) == ("joined", 2, "n")

    asyncio.run(main())


def test_driver_feeds_inputs_that_effects_cause_after_the_step() -> None:
    async def main() -> None:
        send = SendMessage("in-1", FiltersWanted())
        driver, node, parts, _ = make(on_start(send, send))
        parts.feed = driver.feed
        driver.feed(Started("id"))
        assert parts.asked == [("in-1", FiltersWanted())] * 2
        assert node.inputs == [Started("id"), LinkLost("in-1", "does not drain"), LinkLost("in-1", "does not drain")]

    asyncio.run(main())


def test_driver_timers_fire_once_are_replaced_and_forgotten() -> None:
    async def main() -> None:
        fired = asyncio.Event()

        def script(given: Input) -> Sequence[Effect]:
            if isinstance(given, TimerFired):
                fired.set()
            now = node.times[-1]
            started: tuple[Effect, ...] = (
                SetTimer("late", now + 60),
                SetTimer("late", now + 0.01),
                SetTimer("never", now + 0.005),
                CancelTimer("never"),
                CancelTimer("unknown"),
            )
            return started if isinstance(given, Started) else ()

        driver, node, _, _ = make(script)
        driver.feed(Started("id"))
        async with asyncio.timeout(5):
            await fired.wait()
        assert node.inputs == [Started("id"), TimerFired("late")]
        driver.stop()

    asyncio.run(main())


def test_driver_without_converter_says_so() -> None:
    async def main() -> None:
        driver, node, _, _ = make(on_start(Convert(4, ITEM, "image/png")))
        driver.feed(Started("id"))
        assert node.inputs[1:] == [ConversionFailed(4, "this node has no converter to image/png")]

    asyncio.run(main())


async def _good(item: Item, format: str) -> tuple[str, bytes]:  # noqa: A002
    return format, item.body * 2


async def _refusing(item: Item, format: str) -> tuple[str, bytes]:  # noqa: A002
    raise NotAcceptable("is no picture")


async def _broken(item: Item, format: str) -> tuple[str, bytes]:  # noqa: A002
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("converter", "expected"),
    [
        (_good, Converted(4, "text/html", b"xx")),
        (_refusing, ConversionFailed(4, "is no picture")),
        (_broken, ConversionFailed(4, "the converter failed")),
    ],
)
def test_driver_gives_back_what_a_converter_made(converter: Converter, expected: Input) -> None:
    async def main() -> None:
        done = asyncio.Event()

        def script(given: Input) -> Sequence[Effect]:
            if isinstance(given, Converted | ConversionFailed):
                done.set()
            return (Convert(4, ITEM, "text/html"),) if isinstance(given, Started) else ()

        driver, node, _, _ = make(script, converter)
        driver.feed(Started("id"))
        async with asyncio.timeout(5):
            await done.wait()
        assert node.inputs[1:] == [expected]

    asyncio.run(main())


def test_driver_of_a_broken_node_feeds_it_no_more() -> None:
    def script(_: Input) -> Sequence[Effect]:
        raise AssertionError("no such transition")

    async def main() -> None:
        driver, node, _, lines = make(script)
        driver.feed(Started("id"))
        driver.feed(StopRequested())
        assert node.inputs == [Started("id")]
        assert str(driver.failed.result()) == "no such transition"
        assert json.loads(lines.getvalue())["event"] == "node_failed"

    asyncio.run(main())


def test_clock_goes_on_from_the_newest_timestamp_and_with_the_loop() -> None:
    time = [100.0]
    clock = Clock(lambda: time[0], not_before=4e9)
    assert clock.now() == 4e9
    time[0] = 107.5
    assert clock.now() == 4e9 + 7.5
    assert clock.loop_time_of(clock.now() + 2) == 109.5
    assert 1.7e9 < Clock(lambda: 0.0).now() < 4e9


def test_reports_to_a_closed_pipe_stop_nothing() -> None:
    stream = io.StringIO()
    reports = Reports("n", stream)
    stream.close()
    reports.write("event")
