"""What a node tells about itself: the records behind `/status`, the dashboard and the command `status`."""

from __future__ import annotations

import msgspec

from distributary.core.ids import NodeId, Sequence, StreamName, TreeId

__all__ = ["NodeStatus", "PeerStatus", "PlanChannel", "StreamPlan", "StreamStatus", "TreeStatus"]


class PeerStatus(msgspec.Struct, frozen=True):
    """A neighbour in a tree."""

    name: str
    url: str
    id: NodeId


class StreamStatus(msgspec.Struct, frozen=True):
    """How far a stream has come here, what of it is kept, and how many different filters want it."""

    stream: StreamName
    head: Sequence
    trimmed: Sequence
    filters: int


class TreeStatus(msgspec.Struct, frozen=True):
    """A tree that the node is in; `state` is `source`, `joining` or `joined`; `path` runs from the source to here."""

    tree: TreeId | None
    state: str
    parent: PeerStatus | None
    path: tuple[str, ...]
    children: tuple[PeerStatus, ...]
    streams: tuple[StreamStatus, ...]


class NodeStatus(msgspec.Struct, frozen=True):
    """One node. `parent` and `children` at the top are those of all its trees together."""

    name: str
    id: NodeId
    url: str
    trees: tuple[TreeStatus, ...]
    parent: PeerStatus | None
    children: tuple[PeerStatus, ...]
    subscribers: int
    counters: dict[str, int]


class PlanChannel(msgspec.Struct, frozen=True):
    """A channel of a live plan: an item is on it when its filter, as Spark SQL or XPath, matches."""

    channel: int
    kind: str
    text: str
    namespaces: dict[str, str]


class StreamPlan(msgspec.Struct, frozen=True):
    """The channels that a publisher may match on its own; a change of them is another version."""

    version: str
    channels: tuple[PlanChannel, ...]
