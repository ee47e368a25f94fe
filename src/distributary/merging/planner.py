"""Planning merges: the algorithms by name, and the plan with its costs and what is proven about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import msgspec

from distributary.algebra.filter import Filter, Statistics
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.core.results import Channel, MergePlan
from distributary.core.subscriptions import FilterText
from distributary.merging.auto import auto
from distributary.merging.channels import pack, packed_cost
from distributary.merging.clustering import clustering
from distributary.merging.cost import Block, Pricing
from distributary.merging.directed import directed
from distributary.merging.exact import exact
from distributary.merging.none import none
from distributary.merging.pair import pair
from distributary.merging.partition import exhaustive, partition
from distributary.merging.problem import Member, MergeProblem, check_members
from distributary.merging.settings import MergeSettings

__all__ = ["ALGORITHMS", "Algorithm", "Solution", "channel_of", "filter_text", "plan", "query_text"]


@dataclass(frozen=True, slots=True)
class Solution:
    """A partition of the members, and what the algorithm proved of it."""

    blocks: Sequence[Block]
    #: No plan costs less than this; `None` when nothing is proven.
    lower_bound: float | None = None


#: An algorithm gets the priced problem, the options, its share of chance and a clock in seconds for limits of time.
Algorithm: TypeAlias = Callable[[Pricing, MergeSettings, Generator, Callable[[], float]], Solution]


def _none(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return Solution(none(pricing), _all_plans_tried(pricing, streams_of=1))


def _pair(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return Solution(pair(pricing), _all_plans_tried(pricing, streams_of=2))


def _directed(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return Solution(directed(pricing, settings.starts, generator), _all_plans_tried(pricing, streams_of=2))


def _clustering(
    pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]
) -> Solution:
    return Solution(clustering(pricing, settings.metric), _all_plans_tried(pricing, streams_of=1))


def _partition(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return _proven(pricing, partition(pricing))


def _exhaustive(
    pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]
) -> Solution:
    return _proven(pricing, exhaustive(pricing))


def _exact(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return Solution(*exact(pricing, generator, clock, settings.time_limit))


def _auto(pricing: Pricing, settings: MergeSettings, generator: Generator, clock: Callable[[], float]) -> Solution:
    return Solution(*auto(pricing, generator, clock))


def _proven(pricing: Pricing, blocks: Sequence[Block]) -> Solution:
    """Return an optimum as a solution."""
    return Solution(blocks, pricing.total(blocks))


#: The algorithms by the names that users give them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        "none": _none,
        "pair": _pair,
        "directed": _directed,
        "clustering": _clustering,
        "partition": _partition,
        "exhaustive": _exhaustive,
        "exact": _exact,
        "auto": _auto,
    }
)


def plan(
    members: Sequence[Member],
    statistics: Statistics,
    settings: MergeSettings,
    clock: Callable[[], float],
    generator: Generator,
) -> MergePlan:
    """Return the channels that an algorithm groups the members into (paper 000, section 4).

    Args:
        members: The subscriptions; their ids differ.
        statistics: What measures filters. Every member's size must be finite.
        settings: The algorithm, the procedure, the prices.
        clock: The time in seconds, for `seconds` in the result and for limits of time.
        generator: Chance; what is drawn from it depends on nothing else.

    Channels, and the members in them, stand in the order of `members`.
    """
    started = clock()
    check_members(members)
    settings.check()
    name = settings.algorithm
    if name not in ALGORITHMS:
        raise InputError(f"{name!r} is none of {', '.join(ALGORITHMS)}", field="algorithm")
    pricing = Pricing(MergeProblem(tuple(members), settings.procedure, settings.costs, statistics))
    solution = ALGORITHMS[name](pricing, settings, generator.fork("merging", name), clock)
    if settings.channels is not None:
        return _on_channels(pricing, settings.channels, solution, settings, lambda: clock() - started)
    blocks = sorted(solution.blocks)
    cost = pricing.total(blocks)
    return MergePlan(
        algorithm=name,
        procedure=settings.procedure,
        costs=settings.costs,
        cost=cost,
        unmerged_cost=pricing.total(none(pricing)),
        lower_bound=solution.lower_bound,
        optimal=solution.lower_bound is not None and cost <= solution.lower_bound + 1e-9 * max(1.0, abs(cost)),
        seconds=clock() - started,
        channels=tuple(channel_of(f"c{number}", block, pricing) for number, block in enumerate(blocks)),
    )


def _on_channels(
    pricing: Pricing, channels: int, solution: Solution, settings: MergeSettings, seconds: Callable[[], float]
) -> MergePlan:
    """Return the plan on a fixed number of physical channels; without merging, the queries are packed as they are."""
    packing = pack(pricing, solution.blocks, channels, merging=settings.algorithm != "none")
    cost = packed_cost(pricing, packing)
    placed = sorted((block, f"p{number}") for number, blocks in enumerate(packing.channels) for block in blocks)
    return MergePlan(
        algorithm=settings.algorithm,
        procedure=settings.procedure,
        costs=settings.costs,
        cost=cost,
        unmerged_cost=packed_cost(pricing, pack(pricing, none(pricing), channels, merging=False)),
        lower_bound=cost if packing.optimal else None,
        optimal=packing.optimal,
        seconds=seconds(),
        channels=tuple(
            msgspec.structs.replace(channel_of(f"c{number}", block, pricing), physical=name)
            for number, (block, name) in enumerate(placed)
        ),
    )


def query_text(query: Filter) -> str:
    """Return a filter's canonical text with its kind, as plans hold it: a JSON array."""
    return msgspec.json.encode(query.text()).decode()


def filter_text(text: str) -> FilterText:
    """Return the text that `query_text` wrote, for the algebra to parse.

    >>> filter_text('["where","mag >= 4",[]]')
    FilterText(kind='where', text='mag >= 4', namespaces=())
    """
    try:
        return msgspec.json.decode(text, type=FilterText)
    except msgspec.DecodeError as error:
        raise InputError(f"is not a merged query: {error}", field="queries") from None


def channel_of(identity: str, block: Block, pricing: Pricing) -> Channel:
    """Return a block as a channel of a plan."""
    merged = pricing.merged(block)
    members = [pricing.problem.members[place] for place in block]
    return Channel(
        id=identity,
        members=tuple(member.id for member in members),
        regions=tuple(region.region() for query in merged for region in query.regions),
        size=pricing.measure(block).once,
        queries=tuple(query_text(query.filter) for query in merged),
        every=None if all(member.every is None for member in members) else 1.0 / max(member.rate for member in members),
    )


def _all_plans_tried(pricing: Pricing, *, streams_of: int) -> float | None:
    """Return the least cost when no stream has more members than the algorithm tries every plan of, else `None`."""
    streams = pricing.problem.streams()
    if any(len(stream) > streams_of for stream in streams):
        return None
    return sum(min(pricing.cost(stream), sum(pricing.cost((place,)) for place in stream)) for stream in streams)
