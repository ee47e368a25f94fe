"""Which messages may come over a link, by what the link is for; all others are the peer's mistake."""

from __future__ import annotations

from enum import StrEnum

from distributary.core.messages import (
    Confirmed,
    Fetch,
    Fetched,
    Filters,
    FiltersWanted,
    Goodbye,
    Items,
    Join,
    KeepAlive,
    Message,
    Publish,
    Published,
    Redirect,
    Start,
    StartWanted,
    Taken,
    Welcome,
)

__all__ = ["ALLOWED", "Role"]


class Role(StrEnum):
    """What a link is for, as seen from this node."""

    #: A peer has opened it and said nothing yet.
    STRANGER = "stranger"
    CHILD = "child"
    #: This node has opened it and is not a child over it yet.
    CANDIDATE = "candidate"
    PARENT = "parent"


ALLOWED: dict[Role, frozenset[type[Message]]] = {
    Role.STRANGER: frozenset({Join, Goodbye}),
    Role.CHILD: frozenset({Join, Goodbye, KeepAlive, Filters, Taken, Fetch, StartWanted, Publish}),
    Role.CANDIDATE: frozenset({Welcome, Redirect, Goodbye}),
    Role.PARENT: frozenset({Welcome, Goodbye, KeepAlive, FiltersWanted, Confirmed, Items, Fetched, Start, Published}),
}
