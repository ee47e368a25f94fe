"""Time along a chain of routers, and against the number of subscriptions, their selectivity and the documents' size.

The paper has one figure of all this, in a sentence: "outperforms the conventional method by a factor of 2". The
conventional method is ours at its best: the same compiled matcher and the same aggregated tables, without hints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from distributary.core.generator import Generator
from distributary.experiments.merging.planning import line
from distributary.experiments.piggyback.timing import AtRouter, measure
from distributary.experiments.piggyback.workload import chain_of, draw_documents, workload_of
from distributary.experiments.study import Chart, Claim, Line, Point, Sampled, Study

__all__ = ["STUDY"]

_ROUTERS = 6
#: The budget of a header.
_HEADER_SHARE_MAX = 0.06
#: The paper's factor, and ours, at so many subscriptions.
_PAPERS_FACTOR = 2.0
_OUR_FACTOR, _MANY = 4.0, 10_000
_DOCUMENTS = 6
_MICROSECONDS = 1e6


def _point(
    sweep: str, routers: int = 2, subscriptions: int = 1000, selectivity: float = 0.01, size: int = 9000
) -> Point:
    return {
        "sweep": sweep,
        "routers": float(routers),
        "subscriptions": float(subscriptions),
        "selectivity": selectivity,
        "size": float(size),
    }


_CHAIN, _SUBSCRIPTIONS, _SELECTIVITY, _SIZE = "chain", "subscriptions", "selectivity", "size"
_POINTS: tuple[Point, ...] = (
    _point(_CHAIN, routers=_ROUTERS),
    *(_point(_SUBSCRIPTIONS, subscriptions=count) for count in (100, 1000, _MANY)),
    *(_point(_SELECTIVITY, selectivity=each) for each in (0.01, 0.03, 0.1)),
    *(_point(_SIZE, size=size) for size in (3000, 9000, 27_000)),
)
_PLACES = range(1, _ROUTERS + 1)
_MEASURES = (
    *(f"conventional_{place}" for place in _PLACES),
    *(f"hinted_{place}" for place in _PLACES),
    "conventional_below",
    "hinted_below",
    "factor_below",
    "factor",
    "header_bytes",
    "header_share",
    "tested",
    "read",
)


def _sample(point: Point, seed: int) -> Mapping[str, float]:
    chain = chain_of(workload_of(point))
    found = measure(chain, draw_documents(chain, Generator(seed), _DOCUMENTS))
    measured = dict.fromkeys(_MEASURES, math.nan)
    for place, each in enumerate(found, 1):
        measured[f"conventional_{place}"] = _MICROSECONDS * each.conventional
        measured[f"hinted_{place}"] = _MICROSECONDS * each.hinted
    measured["factor"] = sum(each.conventional for each in found) / sum(each.hinted for each in found)
    return measured | (_below(found[1:]) if len(found) > 1 else {})


def _below(found: Sequence[AtRouter]) -> dict[str, float]:
    """Return the measures of the routers that get headers."""
    conventional, hinted = (fmean(each.conventional for each in found), fmean(each.hinted for each in found))
    return {
        "conventional_below": _MICROSECONDS * conventional,
        "hinted_below": _MICROSECONDS * hinted,
        "factor_below": conventional / hinted,
        "header_bytes": fmean(each.header_bytes for each in found),
        "header_share": max(each.header_share for each in found),
        "tested": fmean(each.tested for each in found),
        "read": fmean(each.read for each in found),
    }


def _of(points: Sequence[Sampled], sweep: str) -> list[Sampled]:
    return [point for point in points if point.point["sweep"] == sweep]


def _claims(points: Sequence[Sampled]) -> list[Claim]:
    (chain,) = _of(points, _CHAIN)
    counts = _of(points, _SUBSCRIPTIONS)
    whole = sum(chain.mean(f"conventional_{place}") for place in _PLACES) / sum(
        chain.mean(f"hinted_{place}") for place in _PLACES
    )
    many = counts[-1]
    largest = max((value for point in points for value in point.values("header_share")), default=math.nan)
    first = chain.mean("hinted_1") / chain.mean("conventional_1")
    return [
        Claim(
            f"Along a chain of {_ROUTERS} routers, the first included, hints outperform the conventional method by a "
            f"factor of 2 ({chain.number('subscriptions'):.0f} subscriptions each).",
            "a factor of 2",
            f"{whole:.1f}",
            whole >= _PAPERS_FACTOR,
        ),
        Claim(
            "A router that gets hints outperforms the conventional method by a factor of 2, whatever the subscriptions "
            "and documents.",
            "a factor of 2",
            ", ".join(f"{_named(point)}: {_factor(point):.1f}" for point in points),
            all(_factor(point) >= _PAPERS_FACTOR for point in points),
        ),
        Claim(
            f"With {_MANY:,} subscriptions it outperforms it by a factor of 4 (our aim).",
            "",
            f"{_factor(many):.1f} ({many.mean('conventional_below'):.0f} microseconds without hints, "
            f"{many.mean('hinted_below'):.0f} with)",
            _factor(many) >= _OUR_FACTOR,
        ),
        Claim(
            "Annotations are concise: no header has more than 6 % of its document (our aim).",
            "minimal overhead",
            f"at most {largest:.1%}; {many.mean('header_bytes'):.0f} bytes on average with {_MANY:,} subscriptions",
            largest <= _HEADER_SHARE_MAX,
        ),
        Claim(
            "Annotations are cheap: they cost the first router at most a tenth of its time (our aim).",
            "does not offset the gains",
            f"{first - 1:+.1%}",
            first <= 1.1,
        ),
    ]


def _factor(point: Sampled) -> float:
    """Return how many times the time with hints the time without is, at the routers that get hints."""
    return point.mean("conventional_below") / point.mean("hinted_below")


def _named(point: Sampled) -> str:
    match point.point["sweep"]:
        case "chain":
            return f"{point.number('routers'):.0f} routers"
        case "subscriptions":
            return f"{point.number('subscriptions'):,.0f} subscriptions"
        case "selectivity":
            return f"selectivity {point.number('selectivity'):g}"
        case _:
            return f"{point.number('size') / 1000:g} KB"


def _charts(points: Sequence[Sampled]) -> list[Chart]:
    (chain,) = _of(points, _CHAIN)
    along = Chart(
        f"{chain.number('subscriptions'):.0f} subscriptions each",
        "routers passed",
        "microseconds a document",
        tuple(Line(name, tuple(map(float, _PLACES)), _summed(chain, name)) for name in ("conventional", "hinted")),
    )
    charts = [along]
    for sweep in (_SUBSCRIPTIONS, _SELECTIVITY, _SIZE):
        there = _of(points, sweep)
        lines = tuple(line(name, there, sweep, f"{name}_below") for name in ("conventional", "hinted"))
        charts.append(Chart("a router that gets hints", sweep, "microseconds a document", lines))
    return charts


def _summed(chain: Sampled, name: str) -> tuple[float, ...]:
    times = [chain.mean(f"{name}_{place}") for place in _PLACES]
    return tuple(sum(times[:place]) for place in _PLACES)


STUDY = Study(
    name="piggyback/chain",
    title="Time along chains of routers, with hints and without (paper 002, section 4)",
    samples=100,
    points=_POINTS,
    measures=_MEASURES,
    sample=_sample,
    claims=_claims,
    charts=_charts,
    draws="piggyback/chain",
)
