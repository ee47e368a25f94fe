"""Chains of routers with drawn subscriptions, and documents to send down: what the studies of paper 002 measure on.

The paper says nothing of its workload. Ours: documents and subscriptions from the grammar of bulletins, with half of
paper 004's chances and a chance of values beside them, and a mean selectivity that is asked for. Chains are drawn from
their parameters alone and kept: a sample draws only which documents come.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from distributary.algebra.treepattern import parse_xpath
from distributary.core.generator import Generator
from distributary.experiments.documents import DocumentShape, draw_document
from distributary.experiments.dtd import bulletin_grammar
from distributary.experiments.selectivity import draw_selected
from distributary.experiments.study import Point
from distributary.experiments.subscriptions import SubscriptionShape
from distributary.matching.hints.onward import HintSettings
from distributary.matching.hints.router import HintedRouter
from distributary.matching.hints.slot_patterns import SlotPatterns

__all__ = [
    "BELOW",
    "Chain",
    "Router",
    "Workload",
    "chain_of",
    "draw_documents",
    "link",
    "router_of",
    "subscriptions_of",
    "workload_of",
]

Router = HintedRouter[int, str]

#: The name of each router's only neighbour.
BELOW = "below"
_SHAPE = SubscriptionShape(wildcard=0.2, descendant=0.2, branch=0.2, value=0.15, depth=(3, 6))
#: Documents that selectivity is measured on, and documents that samples choose from.
_MEASURED = 50
_DOCUMENTS = 64
_CONVENTIONAL = HintSettings(annotations=frozenset())


@dataclass(frozen=True, slots=True)
class Workload:
    """How many routers in a row, with how many subscriptions each, and what documents."""

    routers: int
    subscriptions: int
    selectivity: float
    size: int


@dataclass(frozen=True, slots=True)
class Chain:
    """The same subscriptions twice: routers that match all of them afresh, and routers that use hints."""

    documents: tuple[bytes, ...]
    conventional: tuple[Router, ...]
    hinted: tuple[Router, ...]


def workload_of(point: Point) -> Workload:
    """Return the workload at a point."""
    return Workload(int(point["routers"]), int(point["subscriptions"]), float(point["selectivity"]), int(point["size"]))


@cache
def chain_of(workload: Workload) -> Chain:
    """Return the chain of a workload; the first router is where documents come in."""
    documents, subscriptions = _drawn(workload)
    hinted = [router_of(each) for each in subscriptions]
    conventional = [router_of(each, _CONVENTIONAL) for each in subscriptions]
    for place in range(workload.routers - 1, 0, -1):
        link(hinted[place - 1], hinted[place])
        conventional[place - 1].connect(BELOW, hinted[place].table())
    return Chain(documents, tuple(conventional), tuple(hinted))


def router_of(subscriptions: tuple[str, ...], settings: HintSettings | None = None) -> Router:
    """Return a router with these subscriptions of its own."""
    router: Router = HintedRouter(SlotPatterns(), settings)
    for number, text in enumerate(subscriptions):
        router.add(number, parse_xpath(text))
    return router


def link(upper: Router, lower: Router) -> None:
    """Tell a router what the one below it wants."""
    upper.connect(BELOW, lower.table())


@cache
def _drawn(workload: Workload) -> tuple[tuple[bytes, ...], tuple[tuple[str, ...], ...]]:
    """Return documents, and the subscriptions of each router."""
    grammar = bulletin_grammar()
    generator = Generator("piggyback", workload.size)
    shape = DocumentShape(size=workload.size)
    documents = tuple(draw_document(grammar, generator, shape) for _ in range(_MEASURED + _DOCUMENTS))
    measured, sent = documents[:_MEASURED], documents[_MEASURED:]
    subscriptions = tuple(
        draw_selected(
            grammar, generator.fork(place), _SHAPE, workload.subscriptions, workload.selectivity, measured
        ).texts
        for place in range(workload.routers)
    )
    return sent, subscriptions


def subscriptions_of(workload: Workload) -> tuple[tuple[str, ...], ...]:
    """Return the subscriptions of each router of a workload."""
    return _drawn(workload)[1]


def draw_documents(chain: Chain, generator: Generator, count: int) -> list[bytes]:
    """Return some of a chain's documents."""
    return generator.sample(chain.documents, count)
