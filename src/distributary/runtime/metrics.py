"""What Prometheus reads: the node's counters and gauges, made at the moment of the scrape, in a registry of our own.

Counters of single streams are left out on purpose: a node may have ten thousand of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from distributary.core.status import NodeStatus

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NAME = re.compile(r"[^a-zA-Z0-9_]")


class Metrics(Collector):
    """The metrics of one node; `runtime` gives the driver's own counters and gauges by name."""

    def __init__(
        self,
        status: Callable[[], NodeStatus],
        counters: Callable[[], Mapping[str, int]],
        gauges: Callable[[], Mapping[str, int]],
    ) -> None:
        self._status = status
        self._counters = counters
        self._gauges = gauges
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)

    def describe(self) -> Iterable[Metric]:
        """Return nothing: the names are known at the scrape."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Give every metric as it is now."""
        status = self._status()
        for name, count in {**status.counters, **self._counters()}.items():
            label = _NAME.sub("_", name)
            yield CounterMetricFamily(f"distributary_{label}", f"Counted since the start: {label}", count)
        gauges = {
            "subscribers": status.subscribers,
            "children": len(status.children),
            "trees": len(status.trees),
            "streams": sum(len(tree.streams) for tree in status.trees),
            "filters": sum(stream.filters for tree in status.trees for stream in tree.streams),
            "connected": int(all(tree.state in {"source", "joined"} for tree in status.trees)),
            **self._gauges(),
        }
        for name, value in gauges.items():
            yield GaugeMetricFamily(f"distributary_{name}", f"At this moment: {name}", value)

    def text(self) -> bytes:
        """Return the page that Prometheus reads."""
        return generate_latest(self._registry)
