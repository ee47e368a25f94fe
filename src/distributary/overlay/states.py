"""The states of a node's membership in one tree, their legal transitions, and the changes that others must know of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from distributary.core.ids import LinkId, TreeId
from distributary.core.messages import Peer

__all__ = [
    "TRANSITIONS",
    "Change",
    "ChildGained",
    "ChildLost",
    "Event",
    "ParentGained",
    "ParentLost",
    "State",
]


class State(StrEnum):
    """Where a node stands in one tree."""

    #: It is the root.
    SOURCE = "source"
    #: It has no parent and is about to ask the next candidate.
    SEEKING = "seeking"
    #: It has asked one candidate and waits for its word.
    ASKING = "asking"
    JOINED = "joined"
    LEFT = "left"


class Event(StrEnum):
    """What moves a membership from one state to another."""

    CANDIDATE_ASKED = "candidate asked"
    WELCOMED = "welcomed"
    TURNED_DOWN = "turned down"
    PARENT_GONE = "parent gone"
    STOPPED = "stopped"


TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.SEEKING, Event.CANDIDATE_ASKED): State.ASKING,
    (State.ASKING, Event.WELCOMED): State.JOINED,
    (State.ASKING, Event.TURNED_DOWN): State.SEEKING,
    (State.JOINED, Event.PARENT_GONE): State.SEEKING,
    (State.SOURCE, Event.STOPPED): State.LEFT,
    (State.SEEKING, Event.STOPPED): State.LEFT,
    (State.ASKING, Event.STOPPED): State.LEFT,
    (State.JOINED, Event.STOPPED): State.LEFT,
}


@dataclass(frozen=True, slots=True)
class ParentGained:
    """The node hangs under a parent again; `moved` when it was in another tree before."""

    link: LinkId
    tree: TreeId
    moved: bool


@dataclass(frozen=True, slots=True)
class ParentLost:
    """The node has no parent in this tree."""

    link: LinkId


@dataclass(frozen=True, slots=True)
class ChildGained:
    """A child hangs under the node now."""

    link: LinkId
    peer: Peer


@dataclass(frozen=True, slots=True)
class ChildLost:
    """A child has left, or was not heard of for too long."""

    link: LinkId


Change: TypeAlias = ParentGained | ParentLost | ChildGained | ChildLost
