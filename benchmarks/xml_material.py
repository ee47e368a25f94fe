"""What the benchmark of XML matching is made of: documents, mixed sets of tree patterns, and linear paths.

All is drawn from our own grammar or, where the shared data is, from the news industry's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from distributary.core.generator import Generator
from distributary.experiments.documents import DocumentShape, draw_document
from distributary.experiments.dtd import bulletin_grammar, read_dtd
from distributary.experiments.grammar import Grammar
from distributary.experiments.selectivity import draw_selected
from distributary.experiments.subscriptions import SubscriptionShape

__all__ = ["MATERIALS", "bodies_of", "subscriptions_of"]

#: The mean selectivity of sets.
SELECTIVITY = 0.01
#: Subscriptions drawn by one process at a time; their mean selectivity is right in each part.
PART = 50_000
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "xml"


@dataclass(frozen=True, slots=True)
class Material:
    """What documents and subscriptions are drawn from, and how."""

    dtd: Path | None
    documents: DocumentShape
    #: What subscriptions are like, by kind. Of the mixed ones that are taken for their selectivity, 40 % have branches
    #: and 35 % compare values.
    shapes: Mapping[str, SubscriptionShape]

    def grammar(self) -> Grammar:
        """Return the grammar."""
        return bulletin_grammar() if self.dtd is None else read_dtd(self.dtd.read_text("utf-8"))


MATERIALS = {
    "bulletin": Material(
        None,
        DocumentShape(elements=200, attributes=0.8),
        {
            "mixed": SubscriptionShape(wildcard=0.2, descendant=0.2, branch=0.08, value=0.044, depth=(3, 6)),
            "linear": SubscriptionShape(wildcard=0.2, descendant=0.2, branch=0.0, value=0.0, depth=(3, 8)),
        },
    ),
    "nitf": Material(
        SHARED / "nitf-2-5.dtd",
        DocumentShape(size=9_000),
        {"mixed": SubscriptionShape(wildcard=0.2, descendant=0.2, branch=0.075, value=0.03, depth=(3, 6))},
    ),
}


def bodies_of(material: str, generator: Generator, count: int) -> list[bytes]:
    """Return documents."""
    grammar, shape = MATERIALS[material].grammar(), MATERIALS[material].documents
    return [draw_document(grammar, generator.fork("document", number), shape) for number in range(count)]


def part_of_set(material: str, kind: str, seed: int, part: int, count: int) -> tuple[str, ...]:
    """Return a part of a set; it does not depend on the other parts."""
    drawn_from, generator = MATERIALS[material], Generator("xml matching", seed)
    sample = bodies_of(material, generator.fork("sample"), min(200, count))
    chance = generator.fork(part)
    return draw_selected(drawn_from.grammar(), chance, drawn_from.shapes[kind], count, SELECTIVITY, sample).texts


def subscriptions_of(material: str, kind: str, seed: int, count: int) -> list[str]:
    """Return subscriptions of a kind (`mixed`, `linear`), drawn by as many processes as there are cores."""
    parts = [min(PART, count - start) for start in range(0, count, PART)]
    if len(parts) == 1:
        return list(part_of_set(material, kind, seed, 0, count))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        drawn = pool.map(partial(part_of_set, material, kind, seed), range(len(parts)), parts)
        return [text for part in drawn for text in part]
