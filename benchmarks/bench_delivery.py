"""Delivery trees: a whole construction, the fixed point of drops, growth to 10,000 nodes, one join of a thousand nodes.

Problems are those of paper 001's Table 2, or larger in the same way. What is compiled is called before it is timed.
"""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.measurement import Measurement, compare
from distributary.core.generator import Generator
from distributary.delivery.arrays import emptied
from distributary.delivery.compiled.settling import settle
from distributary.delivery.drops import arrivals
from distributary.delivery.network import Network, network_of, trees_of
from distributary.delivery.qasd import control_points, qasd
from distributary.delivery.trees import edges_of
from distributary.delivery.unfa import unfa
from distributary.experiments.delivery.workload import Drawn, Workload

__all__ = ["measure"]

BASE = Workload()
LARGE = Workload(nodes=10_000, streams=100, filters_per_stream=1_000, same_delay=0.1)
MIDDLE = Workload(nodes=1_000, streams=20, filters_per_stream=300, same_delay=0.1)


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield the measurements of the issue's section on speed."""
    few = Workload(nodes=20, streams=4, filters_per_stream=8)
    qasd(Drawn(few, generator.fork("warm")).network(), everywhere=True)
    unfa(Drawn(few, generator.fork("warm")).network(), everywhere=True)
    yield construction(few if quick else BASE, generator.fork("base"), 2 if quick else 5)
    yield fixed_point(few if quick else BASE, generator.fork("drops"), 1 if quick else 3)
    yield one_join(replace(MIDDLE, nodes=100, filters_per_stream=30) if quick else MIDDLE, generator.fork("join"))
    yield growth(
        replace(LARGE, nodes=200, streams=10, filters_per_stream=50) if quick else LARGE, generator.fork("many")
    )


def described(workload: Workload) -> dict[str, int | float | str]:
    """Return what a workload is made of."""
    return {
        "nodes": workload.nodes,
        "streams": workload.streams,
        "filters": workload.streams * workload.filters_per_stream,
    }


def construction(workload: Workload, generator: Generator, rounds: int) -> Measurement:
    """Build the trees of QASDG; the peer is UNFAG, which asks nobody and looks at no drops."""
    empty = Drawn(workload, generator).network()

    def built(everywhere_informed: bool) -> int:
        network = Network(emptied(empty.forest), empty.qualities)
        if everywhere_informed:
            qasd(network, everywhere=True)
        else:
            unfa(network, everywhere=True)
        return int((network.forest.parent >= -1).sum())

    ours_seconds, peer_seconds = compare(lambda: built(True), lambda: built(False), rounds)
    return Measurement(
        name=f"delivery_qasdg_{workload.nodes}",
        work=f"QASDG for {network_size(workload)}",
        peer="UNFAG (uninformed)",
        pieces=1,
        piece="constructions",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={**described(workload), "seconds_most": max(ours_seconds)},
    )


def network_size(workload: Workload) -> str:
    """Return a workload's size in words."""
    return f"{workload.nodes:,} nodes x {workload.streams} streams x {workload.filters_per_stream:,} filters"


def fixed_point(workload: Workload, generator: Generator, rounds: int) -> Measurement:
    """Find the drops of grown trees; the peer is the plain fixed point in Python."""
    problem = Drawn(workload, generator).problem()
    network = network_of(problem)
    qasd(network, everywhere=True)
    edges = edges_of(problem, trees_of(problem, network.forest))
    number_of = {(wanted.stream, wanted.node): number for number, wanted in enumerate(problem.filters)}

    def ours() -> list[float]:
        assert settle(network.forest)
        return [round(value, 8) + 0.0 for value in network.forest.kept.tolist()]

    def peer() -> list[float]:
        found = arrivals(problem, edges).fractions
        kept = np.array([found[key] for key in number_of])
        return [round(value, 8) + 0.0 for value in kept.tolist()]

    ours_seconds, peer_seconds = compare(ours, peer, rounds)
    return Measurement(
        name=f"delivery_fixed_point_{workload.nodes}",
        work=f"drops of {network_size(workload)}",
        peer="the plain fixed point",
        pieces=1,
        piece="fixed points",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={**described(workload), "seconds_most": max(ours_seconds)},
    )


def one_join(workload: Workload, generator: Generator) -> Measurement:
    """Let the last filters join trees that nearly all have joined; the peer lets the first ones join."""
    network = Drawn(workload, generator).network()
    points = control_points(network, everywhere=True)
    seconds = []
    for joining, stream in enumerate(network.forest.stream.tolist()):
        started = time.perf_counter()
        points[stream].join(joining)
        seconds.append(time.perf_counter() - started)
    tenth = len(seconds) // 10
    return Measurement(
        name=f"delivery_join_{workload.nodes}",
        work=f"one join among {network_size(workload)}, the last tenth of them",
        peer="the first tenth",
        pieces=1,
        piece="joins",
        ours_seconds=tuple(seconds[-tenth:]),
        peer_seconds=tuple(seconds[:tenth]),
        configuration={
            **described(workload),
            "seconds_most": max(seconds),
            "seconds_mean": math.fsum(seconds) / len(seconds),
        },
    )


def growth(workload: Workload, generator: Generator) -> Measurement:
    """Build QASDG's trees of a large problem; the peer builds those of a tenth of its streams, ten times."""
    few = replace(workload, streams=workload.streams // 10)
    seconds = []
    for each in (workload, few):
        network = Drawn(each, generator).network()
        started = time.perf_counter()
        qasd(network, everywhere=True)
        seconds.append(time.perf_counter() - started)
    return Measurement(
        name=f"delivery_growth_{workload.nodes}",
        work=f"QASDG for {network_size(workload)}",
        peer="a tenth of the streams, ten times",
        pieces=workload.streams * workload.filters_per_stream,
        piece="filters",
        ours_seconds=(seconds[0],),
        peer_seconds=(10 * seconds[1],),
        configuration={
            **described(workload),
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        },
    )
