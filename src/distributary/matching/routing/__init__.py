"""Routing tables: what each neighbour wants, aggregated by containment and, under a limit, generalised."""

from distributary.matching.routing.aggregate import Aggregate, Change
from distributary.matching.routing.generalisation import generalised
from distributary.matching.routing.limited import Limit, LimitedAggregate
from distributary.matching.routing.shares import ShapeShare, Share, measured_share
from distributary.matching.routing.table import RoutingTable

__all__ = [
    "Aggregate",
    "Change",
    "Limit",
    "LimitedAggregate",
    "RoutingTable",
    "ShapeShare",
    "Share",
    "generalised",
    "measured_share",
]
