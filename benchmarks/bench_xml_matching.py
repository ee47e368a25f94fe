"""Matching XML documents against a thousand to a million tree patterns at once, beside what parsing alone takes.

Documents and subscriptions are drawn from our own grammar (`experiments/bulletin.dtd`), and where the shared data is,
from the news industry's too: documents of 200 elements and 9 KB, subscriptions of a mean selectivity of 0.01 of which
40 % have branches and 35 % compare values, or all are linear paths.
The peer of matching is pyexpat that only parses, and lxml with one compiled XPath for each subscription. Each number of
subscriptions has a process of its own, which also tells how much memory it took.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from pyexpat import ParserCreate

from lxml import etree

from benchmarks.measurement import Measurement, compare
from benchmarks.xml_material import MATERIALS, bodies_of, subscriptions_of
from distributary.algebra.treepattern import TreePattern, parse_xpath
from distributary.algebra.treepattern_nodes import Kind
from distributary.algebra.xml import parse_xml
from distributary.core.errors import InputError
from distributary.core.generator import Generator
from distributary.matching.patterns import PatternMatcher

__all__ = ["measure"]

ROOT = Path(__file__).resolve().parents[1]
WORK = {"mixed": "tree patterns", "nitf": "tree patterns of the news industry's grammar", "linear": "linear paths"}


def measure(generator: Generator, quick: bool) -> Iterator[Measurement]:
    """Yield the rates over the number of subscriptions, the time of adding, lxml's loop, and the cold start."""
    seed = generator.fork("sets").below(1 << 30)
    counts = (100, 400) if quick else (1_000, 10_000, 100_000, 1_000_000)
    mixed = subscriptions_of("bulletin", "mixed", seed, counts[-1])
    yield against_lxml(seed, mixed[: counts[0]], 2 if quick else 20)
    for count in counts:
        found = in_process("bulletin", mixed[:count], seed, quick)
        yield rates("mixed", count, found)
        if count == counts[-2]:
            yield adding(count, found)
    linear = subscriptions_of("bulletin", "linear", seed, counts[-1])
    yield rates("linear", counts[-1], in_process("bulletin", linear, seed, quick))
    dtd = MATERIALS["nitf"].dtd
    if dtd is not None and dtd.exists():
        news = subscriptions_of("nitf", "mixed", seed, counts[1])
        for count in counts[:2]:
            yield rates("nitf", count, in_process("nitf", news[:count], seed, quick))
    yield cold_start(mixed[:20], seed, 2 if quick else 5)


def rates(kind: str, count: int, found: dict[str, list[float]]) -> Measurement:
    """Return how many documents are matched in a second."""
    seconds = min(found["ours"])
    return Measurement(
        name=f"xml_{kind}_{count}",
        work=f"{count:,} {WORK[kind]} on documents of 9 KB",
        peer="pyexpat that only parses",
        pieces=int(found["documents"][0]),
        piece="documents",
        ours_seconds=tuple(found["ours"]),
        peer_seconds=tuple(found["peer"]),
        configuration={
            "subscriptions": count,
            "different": found["different"][0],
            "megabytes_per_second": found["bytes"][0] / seconds / 1e6,
            "seconds_of_adding": found["adding"][0],
            "memory_megabytes": found["memory"][0],
            "selectivity": found["selectivity"][0],
            "with_branches": found["branches"][0],
            "with_values": found["values"][0],
        },
    )


def adding(count: int, found: dict[str, list[float]]) -> Measurement:
    """Return how long it takes to parse subscriptions and add them; lxml compiles each, and no more."""
    return Measurement(
        name=f"xml_adding_{count}",
        work=f"parsing and adding {count:,} subscriptions",
        peer="lxml that compiles them",
        pieces=count,
        piece="subscriptions",
        ours_seconds=tuple(found["adding"]),
        peer_seconds=tuple(found["compiling"]),
        configuration={"subscriptions": count, "seconds_of_parsing": found["parsing"][0]},
    )


def against_lxml(seed: int, texts: Sequence[str], documents: int) -> Measurement:
    """Match with lxml, one XPath after the other; every answer is compared."""
    bodies = bodies_of("bulletin", Generator("xml documents", seed), documents)
    matcher = matcher_of(texts)
    compiled = [etree.XPath(f"boolean({text})") for text in texts]

    def ours() -> list[tuple[int, ...] | InputError]:
        return matcher.match_bodies(bodies)

    def peer() -> list[tuple[int, ...] | InputError]:
        trees = [etree.fromstring(body) for body in bodies]
        return [tuple(number for number, wanted in enumerate(compiled) if wanted(tree)) for tree in trees]

    ours_seconds, peer_seconds = compare(ours, peer, 3)
    return Measurement(
        name=f"xml_lxml_{len(texts)}",
        work=f"{len(texts):,} tree patterns on documents of 9 KB",
        peer="lxml, one compiled XPath for each",
        pieces=documents,
        piece="documents",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"subscriptions": len(texts), "documents": documents, "lxml": etree.__version__},
    )


