"""Sessions: answers find who asked, ends reach the reader after what came before, a stop leaves nobody waiting."""

from __future__ import annotations

import asyncio

import pytest

from distributary.core.answers import PublishAccepted, Refused, SubscribeAccepted
from distributary.core.effects import Answer, Deliver, Gap
from distributary.core.errors import InputError, TimedOut, Unavailable
from distributary.core.inputs import DeliveryTaken, Input, PublishRequested, SubscribeRequested, Unsubscribed
from distributary.core.items import Item, NewItem
from distributary.core.subscriptions import Subscription
from distributary.runtime.sessions import Sessions

NEW = (NewItem("text/plain", b"x"),)
WANTED = Subscription("s")


def make(patience: float = 5.0) -> tuple[Sessions, list[Input]]:
    inputs: list[Input] = []

    def feed(given: Input) -> None:
        inputs.append(given)
        match given:
            case PublishRequested(request, "good"):
                sessions.answer(Answer(request, PublishAccepted("good", 1, 1)))
            case SubscribeRequested(request, _, "good"):
                sessions.answer(Answer(request, SubscribeAccepted("good", 4)))
            case SubscribeRequested(request, _, "bad"):
                sessions.answer(Answer(request, Refused("InputError", "is no predicate", "where")))

    sessions = Sessions(feed, patience)
    return sessions, inputs


def test_sessions_publish_is_answered() -> None:
    async def main() -> None:
        sessions, inputs = make()
        assert await sessions.publish("good", NEW, "key", "digest") == PublishAccepted("good", 1, 1)
        assert inputs == [PublishRequested("r1", "good", NEW, "key", "digest")]

    asyncio.run(main())


def test_sessions_node_that_does_not_answer_is_timed_out() -> None:
    async def main() -> None:
        sessions, inputs = make(patience=0.01)
        with pytest.raises(TimedOut):
            await sessions.publish("silent", NEW, None, "")
        with pytest.raises(TimedOut):
            await sessions.subscribe("silent", WANTED, None)
        assert inputs[-1] == Unsubscribed("s2")
        sessions.answer(Answer("r1", PublishAccepted("silent", 1, 1)))
        assert len(sessions) == 0

    asyncio.run(main())


def test_sessions_refused_subscription_raises_and_is_forgotten() -> None:
    async def main() -> None:
        sessions, inputs = make()
        with pytest.raises(InputError, match="where: is no predicate"):
            await sessions.subscribe("bad", WANTED, None)
        assert len(sessions) == 0
        assert not any(isinstance(given, Unsubscribed) for given in inputs)

    asyncio.run(main())


def test_sessions_deliver_in_order_and_tell_what_was_taken() -> None:
    async def main() -> None:
        sessions, inputs = make()
        session, accepted = await sessions.subscribe("good", WANTED, 4)
        assert accepted.start == 4
        item, gap = Item("good", 5, "text/plain", b"x"), Gap(6, 9)
        sessions.deliver(Deliver(session.subscriber, item))
        sessions.deliver(Deliver(session.subscriber, gap))
        sessions.deliver(Deliver("nobody", gap))
        for delivery in (item, gap):
            assert await session.next() is delivery
            session.taken(delivery)
        assert inputs[-2:] == [DeliveryTaken("s1", 5), DeliveryTaken("s1", 9)]
        sessions.close(session)
        sessions.close(session)
        assert inputs[-1] == Unsubscribed("s1")

    asyncio.run(main())


def test_sessions_refusal_after_acceptance_ends_after_the_deliveries() -> None:
    async def main() -> None:
        sessions, inputs = make()
        session, _ = await sessions.subscribe("good", WANTED, None)
        item = Item("good", 5, "text/plain", b"x")
        sessions.deliver(Deliver(session.subscriber, item))
        sessions.answer(Answer(session.request, Refused("Unavailable", "is out of reach", "source")))
        assert await session.next() is item
        session.taken(item)
        assert await session.next() is None
        assert isinstance(session.error, Unavailable)
        assert not any(isinstance(given, DeliveryTaken) for given in inputs)

    asyncio.run(main())


def test_sessions_stopped_leave_nobody_waiting() -> None:
    async def main() -> None:
        sessions, _ = make()
        session, _ = await sessions.subscribe("good", WANTED, None)
        reading = asyncio.create_task(session.next())
        publishing = asyncio.create_task(sessions.publish("silent", NEW, None, ""))
        await asyncio.sleep(0)
        await sessions.settle(0.01)
        with pytest.raises(Unavailable, match="is stopping"):
            await sessions.publish("good", NEW, None, "")
        sessions.stop()
        assert await reading is None
        assert await publishing == Refused("Unavailable", "is stopping", "node")

    asyncio.run(main())
