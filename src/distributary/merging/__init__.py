"""Planner of paper 000: merges overlapping subscriptions under a cost model of server, network and client."""

from distributary.merging.planner import ALGORITHMS, plan
from distributary.merging.problem import Member
from distributary.merging.procedures import PROCEDURES
from distributary.merging.settings import MergeSettings

__all__ = ["ALGORITHMS", "PROCEDURES", "Member", "MergeSettings", "plan"]