def cold_start(texts: Sequence[str], seed: int, rounds: int) -> Measurement:
    """Time a new process until its first match, where compiled code is kept; lxml does the same."""
    body = bodies_of("bulletin", Generator("cold start", seed), 1)[0]
    lxml = (
        "import sys; from lxml import etree\n"
        "tree = etree.fromstring(sys.stdin.buffer.read())\n"
        "print([number for number, text in enumerate(sys.argv[1:]) if etree.XPath(f'boolean({text})')(tree)])"
    )
    ours = (
        "import sys; from distributary.algebra.treepattern import parse_xpath\n"
        "from distributary.matching.patterns import PatternMatcher\n"
        "matcher = PatternMatcher()\n"
        "for number, text in enumerate(sys.argv[1:]): matcher.add(number, parse_xpath(text))\n"
        "print(list(matcher.match_body(sys.stdin.buffer.read())))"
    )

    def started(code: str) -> bytes:
        words = [sys.executable, "-c", code, *texts]
        return subprocess.run(words, input=body, capture_output=True, check=True).stdout

    ours_seconds, peer_seconds = compare(partial(started, ours), partial(started, lxml), rounds)
    return Measurement(
        name="xml_cold_start",
        work=f"from a process's start to its first match, {len(texts)} tree patterns",
        peer="lxml",
        pieces=1,
        piece="processes",
        ours_seconds=ours_seconds,
        peer_seconds=peer_seconds,
        configuration={"subscriptions": len(texts), "seconds_least": min(ours_seconds)},
    )


def in_process(material: str, texts: Sequence[str], seed: int, quick: bool) -> dict[str, list[float]]:
    """Return what `measured_here` returns, from a process that holds these subscriptions and nothing else."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(texts))
        file.flush()
        words = [sys.executable, "-m", __name__, material, file.name, str(seed), str(int(quick))]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return {**found, "different": [len(set(texts))]}


def measured_here(material: str, texts: str, seed: int, quick: bool) -> dict[str, list[float]]:
    """Return the seconds of everything done with the subscriptions of a file, and the memory that it took."""
    matcher_of(["/a"])  # loads what is compiled
    with Path(texts).open() as file:
        started = time.perf_counter()
        matcher = matcher_of(line.rstrip("\n") for line in file)
        added = time.perf_counter() - started
    count = len(matcher)
    number = 4 if quick else max(20, min(300, 20_000_000 // count))
    bodies = bodies_of(material, Generator("xml documents", seed), number)
    checked = check(texts, matcher, bodies[:4], max(1, count // 200))

    def ours() -> int:
        return len(matcher.match_bodies(bodies))

    def peer() -> int:
        for body in bodies:
            ParserCreate().Parse(body, True)
        return len(bodies)

    ours_seconds, peer_seconds = compare(ours, peer, 2 if quick else 7)
    memory = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    matched = sum(len(found) for found in matcher.match_bodies(bodies) if not isinstance(found, InputError))
    return {
        "ours": list(ours_seconds),
        "peer": list(peer_seconds),
        "adding": [added],
        "parsing": [timed(parse_xpath, texts)],
        "compiling": [timed(etree.XPath, texts)],
        "documents": [len(bodies)],
        "bytes": [sum(map(len, bodies))],
        "memory": [memory],
        "selectivity": [matched / count / len(bodies)],
        "branches": [sum(has_branch(pattern) for pattern in checked) / len(checked)],
        "values": [sum(any(node.comparisons for node in pattern.nodes) for pattern in checked) / len(checked)],
    }


def matcher_of(texts: Iterable[str]) -> PatternMatcher[int]:
    """Return a matcher of subscriptions, under their numbers."""
    matcher: PatternMatcher[int] = PatternMatcher()
    for number, text in enumerate(texts):
        matcher.add(number, parse_xpath(text))
    return matcher


def check(texts: str, matcher: PatternMatcher[int], bodies: list[bytes], every: int) -> list[TreePattern]:
    """Compare the answers for some subscriptions with the reference's, and return their patterns."""
    with Path(texts).open() as file:
        some = {number: parse_xpath(line.rstrip("\n")) for number, line in enumerate(file) if number % every == 0}
    documents = [parse_xml(body) for body in bodies]
    for document, found in zip(documents, matcher.match_bodies(bodies), strict=True):
        assert not isinstance(found, InputError)
        expected = {number for number, pattern in some.items() if pattern.matches(document)}
        assert set(found) & some.keys() == expected, "the matcher and the reference differ"
    return list(some.values())


def has_branch(pattern: TreePattern) -> bool:
    """Tell whether some node has more than one element below it."""
    parents = [node.parent for node in pattern.nodes if node.kind is Kind.ELEMENT]
    return len(set(parents)) < len(parents)


def timed(read: Callable[[str], object], texts: str) -> float:
    """Return the seconds that reading each of up to 100,000 subscriptions takes."""
    with Path(texts).open() as file:
        lines = [line.rstrip("\n") for line, _ in zip(file, range(100_000), strict=False)]
    started = time.perf_counter()
    for line in lines:
        read(line)
    return time.perf_counter() - started


if __name__ == "__main__":
    print(json.dumps(measured_here(sys.argv[1], sys.argv[2], int(sys.argv[3]), bool(int(sys.argv[4])))))
