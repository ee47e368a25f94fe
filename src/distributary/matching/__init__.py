"""Which subscriptions an item matches: one interface, the reference matcher and every faster one."""

from distributary.matching.matcher import Matcher
from distributary.matching.reference import ReferenceMatcher

__all__ = ["Matcher", "ReferenceMatcher"]
