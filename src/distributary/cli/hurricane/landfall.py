"""The demonstration itself: nodes, subscribers and Spark on this machine, and the storm's streams through all of them.

Spark is the first router. It measures each stream and merges the subscriptions on it (`route`), and then publishes the
items with the header that says which of the source's channels each is on, so that no node has to match one again.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from distributary.cli.hurricane.audience import Audience
from distributary.cli.hurricane.measures import Link, Stage, links_of, stages_of
from distributary.cli.hurricane.scene import ALERTS, MAPS, PNG, REPORTS, Scene, draw_scene
from distributary.cli.hurricane.verdict import Verdict, judge, owed_items
from distributary.cli.local_tree import LocalTree
from distributary.client import AsyncClient
from distributary.core.items import JSON, XML
from distributary.core.status import NodeStatus
from distributary.runtime.options import ListenAddress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Landfall", "Stage", "play"]

_HOST = "127.0.0.1"
_FANOUT = 3
#: How long subscribers wait for what they are owed, and then for what they are not.
_OWED_SECONDS, _EXTRA_SECONDS = 30.0, 1.0


@dataclass(frozen=True, slots=True)
class Landfall:
    """What came of it."""

    verdicts: tuple[Verdict, ...]
    links: tuple[Link, ...]
    #: What each stage of the first router cost, by stream.
    stages: tuple[tuple[str, Stage], ...]
    items: int
    #: Items that some node had to match, although Spark had.
    matched_afresh: int
    #: Whether every node ended well.
    clean: bool = True

    @property
    def exact(self) -> bool:
        """Tell whether every subscriber received exactly its answer, and every node ended well."""
        return self.clean and all(verdict.exact for verdict in self.verdicts)


def play(seed: int, subscribers: int, nodes: int, folder: Path, step: Callable[[str], None]) -> Landfall:
    """Let the hurricane make landfall.

    Args:
        seed: Of the streams, the subscriptions and where each subscriber is.
        subscribers: How many there are.
        nodes: How many nodes, the source among them.
        folder: An empty folder for the streams' files and the nodes' logs.
        step: Is told what is being done.
    """
    from distributary.pipeline import register
    from distributary.pipeline.session import opened

    scene = draw_scene(seed, subscribers)
    _write(scene, folder)
    tree = LocalTree(folder / "nodes", _FANOUT, ListenAddress(_HOST, 0), events=folder / "events.jsonl")
    with tree:
        for number in range(nodes):
            step(f"starting node {number + 1} of {nodes}")
            tree.add()
        step("starting Spark")
        with opened("local[2]") as spark:
            register(spark)
            with _beside() as wait:
                seen = _landfall(spark, scene, tree.urls, folder, seed, step, wait)
        step("stopping the nodes")
    return replace(seen, clean=tree.clean)


def _landfall(
    spark: SparkSession,
    scene: Scene,
    urls: Mapping[str, str],
    folder: Path,
    seed: int,
    step: Callable[[str], None],
    wait: Callable[[Coroutine[Any, Any, Any]], Any],
) -> Landfall:
    step(f"{len(scene.subscriptions)} subscribers are coming")
    audience = Audience(scene.subscriptions, list(urls.values()), seed)
    wait(audience.listen())
    stages: list[tuple[str, Stage]] = []
    for stream in (REPORTS, ALERTS):
        step(f"Spark merges the subscriptions on {stream} and routes them")
        stages += [(stream, each) for each in _route(spark, scene, stream, folder)]
    for stream in (REPORTS, ALERTS, MAPS):
        step(f"Spark publishes {stream}")
        _publish(spark, stream, urls["source"], folder)
    step("waiting for every subscriber's last item")
    owed = owed_items(scene, scene.subscriptions)
    wait(audience.served([len(each) for each in owed], _OWED_SECONDS))
    time.sleep(_EXTRA_SECONDS)
    statuses = wait(_statuses(urls.values()))
    wait(audience.leave())
    verdicts = judge(audience.listeners, owed)
    return Landfall(
        verdicts=tuple(verdicts),
        links=tuple(links_of(statuses, verdicts)),
        stages=tuple(stages),
        items=len(scene.reports) + len(scene.alerts) + len(scene.maps),
        matched_afresh=sum(status.counters.get("items_matched_afresh", 0) for status in statuses.values()),
    )


@contextlib.contextmanager
def _beside() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Run the subscribers' event loop in a thread of its own, since Spark knows its session in the main one only."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(work, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _write(scene: Scene, folder: Path) -> None:
    """Write the streams as files, as somebody else's systems would leave them, and the subscriptions of each."""
    (folder / f"{REPORTS}.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(scene.reports))
    for stream, items, ending in ((ALERTS, scene.alerts, "xml"), (MAPS, scene.maps, "png")):
        (folder / stream).mkdir()
        for number, item in enumerate(items):
            (folder / stream / f"{number:04}.{ending}").write_bytes(item)
    for stream in (REPORTS, ALERTS):
        chosen = [subscription for _, subscription in scene.subscriptions if subscription.stream == stream]
        (folder / f"{stream}-subscriptions.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(chosen))


def _route(spark: SparkSession, scene: Scene, stream: str, folder: Path) -> list[Stage]:
    from distributary.pipeline.route import route

    items = folder / (f"{REPORTS}.jsonl" if stream == REPORTS else stream)
    subscriptions = folder / f"{stream}-subscriptions.jsonl"
    report = route(
        lambda: contextlib.nullcontext(spark), str(items), str(subscriptions), str(folder / f"{stream}-routed")
    )
    return stages_of(report, sum(subscription.stream == stream for _, subscription in scene.subscriptions))


def _publish(spark: SparkSession, stream: str, source: str, folder: Path) -> None:
    """Publish a stream's items as they stand in its files, each with its header."""
    writer = _items(spark, stream, folder).write.format("distributary").mode("append")
    writer.option("node", source).option("stream", stream).option("batchRows", 1).save()


def _items(spark: SparkSession, stream: str, folder: Path) -> DataFrame:
    from pyspark.sql import functions as F

    if stream == REPORTS:
        lines = spark.read.text(str(folder / f"{REPORTS}.jsonl"))
        return lines.select(F.col("value").alias("item"), F.lit(JSON).alias("content_type"))
    files = spark.read.format("binaryFile").load(str(folder / stream))
    kind = XML if stream == ALERTS else PNG
    return files.select(F.col("content").alias("data"), F.lit(kind).alias("content_type"))


async def _statuses(urls: Iterable[str]) -> dict[str, NodeStatus]:
    found = {}
    for url in urls:
        async with AsyncClient(url) as client:
            found[url] = await client.status()
    return found
