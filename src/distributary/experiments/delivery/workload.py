"""The resources and workloads of paper 001, section 6.2: Table 2, with the gaps filled as said below.

KB are 1,000 bytes. Sources are any nodes; a stream's filters are at different nodes, not its source, and of its filter
types, each a set of blocks whose size is uniform from 1 to all; filters join in an order that is drawn too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from distributary.core.generator import Generator
from distributary.core.subscriptions import Quality
from distributary.delivery.arrays import bare_forest, qualities_of, words_of
from distributary.delivery.compiled.forest import Floats, Ints
from distributary.delivery.network import Network
from distributary.delivery.problem import DeliveryFilter, DeliveryNode, DeliveryProblem, DeliveryStream, Link
from distributary.experiments.compiled.uniform import uniforms

__all__ = ["Drawn", "Workload", "draw_problem"]

_KILOBYTE = 1_000.0
_MEGABIT = 125_000.0
_PROCESSING_DELAY = 0.01


@dataclass(frozen=True, slots=True)
class Workload:
    """What is drawn; the defaults are those of Table 2, delays in seconds."""

    nodes: int = 100
    streams: int = 20
    filters_per_stream: int = 30
    link_delays: tuple[float, float] = (0.01, 0.5)
    #: What link delays and bandwidths are multiplied by.
    delay_factor: float = 1.0
    bandwidth_factor: float = 1.0
    drops: tuple[float, float] = (0.0, 0.2)
    delays: tuple[float, float] = (1.0, 5.0)
    blocks: int = 10
    filter_types: int = 4
    #: Kilobytes a second.
    rates: tuple[float, float] = (50.0, 100.0)
    #: Megabits a second.
    downloads: tuple[float, float] = (1.0, 5.0)
    uploads: tuple[float, float] = (0.5, 2.5)
    #: The delay of all links, which are then not listed; for more nodes than have room for all pairs.
    same_delay: float | None = None


class Drawn:
    """One draw of a workload, as numbers; filters in the order in which they join."""

    def __init__(self, workload: Workload, generator: Generator) -> None:
        state = np.array([generator.state], dtype=np.int64)
        nodes, streams = workload.nodes, workload.streams
        self.workload = workload
        scale = workload.bandwidth_factor * _MEGABIT
        self.upload = scale * uniforms(state, *workload.uploads, nodes)
        self.download = scale * uniforms(state, *workload.downloads, nodes)
        pairs = nodes * (nodes - 1) // 2 if workload.same_delay is None else 0
        #: Of all pairs of nodes, (0, 1), (0, 2), … (1, 2), …
        self.link_delay = workload.delay_factor * uniforms(state, *workload.link_delays, pairs)
        self.rate = _KILOBYTE * uniforms(state, *workload.rates, streams)
        count = streams * workload.filters_per_stream
        drops, delays = uniforms(state, *workload.drops, count), uniforms(state, *workload.delays, count)
        rest = generator.fork("filters")
        self.source = np.array(rest.integers(streams, nodes), dtype=np.int64)
        self.filters = self._filters(rest, drops.tolist(), delays.tolist())

    def _filters(
        self, generator: Generator, drops: list[float], delays: list[float]
    ) -> list[tuple[int, int, frozenset[int], Quality]]:
        """Return stream, node, blocks and quality of each filter."""
        made: list[tuple[int, int, frozenset[int], Quality]] = []
        workload = self.workload
        for stream, source in enumerate(self.source.tolist()):
            kinds = [
                frozenset(generator.sample(range(workload.blocks), 1 + generator.below(workload.blocks)))
                for _ in range(workload.filter_types)
            ]
            for place in generator.sample(range(workload.nodes - 1), workload.filters_per_stream):
                quality = Quality(drops[len(made)], delays[len(made)])
                made.append((stream, place + (place >= source), generator.choice(kinds), quality))
        generator.shuffle(made)
        return made

    def network(self) -> Network:
        """Return the network in which nothing has joined."""
        workload = self.workload
        stream, node, blocks, quality = zip(*self.filters, strict=True)
        return Network(
            bare_forest(
                source=self.source,
                rate=self.rate,
                stream=np.array(stream, dtype=np.int64),
                node=np.array(node, dtype=np.int64),
                blocks=words_of(blocks, workload.blocks),
                fields=words_of([()] * len(node), 0),
                field_share=np.empty(0),
                block_share=1.0 / workload.blocks,
                upload=self.upload,
                download=self.download,
                links=self._links(),
                default_delay=math.inf if workload.same_delay is None else workload.same_delay,
                processing_delay=_PROCESSING_DELAY,
            ),
            qualities_of([DeliveryFilter("", "", frozenset(), each) for each in quality]),
        )

    def _links(self) -> tuple[Ints, Ints, Floats, Ints]:
        nodes = self.workload.nodes
        none = np.empty(0, dtype=np.int64)
        if not len(self.link_delay):
            return np.zeros(nodes + 1, dtype=np.int64), none, np.empty(0), none
        delays = np.zeros((nodes, nodes))
        delays[np.triu_indices(nodes, 1)] = self.link_delay
        apart = ~np.eye(nodes, dtype=np.bool_)
        to = np.broadcast_to(np.arange(nodes), (nodes, nodes))[apart]
        return np.arange(nodes + 1) * (nodes - 1), to, (delays + delays.T)[apart], none

    def problem(self) -> DeliveryProblem:
        """Return the same as a problem, with nodes `p0`, `p1` and on, and streams `s0` and on."""
        names = [f"p{number}" for number in range(self.workload.nodes)]
        pairs = [(first, second) for place, first in enumerate(names) for second in names[place + 1 :]]
        delays = self.link_delay.tolist()
        return DeliveryProblem(
            nodes=tuple(map(DeliveryNode, names, self.upload.tolist(), self.download.tolist())),
            streams=tuple(
                DeliveryStream(f"s{number}", names[source], rate)
                for number, (source, rate) in enumerate(zip(self.source.tolist(), self.rate.tolist(), strict=True))
            ),
            filters=tuple(
                DeliveryFilter(names[node], f"s{stream}", blocks, quality)
                for stream, node, blocks, quality in self.filters
            ),
            blocks=self.workload.blocks,
            links=tuple(Link(*pair, delay) for pair, delay in zip(pairs, delays, strict=True)) if delays else (),
            processing_delay=_PROCESSING_DELAY,
            default_delay=self.workload.same_delay,
        )


def draw_problem(workload: Workload, generator: Generator) -> DeliveryProblem:
    """Return a problem that is drawn."""
    return Drawn(workload, generator).problem()
