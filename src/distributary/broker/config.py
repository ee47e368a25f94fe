"""The settings of a node: limits with their defaults. Everything that can grow has one."""

from __future__ import annotations

from dataclasses import dataclass

from distributary.algebra.xml import XmlLimits
from distributary.core.errors import InputError

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
    #: Larger items, and JSON or XML that nests deeper, are refused by the source; others take what it took.
    item_bytes_max: int = 16 << 20
    item_depth_max: int = 256
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

    def __post_init__(self) -> None:
        """Refuse what no node of the tree could read."""
        limits = XmlLimits()
        if not 1 <= self.item_bytes_max <= limits.bytes:
            raise InputError(f"must be 1 to {limits.bytes} bytes, not {self.item_bytes_max}", field="item size")
        if not 1 <= self.item_depth_max <= limits.depth:
            raise InputError(f"must be 1 to {limits.depth}, not {self.item_depth_max}", field="item depth")
