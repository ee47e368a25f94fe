"""Names of things that travel between packages, and the rule for stream names."""

from __future__ import annotations

import re
from typing import TypeAlias

from distributary.core.errors import InputError

__all__ = [
    "ChannelId",
    "LinkId",
    "NodeId",
    "RequestId",
    "Sequence",
    "StreamName",
    "SubscriberId",
    "SubscriptionId",
    "TreeId",
    "check_stream",
]

#: A node's identity, kept in its data folder; labels are not identities.
NodeId: TypeAlias = str
#: A tree is named by the node id of its source.
TreeId: TypeAlias = str
StreamName: TypeAlias = str
SubscriptionId: TypeAlias = str
#: A running subscription at a node, named by its driver; one subscription may run several times.
SubscriberId: TypeAlias = str
#: A request that waits for an answer, named by its driver.
RequestId: TypeAlias = str
#: A connection between two nodes, never used again: `out-…` named by the node, `in-…` by its driver.
LinkId: TypeAlias = str
#: The number of a merged query in a plan.
ChannelId: TypeAlias = int
#: The place of an item in its stream: from 1, strictly increasing, gaps mean nothing.
Sequence: TypeAlias = int

_STREAM = re.compile(r"[A-Za-z0-9._-]{1,128}")


def check_stream(name: str) -> StreamName:
    """Return `name` when it is a stream's name, else raise `InputError`.

    >>> check_stream("quakes")
    'quakes'
    """
    if not _STREAM.fullmatch(name) or name in {".", ".."}:
        raise InputError(
            f"{name[:140]!r} is not 1 to 128 letters, digits, dots, underscores and dashes", field="stream"
        )
    return name
