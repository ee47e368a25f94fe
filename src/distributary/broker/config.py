"""The settings of a node: limits with their defaults. Everything that can grow has one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NodeConfig"]


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What the operator decides for one node; times in seconds, sizes in bytes."""

    #: Where other nodes reach this one.
    url: str
    name: str = ""
    #: Nodes to join; without any, this node is a source.
    joins: tuple[str, ...] = ()
    fanout: int = 8
    keep_alive_seconds: float = 1.0
    #: Keep-alive intervals without a word after which a neighbour counts as lost.
    keep_alive_misses: int = 4
    join_timeout_seconds: float = 3.0
    #: How long a publisher or subscriber waits for the source.
    request_timeout_seconds: float = 10.0
    retention_seconds: float = 86400.0
    retention_bytes: int = 1 << 30
    item_bytes_max: int = 16 << 20
    batch_items_max: int = 100_000
    #: Bodies under way to one child or subscriber before the node waits for it.
    window_bytes: int = 4 << 20
    window_items: int = 1024
    #: Bodies read from the log or fetched at once.
    page_bytes: int = 1 << 20
    streams_max: int = 10_000
    subscribers_max: int = 100_000
    #: Requests that wait for the source at one time.
    requests_max: int = 10_000
