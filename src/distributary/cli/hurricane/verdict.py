"""Whether each subscriber of the demonstration got exactly its answer, by the reference matcher on what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from distributary.algebra import content_of, filter_of_subscription
from distributary.cli.hurricane.audience import Listener
from distributary.cli.hurricane.scene import ALERTS, MAPS, PNG, REPORTS, Scene
from distributary.core.items import JSON, XML
from distributary.core.subscriptions import Subscription
from distributary.core.values import Content
from distributary.matching import ReferenceMatcher

__all__ = ["Verdict", "judge", "owed_items"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One subscriber's: how many items it was owed, how many it got, and whether they are the same."""

    listener: Listener
    owed: int
    got: int
    exact: bool


def owed_items(scene: Scene, subscriptions: Sequence[tuple[str, Subscription]]) -> list[list[Any]]:
    """Return what each subscriber is owed: records with the asked fields, alerts as text, maps as bytes."""
    owed: list[list[Any]] = [[] for _ in subscriptions]
    for stream, items in _items(scene).items():
        matcher: ReferenceMatcher[int] = ReferenceMatcher()
        for number, (_, subscription) in enumerate(subscriptions):
            if subscription.stream == stream:
                matcher.add(number, filter_of_subscription(subscription))
        for content, shown in items:
            for number in matcher.match(content):
                owed[number].append(_projected(shown, subscriptions[number][1]))
    return owed


def _items(scene: Scene) -> Mapping[str, list[tuple[Content, Any]]]:
    return {
        REPORTS: [(content_of(JSON, msgspec.json.encode(report)), report) for report in scene.reports],
        ALERTS: [(content_of(XML, alert), alert.decode()) for alert in scene.alerts],
        MAPS: [(content_of(PNG, chart), chart) for chart in scene.maps],
    }


def _projected(shown: Any, subscription: Subscription) -> Any:
    if subscription.fields is None:
        return shown
    return {name: shown[name] for name in subscription.fields}


def judge(listeners: Sequence[Listener], owed: Sequence[Sequence[Any]]) -> list[Verdict]:
    """Compare: nothing missing, nothing more, nothing twice, in the order of the stream, and no gap."""
    verdicts = []
    for listener, answer in zip(listeners, owed, strict=True):
        places = [event.seq for event in listener.events]
        exact = (
            Counter(map(_key, answer)) == Counter(_key(event.item) for event in listener.events)
            and places == sorted(set(places))
            and not listener.gaps
        )
        verdicts.append(Verdict(listener, len(answer), len(places), exact))
    return verdicts


def _key(item: Any) -> bytes:
    return item if isinstance(item, bytes) else msgspec.json.encode(item, order="sorted")
