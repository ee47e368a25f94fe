"""The reference matcher on XML: parse a document, test every tree pattern; the peer is lxml with compiled XPaths."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from benchmarks.measurement import Measurement, compare
from distributary.algebra.treepattern import parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.core.generator import Generator
from distributary.matching import ReferenceMatcher

__all__ = ["measure"]

TAGS = [f"t{number}" for number in range(12)]
DEPTH_MAX = 8


def document(generator: Generator, elements: int) -> bytes:
    """Return a document of about `elements` elements with short texts and an attribute on every third."""
    left = elements

    def element(depth: int) -> str:
        nonlocal left
        left -= 1
        tag = generator.choice(TAGS)
        attribute = f' a="{generator.below(10)}"' if generator.below(3) == 0 else ""
        children = [element(depth + 1) for _ in range(generator.below(5)) if left > 0 and depth < DEPTH_MAX]
        return f"<{tag}{attribute}>{''.join(children) or generator.below(100)}</{tag}>"

    parts = []
    while left > 0:
        parts.append(element(2))
    return f"<root>{''.join(parts)}</root>".encode()


def pattern(generator: Generator) -> str:
    """Return an XPath of two to four steps, half of them with a branch or a comparison."""
    steps = []
    for _ in range(2 + generator.below(3)):
        step = generator.choice(["/", "//", "//"]) + generator.choice([*TAGS, "*"])
        branch = generator.below(8)
        if branch == 0:
            step += f"[{generator.choice(TAGS)}]"
        elif branch == 1:
            step += f"[@a > {generator.below(10)}]"
        elif branch == 2:
            step += f"[{generator.choice(TAGS)} = '{generator.below(100)}']"
        steps.append(step)
    return "//root" + "".join(steps)


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield one measurement for each number of subscriptions."""
    documents = [document(generator, 200) for _ in range(2 if quick else 20)]
    for count in (10,) if quick else (10, 100, 1000):
        texts = [pattern(generator) for _ in range(count)]
        matcher: ReferenceMatcher[int] = ReferenceMatcher()
        for number, text in enumerate(texts):
            matcher.add(number, parse_xpath(text))
        compiled = [etree.XPath(f"boolean({text})") for text in texts]

        def ours(matcher: ReferenceMatcher[int] = matcher) -> list[tuple[int, ...]]:
            return [matcher.match(parse_xml(body)) for body in documents]

        def peer(compiled: list[etree.XPath] = compiled) -> list[tuple[int, ...]]:
            trees = [etree.fromstring(body) for body in documents]
            return [tuple(number for number, wanted in enumerate(compiled) if wanted(tree)) for tree in trees]

        ours_seconds, peer_seconds = compare(ours, peer, 2 if quick else 5)
        matched = sum(len(keys) for keys in ours())
        yield Measurement(
            name=f"xml_reference_{count}",
            work=f"{count:,} tree patterns on documents of {len(documents[0]) / 1000:.1f} KB, one by one",
            peer="lxml",
            pieces=len(documents),
            piece="documents",
            ours_seconds=ours_seconds,
            peer_seconds=peer_seconds,
            configuration={
                "subscriptions": count,
                "documents": len(documents),
                "bytes": sum(map(len, documents)),
                "selectivity": matched / (count * len(documents)),
                "lxml": etree.__version__,
            },
        )
