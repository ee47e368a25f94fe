"""The records that planners return and commands print; field names and units are the interface's contract."""

from __future__ import annotations

import msgspec

__all__ = [
    "AdaptationResult",
    "Channel",
    "Costs",
    "DeliveryResult",
    "FilterQuality",
    "LinkFormats",
    "MergePlan",
    "NodeOperators",
]


class Costs(msgspec.Struct, frozen=True):
    """Prices of paper 000's model: a merged query, a unit of size sent, a unit of irrelevant size received."""

    K_M: float = 0.00365
    K_T: float = 0.0000325
    K_U: float = 0.0000016


class Channel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One group of members that share their merged queries; `size` is what is sent for it."""

    id: str
    members: tuple[str, ...]
    #: Boxes of the merged queries, as {column: [low, high]}; null stands for an open end.
    regions: tuple[dict[str, tuple[float | None, float | None]], ...]
    size: float
    #: The merged queries as filter texts (several for `cover`).
    queries: tuple[str, ...] = ()
    #: The physical channel it is packed onto, when their number is fixed.
    physical: str | None = None
    #: How often it is sent, in seconds, when members have frequencies.
    every: float | None = None


class MergePlan(msgspec.Struct, frozen=True):
    """A plan of merged queries with its cost and what is proven about it."""

    algorithm: str
    procedure: str
    costs: Costs
    cost: float
    unmerged_cost: float
    lower_bound: float | None
    optimal: bool
    seconds: float
    channels: tuple[Channel, ...]


class FilterQuality(msgspec.Struct, frozen=True):
    """What one filter gets: the fraction dropped, the delay in seconds and the quality made of them."""

    node: str
    stream: str
    drop: float
    delay: float
    quality: float


class DeliveryResult(msgspec.Struct, frozen=True):
    """Delivery trees (child to parent) and their measures."""

    algorithm: str
    quality: float
    total_bandwidth: float
    fairness: float
    delay_variance: float
    rounds: float
    trees: dict[str, dict[str, str]]
    filters: tuple[FilterQuality, ...]
    #: Whether no trees have a better quality; said only when it is proven.
    optimal: bool = False


class LinkFormats(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """The formats sent over one link."""

    source: str
    target: str
    formats: tuple[str, ...]


class NodeOperators(msgspec.Struct, frozen=True):
    """The conversions that one node runs, as (from, to), in an order in which their inputs are there."""

    id: str
    operators: tuple[tuple[str, str], ...]


class AdaptationResult(msgspec.Struct, frozen=True):
    """A conversion plan with its costs and what is proven about it."""

    algorithm: str
    cost: float
    transmission: float
    conversion: float
    lower_bound: float | None
    optimal: bool
    links: tuple[LinkFormats, ...]
    nodes: tuple[NodeOperators, ...]
