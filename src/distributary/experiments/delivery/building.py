"""What the studies of paper 001 share: one sample grows the trees of all algorithms and measures them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from distributary.core.generator import Generator
from distributary.delivery import ALGORITHMS
from distributary.delivery.arrays import emptied
from distributary.delivery.compiled.moving import worths_of
from distributary.delivery.compiled.settling import settle
from distributary.delivery.model import fairness, total_bandwidth
from distributary.delivery.network import Network
from distributary.experiments.delivery.workload import Drawn, Workload
from distributary.experiments.merging.planning import line
from distributary.experiments.study import Chart, Claim, Sampled

__all__ = [
    "ALL",
    "MEASURES",
    "OTHERS",
    "PAPERS",
    "advantage",
    "best_other",
    "better_than_qasdg",
    "chart",
    "measure",
    "never_more_bandwidth",
]

#: The paper's algorithms, those that do not go by quality, and with them our own.
OTHERS = ("brush", "chain", "unfas", "unfag")
PAPERS = (*OTHERS, "qasds", "qasdg")
ALL = (*PAPERS, "triage")
_WHAT = ("quality", "bandwidth", "fairness", "delay_variance", "rounds")
_MEGABYTE = 1e6


MEASURES = tuple(f"{algorithm}_{what}" for algorithm in ALL for what in _WHAT)


def measure(workload: Workload, seed: int) -> Mapping[str, float]:
    """Return the measures of the trees that all algorithms grow in one draw; bandwidth in MB/s."""
    generator = Generator(seed)
    drawn = Drawn(workload, generator)
    found: dict[str, float] = {}
    empty = drawn.network()
    for algorithm in ALL:
        network = Network(emptied(empty.forest), empty.qualities)
        made = ALGORITHMS[algorithm](network, generator.fork(algorithm))
        settle(network.forest)
        values = (
            float(np.exp(worths_of(network.forest, network.qualities).mean())),
            total_bandwidth(network.forest) / _MEGABYTE,
            fairness(network.forest, drawn.upload),
            float(np.var(network.forest.delay)),
            made.rounds,
        )
        found |= {f"{algorithm}_{what}": value for what, value in zip(_WHAT, values, strict=True)}
    return found


def best_other(point: Sampled) -> float:
    """Return the mean quality of the best algorithm that does not go by quality."""
    return max(point.mean(f"{algorithm}_quality") for algorithm in OTHERS)


def advantage(point: Sampled, algorithm: str = "qasdg") -> float:
    """Return by which share an algorithm's mean quality is above that of the best other."""
    return point.mean(f"{algorithm}_quality") / best_other(point) - 1.0


def chart(points: Sequence[Sampled], title: str, x: tuple[str, str], y: tuple[str, str], names: Sequence[str]) -> Chart:
    """Return the chart of one measure over one parameter; both as (name, label)."""
    return Chart(title, x[1], y[1], tuple(line(name, points, x[0], f"{name}_{y[0]}") for name in names))


def never_more_bandwidth(points: Sequence[Sampled]) -> Claim:
    """Return the claim that our own trees need no more than QASDG's, in each draw."""
    more = [
        ours / theirs - 1.0
        for point in points
        for ours, theirs in zip(point.values("triage_bandwidth"), point.values("qasdg_bandwidth"), strict=True)
    ]
    return Claim(
        "Ours: TRIAGE needs no more bandwidth than QASDG, in no draw.",
        "(not in the paper)",
        f"from {min(more):.1%} to {max(more):.1%} more in {len(more)} draws",
        max(more) < 1e-6,
    )


def better_than_qasdg(points: Sequence[Sampled], x: str) -> Claim:
    """Return the claim that our own trees have more quality than QASDG's at each point."""
    gains = [point.mean("triage_quality") / point.mean("qasdg_quality") - 1.0 for point in points]
    return Claim(
        "Ours: TRIAGE has a better quality than QASDG.",
        "(not in the paper)",
        ", ".join(f"{gain:.0%} at {point.number(x):g}" for gain, point in zip(gains, points, strict=True)),
        min(gains) > 0.0,
    )
