"""One node's driver: feeds inputs to the node, one at a time and in order, and carries out the effects.

It holds no decision of the protocol. What happens inside `handle` is the node's; how an effect is carried out is the
business of the part that it goes to.
"""

from __future__ import annotations

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from distributary.core.effects import (
    Answer,
    AppendLog,
    CancelTimer,
    Connect,
    Convert,
    Deliver,
    Disconnect,
    Effect,
    ReadLog,
    Report,
    SendMessage,
    SetTimer,
    TrimLog,
)
from distributary.core.errors import DistributaryError
from distributary.core.ids import LinkId, StreamName
from distributary.core.inputs import ConversionFailed, Converted, Input, TimerFired
from distributary.core.items import Item
from distributary.core.messages import Message
from distributary.core.status import NodeStatus, StreamPlan
from distributary.runtime.clock import Clock
from distributary.runtime.reports import Reports

__all__ = ["Converter", "Driver", "LinkPort", "LogPort", "NodeMachine", "SessionPort"]

#: Turns an item into a format: its content type and body. A `DistributaryError` says why it cannot.
Converter: TypeAlias = Callable[[Item, str], Awaitable[tuple[str, bytes]]]


class NodeMachine(Protocol):
    """What the driver needs of `broker.Node`."""

    def handle(self, input: Input, now: float) -> Sequence[Effect]:  # noqa: A002 - the contract's name
        """Return the effects of an input."""
        ...

    def status(self) -> NodeStatus:
        """Return what the node tells about itself."""
        ...

    def plan(self, stream: StreamName) -> StreamPlan:
        """Return the live plan of a stream."""
        ...


class LogPort(Protocol):
    """Where log effects go."""

    def submit(self, effect: AppendLog | ReadLog | TrimLog, now: float) -> None:
        """Carry out an effect in order; answers come back as inputs."""
        ...


class LinkPort(Protocol):
    """Where effects on links go."""

    def send(self, link: LinkId, message: Message) -> None:
        """Send a message; one to a link that is gone is dropped."""
        ...

    def connect(self, link: LinkId, url: str) -> None:
        """Open a link."""
        ...

    def disconnect(self, link: LinkId) -> None:
        """Close a link after what was sent."""
        ...


class SessionPort(Protocol):
    """Where answers and deliveries go."""

    def answer(self, effect: Answer) -> None:
        """Answer a request."""
        ...

    def deliver(self, effect: Deliver) -> None:
        """Hand a delivery to a subscriber; one to a subscriber that is gone is dropped."""
        ...


class Driver:
    """Runs one node in the running event loop; `failed` is done with the error when the node itself broke."""

    def __init__(
        self,
        node: NodeMachine,
        clock: Clock,
        reports: Reports,
        converter: Converter | None = None,
    ) -> None:
        self.node = node
        self.log: LogPort
        self.links: LinkPort
        self.sessions: SessionPort
        self._clock = clock
        self._reports = reports
        self._converter = converter
        self._loop = asyncio.get_running_loop()
        self.failed: asyncio.Future[BaseException] = self._loop.create_future()
        self._inputs: deque[Input] = deque()
        self._handling = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._conversions: set[asyncio.Task[None]] = set()

    def attach(self, log: LogPort, links: LinkPort, sessions: SessionPort) -> None:
        """Name the parts that effects go to; they in turn feed this driver."""
        self.log, self.links, self.sessions = log, links, sessions

    def feed(self, input: Input) -> None:  # noqa: A002 - the contract's name
        """Let the node handle an input, after those that came before; in the loop's thread only."""
        self._inputs.append(input)
        if self._handling:
            return
        self._handling = True
        try:
            while self._inputs and not self.failed.done():
                for effect in self.node.handle(self._inputs.popleft(), self._clock.now()):
                    self._carry_out(effect)
        except Exception as error:  # the node is broken: no further input may reach it
            self.fail(error)
        finally:
            self._handling = False

    def fail(self, error: BaseException) -> None:
        """Stop feeding the node; the first error counts."""
        if not self.failed.done():
            story = "".join(traceback.format_exception(error))
            self._reports.write("node_failed", [("error", repr(error)), ("traceback", story)])
            self.failed.set_result(error)

    def stop(self) -> None:
        """Forget timers and conversions; inputs may still be fed."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for task in self._conversions:
            task.cancel()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case SendMessage(link, message):
                self.links.send(link, message)
            case Connect(link, url):
                self.links.connect(link, url)
            case Disconnect(link):
                self.links.disconnect(link)
            case AppendLog() | ReadLog() | TrimLog():
                self.log.submit(effect, self._clock.now())
            case Deliver():
                self.sessions.deliver(effect)
            case Answer():
                self.sessions.answer(effect)
            case SetTimer(name, at):
                self._cancel_timer(name)
                self._timers[name] = self._loop.call_at(self._clock.loop_time_of(at), self._fire, name)
            case CancelTimer(name):
                self._cancel_timer(name)
            case Convert():
                self._convert(effect)
            case Report(event, fields):
                self._reports.write(event, fields)

    def _cancel_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _fire(self, name: str) -> None:
        del self._timers[name]
        self.feed(TimerFired(name))

    def _convert(self, effect: Convert) -> None:
        if self._converter is None:
            self.feed(ConversionFailed(effect.token, f"this node has no converter to {effect.format}"))
            return
        task = self._loop.create_task(self._converted(self._converter, effect))
        self._conversions.add(task)
        task.add_done_callback(self._conversions.discard)

    async def _converted(self, converter: Converter, effect: Convert) -> None:
        try:
            content_type, body = await converter(effect.item, effect.format)
        except DistributaryError as error:
            self.feed(ConversionFailed(effect.token, str(error)))
        except Exception as error:  # a converter that breaks costs one conversion, not the node
            self._reports.write("converter_failed", [("format", effect.format), ("error", repr(error))])
            self.feed(ConversionFailed(effect.token, "the converter failed"))
        else:
            self.feed(Converted(effect.token, content_type, body))
