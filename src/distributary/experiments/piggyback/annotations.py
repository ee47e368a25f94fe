"""What each of the four annotations does alone, and all together: tests, bytes read and time at the next router.

PS and NS share one set of numbers: alone, each of them says only its half of it. PD helps where little is left to test,
so it is also shown beside PS and NS. All are sent whatever they are worth, but for the last variant, where the router
leaves out what is not worth its cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import line
from distributary.experiments.piggyback.timing import measure
from distributary.experiments.piggyback.workload import (
    Chain,
    Workload,
    chain_of,
    draw_documents,
    link,
    router_of,
    subscriptions_of,
)
from distributary.experiments.study import Chart, Claim, Point, Sampled, Study
from distributary.matching.hints import Annotation
from distributary.matching.hints.onward import HintSettings

__all__ = ["STUDY"]

_SUBSCRIPTIONS = (100, 1000)
_DOCUMENTS = 4
_MICROSECONDS = 1e6
#: What the paper says that each annotation does.
_ALONE = {
    "PS": "lets a router know of matches without processing the document",
    "NS": "lets it ignore what is aggregated to what did not match",
    "ND": "lets it ignore what contains an absent pattern",
}
_HEADER_SHARE_MAX = 0.06
_SET = Annotation.SUBSCRIPTIONS


def _settings(*annotations: Annotation, positive: bool = True, negative: bool = True) -> HintSettings:
    return HintSettings(annotations=frozenset(annotations), thrifty=False, positive=positive, negative=negative)


_VARIANTS: Mapping[str, HintSettings] = {
    "PS": _settings(_SET, Annotation.BINDINGS, negative=False),
    "NS": _settings(_SET, positive=False),
    "PD": _settings(Annotation.ENDS),
    "ND": _settings(Annotation.ABSENT),
    "PS, NS": _settings(_SET, Annotation.BINDINGS),
    "PS, NS, PD": _settings(_SET, Annotation.BINDINGS, Annotation.ENDS),
    "all": _settings(*Annotation),
    "chosen": HintSettings(),
}
#: The variants that may use everything.
_WHOLE = ("all", "chosen")
_POINTS: tuple[Point, ...] = tuple(
    {"variant": variant, "subscriptions": float(count)} for count in _SUBSCRIPTIONS for variant in _VARIANTS
)
_MEASURES = ("conventional", "hinted", "factor", "tested", "read", "header_bytes", "header_share")


@cache
def _chain(variant: str, subscriptions: int) -> Chain:
    """Return a chain of two whose first router writes only these annotations; the rest all variants share."""
    workload = Workload(2, subscriptions, 0.01, 9000)
    chain = chain_of(workload)
    upper = router_of(subscriptions_of(workload)[0], _VARIANTS[variant])
    link(upper, chain.hinted[1])
    return Chain(chain.documents, chain.conventional, (upper, chain.hinted[1]))


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    chain = _chain(str(point["variant"]), int(point["subscriptions"]))
    found = measure(chain, draw_documents(chain, Generator(seed), _DOCUMENTS))
    if len(found) == 1:  # no document was wanted below
        return dict.fromkeys(_MEASURES, math.nan)
    lower = found[1]
    return {
        "conventional": _MICROSECONDS * lower.conventional,
        "hinted": _MICROSECONDS * lower.hinted,
        "factor": lower.conventional / lower.hinted,
        "tested": lower.tested,
        "read": lower.read,
        "header_bytes": lower.header_bytes,
        "header_share": lower.header_share,
    }


def _at(points: Sequence[Sampled], variant: str, subscriptions: int) -> Sampled:
    (found,) = (
        point
        for point in points
        if (point.point["variant"], point.number("subscriptions")) == (variant, float(subscriptions))
    )
    return found


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    return [*_alone(points), _early(points), *_together(points)]


def _alone(points: Sequence[Sampled]) -> list[Claim]:
    """Return what the paper says of each annotation by itself."""
    many = _SUBSCRIPTIONS[-1]
    tested = {variant: _at(points, variant, many).mean("tested") for variant in _ALONE}
    return [
        Claim(
            f"{variant} alone {does} ({many} subscriptions).",
            "optimizes the matching",
            f"{1 - tested[variant]:.1%} of the filters need no test",
            tested[variant] < 1,
        )
        for variant, does in _ALONE.items()
    ]


def _early(points: Sequence[Sampled]) -> Claim:
    many = _SUBSCRIPTIONS[-1]
    ends, without = (_at(points, variant, many).mean("read") for variant in ("PS, NS, PD", "PS, NS"))
    return Claim(
        f"PD ends the reading early where PS and NS leave little to test ({many} subscriptions).",
        "optimizes the matching",
        f"{ends:.1%} of the documents' bytes are read, {without:.1%} without PD",
        ends < without,
    )


def _together(points: Sequence[Sampled]) -> list[Claim]:
    """Return our own aims for all annotations together."""
    largest = max((value for point in points for value in point.values("header_share")), default=math.nan)
    together = {count: _at(points, "all", count) for count in _SUBSCRIPTIONS}
    best = {
        count: min(_at(points, variant, count).mean("tested") for variant in _VARIANTS if variant not in _WHOLE)
        for count in _SUBSCRIPTIONS
    }
    tested = ", ".join(
        f"{point.mean('tested'):.2%} against {best[count]:.2%} ({count} subscriptions)"
        for count, point in together.items()
    )
    times = {count: [_at(points, each, count).mean("hinted") for each in ("chosen", "all")] for count in _SUBSCRIPTIONS}
    seconds = ", ".join(
        f"{chosen:.0f} microseconds against {everything:.0f} ({count} subscriptions)"
        for count, (chosen, everything) in times.items()
    )
    return [
        Claim(
            "All together leave no more to test than the best of them.",
            "",
            tested,
            all(point.mean("tested") <= best[count] + 2 * point.error("tested") for count, point in together.items()),
        ),
        Claim(
            "Leaving out what is not worth its cost costs no time.",
            "effective",
            seconds,
            all(chosen <= everything for chosen, everything in times.values()),
        ),
        Claim(
            "No header has more than 6 % of its document (our aim).",
            "concise",
            f"at most {largest:.1%}",
            largest <= _HEADER_SHARE_MAX,
        ),
    ]


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    def chart(title: str, y: str, measure: str) -> Chart:
        lines = (
            line(variant, [point for point in points if point.point["variant"] == variant], "subscriptions", measure)
            for variant in _VARIANTS
        )
        return Chart(title, "subscriptions", y, tuple(lines))

    return [
        chart("filters that are tested", "share", "tested"),
        chart("time without hints by time with", "factor", "factor"),
        chart("headers", "bytes", "header_bytes"),
    ]


STUDY = Study(
    name="piggyback/annotations",
    title="Each annotation alone and all together at the next router (paper 002, section 3)",
    samples=100,
    points=_POINTS,
    measures=_MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="piggyback/annotations",
)
