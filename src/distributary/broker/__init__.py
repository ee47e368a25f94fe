"""One node, sans-IO: composes overlay, matching and merging; `handle(input, now)` returns effects."""

from distributary.broker.config import NodeConfig
from distributary.broker.node import Node

__all__ = ["Node", "NodeConfig"]
