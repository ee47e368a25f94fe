"""Adds, removes, rebuilds and matches drawn at random, compared with the reference matcher and lxml until time is up.

`python scripts/differential_matching.py --seconds 600 --seed 1` is the long form; the tests run a short one. The first
difference ends it with exit status 1 and the seed, the round, the document and the pattern.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

from lxml import etree

from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.xml import parse_xml
from distributary.core.generator import Generator
from distributary.matching.patterns import PatternMatcher
from distributary.matching.reference import ReferenceMatcher

__all__ = ["Difference", "run"]

_NAMES = ("a", "b", "c", "d", "p:a", "q:b")
_NAMESPACES = {"p": "urn:p", "q": "urn:q"}
_VALUES = ("", "1", " 2 ", "3.5", "red", "it is", "-7", "0.1234567890123456789012")
_LITERALS = ("1", "2", "3.5", "-7", "'red'", "'1'", "''", "0.1234567890123456789012")
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
#: Elements inside one another, besides the root element.
_DEPTH_MAX = 40
#: Patterns that are compared with lxml, too, in each round: it takes them one by one.
_LXML_SAMPLE = 5


class Difference(Exception):
    """Two matchers that do not agree: everything that is needed to see it again."""


@dataclass(slots=True)
class _Drawer:
    """Draws documents and patterns of few names and values, so that they meet often."""

    generator: Generator

    def document(self) -> bytes:
        # Mostly small; now and then beyond the narrow width, and beyond the double of it.
        limit = self.generator.choice((5, 20, 60, 60, 200, 300, 700))
        declared = " ".join(f"xmlns:{prefix}='{uri}'" for prefix, uri in _NAMESPACES.items())
        parts = [f"<r {declared}>"]
        open_names: list[str] = []
        for _ in range(limit):
            while open_names and (self.generator.random() < 0.4 or len(open_names) > _DEPTH_MAX):
                parts.append(f"</{open_names.pop()}>")
            name = self.generator.choice(_NAMES)
            kept = [each for each in ("x", "y", "p:x") if self.generator.random() < 0.25]
            attributes = "".join(f" {each}='{self.generator.choice(_VALUES)}'" for each in kept)
            parts.append(f"<{name}{attributes}>")
            open_names.append(name)
            if self.generator.random() < 0.4:
                parts.append(self.generator.choice((*_VALUES, "<!-- 1 -->", "<![CDATA[1]]>", "<?red 1?>")))
        parts += [f"</{name}>" for name in reversed(open_names)]
        return ("".join(parts) + "</r>").encode()

    def pattern(self) -> str:
        paths = [self._path(2, top=True) for _ in range(1 if self.generator.random() < 0.9 else 2)]
        return " and ".join(paths)

    def _path(self, depth: int, *, top: bool = False) -> str:
        text = ""
        count = 1 + self.generator.below(4 if top else 2)
        for place in range(count):
            separator = "//" if self.generator.random() < 0.3 else "/"
            if place == 0 and not top:
                separator = ".//" if separator == "//" else ""
            names = (*_NAMES, *_NAMES, "*", "p:*") if place or not top else (*_NAMES, "r", "r", "*")
            text += separator + self.generator.choice(names)
            while depth and self.generator.random() < 0.25:
                text += f"[{self._condition(depth - 1)}]"
        return text + self._compared() if self.generator.random() < 0.1 else text

    def _condition(self, depth: int) -> str:
        kind = self.generator.below(4)
        if kind == 0:
            return self._path(depth)
        leaf = self.generator.choice(("@x", "@y", "@*", "@p:x", "text()", ".//@x", ".//text()", "."))
        return leaf + self._compared() if leaf == "." or kind < 3 else leaf

    def _compared(self) -> str:
        return f" {self.generator.choice(_OPERATORS)} {self.generator.choice(_LITERALS)}"


def run(seed: int, seconds: float, *, population: int = 300) -> int:
    """Compare until time is up, at least one round; return the rounds, or raise `Difference`."""
    drawer = _Drawer(Generator(seed, "differential matching"))
    generator, end = drawer.generator, time.perf_counter() + seconds
    matcher: PatternMatcher[int] = PatternMatcher()
    reference: ReferenceMatcher[int] = ReferenceMatcher()
    held: dict[int, tuple[str, TreePattern]] = {}
    rounds = key = 0
    while rounds == 0 or time.perf_counter() < end:
        for _ in range(generator.below(40)):
            if held and (len(held) > population or generator.random() < 0.4):
                gone = generator.choice(list(held))
                matcher.remove(gone)
                reference.remove(gone)
                del held[gone]
            else:
                text = drawer.pattern()
                held[key] = text, parse_xpath(text, _NAMESPACES)
                matcher.add(key, held[key][1])
                reference.add(key, held[key][1])
                key += 1
        if generator.random() < 0.1:
            matcher.rebuild()
        _compare(f"seed {seed}, round {rounds}", matcher, reference, held, drawer)
        rounds += 1
    return rounds


def _compare(
    where: str,
    matcher: PatternMatcher[int],
    reference: ReferenceMatcher[int],
    held: dict[int, tuple[str, TreePattern]],
    drawer: _Drawer,
) -> None:
    bodies = [drawer.document() for _ in range(3)]
    answers = matcher.match_bodies(bodies)
    for body, answer in zip(bodies, answers, strict=True):
        wanted = reference.match(parse_xml(body))
        if not isinstance(answer, tuple):
            raise Difference(f"{where}: {answer}: {body!r}")
        if answer != wanted:
            wrong = [held[key][0] for key in sorted(set(wanted).symmetric_difference(answer)) if key in held]
            raise Difference(f"{where}: {wrong[:5]}: {body!r}")
        some = [key for key in held if drawer.generator.random() < 0.1]
        if matcher.match_among(body, some) != tuple(key for key in wanted if key in set(some)):
            raise Difference(f"{where}: among {some}: {body!r}")
        tree = etree.fromstring(body)
        for key in some[:_LXML_SAMPLE]:
            oracle = etree.XPath(f"boolean(/self::node()[{held[key][0]}])", namespaces=_NAMESPACES)
            if bool(oracle(tree)) != (key in wanted):
                raise Difference(f"{where}: lxml: {held[key][0]}: {body!r}")


def main() -> int:
    """Run as the arguments say, print how far it came, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        rounds = run(arguments.seed, arguments.seconds)
    except Difference as difference:
        print(f"difference: {difference}")
        return 1
    print(f"{rounds} rounds without a difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
