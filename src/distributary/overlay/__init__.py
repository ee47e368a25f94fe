"""Protocol of paper 004: how nodes find a parent, keep it, and leave; values in, values out."""

from distributary.overlay.membership import Membership, MembershipSettings
from distributary.overlay.states import (
    Change,
    ChildGained,
    ChildLost,
    ParentGained,
    ParentLost,
    State,
)

__all__ = [
    "Change",
    "ChildGained",
    "ChildLost",
    "Membership",
    "MembershipSettings",
    "ParentGained",
    "ParentLost",
    "State",
]
