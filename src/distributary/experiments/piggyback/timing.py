"""What documents cost at each router of a chain, with hints and without: both methods in turn, in one sample.

Measured is the processor's time of the thread, not the clock's: a machine that others use stretches one, not the other.
Each router takes all documents before the next one does, as if it were alone on its machine, twice in each method; the
better time counts. Before that the routers have seen the documents once, and feedback has gone up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import thread_time

from distributary.experiments.piggyback.workload import BELOW, Chain, Router
from distributary.matching.hints.router import Routed

__all__ = ["AtRouter", "measure"]

_TURNS = 2


@dataclass(frozen=True, slots=True)
class AtRouter:
    """What documents cost at one router."""

    #: Seconds a document.
    conventional: float
    hinted: float
    #: Bytes of the headers that came, and the greatest share of its document that one had.
    header_bytes: float
    header_share: float
    #: The share of the router's filters that were tested, and of the documents' bytes that were read.
    tested: float
    read: float


def measure(chain: Chain, documents: Sequence[bytes]) -> list[AtRouter]:
    """Return what the documents cost at each router that one of them reaches."""
    _teach(chain.hinted, documents)
    measured = []
    sent = [(body, b"") for body in documents]
    for conventional, hinted in zip(chain.conventional, chain.hinted, strict=True):
        if not sent:
            break
        routed = [hinted.route(body, header) for body, header in sent]
        bare = [(body, b"") for body, _ in sent]
        times = [(_seconds(conventional, bare), _seconds(hinted, sent)) for _ in range(_TURNS)]
        afresh = [conventional.route(body) for body, _ in sent]
        assert [each.subscribers for each in routed] == [each.subscribers for each in afresh]
        measured.append(_at_router(hinted, sent, routed, times))
        # A header that its budget left no room for is a document without one.
        sent = [
            (body, each.headers[BELOW]) for (body, _), each in zip(sent, routed, strict=True) if BELOW in each.headers
        ]
    return measured


def _teach(routers: Sequence[Router], documents: Sequence[bytes]) -> None:
    for upper in routers[:-1]:
        upper.unlearn(BELOW)
    for body in documents:
        header = b""
        for place, router in enumerate(routers):
            routed = router.route(body, header)
            if routed.feedback is not None:
                routers[place - 1].learn(BELOW, routed.feedback)
            if BELOW not in routed.headers:
                break
            header = routed.headers[BELOW]


def _seconds(router: Router, sent: Sequence[tuple[bytes, bytes]]) -> float:
    started = thread_time()
    for body, header in sent:
        router.route(body, header)
    return thread_time() - started


def _at_router(
    router: Router,
    sent: Sequence[tuple[bytes, bytes]],
    routed: Sequence[Routed[int, str]],
    times: Sequence[tuple[float, float]],
) -> AtRouter:
    count = len(sent)
    conventional, hinted = (min(each) / count for each in zip(*times, strict=True))
    return AtRouter(
        conventional,
        hinted,
        header_bytes=sum(len(header) for _, header in sent) / count,
        header_share=max(len(header) / len(body) for body, header in sent),
        tested=sum(each.tested for each in routed) / (count * len(router)),
        read=sum(each.read for each in routed) / sum(len(body) for body, _ in sent),
    )
